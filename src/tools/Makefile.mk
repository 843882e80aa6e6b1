##
## Copyright (C) by the QMPI for MPICH developers
##     See COPYRIGHT in top-level directory
##

# The tools: modules that the library or LD_PRELOAD loads. They need C++17, shared libraries and
# QMPI; configure decides.
if BUILD_QMPI_TOOLS

toolsdir = $(libdir)/mpich/tools
tools_LTLIBRARIES = \
    src/tools/libqmpi_count.la \
    src/tools/libqmpi_bcast.la \
    src/tools/libqmpi_null.la

dist_man_MANS = \
    src/tools/man/qmpi-bcast.7 \
    src/tools/man/qmpi-count.7 \
    src/tools/man/qmpi-null.7

# A tool registers itself in a constructor and exports no symbols.
qmpi_tool_cxxflags = $(AM_CXXFLAGS) -std=c++17 -fvisibility=hidden
qmpi_tool_ldflags = -module -avoid-version -shared
# Otherwise libtool compiles everything twice if libmpi is also static.
qmpi_tool_libtoolflags = --tag=disable-static

# Code common to the tools. libmpi does not link to the libraries that they need.
noinst_LTLIBRARIES += src/tools/libqmpi_common.la
src_tools_libqmpi_common_la_SOURCES = \
    src/tools/common/bytes.hpp \
    src/tools/common/call_sites.cpp \
    src/tools/common/call_sites.hpp \
    src/tools/common/communicators.cpp \
    src/tools/common/communicators.hpp \
    src/tools/common/handles.hpp \
    src/tools/common/merge.cpp \
    src/tools/common/merge.hpp \
    src/tools/common/movement.hpp \
    src/tools/common/patterns.cpp \
    src/tools/common/patterns.hpp \
    src/tools/common/process.cpp \
    src/tools/common/process.hpp \
    src/tools/common/record.cpp \
    src/tools/common/record.hpp \
    src/tools/common/report.cpp \
    src/tools/common/report.hpp \
    src/tools/common/reporting_tool.hpp \
    src/tools/common/requests.hpp \
    src/tools/common/selection.cpp \
    src/tools/common/selection.hpp \
    src/tools/common/sizes.hpp \
    src/tools/common/text.hpp \
    src/tools/common/wire.hpp
src_tools_libqmpi_common_la_CPPFLAGS = $(AM_CPPFLAGS) $(QMPI_DW_CPPFLAGS)
src_tools_libqmpi_common_la_CXXFLAGS = $(qmpi_tool_cxxflags)
src_tools_libqmpi_common_la_LIBTOOLFLAGS = $(qmpi_tool_libtoolflags)
src_tools_libqmpi_common_la_LDFLAGS = -avoid-version
src_tools_libqmpi_common_la_LIBADD = $(QMPI_DW_LIBS)

# Without weak symbols the QMPI_ and PMPI_ names are in a separate library.
if BUILD_PROFILING_LIB
qmpi_library = lib/lib@MPILIBNAME@.la lib/lib@PMPILIBNAME@.la
else !BUILD_PROFILING_LIB
qmpi_library = lib/lib@MPILIBNAME@.la
endif !BUILD_PROFILING_LIB
qmpi_tool_libadd = src/tools/libqmpi_common.la $(qmpi_library)

src_tools_libqmpi_count_la_SOURCES = \
    src/tools/count.cpp \
    src/tools/count/totals.cpp \
    src/tools/count/totals.hpp
src_tools_libqmpi_count_la_CXXFLAGS = $(qmpi_tool_cxxflags)
src_tools_libqmpi_count_la_LIBTOOLFLAGS = $(qmpi_tool_libtoolflags)
src_tools_libqmpi_count_la_LDFLAGS = $(qmpi_tool_ldflags)
src_tools_libqmpi_count_la_LIBADD = $(qmpi_tool_libadd)

src_tools_libqmpi_bcast_la_SOURCES = src/tools/bcast.cpp
src_tools_libqmpi_bcast_la_CXXFLAGS = $(qmpi_tool_cxxflags)
src_tools_libqmpi_bcast_la_LIBTOOLFLAGS = $(qmpi_tool_libtoolflags)
src_tools_libqmpi_bcast_la_LDFLAGS = $(qmpi_tool_ldflags)
src_tools_libqmpi_bcast_la_LIBADD = $(qmpi_library)

