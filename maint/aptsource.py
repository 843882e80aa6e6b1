##
## Copyright (C) by the QMPI for MPICH developers
##     See COPYRIGHT in top-level directory
##
"""Source archives of Debian, through apt"""

import os
import re
import shutil
import subprocess
import tempfile


def fetch(package, target, sha256):
    """Fetch the archive that a binary package was made from; its name is that of target. On the machine's own mirror it is
    beside the package, so apt needs no deb-src. Returns why it cannot be had; None: it is there."""
    def run(*command):
        p = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, errors="replace", env=dict(os.environ, LC_ALL="C"))
        return p.returncode, p.stdout

    if not shutil.which("apt-get"):
        return "no apt-get"
    with tempfile.TemporaryDirectory(dir=os.path.dirname(target)) as work:
        ask = ["apt-get", "--print-uris", "download", package]
        status, answer = run(*ask)
        if status:      # no package lists yet; private ones need no root
            os.makedirs(work + "/lists/partial")
            private = ["-o", "Dir::State::Lists=%s/lists" % work, "-o", "Dir::Cache=" + work, "-o", "APT::Sandbox::User="]
            run("apt-get", "-q", *private, "update")        # other repositories may fail
            answer = run(*ask, *private)[1]
        found = re.search(r"'([^']*/)[^/']*'", answer)
        if not found:
            return "apt-get has no address of " + package
        name = os.path.basename(target)
        status, answer = run("/usr/lib/apt/apt-helper", "-o", "APT::Sandbox::User=", "download-file", found.group(1) + name,
                             work + "/" + name, "SHA256:" + sha256)
        if status:
            return "; ".join(answer.strip().splitlines()[-3:])
        os.rename(work + "/" + name, target)
    return None
