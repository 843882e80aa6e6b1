##
## Copyright (C) by the QMPI for MPICH developers
##     See COPYRIGHT in top-level directory
##

# The tools and the code that they share, for one library of MPI. Makefile.am builds them for libmpi,
# abi/Makefile.am for the library of the MPI ABI, whose header has other types. Each sets first
#   tools_srcdir  folder of the sources
#   AM_CPPFLAGS   where the library's mpi.h is
#   toolsdir      folder of the tools
#   qmpi_library  the library
#   qmpi_edit     sed commands for the variables of qmpi.pc.in

# The old C++ binding would need its own headers.
AM_CPPFLAGS += -DMPICH_SKIP_MPICXX -Icommon $(QMPI_DW_CPPFLAGS) $(QMPI_OTF2_CPPFLAGS)
# A tool registers itself in a constructor and exports one function: see common/record_report.hpp.
AM_CXXFLAGS = -std=c++17 -fvisibility=hidden
AM_LDFLAGS = -module -avoid-version -shared
# Otherwise libtool compiles everything twice if libmpi is also static.
AM_LIBTOOLFLAGS = --tag=disable-static

tools_LTLIBRARIES = libqmpi_bcast.la libqmpi_null.la libqmpi_control.la libqmpi_watch.la
noinst_LTLIBRARIES = libqmpi_sdk.la libqmpi_endpoint.la
lib_LTLIBRARIES =
bin_PROGRAMS =
CLEANFILES =

# The shared code is installed too, for tools outside of this tree: as an archive, since a tool
# must not depend on a library that another tool has in another version. libmpi does not link to it.
libqmpi_sdk_la_SOURCES = \
    common/any_call.cpp \
    common/bytes.hpp \
    common/call_sites.cpp \
    common/call_sites.hpp \
    common/communicators.cpp \
    common/communicators.hpp \
    common/handles.hpp \
    common/log.hpp \
    common/merge.cpp \
    common/merge.hpp \
    common/movement.hpp \
    common/operations.hpp \
    common/patterns.cpp \
    common/patterns.hpp \
    common/per_thread.hpp \
    common/process.cpp \
    common/process.hpp \
    common/quiet_thread.hpp \
    common/record.cpp \
    common/record.hpp \
    common/record_report.cpp \
    common/record_report.hpp \
    common/report.cpp \
    common/report.hpp \
    common/report_options.hpp \
    common/reporting_tool.hpp \
    common/requests.hpp \
    common/selection.cpp \
    common/selection.hpp \
    common/services.hpp \
    common/sizes.hpp \
    common/spin_lock.hpp \
    common/testing.hpp \
    common/text.hpp \
    common/wire.hpp
libqmpi_sdk_la_LIBADD = $(QMPI_DW_LIBS)

# [@]: config.status replaces the names of its own variables here too.
nodist_pkgconfig_DATA = qmpi$(qmpi_abi).pc
CLEANFILES += qmpi$(qmpi_abi).pc
qmpi$(qmpi_abi).pc: $(tools_srcdir)/qmpi.pc.in Makefile
	sed -e 's|[@]prefix[@]|$(prefix)|; s|[@]libdir[@]|$(libdir)|; s|[@]includedir[@]|$(includedir)|' \
	    -e 's|[@]VERSION[@]|$(QMPI_VERSION)|; s|[@]abi[@]|$(qmpi_abi)|; s|[@]dw[@]|$(QMPI_DW_LIBS)|' \
	    $(qmpi_edit) $(tools_srcdir)/qmpi.pc.in > $@

qmpi_tool_libadd = libqmpi_sdk.la $(qmpi_library)

libqmpi_bcast_la_SOURCES = bcast.cpp
libqmpi_bcast_la_LIBADD = $(qmpi_library)

# The socket of control: in the tool, and in qmpi_ctl
libqmpi_endpoint_la_SOURCES = control/endpoint.cpp control/endpoint.hpp

libqmpi_control_la_SOURCES = control/control.cpp
libqmpi_control_la_LIBADD = libqmpi_endpoint.la $(qmpi_tool_libadd)

libqmpi_null_la_SOURCES = null.cpp
libqmpi_null_la_LIBADD = $(qmpi_library)

libqmpi_watch_la_SOURCES = watch/sentinel.cpp watch/sentinel.hpp watch/state.hpp watch/watch.cpp
libqmpi_watch_la_LIBADD = $(qmpi_tool_libadd)

# Tools with reports, and the shared code for them, which needs nlohmann-json
if BUILD_QMPI_REPORTS
tools_LTLIBRARIES += \
    libqmpi_check.la \
    libqmpi_count.la \
    libqmpi_messages.la \
    libqmpi_profile.la \
    libqmpi_trace.la
noinst_LTLIBRARIES += libqmpi_journals.la