src_tools_libqmpi_null_la_SOURCES = src/tools/null.cpp
src_tools_libqmpi_null_la_CXXFLAGS = $(qmpi_tool_cxxflags)
src_tools_libqmpi_null_la_LIBTOOLFLAGS = $(qmpi_tool_libtoolflags)
src_tools_libqmpi_null_la_LDFLAGS = $(qmpi_tool_ldflags)
src_tools_libqmpi_null_la_LIBADD = $(qmpi_library)

# Tools with reports as text, JSON and HTML
if BUILD_QMPI_REPORTS
noinst_LTLIBRARIES += src/tools/libqmpi_page.la
src_tools_libqmpi_page_la_SOURCES = src/tools/common/page.cpp src/tools/common/page.hpp
src_tools_libqmpi_page_la_CPPFLAGS = $(AM_CPPFLAGS) -I$(top_builddir)/src/tools/common
src_tools_libqmpi_page_la_CXXFLAGS = $(qmpi_tool_cxxflags)
src_tools_libqmpi_page_la_LIBTOOLFLAGS = $(qmpi_tool_libtoolflags)
src_tools_libqmpi_page_la_LDFLAGS = -avoid-version
EXTRA_DIST += src/tools/common/page.css src/tools/common/page.js
CLEANFILES += src/tools/common/page_assets.hpp

# Style sheet and script, embedded in each page.
$(src_tools_libqmpi_page_la_OBJECTS): src/tools/common/page_assets.hpp
src/tools/common/page_assets.hpp: $(top_srcdir)/src/tools/common/page.css $(top_srcdir)/src/tools/common/page.js
	@$(MKDIR_P) src/tools/common
	for kind in css js; do \
	    echo "static const char page_$$kind[] = R\"__qmpi__("; \
	    cat $(top_srcdir)/src/tools/common/page.$$kind; \
	    echo ')__qmpi__";'; \
	done > $@

dist_man_MANS += \
    src/tools/man/qmpi-check.7 \
    src/tools/man/qmpi-messages.7 \
    src/tools/man/qmpi-profile.7 \
    src/tools/man/qmpi-trace.7

# Reports of the tools from records: in the tool, or in qmpi_report
noinst_LTLIBRARIES += src/tools/libqmpi_reports.la
src_tools_libqmpi_reports_la_SOURCES = \
    src/tools/messages/records.hpp \
    src/tools/messages/report.cpp \
    src/tools/messages/report.hpp \
    src/tools/profile/reports.cpp \
    src/tools/profile/reports.hpp \
    src/tools/profile/summary.cpp \
    src/tools/profile/summary.hpp
src_tools_libqmpi_reports_la_CXXFLAGS = $(qmpi_tool_cxxflags)
src_tools_libqmpi_reports_la_LIBTOOLFLAGS = $(qmpi_tool_libtoolflags)
src_tools_libqmpi_reports_la_LDFLAGS = -avoid-version

qmpi_report_libadd = src/tools/libqmpi_reports.la src/tools/libqmpi_page.la $(qmpi_tool_libadd)

tools_LTLIBRARIES += src/tools/libqmpi_profile.la
src_tools_libqmpi_profile_la_SOURCES = \
    src/tools/profile.cpp \
    src/tools/profile/tables.cpp \
    src/tools/profile/tables.hpp
src_tools_libqmpi_profile_la_CXXFLAGS = $(qmpi_tool_cxxflags)
src_tools_libqmpi_profile_la_LIBTOOLFLAGS = $(qmpi_tool_libtoolflags)
src_tools_libqmpi_profile_la_LDFLAGS = $(qmpi_tool_ldflags)
src_tools_libqmpi_profile_la_LIBADD = $(qmpi_report_libadd)

tools_LTLIBRARIES += src/tools/libqmpi_messages.la
src_tools_libqmpi_messages_la_SOURCES = src/tools/messages.cpp
src_tools_libqmpi_messages_la_CXXFLAGS = $(qmpi_tool_cxxflags)
src_tools_libqmpi_messages_la_LIBTOOLFLAGS = $(qmpi_tool_libtoolflags)
src_tools_libqmpi_messages_la_LDFLAGS = $(qmpi_tool_ldflags)
src_tools_libqmpi_messages_la_LIBADD = $(qmpi_report_libadd)

