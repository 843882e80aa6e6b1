# Copyright (C) by the QMPI for MPICH developers
#     See COPYRIGHT in top-level directory

"""The files of "maint/series export": the change to MPICH as others carry it. The bytes depend on the change alone."""

import calendar
import hashlib
import io
import lzma
import os
import re
import tarfile
import time

RECIPES = os.path.join(os.path.dirname(os.path.abspath(__file__)), "recipes")


def archive(files, date):
    """A tarball; files: path -> (bytes, mode)"""
    data = io.BytesIO()
    with tarfile.open(fileobj=data, mode="w", format=tarfile.USTAR_FORMAT) as tar:
        for path, (content, mode) in sorted(files.items()):
            entry = tarfile.TarInfo(path)
            entry.size, entry.mode, entry.mtime = len(content), mode, calendar.timegm(time.strptime(date, "%Y-%m-%d"))
            tar.addfile(entry, io.BytesIO(content))
    return lzma.compress(data.getvalue(), preset=9)


def recipes(folder, facts):
    """Files of packaging/recipes for this release, path -> bytes, with facts in the place of @NAME@"""
    def fill(text):
        return re.sub("@([A-Z0-9_]+)@", lambda match: facts[match[1]], text)
    found = {}
    for top in ("any", facts["VERSION"]):
        for here, _, names in os.walk(os.path.join(folder, top)):
            for name in names:
                path = os.path.join(here, name)
                with open(path, encoding="utf-8") as f:
                    found[fill(os.path.relpath(path, os.path.join(folder, top)))] = fill(f.read()).encode()
    return found


def layout(version, date, autogen, release, parts, whole, overlay):
    """All files of an export, path -> bytes.

    parts: (name, bytes) of each patch, in order; whole: the same change as one patch; overlay: path -> (bytes, mode) of
    the new files; release: SHA-256 of the release tarball, if known."""
    name = "mpich-%s-qmpi" % version
    files = {"patches/%04d-%s" % (i, n): data for i, (n, data) in enumerate(parts, 1)}
    files["patches/series"] = "".join("%04d-%s\n" % (i, n) for i, (n, _) in enumerate(parts, 1)).encode()
    files[name + ".patch"] = whole
    files[name + "-files.tar.xz"] = archive(overlay, date)
    overlay_patch = next("%04d-%s" % (i, n) for i, (n, _) in enumerate(parts, 1) if n == "qmpi-overlay.patch")
    facts = {"VERSION": version, "DATE": date, "AUTOGEN": autogen, "NAME": name, "OVERLAY_PATCH": overlay_patch,
             "RELEASE_SHA256": release or "", "PATCH_SHA256": hashlib.sha256(whole).hexdigest()}
    files.update(recipes(RECIPES, facts))
    files["spack/spack_repo/qmpi/packages/mpich/%s.patch" % name] = whole
    sums = "".join("%s  %s\n" % (hashlib.sha256(data).hexdigest(), path) for path, data in sorted(files.items()))
    files["SHA256SUMS"] = sums.encode()
    return files
