[#] start of __file__
dnl Requirements of the runtime

AC_DEFUN([PAC_SUBCFG_PREREQ_]PAC_SUBCFG_AUTO_SUFFIX,[
    AM_CONDITIONAL([BUILD_QMPI],[test "$enable_qmpi" = yes])
    if test "$enable_qmpi" = yes ; then
        dnl not tested
        if test "$with_thread_package" = argobots -o "$with_thread_package" = abt -o "$with_thread_package" = qthreads ; then
            AC_MSG_ERROR([--enable-qmpi does not support --with-thread-package=$with_thread_package (use posix)])
        fi
    fi
    AC_SEARCH_LIBS([dlopen],[dl])
    if test "$enable_qmpi" = yes ; then
        dnl the library has new functions and lacks none
        ABIVERSION=`expr ${ABIVERSION%%:*} + 1`:0:`expr ${ABIVERSION##*:} + 1`
        libmpi_so_version=$ABIVERSION
    fi
])

AC_DEFUN([PAC_SUBCFG_BODY_]PAC_SUBCFG_AUTO_SUFFIX,[
])

[#] end of __file__
