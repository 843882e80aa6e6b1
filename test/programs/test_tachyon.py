# Copyright (C) by the QMPI for MPICH developers
#     See COPYRIGHT in top-level directory

"""The ray tracer Tachyon with its library for several processes, as Debian compiled it for its MPICH. It sends the lines of the
image with persistent requests."""

import hashlib

import pytest

from questions import *     # noqa: F401, F403

pytestmark = [pytest.mark.hours]

PACKAGES = ["libtachyon-mpich-0", "tachyon-bin-nox"]
WHAT = "size and hash of an image"
KNOWN = "(?!)"
RANKS = 4
# The second sphere mirrors the first one.
SCENE = """
BEGIN_SCENE
RESOLUTION 300 200
CAMERA
  ZOOM 1 ASPECTRATIO 1 ANTIALIASING 2 RAYDEPTH 8
  CENTER 0 0 -6 VIEWDIR 0 0 1 UPDIR 0 1 0
END_CAMERA
LIGHT CENTER -5 5 -5 RAD 0.1 COLOR 1 1 1
BACKGROUND 0.1 0.1 0.3
SPHERE CENTER -1 0 0 RAD 1.2 TEXTURE AMBIENT 0.1 DIFFUSE 0.7 SPECULAR 0 OPACITY 1 COLOR 1 0.2 0.1 TEXFUNC 0
SPHERE CENTER 1.5 0 1 RAD 1.2 TEXTURE AMBIENT 0.1 DIFFUSE 0.3 SPECULAR 0.6 OPACITY 1 COLOR 0.2 1 0.1 TEXFUNC 0
END_SCENE
"""


@pytest.fixture(scope="module")
def pairs(mpich_module, unpack, compare):
    root, variables = unpack(*PACKAGES)
    # The program is linked for whichever of Tachyon's libraries has this name.
    library = next(root.glob("lib/*/libtachyon-mpich.so.0"))
    (library.parent / "libtachyon.so.0").symlink_to(library.name)
    work = mpich_module.work
    (work / "scene").write_text(SCENE)

    def picture(text):
        image = (work / "image.tga").read_bytes()
        (work / "image.tga").unlink()       # the next run writes its own
        return [len(image), hashlib.sha256(image).hexdigest()[:16]]

    return [compare(RANKS, root / "bin/tachyon-nox", "scene", "-o", "image.tga", results=picture, **variables)]
