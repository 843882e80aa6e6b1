/*
 * Copyright (C) by the QMPI for MPICH developers
 *     See COPYRIGHT in top-level directory
 */

#ifndef MPI_QMPI_H_INCLUDED
#define MPI_QMPI_H_INCLUDED

/* Function pointer interception (QMPI): the interface for tools. Included by mpi.h.
 *
 * The text follows the proposal for section 15.2.2 of the MPI standard; names that it lacks begin
 * with MPIX_. Every function returns an MPI error code (MPI_SUCCESS or one whose class is named
 * below), changes nothing when it fails, and never calls an error handler. All of them can be
 * called before MPI is initialised and after it is finalised, and from any thread. In a library
 * configured without QMPI all of them return MPI_ERR_UNSUPPORTED_OPERATION. */

/* Identifies one call of the application on its way through the chain. A tool passes it on to the
 * next link and to the two functions that ask for it; it ends with that call. */
typedef struct MPIR_QMPI_Context *MPI_Context;

/* Called once for every instance of the tool that the user's list names, in the order of the list
 * and before any call of the application reaches a tool. */
typedef void (MPI_Tool_init_function) (int tool_id);

/* Called once for every instance when the chain stands: next functions can be looked up and called,
 * and no call of the application has reached a tool yet. The last instance comes first, so that an
 * instance that calls on finds all those behind it ready. */
typedef void (MPIX_Tool_ready_function) (int tool_id);

/* Longest tool name, the final NUL included. */
#define MPIX_MAX_TOOL_NAME_LENGTH 256

/* Version of the interface in this file; see MPIX_Register_tool. */
#define MPIX_TOOL_INTERFACE_VERSION 1
#define MPIX_TOOL_INTERFACE_SUBVERSION 0

/* ids of all functions, function types and QMPI_ prototypes */
#include <mpi_qmpi_proto.h>

/* Makes a tool known under a name; it enters the chain only where the user's list names it.
 *   tool_name    unique name, 1 to MPIX_MAX_TOOL_NAME_LENGTH - 1 characters; copied
 *   init_fn_ptr  called for every instance that the list asks for
 * Usually called in a constructor of the tool's library.
 * MPI_ERR_ARG: a NULL pointer, an empty, over-long or already registered name.
 * MPI_ERR_OTHER: init callbacks run or have run, or MPI is initialised. */
int MPI_Register_tool_name(const char *tool_name,
                           MPI_Tool_init_function * init_fn_ptr) MPICH_API_PUBLIC;

/* The same for a tool that was compiled for the given version of this interface. In C and C++ the
 * name MPI_Register_tool_name is a macro that calls this function with the version of mpi.h; the
 * function of that name stands for version 1.0.
 *   version     what this number changes is not compatible: has to be the library's
 *   subversion  later ones only add to the interface: any will do, and what the library does not
 *               know yet is refused where the tool uses it
 * Errors of MPI_Register_tool_name; besides, MPI_ERR_OTHER for a version that is not the library's.
 * A list that names such a tool is faulty, and the message says why. */
int MPIX_Register_tool(const char *tool_name, MPI_Tool_init_function * init_fn_ptr, int version,
                       int subversion) MPICH_API_PUBLIC;

/* Says what a tool is, for people who choose tools; where names are registered, by the tool itself.
 *   tool_name    registered already
 *   version, author  one line each
 *   description      a line that says what the tool does; then, where the tool takes arguments from
 *                    the user's list, a line for each of them
 * The texts are copied; NULL or "" where there is nothing to say.
 * A second call replaces the first.
 * MPI_ERR_ARG: NULL or unknown tool_name. MPI_ERR_OTHER: as for MPI_Register_tool_name. */
int MPIX_Set_tool_info(const char *tool_name, const char *version, const char *author,
                       const char *description) MPICH_API_PUBLIC;

/* Gives what is known of the registered tools, for programs that list them.
 *   number       counts the registered tools from 0, in the order of registration
 *   tool_name    out: the name
 *   version, author, description  out: as set by MPIX_Set_tool_info, "" if not
 *   file         out: the file that holds the tool's code, "" if it is not known
 * The texts belong to the library. Each out argument can be NULL.
 * MPI_ERR_ARG: there are no more than number registered tools. */
int MPIX_Get_tool_info(int number, const char **tool_name, const char **version,
                       const char **author, const char **description,
                       const char **file) MPICH_API_PUBLIC;

/* Attaches the address of its own data to an instance; inside the init callbacks only.
 *   tool_id       the instance, as given to its init callback
 *   tool_storage  stays the tool's own, MPI only keeps the address; NULL is allowed
 * MPI_ERR_ARG: unknown tool_id. MPI_ERR_OTHER: not inside the init callbacks. */
