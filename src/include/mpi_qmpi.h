/*
 * Copyright (C) by the QMPI for MPICH developers
 *     See COPYRIGHT in top-level directory
 */

#ifndef MPI_QMPI_H_INCLUDED
#define MPI_QMPI_H_INCLUDED

/* Function pointer interception (QMPI): the interface for tools. Included by mpi.h; tools for the
 * MPI ABI, whose mpi.h the standard fixes, include this file after it.
 *
 * Names and meaning follow the proposal for section 15.2.2 of the MPI standard; names that the
 * proposal lacks begin with MPIX_. Each function has a manual page in section 3. All of them return
 * an MPI error code, change nothing when they fail (except that MPIX_Register_tool remembers a tool
 * of another version), and never call an error handler. Unless its
 * manual page says otherwise, a function can be called before MPI is initialized, after it is
 * finalized, and from any thread.
 *
 * Differences from the proposal:
 * - MPI_Get_next_tool_function fails inside init callbacks, since the chain is incomplete. To cache
 *   links, intercept MPI_Init, MPI_Init_thread and MPI_Session_init, or register a ready function
 *   (MPIX_Register_tool_ready_function).
 * - The first call of MPI_Init, MPI_Init_thread or MPI_Session_init builds the chain and is the
 *   first call that tools receive: when all init callbacks and ready functions of all instances
 *   have returned, not when the tool's own init callback has. Calls that are made before then, by
 *   the program or by tools, reach no tool.
 * - A tool list that cannot be used, or a tool that fails, ends the job with a message, unless
 *   MPIR_CVAR_QMPI_ON_ERROR is "warn".
 * - A registration after MPI is initialized is refused; the proposal leaves it undefined.
 * - Strings that the library only reads have type const char *, not char *.
 * - The id of a function never changes and never means another function in a later release. Ids
 *   are numbers below MPI_LAST_FUNC_T; the ids of functions that a library lacks are valid, and
 *   calling such a function returns MPI_ERR_UNSUPPORTED_OPERATION.
 * - The ids of instances are 1, 2 and so on in the order of the tool list; 0 is the library.
 * - The library calls every instance that intercepts MPI_Pcontrol itself. */

/* Of the library of the MPI ABI (mpi_abi.h), which has its own chain. */
#ifdef MPI_H_ABI
#define MPIX_QMPI_ABI 1
#ifndef MPICH_API_PUBLIC
#define MPICH_API_PUBLIC
#endif
#ifndef MPICH_ATTR_POINTER_WITH_TYPE_TAG
#define MPICH_ATTR_POINTER_WITH_TYPE_TAG(buffer_idx, type_idx)
#endif
#endif

#ifdef MPI_ABI_INTERNAL_H_INCLUDED
#include "mpir_qmpi_abi_types.h"        /* inside the library the types of MPI have other names */
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* One call of the application on its way through the chain. A tool passes it to the next link, and
 * to MPI_Get_tool_storage and MPI_Get_calling_address. It is valid until the tool's function
 * returns. */
typedef struct MPIR_QMPI_Context *MPI_Context;

/* Init callback. Called once for every instance in the tool list, in the order of the list. */
typedef void (MPI_Tool_init_function) (int tool_id);

/* Ready function. Called once for every instance when all init callbacks have returned and before a
 * call of the application reaches a tool; the last instance of the chain first. */
typedef void (MPIX_Tool_ready_function) (int tool_id);

/* Awake function. Called when MPIX_Set_tool_awake has let the instance sleep or wakes it, in the
 * thread of that call. */
typedef void (MPIX_Tool_awake_function) (int tool_id);

/* World functions. begin is called at the end of MPI_Init, end at the start of MPI_Finalize, in all
 * processes of MPI_COMM_WORLD that have the same instance: same tool, same arguments, and the same
 * number among such instances of its process.
 *   comm     private communicator of these processes, in the order of their ranks in
 *            MPI_COMM_WORLD, that returns errors; MPI_COMM_NULL if the library could not make one.
 *            Instances with the same processes share it: use it only in world functions. A process
 *            that calls MPI_Session_init before MPI_Init is alone.
 *   peers    [rank in MPI_COMM_WORLD] id of the instance in that process, or one of the values
 *            below; valid as long as the process */
