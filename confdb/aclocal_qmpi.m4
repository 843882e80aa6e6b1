dnl
dnl Copyright (C) by the QMPI for MPICH developers
dnl     See COPYRIGHT in top-level directory
dnl
dnl Macros for three configure scripts: that of this project, MPICH's in the patched tree (src/qmpi/subconfigure.m4,
dnl src/tools/subconfigure.m4), and that of the tools alone (src/tools/configure.ac). The first one decides the optional
dnl parts and passes the results to the second.

m4_define([QMPI_VERSION_m4], [1.0])

dnl QMPI_THREAD_PACKAGE - refuse the untested ones
AC_DEFUN([QMPI_THREAD_PACKAGE],[
    AS_CASE([$enable_qmpi-$with_thread_package], [yes-argobots|yes-abt|yes-qthreads],
        [AC_MSG_ERROR([--enable-qmpi does not support --with-thread-package=$with_thread_package (use posix)])])
])

dnl QMPI_OPTIONAL(NAME, USE, PACKAGE, INCLUDES, CODE, LIBS) - decides --with-NAME: qmpi_NAME becomes yes or no.
dnl auto: used if found; yes: an error if missing
AC_DEFUN([QMPI_OPTIONAL],[
    AC_ARG_WITH([$1],
        AS_HELP_STRING([--with-$1=yes|no|auto], [$2 (Debian package: $3; default: auto)]),
        [], [with_$1=auto])
    AS_CASE([$with_$1], [yes|no|auto], [], [AC_MSG_ERROR([--with-$1=$with_$1: expected yes, no or auto])])
    qmpi_$1=no
    if test "$with_$1" != no -a "$build_qmpi_tools" = yes ; then
        AC_MSG_CHECKING([for $1])
        qmpi_save_LIBS=$LIBS
        LIBS="$6 $LIBS"
        AC_LINK_IFELSE([AC_LANG_PROGRAM([$4], [$5])], [qmpi_$1=yes])
        LIBS=$qmpi_save_LIBS
        AC_MSG_RESULT([$qmpi_$1])
    fi
    if test "$with_$1$qmpi_$1" = yesno ; then
        AC_MSG_ERROR([--with-$1: $1 was not found (Debian package: $3), or the tools are not built])
    fi
])

