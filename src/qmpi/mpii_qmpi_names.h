/*
 * Copyright (C) by the QMPI for MPICH developers
 *     See COPYRIGHT in top-level directory
 */

#ifndef MPII_QMPI_NAMES_H_INCLUDED
#define MPII_QMPI_NAMES_H_INCLUDED

/* All names of the interface's own functions, behind the definition of PMPI_X in the same file.
 * MPI_ names are weak, as everywhere in MPICH, so that a PMPI tool can define them. */

#if defined(MPL_HAVE_GCC_ATTRIBUTE) && !defined(__APPLE__)
#define NAMED(symbol_, target_, params_, args_) \
    int symbol_ params_ __attribute__((alias(#target_)));
#define NAMED_WEAK(symbol_, target_, params_, args_) \
    int symbol_ params_ __attribute__((weak, alias(#target_)));
#else
#define NAMED(symbol_, target_, params_, args_) int symbol_ params_ { return target_ args_; }
#define NAMED_WEAK NAMED
#endif

#define INTERFACE(name_, params_, args_) \
    NAMED_WEAK(MPI ## name_, PMPI ## name_, params_, args_) \
    NAMED(QMPI ## name_, PMPI ## name_, params_, args_)

/* A library without QMPI has the functions too, so that tools link, and says so when called. */
#define UNSUPPORTED(name_, params_) \
    int PMPI ## name_ params_ { return MPI_ERR_UNSUPPORTED_OPERATION; }

#endif /* MPII_QMPI_NAMES_H_INCLUDED */
