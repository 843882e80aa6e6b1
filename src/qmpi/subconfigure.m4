[#] start of __file__
dnl Requirements of the runtime, and texts that MPICH's files have with QMPI only

AC_DEFUN([PAC_SUBCFG_PREREQ_]PAC_SUBCFG_AUTO_SUFFIX,[
    AM_CONDITIONAL([BUILD_QMPI],[test "$enable_qmpi" = yes])
    INCLUDE_MPI_QMPI_H= USE_QMPI_BASE= qmpi_generator_option=
    if test "$enable_qmpi" = yes ; then
        QMPI_THREAD_PACKAGE
        AC_SEARCH_LIBS([dlopen],[dl])
        INCLUDE_MPI_QMPI_H="#include <mpi_qmpi.h>"
        USE_QMPI_BASE="USE QMPI_BASE"
        qmpi_generator_option=-qmpi
    fi
    AC_SUBST([INCLUDE_MPI_QMPI_H])
    AC_SUBST([USE_QMPI_BASE])
])

AC_DEFUN([PAC_SUBCFG_BODY_]PAC_SUBCFG_AUTO_SUFFIX,[
    dnl in the case that the compiler gives to names of modules
    QMPI_BASE_NAME=`echo $MPIBASEMODNAME | sed 's/^m/qm/;s/^M/QM/'`
    QMPI_F08_NAME=`echo $MPI_F08_NAME | sed 's/^m/qm/;s/^M/QM/'`
    QMPI_C_INTERFACE_NAME=`echo $MPI_C_INTERFACE_NAME | sed 's/^m/qm/;s/^M/QM/'`
    AC_SUBST([QMPI_BASE_NAME])
    AC_SUBST([QMPI_F08_NAME])
    AC_SUBST([QMPI_C_INTERFACE_NAME])
    dnl lines of mpif.h; use mpi leaves out those with EXTERNAL
    if test "$enable_qmpi" = yes ; then
        DLLIMPORT="$DLLIMPORT
       DOUBLE PRECISION, EXTERNAL :: QMPI_WTIME, QMPI_WTICK
       INTEGER(KIND=MPI_ADDRESS_KIND), EXTERNAL :: QMPI_AINT_ADD
       INTEGER(KIND=MPI_ADDRESS_KIND), EXTERNAL :: QMPI_AINT_DIFF"
    fi
    AM_SUBST_NOTMAKE([DLLIMPORT])
])

[#] end of __file__