tools_LTLIBRARIES += src/tools/libqmpi_check.la
src_tools_libqmpi_check_la_SOURCES = \
    src/tools/check.cpp \
    src/tools/check/analyser.cpp \
    src/tools/check/analyser.hpp \
    src/tools/check/collectives.cpp \
    src/tools/check/collectives.hpp \
    src/tools/check/connection.cpp \
    src/tools/check/connection.hpp \
    src/tools/check/events.hpp \
    src/tools/check/findings.cpp \
    src/tools/check/findings.hpp \
    src/tools/check/functions.hpp \
    src/tools/check/handle_rules.cpp \
    src/tools/check/handle_rules.hpp \
    src/tools/check/local_process.cpp \
    src/tools/check/local_process.hpp \
    src/tools/check/messages.cpp \
    src/tools/check/messages.hpp \
    src/tools/check/one_sided.cpp \
    src/tools/check/one_sided.hpp \
    src/tools/check/operations.cpp \
    src/tools/check/operations.hpp \
    src/tools/check/point_to_point.hpp \
    src/tools/check/recorder.cpp \
    src/tools/check/recorder.hpp \
    src/tools/check/resources.cpp \
    src/tools/check/resources.hpp \
    src/tools/check/signature.cpp \
    src/tools/check/signature.hpp \
    src/tools/check/sites.cpp \
    src/tools/check/sites.hpp \
    src/tools/check/statement.cpp \
    src/tools/check/statement.hpp \
    src/tools/check/waiting.cpp \
    src/tools/check/waiting.hpp
src_tools_libqmpi_check_la_CXXFLAGS = $(qmpi_tool_cxxflags)
src_tools_libqmpi_check_la_LIBTOOLFLAGS = $(qmpi_tool_libtoolflags)
src_tools_libqmpi_check_la_LDFLAGS = $(qmpi_tool_ldflags)
src_tools_libqmpi_check_la_LIBADD = $(qmpi_tool_libadd)

# Makes a trace from journals: in the tool, or in qmpi_report if the job was killed.
noinst_LTLIBRARIES += src/tools/libqmpi_journals.la
src_tools_libqmpi_journals_la_SOURCES = \
    src/tools/trace/chrome_output.cpp \
    src/tools/trace/chrome_output.hpp \
    src/tools/trace/definitions.cpp \
    src/tools/trace/definitions.hpp \
    src/tools/trace/finish.cpp \
    src/tools/trace/finish.hpp \
    src/tools/trace/journal.cpp \
    src/tools/trace/journal.hpp \
    src/tools/trace/categories.cpp \
    src/tools/trace/categories.hpp \
    src/tools/trace/otf2_output.cpp \
    src/tools/trace/otf2_output.hpp \
    src/tools/trace/overview.cpp \
    src/tools/trace/overview.hpp
src_tools_libqmpi_journals_la_CPPFLAGS = $(AM_CPPFLAGS) $(QMPI_OTF2_CPPFLAGS)
src_tools_libqmpi_journals_la_CXXFLAGS = $(qmpi_tool_cxxflags)
src_tools_libqmpi_journals_la_LIBTOOLFLAGS = $(qmpi_tool_libtoolflags)
src_tools_libqmpi_journals_la_LDFLAGS = -avoid-version
src_tools_libqmpi_journals_la_LIBADD = $(QMPI_OTF2_LIBS)

tools_LTLIBRARIES += src/tools/libqmpi_trace.la
src_tools_libqmpi_trace_la_SOURCES = \
    src/tools/trace.cpp \
    src/tools/trace/clocks.cpp \
    src/tools/trace/clocks.hpp
src_tools_libqmpi_trace_la_CPPFLAGS = $(AM_CPPFLAGS) $(QMPI_OTF2_CPPFLAGS)
src_tools_libqmpi_trace_la_CXXFLAGS = $(qmpi_tool_cxxflags)
src_tools_libqmpi_trace_la_LIBTOOLFLAGS = $(qmpi_tool_libtoolflags)
src_tools_libqmpi_trace_la_LDFLAGS = $(qmpi_tool_ldflags)
src_tools_libqmpi_trace_la_LIBADD = src/tools/libqmpi_journals.la $(qmpi_report_libadd)
endif BUILD_QMPI_REPORTS

