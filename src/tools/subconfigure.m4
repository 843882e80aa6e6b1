[#] start of __file__
dnl The macros are in confdb/aclocal_qmpi.m4, because two other configure scripts use them too.

AC_DEFUN([PAC_SUBCFG_PREREQ_]PAC_SUBCFG_AUTO_SUFFIX,[
    QMPI_DEPENDENCIES
    QMPI_CPPFLAGS='-I$(top_builddir)/src/include -I$(top_srcdir)/src/include'
    QMPI_LIBS='$(top_builddir)/lib/lib$(MPILIBNAME).la'
    QMPI_ABI_CPPFLAGS='-I$(top_srcdir)/src/binding/abi $(QMPI_CPPFLAGS)'
    QMPI_ABI_LIBS='$(top_builddir)/lib/lib$(MPIABILIBNAME).la'
    dnl without weak symbols the QMPI_ and PMPI_ names are in a separate library
    if test "${BUILD_PROFILING_LIB_TRUE-#}" = "" ; then
        QMPI_LIBS="$QMPI_LIBS "'$(top_builddir)/lib/lib$(PMPILIBNAME).la'
        QMPI_ABI_LIBS="$QMPI_ABI_LIBS "'$(top_builddir)/lib/lib$(PMPIABILIBNAME).la'
    fi
    QMPI_MPI_INCLUDEDIR='$(includedir)' QMPI_MPI_LIBDIR='$(libdir)'
    dnl 4.0.2 has neither the library of the MPI ABI nor its conditional
    build_qmpi_abi_tools=no
    if test "$build_qmpi_tools" = yes -a "${BUILD_ABI_LIB_TRUE-#}" = "" ; then
        build_qmpi_abi_tools=yes
    fi
    QMPI_TOOLS([src/tools/])
    QMPI_SUMMARY([
  QMPI                       $enable_qmpi
  Fortran, MPI-IO            $enable_fortran, $enable_romio
  shared, static libraries   $enable_shared, $enable_static])
])

AC_DEFUN([PAC_SUBCFG_BODY_]PAC_SUBCFG_AUTO_SUFFIX,[
])

[#] end of __file__