int MPI_Register_tool_storage(int tool_id, void *tool_storage) MPICH_API_PUBLIC;

/* Intercepts a function; inside the init callbacks only. A second call for the same function
 * replaces the first.
 *   tool_id        the instance
 *   function_enum  the function, such as MPI_SEND_T
 *   function_ptr   of the type MPI_Send_t for MPI_SEND_T, cast to void (*)(void)
 * MPI_ERR_ARG: unknown tool_id or function_enum, NULL function_ptr.
 * MPI_ERR_OTHER: not inside the init callbacks. */
int MPI_Register_tool_function(int tool_id, enum MPI_Functions_enum function_enum,
                               void (*function_ptr) (void)) MPICH_API_PUBLIC;

/* Asks to be told when the chain stands; inside the init callbacks only. A second call for the
 * same instance replaces the first.
 * MPI_ERR_ARG: unknown tool_id, NULL ready_fn_ptr. MPI_ERR_OTHER: not inside the init callbacks. */
int MPIX_Register_tool_ready_function(int tool_id,
                                      MPIX_Tool_ready_function * ready_fn_ptr) MPICH_API_PUBLIC;

/* Says that an instance cannot do its work, because of wrong arguments for example; inside its init
 * callback only. When the callback has returned the program ends with a message that gives the
 * reason, or, where the user wants to go on without (MPIR_CVAR_QMPI_ON_ERROR=warn), the instance
 * keeps its id but intercepts nothing, publishes nothing, and its ready function is not called.
 *   tool_id  the instance
 *   reason   one line; copied
 * MPI_ERR_ARG: unknown tool_id, NULL reason. MPI_ERR_OTHER: not inside the init callbacks. */
int MPIX_Fail_tool(int tool_id, const char *reason) MPICH_API_PUBLIC;

/* Gives the text that the user's list has in brackets behind the tool's name, "" if there is none:
 * for profile(out=a.json) it is out=a.json. From the init callbacks on.
 *   arguments  out: the text belongs to the library and stays to the end of the process
 * MPI_ERR_ARG: unknown tool_id, NULL arguments. */
int MPIX_Get_tool_arguments(int tool_id, const char **arguments) MPICH_API_PUBLIC;

/* Gives the name under which an instance's tool was registered; for an unmodified PMPI tool what
 * the list says. From the init callbacks on.
 *   tool_name  out: the text belongs to the library and stays to the end of the process
 * MPI_ERR_ARG: unknown tool_id, NULL tool_name. */
int MPIX_Get_tool_name(int tool_id, const char **tool_name) MPICH_API_PUBLIC;

/* Offers something to other tools under a name: a table of functions, say; inside the init
 * callbacks only. An instance that publishes a name again replaces what it published.
 *   tool_id       the instance that offers
 *   service_name  1 to MPIX_MAX_TOOL_NAME_LENGTH - 1 characters; copied
 *   service       stays the tool's own, MPI only keeps the address
 * MPI_ERR_ARG: unknown tool_id, NULL service, NULL, empty or over-long service_name.
 * MPI_ERR_OTHER: not inside the init callbacks. */
int MPIX_Publish_tool_service(int tool_id, const char *service_name,
                              void *service) MPICH_API_PUBLIC;

/* Finds what another instance published; in ready functions and later, when all have published,
 * so that it does not matter who comes first in the list. Of several publishers of a name it is the
 * nearest one behind the asking instance, or else the nearest one before it; never itself.
 *   tool_id  the instance that asks
 *   service  out: the address of a pointer
 * MPI_ERR_ARG: unknown tool_id, a NULL pointer. MPI_ERR_NAME: nobody else published the name.
 * MPI_ERR_OTHER: init callbacks still run. */
int MPIX_Lookup_tool_service(int tool_id, const char *service_name, void *service) MPICH_API_PUBLIC;

/* Gives the next link of the chain for a function: the nearest later instance that intercepts it,
 * else the library. The answer never changes once the chain stands, so a tool that asks in its
 * ready function need not ask again.
 *   tool_id        the instance that wants to call on
 *   function_enum  the function that it wants to call; need not be the one it intercepts.
 *                  For MPI_PCONTROL_T the answer is always the library, since MPI itself calls
 *                  every instance that registered for it.
 *   function_ptr   out: to be cast to the function's type, such as MPI_Send_t *
 *   next_tool_id   out: second argument of the call of *function_ptr; 0 is the library
 * MPI_ERR_ARG: unknown tool_id or function_enum, a NULL pointer.
 * MPI_ERR_OTHER: init callbacks still run, the chain is not complete. */