libqmpi_sdk_la_SOURCES += \
    common/envelope.hpp \
    common/page.cpp \
    common/page.hpp \
    common/table.cpp \
    common/table.hpp \
    common/table_report.cpp \
    common/table_report.hpp

# Style sheet and script, embedded in each page.
page_folder = $(tools_srcdir)/common/page
CLEANFILES += common/page_assets.hpp
common/page.lo: common/page_assets.hpp
common/page_assets.hpp: $(page_folder)/assets $(page_folder)/page.css $(page_folder)/*.mjs
	@$(MKDIR_P) common
	$(SHELL) $(page_folder)/assets > $@ || { rm -f $@; exit 1; }

libqmpi_count_la_SOURCES = \
    count/count.cpp \
    count/totals.cpp \
    count/totals.hpp
libqmpi_count_la_LIBADD = $(qmpi_tool_libadd)

libqmpi_profile_la_SOURCES = \
    profile/options.hpp \
    profile/profile.cpp \
    profile/record_report.cpp \
    profile/reports.cpp \
    profile/reports.hpp \
    profile/summary.cpp \
    profile/summary.hpp \
    profile/tables.cpp \
    profile/tables.hpp
libqmpi_profile_la_LIBADD = $(qmpi_tool_libadd)

libqmpi_messages_la_SOURCES = \
    messages/messages.cpp \
    messages/options.hpp \
    messages/records.hpp \
    messages/report.cpp \
    messages/report.hpp
libqmpi_messages_la_LIBADD = $(qmpi_tool_libadd)

libqmpi_check_la_SOURCES = \
    check/check.cpp \
    check/accesses.cpp \
    check/accesses.hpp \
    check/agreement.hpp \
    check/analyser.cpp \
    check/analyser.hpp \
    check/arguments.cpp \
    check/arguments.hpp \
    check/clock.hpp \
    check/collective_memory.hpp \
    check/collective_object.hpp \
    check/collectives.cpp \
    check/collectives.hpp \
    check/connection.cpp \
    check/connection.hpp \
    check/erase.hpp \
    check/events.hpp \
    check/fatal_errors.cpp \
    check/fatal_errors.hpp \
    check/few.hpp \
    check/findings.cpp \
    check/findings.hpp \
    check/functions.hpp \
    check/handle_rules.cpp \
    check/handle_rules.hpp \
    check/hub.cpp \
    check/hub.hpp \
    check/inbox.hpp \
    check/local_process.cpp \
    check/local_process.hpp \
    check/messages.cpp \
    check/messages.hpp \
    check/one_sided.cpp \
    check/one_sided.hpp \
    check/operations.cpp \
    check/operations.hpp \
    check/options.hpp \
    check/participants.hpp \
    check/partitions.hpp \
    check/point_to_point.hpp \
    check/record_report.cpp \
    check/recorder.cpp \
    check/recorder.hpp \
    check/relay.cpp \
    check/relay.hpp \
    check/replay.cpp \
    check/replay.hpp \
    check/report.cpp \
    check/report.hpp \
    check/resources.cpp \
    check/resources.hpp \
    check/send_mode.hpp \
    check/server.cpp \
    check/server.hpp \
    check/signature.cpp \
    check/signature.hpp \
    check/significance.hpp \
    check/sites.cpp \
    check/sites.hpp \
    check/socket.cpp \
    check/socket.hpp \
    check/source_lines.cpp \
    check/source_lines.hpp \
    check/statement.cpp \
    check/statement.hpp \
    check/suppressions.cpp \
    check/suppressions.hpp \
    check/thread_rules.cpp \
    check/thread_rules.hpp \
    check/threads.cpp \
    check/threads.hpp \
    check/tree.cpp \
    check/tree.hpp \
    check/waiting.cpp \
    check/waiting.hpp \
    check/window_bounds.hpp \
    check/window_events.cpp \
    check/window_events.hpp
libqmpi_check_la_LIBADD = $(qmpi_tool_libadd)

# Makes a trace from journals: in the tool, or in qmpi_report if the job was killed.
libqmpi_journals_la_SOURCES = \
    trace/chrome_output.cpp \
    trace/chrome_output.hpp \
    trace/definitions.cpp \
    trace/definitions.hpp \
    trace/finish.cpp \
    trace/finish.hpp \
    trace/journal.cpp \
    trace/journal.hpp \
    trace/categories.cpp \
    trace/categories.hpp \
    trace/otf2_output.cpp \
    trace/otf2_output.hpp \
    trace/overview.cpp \
    trace/overview.hpp
libqmpi_journals_la_LIBADD = $(QMPI_OTF2_LIBS)

libqmpi_trace_la_SOURCES = \
    trace/trace.cpp \
    trace/clocks.cpp \
    trace/clocks.hpp
libqmpi_trace_la_LIBADD = libqmpi_journals.la $(qmpi_tool_libadd)
endif BUILD_QMPI_REPORTS
