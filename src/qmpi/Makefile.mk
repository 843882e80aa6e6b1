##
## Copyright (C) by the QMPI for MPICH developers
##     See COPYRIGHT in top-level directory
##

AM_CPPFLAGS += -I$(top_srcdir)/src/qmpi

# which of the functions that MPICH keeps in its Fortran folders this library has
if BUILD_F77_BINDING
AM_CPPFLAGS += -DMPIR_QMPI_HAVE_F77
endif BUILD_F77_BINDING
if BUILD_FC_BINDING
AM_CPPFLAGS += -DMPIR_QMPI_HAVE_FC
endif BUILD_FC_BINDING

include_HEADERS += \
    src/include/mpi_qmpi.h \
    src/include/mpi_qmpi_proto.h \
    src/include/mpi_qmpi_functions.h

noinst_HEADERS += \
    src/qmpi/mpir_qmpi.h \
    src/include/mpir_qmpi_call.h \
    src/include/mpir_qmpi_direct.h \
    src/include/mpir_qmpi_romio.h \
    src/qmpi/entry_mpi_status_c2f.h \
    src/qmpi/entry_mpi_status_f2c.h \
    src/qmpi/entry_mpi_type_create_f90_complex.h \
    src/qmpi/entry_mpi_type_create_f90_integer.h \
    src/qmpi/entry_mpi_type_create_f90_real.h

mpi_core_sources += \
    src/qmpi/qmpi_chain.c \
    src/qmpi/qmpi_list.c \
    src/qmpi/qmpi_pcontrol.c \
    src/qmpi/qmpi_functions.c

# compiled a second time for libpmpi where there are no weak symbols, as all functions of MPI are
mpi_sources += src/qmpi/romio_entries.c

errnames_txt_files += src/qmpi/errnames.txt
