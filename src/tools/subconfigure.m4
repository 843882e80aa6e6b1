[#] start of __file__
dnl The macros are in confdb/aclocal_qmpi.m4, because the configure script of the patch series uses them too.

AC_DEFUN([PAC_SUBCFG_PREREQ_]PAC_SUBCFG_AUTO_SUFFIX,[
    QMPI_DEPENDENCIES
    QMPI_TOOLS
])

AC_DEFUN([PAC_SUBCFG_BODY_]PAC_SUBCFG_AUTO_SUFFIX,[
])

[#] end of __file__