int MPI_Get_next_tool_function(int tool_id, enum MPI_Functions_enum function_enum,
                               void (**function_ptr) (void), int *next_tool_id) MPICH_API_PUBLIC;

/* Gives the address that the instance attached with MPI_Register_tool_storage, NULL if none.
 *   context  as given to the tool's function; not examined
 *   storage  out: the address of a pointer
 * MPI_ERR_ARG: unknown tool_id, NULL storage. */
int MPI_Get_tool_storage(MPI_Context context, int tool_id, void *storage) MPICH_API_PUBLIC;

/* Gives the address to which the application's call returns: its call site, in C, C++ and Fortran,
 * also for a call that a callback of the application makes. Where a PMPI tool lies before the chain
 * it is the PMPI tool's call site.
 *   context  as given to the tool's function
 *   address  out: the address of a pointer
 * MPI_ERR_ARG: a NULL pointer. */
int MPI_Get_calling_address(MPI_Context context, void *address) MPICH_API_PUBLIC;

/* Gives the function that an instance registered, for programs that show the chain.
 *   function_ptr  out: NULL when the instance does not intercept the function
 * Ids of instances are 1, 2, ... to the first that is refused.
 * MPI_ERR_ARG: unknown tool_id or function_enum, NULL function_ptr.
 * MPI_ERR_OTHER: init callbacks still run, the chain is not complete. */
int MPIX_Get_tool_function(int tool_id, enum MPI_Functions_enum function_enum,
                           void (**function_ptr) (void)) MPICH_API_PUBLIC;

/* Gives the id of a function by its name, such as MPI_SEND_T for "MPI_Send": for tools that read
 * names at run time, and for those that want to run with libraries older than their mpi.h.
 * MPI_ERR_ARG: a NULL pointer, or no function of this library has the name. */
int MPIX_Get_function_enum(const char *name, int *function_enum) MPICH_API_PUBLIC;

/* Gives the name of a function by its id; the text belongs to the library.
 * MPI_ERR_ARG: a NULL pointer, unknown function_enum. */
int MPIX_Get_function_name(int function_enum, const char **name) MPICH_API_PUBLIC;

/* Names of MPICH's earlier experimental interface and of its first description, for tools that
 * were written for them and are compiled again. They are the functions above. A tool that was not
 * compiled again has other ids for the functions: its registration is refused. */
typedef MPI_Context QMPI_Context;
#define QMPI_Functions_enum MPI_Functions_enum
#define QMPI_MAX_TOOL_NAME_LENGTH MPIX_MAX_TOOL_NAME_LENGTH
int QMPI_Register_function(int tool_id, enum MPI_Functions_enum function_enum,
                           void (*function_ptr) (void)) MPICH_API_PUBLIC;
int QMPI_Get_function(int tool_id, enum MPI_Functions_enum function_enum,
                      void (**function_ptr) (void), int *next_tool_id) MPICH_API_PUBLIC;
int QMPI_Context_get_storage(QMPI_Context context, int tool_id, void *storage) MPICH_API_PUBLIC;
int QMPI_Context_get_calling_address(QMPI_Context context, int tool_id,
                                     void *calling_address) MPICH_API_PUBLIC;

/* PMPI_ and QMPI_ forms of the interface's own functions. Calls of these are a tool's and never
 * go through the chain, so the three forms do the same. Only the function QMPI_Register_tool_name, as
 * it is found by name and not through mpi.h, is the experimental interface's, and always refuses. */
int PMPI_Register_tool_name(const char *tool_name,
                            MPI_Tool_init_function * init_fn_ptr) MPICH_API_PUBLIC;
int QMPI_Register_tool_name(const char *tool_name,
                            MPI_Tool_init_function * init_fn_ptr) MPICH_API_PUBLIC;
int PMPI_Register_tool_storage(int tool_id, void *tool_storage) MPICH_API_PUBLIC;
int QMPI_Register_tool_storage(int tool_id, void *tool_storage) MPICH_API_PUBLIC;
int PMPI_Register_tool_function(int tool_id, enum MPI_Functions_enum function_enum,
                                void (*function_ptr) (void)) MPICH_API_PUBLIC;
int QMPI_Register_tool_function(int tool_id, enum MPI_Functions_enum function_enum,
                                void (*function_ptr) (void)) MPICH_API_PUBLIC;
int PMPIX_Register_tool_ready_function(int tool_id,
                                       MPIX_Tool_ready_function * ready_fn_ptr) MPICH_API_PUBLIC;