dnl QMPI_DEPENDENCIES - what the tools need and what they can use: build_qmpi_tools, qmpi_NAME
AC_DEFUN([QMPI_DEPENDENCIES],[
    AC_LANG_PUSH([C++])
    qmpi_save_CXXFLAGS=$CXXFLAGS
    CXXFLAGS="$CXXFLAGS -std=c++17"
    build_qmpi_tools=no
    qmpi_tools_result="no (QMPI or shared libraries are disabled)"
    if test "$enable_qmpi" = yes -a "$enable_shared" != no ; then
        AC_MSG_CHECKING([whether $CXX supports C++17])
        AC_COMPILE_IFELSE([AC_LANG_PROGRAM([[#include <optional>]], [[std::optional<int> o; (void) o;]])],
            [build_qmpi_tools=yes qmpi_tools_result=yes], [qmpi_tools_result="no ($CXX does not support C++17)"])
        AC_MSG_RESULT([$build_qmpi_tools])
    fi
    QMPI_OPTIONAL([json], [tools that write reports, with nlohmann-json], [nlohmann-json3-dev],
        [[#include <nlohmann/json.hpp>]], [[nlohmann::json j; (void) j;]])
    QMPI_OPTIONAL([cli11], [the commands qmpi_ctl, qmpi_info, qmpi_report and qmpi_top, which also need json], [libcli11-dev],
        [[#include <CLI/CLI.hpp>]], [[CLI::App app; (void) app;]])
    QMPI_OPTIONAL([ncurses], [the screen of the command qmpi_top], [libncurses-dev],
        [[#include <ncurses.h>]], [[newterm(nullptr, nullptr, nullptr);]], [-lncursesw])
    QMPI_OPTIONAL([libdw], [names of call sites], [libdw-dev],
        [[#include <elfutils/libdwfl.h>]], [[dwfl_begin(nullptr);]], [-ldw])
    QMPI_OPTIONAL([otf2], [traces in OTF2], [libotf2-trace-dev],
        [[#include <otf2/otf2.h>]], [[OTF2_Archive_Close(nullptr);]], [-lotf2])
    CXXFLAGS=$qmpi_save_CXXFLAGS
    AC_LANG_POP([C++])
])

dnl QMPI_TOOLS(FOLDER) - variables, conditionals and makefiles of the tools in FOLDER/. Set before it: what the tools are
dnl compiled and linked with, QMPI_CPPFLAGS, QMPI_LIBS, QMPI_ABI_CPPFLAGS, QMPI_ABI_LIBS; where that will be installed,
dnl QMPI_MPI_INCLUDEDIR, QMPI_MPI_LIBDIR; build_qmpi_abi_tools.
AC_DEFUN([QMPI_TOOLS],[
    AC_SUBST([QMPI_VERSION], [QMPI_VERSION_m4])
    AC_SUBST([QMPI_CPPFLAGS])
    AC_SUBST([QMPI_LIBS])
    AC_SUBST([QMPI_ABI_CPPFLAGS])
    AC_SUBST([QMPI_ABI_LIBS])
    AC_SUBST([QMPI_MPI_INCLUDEDIR])
    AC_SUBST([QMPI_MPI_LIBDIR])
    QMPI_NCURSES_CPPFLAGS= QMPI_NCURSES_LIBS= QMPI_DW_CPPFLAGS= QMPI_DW_LIBS= QMPI_OTF2_CPPFLAGS= QMPI_OTF2_LIBS=
    if test "$qmpi_ncurses" = yes ; then
        QMPI_NCURSES_CPPFLAGS=-DHAVE_NCURSES QMPI_NCURSES_LIBS=-lncursesw
    fi
    if test "$qmpi_libdw" = yes ; then
        QMPI_DW_CPPFLAGS=-DHAVE_LIBDW QMPI_DW_LIBS=-ldw
    fi
    if test "$qmpi_otf2" = yes ; then
        QMPI_OTF2_CPPFLAGS=-DHAVE_OTF2 QMPI_OTF2_LIBS=-lotf2
    fi
    AC_SUBST([QMPI_NCURSES_CPPFLAGS])
    AC_SUBST([QMPI_NCURSES_LIBS])
    AC_SUBST([QMPI_DW_CPPFLAGS])
    AC_SUBST([QMPI_DW_LIBS])
    AC_SUBST([QMPI_OTF2_CPPFLAGS])
    AC_SUBST([QMPI_OTF2_LIBS])
    AM_CONDITIONAL([BUILD_QMPI_TOOLS],[test "$build_qmpi_tools" = yes])
    dnl the tool pmpi changes relocated words of ELF libraries
    AC_COMPILE_IFELSE([AC_LANG_SOURCE([[
#include <stdlib.h>
#if !defined(__linux__) || !defined(__GLIBC__) || !defined(__LP64__) || !(defined(__x86_64__) || defined(__aarch64__))
#error unsupported
#endif
]])],[build_qmpi_pmpi=$build_qmpi_tools],[build_qmpi_pmpi=no])
    AM_CONDITIONAL([BUILD_QMPI_PMPI],[test "$build_qmpi_pmpi" = yes])
    AM_CONDITIONAL([BUILD_QMPI_ABI_TOOLS],[test "$build_qmpi_abi_tools" = yes])
    AC_CONFIG_FILES([$1Makefile $1abi/Makefile])
    AM_CONDITIONAL([BUILD_QMPI_REPORTS],[test "$qmpi_json" = yes])
    qmpi_commands=no
    if test "$qmpi_json$qmpi_cli11" = yesyes ; then
        qmpi_commands=yes
    fi
    AM_CONDITIONAL([BUILD_QMPI_INFO],[test "$qmpi_commands" = yes])
])

dnl QMPI_SUMMARY(LINES) - what configure has decided, at its end
AC_DEFUN([QMPI_SUMMARY],[
    AC_CONFIG_COMMANDS_POST([
        AS_ECHO(["$1
  tools                      $qmpi_tools_result
  tools for the MPI ABI      $build_qmpi_abi_tools
  PMPI tools as members      $build_qmpi_pmpi
  reports (nlohmann-json)    $qmpi_json
  qmpi_info, qmpi_report     $qmpi_commands
  screen of qmpi_top         $qmpi_ncurses
  call sites (libdw)         $qmpi_libdw
  OTF2 traces                $qmpi_otf2
"])
    ])
])