typedef void (MPIX_Tool_world_begin_function) (int tool_id, MPI_Comm comm, const int peers[]);
typedef void (MPIX_Tool_world_end_function) (int tool_id);

#define MPIX_TOOL_NONE 0        /* the process has no tools with world functions */
#define MPIX_TOOL_OTHER (-1)    /* the process has other tools */
#define MPIX_TOOL_VARIANT (-2)  /* the process has the tool, with other arguments or fewer times */
#define MPIX_TOOL_ALONE (-3)    /* one of the two processes began with MPI_Session_init */

/* Texts for other processes: receivers of MPIX_Put_tool_text, and the sender for MPIX_Get_tool_text
 * that is no rank. */
#define MPIX_TOOL_JOB 0         /* those that mpiexec or a call of MPI_Comm_spawn starts */
#define MPIX_TOOL_SPAWNED 1     /* those that this thread spawns */
#define MPIX_TOOL_PARENT (-1)   /* the process that has spawned this one */

/* Size of such a text, with the final NUL. */
#define MPIX_MAX_TOOL_TEXT_LENGTH 512

/* Any function of a tool; cast to and from the type of the function, such as MPI_Send_t *. */
typedef void (*MPIX_Tool_function) (void);

/* Maximum length of a tool name, including the final NUL. */
#define MPIX_MAX_TOOL_NAME_LENGTH 256

/* Version of the interface in this file. A change of the version is incompatible: from version 2
 * on, MPI_Register_tool_name will be a macro that calls MPIX_Register_tool with the version. */
#define MPIX_TOOL_INTERFACE_ABI 0x10000 /* added by tools for the MPI ABI: they have other types */
#ifdef MPIX_QMPI_ABI
#define MPIX_TOOL_INTERFACE_VERSION (1 + MPIX_TOOL_INTERFACE_ABI)
#else
#define MPIX_TOOL_INTERFACE_VERSION 1
#endif
#define MPIX_TOOL_INTERFACE_SUBVERSION 0

/* Generated: ids, function types and QMPI_ forms of all MPI functions, and the prototypes of the
 * functions of this interface, from src/qmpi/qmpi_api.txt. The MPI_, PMPI_ and QMPI_ forms of the
 * latter are the same function; calls of them never go through the chain. */
#include <mpi_qmpi_proto.h>

#ifdef MPI_ABI_INTERNAL_H_INCLUDED
#include "mpir_qmpi_abi_types.h"
#endif

/* In the library of the MPI ABI the function itself refuses tools: it does not say for which ABI
 * they are. */
#if defined(MPIX_QMPI_ABI) && !defined(BUILD_MPI_ABI)
#define MPI_Register_tool_name(tool_name, init_fn_ptr) \
    MPIX_Register_tool(tool_name, init_fn_ptr, MPIX_TOOL_INTERFACE_VERSION, \
                       MPIX_TOOL_INTERFACE_SUBVERSION)
#endif

/* Names of MPICH's experimental interface and of its first description, for tools that use them and
 * are compiled again. */
typedef MPI_Context QMPI_Context;
#define QMPI_Functions_enum MPI_Functions_enum
#define QMPI_MAX_TOOL_NAME_LENGTH MPIX_MAX_TOOL_NAME_LENGTH
#define QMPI_Register_function QMPI_Register_tool_function
#define QMPI_Get_function QMPI_Get_next_tool_function
#define QMPI_Context_get_storage QMPI_Get_tool_storage
#define QMPI_Context_get_calling_address(context, tool_id, address) \
    QMPI_Get_calling_address(context, address)

#ifdef __cplusplus
}
#endif

#endif /* MPI_QMPI_H_INCLUDED */