# Unmodified PMPI tools; QMPI_ functions have to be in libmpi itself
if BUILD_QMPI_PMPI
if !BUILD_PROFILING_LIB
dist_man_MANS += src/tools/man/qmpi-pmpi.7

tools_LTLIBRARIES += src/tools/libqmpi_pmpi.la
src_tools_libqmpi_pmpi_la_SOURCES = \
    src/tools/pmpi/calls.cpp \
    src/tools/pmpi/files.cpp \
    src/tools/pmpi/library.cpp \
    src/tools/pmpi/pmpi.cpp \
    src/tools/pmpi/pmpi.hpp
src_tools_libqmpi_pmpi_la_CPPFLAGS = $(AM_CPPFLAGS) \
    -DQMPI_LIBMPIFORT='"lib@MPIFCLIBNAME@"' -DQMPI_LIBMPICXX='"lib@MPICXXLIBNAME@"'
src_tools_libqmpi_pmpi_la_CXXFLAGS = $(qmpi_tool_cxxflags)
src_tools_libqmpi_pmpi_la_LIBTOOLFLAGS = $(qmpi_tool_libtoolflags)
src_tools_libqmpi_pmpi_la_LDFLAGS = $(qmpi_tool_ldflags)
src_tools_libqmpi_pmpi_la_LIBADD = $(qmpi_library)
endif !BUILD_PROFILING_LIB
endif BUILD_QMPI_PMPI

# The same tools for the library of the MPI ABI, whose header has other types. The page of reports makes no MPI calls
# and serves both.
if BUILD_QMPI_ABI_TOOLS
toolsabidir = $(libdir)/mpich/tools_abi
toolsabi_LTLIBRARIES = \
    src/tools/abi/libqmpi_count.la \
    src/tools/abi/libqmpi_bcast.la \
    src/tools/abi/libqmpi_null.la

qmpi_abi_cppflags = -DMPI_ABI -I$(top_srcdir)/src/binding/abi $(AM_CPPFLAGS)

noinst_LTLIBRARIES += src/tools/abi/libqmpi_common.la
src_tools_abi_libqmpi_common_la_SOURCES = $(src_tools_libqmpi_common_la_SOURCES)
src_tools_abi_libqmpi_common_la_CPPFLAGS = $(qmpi_abi_cppflags) $(QMPI_DW_CPPFLAGS)
src_tools_abi_libqmpi_common_la_CXXFLAGS = $(qmpi_tool_cxxflags)
src_tools_abi_libqmpi_common_la_LIBTOOLFLAGS = $(qmpi_tool_libtoolflags)
src_tools_abi_libqmpi_common_la_LDFLAGS = -avoid-version
src_tools_abi_libqmpi_common_la_LIBADD = $(QMPI_DW_LIBS)

if BUILD_PROFILING_LIB
qmpi_abi_library = lib/lib@MPIABILIBNAME@.la lib/lib@PMPIABILIBNAME@.la
else !BUILD_PROFILING_LIB
qmpi_abi_library = lib/lib@MPIABILIBNAME@.la
endif !BUILD_PROFILING_LIB
qmpi_abi_tool_libadd = src/tools/abi/libqmpi_common.la $(qmpi_abi_library)

src_tools_abi_libqmpi_count_la_SOURCES = $(src_tools_libqmpi_count_la_SOURCES)
src_tools_abi_libqmpi_count_la_CPPFLAGS = $(qmpi_abi_cppflags)
src_tools_abi_libqmpi_count_la_CXXFLAGS = $(qmpi_tool_cxxflags)
src_tools_abi_libqmpi_count_la_LIBTOOLFLAGS = $(qmpi_tool_libtoolflags)
src_tools_abi_libqmpi_count_la_LDFLAGS = $(qmpi_tool_ldflags)
src_tools_abi_libqmpi_count_la_LIBADD = $(qmpi_abi_tool_libadd)

