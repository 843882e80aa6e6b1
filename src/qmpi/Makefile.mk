##
## Copyright (C) by the QMPI for MPICH developers
##     See COPYRIGHT in top-level directory
##

if BUILD_QMPI

AM_CPPFLAGS += -I$(top_srcdir)/src/qmpi -DMPIR_EXT_QMPI

include_HEADERS += \
    src/include/mpi_qmpi.h \
    src/include/mpi_qmpi_proto.h \
    src/include/mpi_qmpi_functions.h \
    src/include/qmpi_functions.hpp

noinst_HEADERS += \
    src/include/mpir_qmpi_abi_types.h \
    src/include/mpir_qmpi_attr.h \
    src/include/mpir_qmpi_direct_names.h \
    src/include/mpir_qmpi_dispatch.h \
    src/include/mpir_qmpi_romio_names.h \
    src/qmpi/mpii_qmpi.h \
    src/qmpi/mpii_qmpi_list.h

mpi_core_sources += \
    src/qmpi/fortran_attr.c \
    src/qmpi/qmpi_build.c \
    src/qmpi/qmpi_callback.c \
    src/qmpi/qmpi_chain.c \
    src/qmpi/qmpi_fortran.c \
    src/qmpi/qmpi_functions.c \
    src/qmpi/qmpi_list.c \
    src/qmpi/qmpi_load.c \
    src/qmpi/qmpi_pcontrol.c \
    src/qmpi/qmpi_process.c \
    src/qmpi/qmpi_query.c \
    src/qmpi/qmpi_report.c \
    src/qmpi/qmpi_settings.c \
    src/qmpi/qmpi_text.c \
    src/qmpi/qmpi_tools.c \
    src/qmpi/qmpi_world.c

# compiled a second time for libpmpi where there are no weak symbols, as all functions of MPI are
mpi_sources += src/qmpi/qmpi_api.c src/qmpi/romio_entries.c

if BUILD_F77_BINDING
AM_CPPFLAGS += -I$(top_srcdir)/src/binding/fortran/mpif_h
endif BUILD_F77_BINDING
if BUILD_FC_BINDING
AM_CPPFLAGS += -DMPIR_QMPI_HAVE_FC
endif BUILD_FC_BINDING
if BUILD_CXX_BINDING
mpi_cxx_sources += src/qmpi/cxx_call_site.cxx
endif BUILD_CXX_BINDING

# for the variables of this release of MPICH, see generated.mk
qmpi_f77_sources = src/qmpi/fortran_qmpi.c src/qmpi/fortran_init.c
qmpi_f90_sources = src/qmpi/use_mpi/qmpi_base.f90
qmpi_f08_sources = \
    src/qmpi/f08/f08_entries.c \
    src/qmpi/f08/qmpi_f08.f90 \
    src/qmpi/f08/qmpi_c_interface.f90 \
    src/qmpi/f08/qf08ts.f90 \
    src/qmpi/f08/qf08_cdesc.c

include $(top_srcdir)/src/qmpi/generated.mk

# ---- modules ----

# A module's file and object come from one run of the compiler; the stamp represents both.

if BUILD_FC_BINDING

qmpi_f90_module = src/binding/fortran/use_mpi/$(QMPI_BASE_NAME).$(MOD)

mpi_fc_modules += $(qmpi_f90_module)
CLEANFILES += $(qmpi_f90_module) src/qmpi/use_mpi/qmpi_base.stamp

src/qmpi/use_mpi/qmpi_base.stamp: src/qmpi/use_mpi/qmpi_base.f90 src/binding/fortran/use_mpi/$(MPICONSTMOD).$(MOD) src/binding/fortran/use_mpi/$(MPISIZEOFMOD).$(MOD)
	@$(MKDIR_P) src/qmpi/use_mpi
	$(mod_verbose)$(FC_COMPILE_MODS) -c `test -f src/qmpi/use_mpi/qmpi_base.f90 || echo $(srcdir)/`src/qmpi/use_mpi/qmpi_base.f90 -o src/qmpi/use_mpi/qmpi_base.lo
	@touch $@

src/qmpi/use_mpi/qmpi_base.lo $(qmpi_f90_module): src/qmpi/use_mpi/qmpi_base.stamp
	@:

# the module of the release that uses it
src/binding/fortran/use_mpi/mpi_base.$(MOD)-stamp: src/qmpi/use_mpi/qmpi_base.stamp
src/binding/fortran/use_mpi/pmpi_base.$(MOD)-stamp: src/qmpi/use_mpi/qmpi_base.stamp

endif BUILD_FC_BINDING

if BUILD_F08_BINDING

qmpi_f08_modules = \
    src/binding/fortran/use_mpi_f08/$(QMPI_F08_NAME).$(MOD) \
    src/binding/fortran/use_mpi_f08/$(QMPI_C_INTERFACE_NAME).$(MOD)

qmpi_f08_stamps = \
    src/qmpi/f08/qmpi_f08.stamp \
    src/qmpi/f08/qmpi_c_interface.stamp

mpi_fc_modules += $(qmpi_f08_modules)
BUILT_SOURCES += $(qmpi_f08_modules)
CLEANFILES += $(qmpi_f08_modules) $(qmpi_f08_stamps)

src/qmpi/f08/qmpi_f08.stamp: src/qmpi/f08/qmpi_f08.f90 src/binding/fortran/use_mpi_f08/mpi_f08_link_constants.stamp
	$(mod_verbose)$(F08_COMPILE_MODS) -c src/qmpi/f08/qmpi_f08.f90 -o src/qmpi/f08/qmpi_f08.lo
	@touch $@

src/qmpi/f08/qmpi_c_interface.stamp: src/qmpi/f08/qmpi_c_interface.f90 src/binding/fortran/use_mpi_f08/mpi_c_interface.stamp
	$(mod_verbose)$(F08_COMPILE_MODS) -c src/qmpi/f08/qmpi_c_interface.f90 -o src/qmpi/f08/qmpi_c_interface.lo
	@touch $@

src/qmpi/f08/qmpi_f08.lo src/binding/fortran/use_mpi_f08/$(QMPI_F08_NAME).$(MOD): src/qmpi/f08/qmpi_f08.stamp
	@:

src/qmpi/f08/qmpi_c_interface.lo src/binding/fortran/use_mpi_f08/$(QMPI_C_INTERFACE_NAME).$(MOD): src/qmpi/f08/qmpi_c_interface.stamp
	@:

# the modules that use them
src/binding/fortran/use_mpi_f08/pmpi_f08.stamp: src/qmpi/f08/qmpi_f08.stamp
src/qmpi/f08/qf08ts.lo: src/qmpi/f08/qmpi_c_interface.stamp
src/binding/fortran/use_mpi_f08/wrappers_f/pf08ts.lo: src/qmpi/f08/qmpi_c_interface.stamp

endif BUILD_F08_BINDING
endif BUILD_QMPI

# included by files of MPICH; of no effect without QMPI
noinst_HEADERS += \
    src/include/mpir_qmpi.h \
    src/include/mpir_qmpi_call.h \
    src/include/mpir_qmpi_direct.h \
    src/include/mpir_qmpi_romio.h
