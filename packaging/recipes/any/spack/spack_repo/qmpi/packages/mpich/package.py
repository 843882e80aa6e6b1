# Copyright (C) by the QMPI for MPICH developers
#     See COPYRIGHT in top-level directory

import os

from spack_repo.builtin.packages.mpich.package import Mpich as BuiltinMpich

from spack.package import *


class Mpich(BuiltinMpich):
    """MPICH with a chain of tools for every MPI call (QMPI)."""

    variant("qmpi", default=False, when="@@VERSION@", description="Chain of tools for every MPI call")

    with when("@@VERSION@ +qmpi"):
        patch("@NAME@.patch", sha256="@PATCH_SHA256@")
        depends_on("autoconf@2.69:", type="build")
        depends_on("automake@1.15:", type="build")
        depends_on("libtool@2.4.4:", type="build")
        depends_on("m4", type="build")
        depends_on("perl", type="build")
        depends_on("python@3:", type="build")
        depends_on("cli11@2:", type="build")
        depends_on("nlohmann-json@3:", type="build")
        depends_on("ncurses")
        depends_on("elfutils")
        depends_on("otf2@3:")

    def autoreconf(self, spec, prefix):
        if not spec.satisfies("+qmpi"):
            return super().autoreconf(spec, prefix)
        bash = which("bash", required=True)
        with working_dir("maint"):
            if os.path.exists("configure"):
                bash("./configure")
        bash("./autogen.sh", *"@AUTOGEN@".split())

    def configure_args(self):
        args = super().configure_args() + self.enable_or_disable("qmpi")
        if self.spec.satisfies("+qmpi"):
            args += ["--with-json=yes", "--with-cli11=yes", "--with-ncurses=yes", "--with-libdw=yes", "--with-otf2=yes"]
        return args