src_tools_abi_libqmpi_bcast_la_SOURCES = $(src_tools_libqmpi_bcast_la_SOURCES)
src_tools_abi_libqmpi_bcast_la_CPPFLAGS = $(qmpi_abi_cppflags)
src_tools_abi_libqmpi_bcast_la_CXXFLAGS = $(qmpi_tool_cxxflags)
src_tools_abi_libqmpi_bcast_la_LIBTOOLFLAGS = $(qmpi_tool_libtoolflags)
src_tools_abi_libqmpi_bcast_la_LDFLAGS = $(qmpi_tool_ldflags)
src_tools_abi_libqmpi_bcast_la_LIBADD = $(qmpi_abi_library)

src_tools_abi_libqmpi_null_la_SOURCES = $(src_tools_libqmpi_null_la_SOURCES)
src_tools_abi_libqmpi_null_la_CPPFLAGS = $(qmpi_abi_cppflags)
src_tools_abi_libqmpi_null_la_CXXFLAGS = $(qmpi_tool_cxxflags)
src_tools_abi_libqmpi_null_la_LIBTOOLFLAGS = $(qmpi_tool_libtoolflags)
src_tools_abi_libqmpi_null_la_LDFLAGS = $(qmpi_tool_ldflags)
src_tools_abi_libqmpi_null_la_LIBADD = $(qmpi_abi_library)

if BUILD_QMPI_REPORTS
noinst_LTLIBRARIES += src/tools/abi/libqmpi_reports.la
src_tools_abi_libqmpi_reports_la_SOURCES = $(src_tools_libqmpi_reports_la_SOURCES)
src_tools_abi_libqmpi_reports_la_CPPFLAGS = $(qmpi_abi_cppflags)
src_tools_abi_libqmpi_reports_la_CXXFLAGS = $(qmpi_tool_cxxflags)
src_tools_abi_libqmpi_reports_la_LIBTOOLFLAGS = $(qmpi_tool_libtoolflags)
src_tools_abi_libqmpi_reports_la_LDFLAGS = -avoid-version

qmpi_abi_report_libadd = src/tools/abi/libqmpi_reports.la src/tools/libqmpi_page.la \
    $(qmpi_abi_tool_libadd)

toolsabi_LTLIBRARIES += \
    src/tools/abi/libqmpi_check.la \
    src/tools/abi/libqmpi_messages.la \
    src/tools/abi/libqmpi_profile.la \
    src/tools/abi/libqmpi_trace.la

src_tools_abi_libqmpi_profile_la_SOURCES = $(src_tools_libqmpi_profile_la_SOURCES)
src_tools_abi_libqmpi_profile_la_CPPFLAGS = $(qmpi_abi_cppflags)
src_tools_abi_libqmpi_profile_la_CXXFLAGS = $(qmpi_tool_cxxflags)
src_tools_abi_libqmpi_profile_la_LIBTOOLFLAGS = $(qmpi_tool_libtoolflags)
src_tools_abi_libqmpi_profile_la_LDFLAGS = $(qmpi_tool_ldflags)
src_tools_abi_libqmpi_profile_la_LIBADD = $(qmpi_abi_report_libadd)

src_tools_abi_libqmpi_messages_la_SOURCES = $(src_tools_libqmpi_messages_la_SOURCES)
src_tools_abi_libqmpi_messages_la_CPPFLAGS = $(qmpi_abi_cppflags)
src_tools_abi_libqmpi_messages_la_CXXFLAGS = $(qmpi_tool_cxxflags)
src_tools_abi_libqmpi_messages_la_LIBTOOLFLAGS = $(qmpi_tool_libtoolflags)
src_tools_abi_libqmpi_messages_la_LDFLAGS = $(qmpi_tool_ldflags)
src_tools_abi_libqmpi_messages_la_LIBADD = $(qmpi_abi_report_libadd)

src_tools_abi_libqmpi_check_la_SOURCES = $(src_tools_libqmpi_check_la_SOURCES)
src_tools_abi_libqmpi_check_la_CPPFLAGS = $(qmpi_abi_cppflags)
src_tools_abi_libqmpi_check_la_CXXFLAGS = $(qmpi_tool_cxxflags)
src_tools_abi_libqmpi_check_la_LIBTOOLFLAGS = $(qmpi_tool_libtoolflags)
src_tools_abi_libqmpi_check_la_LDFLAGS = $(qmpi_tool_ldflags)
src_tools_abi_libqmpi_check_la_LIBADD = $(qmpi_abi_tool_libadd)