int QMPIX_Register_tool_ready_function(int tool_id,
                                       MPIX_Tool_ready_function * ready_fn_ptr) MPICH_API_PUBLIC;
int PMPI_Get_next_tool_function(int tool_id, enum MPI_Functions_enum function_enum,
                                void (**function_ptr) (void), int *next_tool_id) MPICH_API_PUBLIC;
int QMPI_Get_next_tool_function(int tool_id, enum MPI_Functions_enum function_enum,
                                void (**function_ptr) (void), int *next_tool_id) MPICH_API_PUBLIC;
int PMPI_Get_tool_storage(MPI_Context context, int tool_id, void *storage) MPICH_API_PUBLIC;
int QMPI_Get_tool_storage(MPI_Context context, int tool_id, void *storage) MPICH_API_PUBLIC;
int PMPI_Get_calling_address(MPI_Context context, void *address) MPICH_API_PUBLIC;
int QMPI_Get_calling_address(MPI_Context context, void *address) MPICH_API_PUBLIC;
int PMPIX_Get_function_enum(const char *name, int *function_enum) MPICH_API_PUBLIC;
int QMPIX_Get_function_enum(const char *name, int *function_enum) MPICH_API_PUBLIC;
int PMPIX_Get_function_name(int function_enum, const char **name) MPICH_API_PUBLIC;
int QMPIX_Get_function_name(int function_enum, const char **name) MPICH_API_PUBLIC;
int PMPIX_Register_tool(const char *tool_name, MPI_Tool_init_function * init_fn_ptr, int version,
                        int subversion) MPICH_API_PUBLIC;
int PMPIX_Set_tool_info(const char *tool_name, const char *version, const char *author,
                        const char *description) MPICH_API_PUBLIC;
int PMPIX_Get_tool_info(int number, const char **tool_name, const char **version,
                        const char **author, const char **description,
                        const char **file) MPICH_API_PUBLIC;
int PMPIX_Fail_tool(int tool_id, const char *reason) MPICH_API_PUBLIC;
int PMPIX_Get_tool_arguments(int tool_id, const char **arguments) MPICH_API_PUBLIC;
int PMPIX_Get_tool_name(int tool_id, const char **tool_name) MPICH_API_PUBLIC;
int PMPIX_Publish_tool_service(int tool_id, const char *service_name,
                               void *service) MPICH_API_PUBLIC;
int PMPIX_Lookup_tool_service(int tool_id, const char *service_name,
                              void *service) MPICH_API_PUBLIC;
int PMPIX_Get_tool_function(int tool_id, enum MPI_Functions_enum function_enum,
                            void (**function_ptr) (void)) MPICH_API_PUBLIC;
int QMPIX_Register_tool(const char *tool_name, MPI_Tool_init_function * init_fn_ptr, int version,
                        int subversion) MPICH_API_PUBLIC;
int QMPIX_Set_tool_info(const char *tool_name, const char *version, const char *author,
                        const char *description) MPICH_API_PUBLIC;
int QMPIX_Get_tool_info(int number, const char **tool_name, const char **version,
                        const char **author, const char **description,
                        const char **file) MPICH_API_PUBLIC;
int QMPIX_Fail_tool(int tool_id, const char *reason) MPICH_API_PUBLIC;
int QMPIX_Get_tool_arguments(int tool_id, const char **arguments) MPICH_API_PUBLIC;
int QMPIX_Get_tool_name(int tool_id, const char **tool_name) MPICH_API_PUBLIC;
int QMPIX_Publish_tool_service(int tool_id, const char *service_name,
                               void *service) MPICH_API_PUBLIC;
int QMPIX_Lookup_tool_service(int tool_id, const char *service_name,
                              void *service) MPICH_API_PUBLIC;
int QMPIX_Get_tool_function(int tool_id, enum MPI_Functions_enum function_enum,
                            void (**function_ptr) (void)) MPICH_API_PUBLIC;

/* what is compiled with this file tells the library so */
#define MPI_Register_tool_name(name_, init_) MPIX_REGISTER_TOOL_(name_, init_)
#define PMPI_Register_tool_name(name_, init_) MPIX_REGISTER_TOOL_(name_, init_)
#define QMPI_Register_tool_name(name_, init_) MPIX_REGISTER_TOOL_(name_, init_)
#define MPIX_REGISTER_TOOL_(name_, init_) \
    MPIX_Register_tool(name_, init_, MPIX_TOOL_INTERFACE_VERSION, MPIX_TOOL_INTERFACE_SUBVERSION)

#endif /* MPI_QMPI_H_INCLUDED */
