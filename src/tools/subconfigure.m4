[#] start of __file__
dnl What the tools and qmpi_info need. They are modules written in C++17; what writes reports needs
dnl nlohmann-json besides, qmpi_info CLI11 too. With libdw call sites have names, with OTF2 there are traces.

AC_DEFUN([PAC_SUBCFG_PREREQ_]PAC_SUBCFG_AUTO_SUFFIX,[
    build_qmpi_tools=no
    build_qmpi_reports=no
    build_qmpi_info=no
    QMPI_DW_CPPFLAGS= QMPI_DW_LIBS= QMPI_OTF2_CPPFLAGS= QMPI_OTF2_LIBS=
    if test "$enable_qmpi" = "yes" -a "$enable_shared" != "no" ; then
        AC_LANG_PUSH([C++])
        qmpi_save_CXXFLAGS=$CXXFLAGS
        CXXFLAGS="$CXXFLAGS -std=c++17"
        AC_COMPILE_IFELSE([AC_LANG_SOURCE([[#include <optional>
std::optional<int> o;]])],[build_qmpi_tools=yes])
        AC_COMPILE_IFELSE([AC_LANG_SOURCE([[#include <optional>
#include <nlohmann/json.hpp>
nlohmann::json o;]])],[build_qmpi_reports=yes])
        AC_COMPILE_IFELSE([AC_LANG_SOURCE([[#include <optional>
#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>
nlohmann::json o;]])],[build_qmpi_info=yes])
        CXXFLAGS=$qmpi_save_CXXFLAGS
        AC_LANG_POP([C++])
        AC_CHECK_HEADER([elfutils/libdwfl.h],
            [AC_CHECK_LIB([dw],[dwfl_begin],[QMPI_DW_CPPFLAGS=-DHAVE_LIBDW QMPI_DW_LIBS=-ldw])])
        AC_CHECK_HEADER([otf2/otf2.h],
            [AC_CHECK_LIB([otf2],[OTF2_Archive_Open],[QMPI_OTF2_CPPFLAGS=-DHAVE_OTF2 QMPI_OTF2_LIBS=-lotf2])])
    fi
    AC_SUBST([QMPI_DW_CPPFLAGS])
    AC_SUBST([QMPI_DW_LIBS])
    AC_SUBST([QMPI_OTF2_CPPFLAGS])
    AC_SUBST([QMPI_OTF2_LIBS])
    AM_CONDITIONAL([BUILD_QMPI_TOOLS],[test "$build_qmpi_tools" = "yes"])
    AM_CONDITIONAL([BUILD_QMPI_REPORTS],[test "$build_qmpi_reports" = "yes"])
    AM_CONDITIONAL([BUILD_QMPI_INFO],[test "$build_qmpi_info" = "yes"])
])

AC_DEFUN([PAC_SUBCFG_BODY_]PAC_SUBCFG_AUTO_SUFFIX,[
])

[#] end of __file__