noinst_LTLIBRARIES += src/tools/abi/libqmpi_journals.la
src_tools_abi_libqmpi_journals_la_SOURCES = $(src_tools_libqmpi_journals_la_SOURCES)
src_tools_abi_libqmpi_journals_la_CPPFLAGS = $(qmpi_abi_cppflags) $(QMPI_OTF2_CPPFLAGS)
src_tools_abi_libqmpi_journals_la_CXXFLAGS = $(qmpi_tool_cxxflags)
src_tools_abi_libqmpi_journals_la_LIBTOOLFLAGS = $(qmpi_tool_libtoolflags)
src_tools_abi_libqmpi_journals_la_LDFLAGS = -avoid-version
src_tools_abi_libqmpi_journals_la_LIBADD = $(QMPI_OTF2_LIBS)

src_tools_abi_libqmpi_trace_la_SOURCES = $(src_tools_libqmpi_trace_la_SOURCES)
src_tools_abi_libqmpi_trace_la_CPPFLAGS = $(qmpi_abi_cppflags) $(QMPI_OTF2_CPPFLAGS)
src_tools_abi_libqmpi_trace_la_CXXFLAGS = $(qmpi_tool_cxxflags)
src_tools_abi_libqmpi_trace_la_LIBTOOLFLAGS = $(qmpi_tool_libtoolflags)
src_tools_abi_libqmpi_trace_la_LDFLAGS = $(qmpi_tool_ldflags)
src_tools_abi_libqmpi_trace_la_LIBADD = src/tools/abi/libqmpi_journals.la $(qmpi_abi_report_libadd)
endif BUILD_QMPI_REPORTS
endif BUILD_QMPI_ABI_TOOLS

# The commands need CLI11 and nlohmann-json.
if BUILD_QMPI_INFO
bin_PROGRAMS += src/tools/qmpi_report
dist_man_MANS += src/tools/man/qmpi_report.1
src_tools_qmpi_report_SOURCES = \
    src/tools/check/findings.cpp \
    src/tools/check/findings.hpp \
    src/tools/check/recorder.cpp \
    src/tools/check/recorder.hpp \
    src/tools/check/statement.cpp \
    src/tools/check/statement.hpp \
    src/tools/count/totals.cpp \
    src/tools/count/totals.hpp \
    src/tools/report/compare.cpp \
    src/tools/report/compare.hpp \
    src/tools/report/qmpi_report.cpp \
    src/tools/report/reports.cpp \
    src/tools/report/reports.hpp \
    src/tools/report/trace_report.cpp \
    src/tools/report/trace_report.hpp
src_tools_qmpi_report_CPPFLAGS = $(AM_CPPFLAGS) $(QMPI_OTF2_CPPFLAGS)
src_tools_qmpi_report_CXXFLAGS = $(AM_CXXFLAGS) -std=c++17
src_tools_qmpi_report_LDADD = src/tools/libqmpi_journals.la $(qmpi_report_libadd)

bin_PROGRAMS += src/tools/qmpi_info
dist_man_MANS += src/tools/man/qmpi_info.1
src_tools_qmpi_info_SOURCES = src/tools/qmpi_info.cpp
src_tools_qmpi_info_CXXFLAGS = $(AM_CXXFLAGS) -std=c++17
src_tools_qmpi_info_LDADD = lib/lib@MPILIBNAME@.la

if BUILD_QMPI_ABI_TOOLS
bin_PROGRAMS += src/tools/qmpi_info_abi
dist_man_MANS += src/tools/man/qmpi_info_abi.1
src_tools_qmpi_info_abi_SOURCES = $(src_tools_qmpi_info_SOURCES)
src_tools_qmpi_info_abi_CPPFLAGS = $(qmpi_abi_cppflags)
src_tools_qmpi_info_abi_CXXFLAGS = $(src_tools_qmpi_info_CXXFLAGS)
src_tools_qmpi_info_abi_LDADD = lib/lib@MPIABILIBNAME@.la
endif BUILD_QMPI_ABI_TOOLS
endif BUILD_QMPI_INFO

endif BUILD_QMPI_TOOLS
