dnl
dnl Copyright (C) by the QMPI for MPICH developers
dnl     See COPYRIGHT in top-level directory
dnl

dnl QMPI_MISSING(WHAT, DEBIAN-PACKAGE) - end with the one message for a missing requirement
AC_DEFUN([QMPI_MISSING],
[AC_MSG_ERROR([$1 is missing or too old (Debian package: $2)])])

dnl QMPI_VERSION_AT_LEAST(VARIABLE, PROGRAM, LEAST, PACKAGE)
dnl The program must be there and its first line of --version must end in a version of at least LEAST.
AC_DEFUN([QMPI_VERSION_AT_LEAST],
[AC_MSG_CHECKING([for $2 (at least $3)])
 $1=`$2 --version 2>/dev/null | sed -n '1s/.* \([[0-9]][[0-9.]]*\)[[^0-9.]]*$/\1/p'`
 AS_IF([test -z "$$1"], [AC_MSG_RESULT([no])
                         QMPI_MISSING([$2 (at least $3)], [$4])])
 AC_MSG_RESULT([$$1])
 AS_VERSION_COMPARE([$$1], [$3], [QMPI_MISSING([$2 (at least $3; here is $$1)], [$4])])])

dnl QMPI_PASS_ON(OPTION) - one more option for MPICH's configure
dnl The options travel through make inside single quotes.
AC_DEFUN([QMPI_PASS_ON],
[case "$1" in
   *[[\'\$\@%:@]]*) AC_MSG_ERROR([$1: a quote, a dollar sign or a hash sign in an option cannot be passed on to MPICH]) ;;
 esac
 mpich_options="$mpich_options '$1'"])

dnl QMPI_LIBRARY(NAME, VARIABLE, HEADER, LIBRARY, FUNCTION, PKG-CONFIG-NAME, PACKAGE)
dnl Finds a library at the place --with-NAME says ($with_NAME: a folder, or empty for the system's),
dnl and leaves "folder, version" in $VARIABLE_found.
AC_DEFUN([QMPI_LIBRARY],
[AS_IF([test ! -d "$with_$2/include"], [AC_MSG_ERROR([--with-$2=$with_$2: there is no folder $with_$2/include])])
 qmpi_save_CPPFLAGS=$CPPFLAGS qmpi_save_LDFLAGS=$LDFLAGS qmpi_save_LIBS=$LIBS
 AS_IF([test "x$with_$2" != x/usr],
   [CPPFLAGS="$CPPFLAGS -I$with_$2/include"
    LDFLAGS="$LDFLAGS -L$with_$2/lib"])
 LIBS="$4 $LIBS"
 AC_MSG_CHECKING([for $1 in $with_$2])
 AC_LINK_IFELSE([AC_LANG_PROGRAM([[#include <$3>]], [[return (int) (long) &$5;]])],
   [AC_MSG_RESULT([yes])],
   [AC_MSG_RESULT([no])
    QMPI_MISSING([$1 (<$3> and $4 in $with_$2, as --with-$2 says)], [$7])])
 CPPFLAGS=$qmpi_save_CPPFLAGS LDFLAGS=$qmpi_save_LDFLAGS LIBS=$qmpi_save_LIBS
 qmpi_version=
 AS_IF([test "x$with_$2" = x/usr],
   [qmpi_version=`pkg-config --modversion $6 2>/dev/null || true`])
 $2_found="$with_$2${qmpi_version:+, version $qmpi_version}"])
