/*
 * Copyright (C) by the QMPI for MPICH developers
 *     See COPYRIGHT in top-level directory
 */

#ifndef MPII_QMPI_H_INCLUDED
#define MPII_QMPI_H_INCLUDED

/* Shared by the files of this folder. From the user's list to the chain:
 *
 *   qmpi_build.c     builds the chain, by the files below
 *   qmpi_settings.c  the settings, from the environment or MPI_T
 *   qmpi_list.c      text of the list -> entries
 *   qmpi_tools.c     registered tools
 *   qmpi_load.c      entries -> instances: finds a tool for each entry, loads libraries
 *   qmpi_callback.c  which of the tools' functions is called
 *   qmpi_chain.c     what instances register -> chain; gates
 *   qmpi_query.c     what tools register and look up
 *   qmpi_fortran.c   calls in Fortran that differ from those that tools see
 *   qmpi_world.c     instances of all processes: begin and end of MPI_COMM_WORLD
 *   qmpi_text.c      texts for other processes
 *   qmpi_process.c   names of processes
 *   qmpi_report.c    messages to the user */

/* ---- settings ---- */

typedef struct {
    const char *list;           /* NULL if no tool is chosen */
    const char *path;           /* "" if not set */
    bool warns_only;            /* leave out an unusable entry instead of ending the process */
    bool is_verbose;
} MPII_QMPI_Settings;

/* Fixed when the chain is built. */
extern MPII_QMPI_Settings MPII_QMPI_settings MPIR_QMPI_HIDDEN;

/* Sets MPII_QMPI_settings from MPI_T's variables, the environment and MPICH's configuration file;
 * ends the job with a message if a setting other than the list has an invalid value. */
void MPII_QMPI_read_settings(void) MPIR_QMPI_HIDDEN;

/* ---- registered tools ---- */

typedef enum {
    MPII_QMPI_TOOL_VERSION,
    MPII_QMPI_TOOL_AUTHOR,
    MPII_QMPI_TOOL_DESCRIPTION,
    MPII_QMPI_NUM_TOOL_INFOS
} MPII_QMPI_Tool_info;

typedef struct MPII_QMPI_Tool {
    struct MPII_QMPI_Tool *next;
    MPI_Tool_init_function *init_fn;
    int version, subversion;    /* of the interface it was compiled for; 0 if unknown */
    int library;                /* number of the library whose loading registered it, else 0 */
    char *file;                 /* file that contains init_fn, NULL if unknown */
    char *info[MPII_QMPI_NUM_TOOL_INFOS];       /* NULL where not set */
    char name[];
} MPII_QMPI_Tool;

/* The tools in the order of registration. They are never freed. */
const MPII_QMPI_Tool *MPII_QMPI_first_tool(void) MPIR_QMPI_HIDDEN;
const MPII_QMPI_Tool *MPII_QMPI_next_tool(const MPII_QMPI_Tool * tool) MPIR_QMPI_HIDDEN;
const MPII_QMPI_Tool *MPII_QMPI_find_tool(const char *name) MPIR_QMPI_HIDDEN;

/* If a registered tool cannot be used: true, and the reason as a sentence in message. */
bool MPII_QMPI_is_unusable(const MPII_QMPI_Tool * tool, char *message, size_t size)
    MPIR_QMPI_HIDDEN;

/* Number of the library being loaded, for the tools that it registers; 0 for none. */
void MPII_QMPI_set_loading(int library) MPIR_QMPI_HIDDEN;

/* The tool whose name was already taken in the last failed registration since set_loading, or
 * NULL. */
const MPII_QMPI_Tool *MPII_QMPI_conflicting_tool(void) MPIR_QMPI_HIDDEN;

/* From now on names cannot be registered. */
void MPII_QMPI_close_registration(void) MPIR_QMPI_HIDDEN;

/* ---- instances ---- */

typedef struct {
    const MPII_QMPI_Tool *tool;
    char *arguments;
} MPII_QMPI_Instance;

/* Finds a tool for every entry of the list and loads libraries where needed. Entries without a
 * tool are faults. Returns the instances and their number. */
MPII_QMPI_Instance *MPII_QMPI_load_list(const char *list, int *count) MPIR_QMPI_HIDDEN;

/* ---- calls of tools' functions ---- */

/* State of an instance while its init callback runs. */
typedef struct {
    MPIX_Tool_ready_function *ready_fn;
    MPIX_Tool_awake_function *awake_fn;
    MPIX_Tool_world_begin_function *world_begin_fn;
    MPIX_Tool_world_end_function *world_end_fn;
    char *failure;              /* reason of MPIX_Fail_tool, else NULL */
    MPIR_QMPI_Any_function *functions[MPI_LAST_FUNC_T]; /* registered, else NULL */
} MPII_QMPI_Registration;

