##
## Copyright (C) by the QMPI for MPICH developers
##     See COPYRIGHT in top-level directory
##

# Tools that come with the library: modules for LD_PRELOAD (or for loading at run time), never
# linked to. They need a C++17 compiler, shared libraries and QMPI itself; configure decides.
if BUILD_QMPI_TOOLS

toolsdir = $(libdir)/mpich/tools
tools_LTLIBRARIES = \
    src/tools/libqmpi_count.la \
    src/tools/libqmpi_bcast.la \
    src/tools/libqmpi_null.la

# Nothing but the constructor of a tool has to be found by anybody: all symbols are hidden.
qmpi_tool_cxxflags = $(AM_CXXFLAGS) -std=c++17 -fvisibility=hidden
qmpi_tool_ldflags = -module -avoid-version -shared

src_tools_libqmpi_count_la_SOURCES = src/tools/count.cpp
src_tools_libqmpi_count_la_CXXFLAGS = $(qmpi_tool_cxxflags)
src_tools_libqmpi_count_la_LDFLAGS = $(qmpi_tool_ldflags)
src_tools_libqmpi_count_la_LIBADD = lib/lib@MPILIBNAME@.la

src_tools_libqmpi_bcast_la_SOURCES = src/tools/bcast.cpp
src_tools_libqmpi_bcast_la_CXXFLAGS = $(qmpi_tool_cxxflags)
src_tools_libqmpi_bcast_la_LDFLAGS = $(qmpi_tool_ldflags)
src_tools_libqmpi_bcast_la_LIBADD = lib/lib@MPILIBNAME@.la

src_tools_libqmpi_null_la_SOURCES = src/tools/null.cpp
src_tools_libqmpi_null_la_CXXFLAGS = $(qmpi_tool_cxxflags)
src_tools_libqmpi_null_la_LDFLAGS = $(qmpi_tool_ldflags)
src_tools_libqmpi_null_la_LIBADD = lib/lib@MPILIBNAME@.la

# The command that lists tools and explains a chain needs two header libraries besides.
if BUILD_QMPI_INFO
bin_PROGRAMS += src/tools/qmpi_info
src_tools_qmpi_info_SOURCES = src/tools/qmpi_info.cpp
src_tools_qmpi_info_CXXFLAGS = $(AM_CXXFLAGS) -std=c++17
src_tools_qmpi_info_LDADD = lib/lib@MPILIBNAME@.la
endif BUILD_QMPI_INFO

endif BUILD_QMPI_TOOLS
