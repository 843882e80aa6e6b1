[#] start of __file__
dnl What the runtime needs, and what of it is built

AC_DEFUN([PAC_SUBCFG_PREREQ_]PAC_SUBCFG_AUTO_SUFFIX,[
    AM_CONDITIONAL([BUILD_QMPI],[test "$enable_qmpi" = "yes"])
    AM_CONDITIONAL([BUILD_QMPI_MEMBER],[test "$enable_qmpi" = "yes" -a "$enable_shared" != "no"])
    AC_SEARCH_LIBS([dlopen],[dl])
])

AC_DEFUN([PAC_SUBCFG_BODY_]PAC_SUBCFG_AUTO_SUFFIX,[
])

[#] end of __file__