/* [instance - 1]; MPIR_QMPI_chain has their number. */
extern MPII_QMPI_Instance *MPII_QMPI_instances MPIR_QMPI_HIDDEN;

/* Around the call of a tool's function, what it is for a message, and for an init callback where it
 * registers. */
void MPII_QMPI_enter_tool(int tool_id, const char *what, MPII_QMPI_Registration * registration)
    MPIR_QMPI_HIDDEN;
void MPII_QMPI_leave_tool(void) MPIR_QMPI_HIDDEN;

/* Until it is called with NULL, what this thread calls may initialize MPI and call all else. It
 * returns to the stack frame. */
void MPII_QMPI_may_call_mpi(const void *frame) MPIR_QMPI_HIDDEN;

/* Called in the functions that initialize or finalize MPI. Ends the job if this thread is inside a
 * tool's function that must not call them, or one has not returned. */
void MPII_QMPI_check_tools(void) MPIR_QMPI_HIDDEN;

/* Registration of the instance whose init callback runs in this thread; NULL in any other. */
MPII_QMPI_Registration *MPII_QMPI_registration_of(int tool_id) MPIR_QMPI_HIDDEN;

/* ---- the chain ---- */

/* In this order, by the builder: for n instances, when their init callbacks have returned, and when
 * calls may reach them. */
void MPII_QMPI_allocate_chain(int n) MPIR_QMPI_HIDDEN;
void MPII_QMPI_link(MPII_QMPI_Registration * registrations, int n) MPIR_QMPI_HIDDEN;
void MPII_QMPI_publish_chain(void) MPIR_QMPI_HIDDEN;

/* The function that an instance of the linked chain registered, NULL if none. */
MPIR_QMPI_Any_function *MPII_QMPI_function_of(int tool_id, int function) MPIR_QMPI_HIDDEN;

/* Number of functions that an instance intercepts, for MPI_T. */
extern unsigned MPII_QMPI_num_intercepted MPIR_QMPI_HIDDEN;

/* ---- the world ---- */

/* Keeps the world functions of the instances, [instance - 1]. */
void MPII_QMPI_set_world_functions(const MPII_QMPI_Registration * registrations, int n)
    MPIR_QMPI_HIDDEN;

/* ---- texts for other processes ---- */

/* How a process with tools has begun. */
typedef enum {
    MPII_QMPI_NO_MODEL,         /* no tools, or MPI has not begun */
    MPII_QMPI_WORLD_MODEL,
    MPII_QMPI_SESSION_MODEL
} MPII_QMPI_Model;

/* Tells other processes the model of this one and the texts of its tools. False if there are none
 * or the process manager fails. */
bool MPII_QMPI_publish(MPII_QMPI_Model model) MPIR_QMPI_HIDDEN;
bool MPII_QMPI_has_texts(void) MPIR_QMPI_HIDDEN;

/* Of another process, if it has published. */
MPII_QMPI_Model MPII_QMPI_model_of(int rank) MPIR_QMPI_HIDDEN;

/* True if the process manager waits for processes that have published nothing. */
bool MPII_QMPI_waits_for_keys(void) MPIR_QMPI_HIDDEN;

/* ---- messages ---- */

#define MPII_QMPI_MAX_MESSAGE 4096

/* An entry of the list cannot be used: prints a line with the reason, and ends the job unless the
 * user chose to continue without the entry. */
void MPII_QMPI_fault(const char *format, ...) ATTRIBUTE((format(printf, 1, 2))) MPIR_QMPI_HIDDEN;

/* Prints a line and ends the job. */
void MPII_QMPI_fatal(const char *format, ...)
    ATTRIBUTE((format(printf, 1, 2), noreturn)) MPIR_QMPI_HIDDEN;

/* Prints a line. */
void MPII_QMPI_warn(const char *format, ...) ATTRIBUTE((format(printf, 1, 2))) MPIR_QMPI_HIDDEN;

/* Prints a line in the first process of the job, if the user asked for reports. */
void MPII_QMPI_report(const char *format, ...) ATTRIBUTE((format(printf, 1, 2))) MPIR_QMPI_HIDDEN;

/* The user's settings. */
void MPII_QMPI_set_reports(bool warns_only, bool is_verbose) MPIR_QMPI_HIDDEN;

/* While a thread reads the settings and builds the chain, before MPI is initialized. */
void MPII_QMPI_set_building(bool is_begin) MPIR_QMPI_HIDDEN;
bool MPII_QMPI_is_building(void) MPIR_QMPI_HIDDEN;

/* Memory that lives as long as the process: MPL_malloc's accounting ends in MPI_Finalize. They end
 * the process if there is none. */
void *MPII_QMPI_allocate(size_t number, size_t size) MPIR_QMPI_HIDDEN;
char *MPII_QMPI_copy(const char *text) MPIR_QMPI_HIDDEN;

#endif /* MPII_QMPI_H_INCLUDED */
