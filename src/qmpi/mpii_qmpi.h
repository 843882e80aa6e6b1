/*
 * Copyright (C) by the QMPI for MPICH developers
 *     See COPYRIGHT in top-level directory
 */

#ifndef MPII_QMPI_H_INCLUDED
#define MPII_QMPI_H_INCLUDED

/* What the files of this folder share. The way from the user's choice to the chain:
 *
 *   qmpi_choice.c     what was chosen, in the environment or through MPI_T
 *   qmpi_list.c       the list as text -> entries
 *   qmpi_tools.c      the tools that registered a name
 *   qmpi_load.c       entries -> instances: finds a tool for each, loads libraries
 *   qmpi_pmpi.c       unmodified PMPI tools as instances
 *   qmpi_chain.c      instances -> the chain, and what tools ask of it in every call
 *   qmpi_call_site.c  where a call comes from, whatever its language
 *   qmpi_service.c    what instances offer to each other
 *   qmpi_report.c     what the user is told about all that */

#ifdef ENABLE_QMPI

/* ---- choice ---- */

typedef enum {
    MPII_QMPI_LIST,
    MPII_QMPI_PATH,
    MPII_QMPI_ON_ERROR,
    MPII_QMPI_VERBOSE,
    MPII_QMPI_NUM_SETTINGS
} MPII_QMPI_Setting;

/* What the user chose, NULL where nothing was. */
const char *MPII_QMPI_chosen(MPII_QMPI_Setting setting) MPIR_QMPI_HIDDEN;

/* Ends the process with a message if a setting other than the list has a value that means nothing. */
void MPII_QMPI_check_settings(void) MPIR_QMPI_HIDDEN;

/* Whether an entry that cannot be used is left out instead of ending the process. */
bool MPII_QMPI_warns_only(void) MPIR_QMPI_HIDDEN;

bool MPII_QMPI_is_verbose(void) MPIR_QMPI_HIDDEN;

void MPII_QMPI_release_choice(void) MPIR_QMPI_HIDDEN;

/* Brackets a change of the choice. begin gives false, with nothing to end, when it is too late: the
 * chain is being built or stands, or MPI is initialized. With is_chosen the next MPI call builds. */
bool MPII_QMPI_begin_choice(void) MPIR_QMPI_HIDDEN;
void MPII_QMPI_end_choice(bool is_chosen) MPIR_QMPI_HIDDEN;

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
    int version, subversion;    /* of the interface it was compiled for; 0 the experimental one */
    int loading;                /* which library's loading brought it, 0 if it was there before */
    char *file;                 /* that holds init_fn, NULL if not known */
    char *info[MPII_QMPI_NUM_TOOL_INFOS];       /* NULL where not set */
    char name[];
} MPII_QMPI_Tool;

/* The tools in the order of registration; NULL behind the last. They stay to the process's end. */
const MPII_QMPI_Tool *MPII_QMPI_first_tool(void) MPIR_QMPI_HIDDEN;
const MPII_QMPI_Tool *MPII_QMPI_next_tool(const MPII_QMPI_Tool * tool) MPIR_QMPI_HIDDEN;

/* NULL if no tool has the name. */
const MPII_QMPI_Tool *MPII_QMPI_find_tool(const char *name) MPIR_QMPI_HIDDEN;

/* Why a registered tool cannot be used: one sentence in message, true; false if it can. */
bool MPII_QMPI_is_unusable(const MPII_QMPI_Tool * tool, char *message, size_t size)
    MPIR_QMPI_HIDDEN;

/* Which library is being loaded: from now on tools are registered as brought by it; 0 for none. */
void MPII_QMPI_set_loading(int loading) MPIR_QMPI_HIDDEN;

/* The tool that has the name that another one tried to register last, since set_loading was called;
 * NULL if none tried. */
const MPII_QMPI_Tool *MPII_QMPI_tool_in_the_way(void) MPIR_QMPI_HIDDEN;

/* No name can be registered from now on. */
void MPII_QMPI_close_registration(void) MPIR_QMPI_HIDDEN;

void MPII_QMPI_release_tools(void) MPIR_QMPI_HIDDEN;

/* ---- instances ---- */

/* One place in the chain: a tool's, or an unmodified PMPI tool's. */
typedef struct {
    const MPII_QMPI_Tool *tool;
    void *member;               /* see MPII_QMPI_Pmpi_open; tool is NULL then */
    char *name;
    char *arguments;
    char *file;                 /* "" if not known */
} MPII_QMPI_Instance;

/* Finds a tool for every entry of the list, loading libraries where that is needed. Entries without
 * one are faults. Returns the instances, freed with MPII_QMPI_free_instances, and their number. */
MPII_QMPI_Instance *MPII_QMPI_load_list(const char *list, int *count) MPIR_QMPI_HIDDEN;
void MPII_QMPI_free_instances(MPII_QMPI_Instance * instances, int count) MPIR_QMPI_HIDDEN;

/* ---- unmodified PMPI tools ---- */

/* Loads a PMPI tool as a member of the chain, while the chain is being built.
 *   path      the library; without a '/' the system's linker searches for it
 *   instance  its number, for the names that debuggers show
 *   member    out: for MPII_QMPI_Pmpi_init
 *   message   out: why it cannot be loaded, as a sentence, of at most size bytes
 * Returns 0, or an error with the message; the library's constructors may have run even then. What
 * was loaded stays till the process ends. */
int MPII_QMPI_Pmpi_open(const char *path, int instance, void **member, char *message, size_t size)
    MPIR_QMPI_HIDDEN;

/* The init callback of an instance that is such a member. */
void MPII_QMPI_Pmpi_init(int tool_id, void *member) MPIR_QMPI_HIDDEN;

/* ---- the chain ---- */

/* For fast paths, one test for two pointers: if their common bits are not all zero both are set. The
 * rare valid pair that fails it is answered the long way. */
#define MPII_QMPI_both_set(a_, b_) (((uintptr_t) (a_) & (uintptr_t) (b_)) != 0)

/* MPI_SUCCESS where an init callback may ask for something for this instance. */
int MPII_QMPI_check_init(const char *fcname, int tool_id) MPIR_QMPI_HIDDEN;

/* MPI_SUCCESS where the chain stands and has this instance. */
int MPII_QMPI_check_linked(const char *fcname, int tool_id) MPIR_QMPI_HIDDEN;

/* The function that an instance registered, NULL if none. */
MPIR_QMPI_Any_function *MPII_QMPI_function_of(int tool_id, int function) MPIR_QMPI_HIDDEN;

/* MPI_Get_calling_address, in the form that serves the languages whose libraries are there. */
extern int (*MPIR_QMPI_get_call_site) (MPI_Context context, void *address) MPIR_QMPI_HIDDEN;

/* Number of instances and of the functions that at least one of them intercepts, for MPI_T. */
extern unsigned MPII_QMPI_num_instances MPIR_QMPI_HIDDEN;
extern unsigned MPII_QMPI_num_intercepted MPIR_QMPI_HIDDEN;

/* ---- services ---- */

/* Withdraws all that an instance published. */
void MPII_QMPI_withdraw_services(int tool_id) MPIR_QMPI_HIDDEN;
void MPII_QMPI_release_services(void) MPIR_QMPI_HIDDEN;

/* ---- reports ---- */

/* A message never grows beyond this. */
#define MPII_QMPI_MAX_MESSAGE 4096

/* Something of the list cannot be used: prints one line that says what, and ends the process, or
 * returns where the user wants to go on without it. One process of every host prints, all of them
 * where the user asked for reports. */
void MPII_QMPI_fault(const char *format, ...) ATTRIBUTE((format(printf, 1, 2))) MPIR_QMPI_HIDDEN;

/* The same where nothing can go on. */
void MPII_QMPI_fatal(const char *format, ...)
    ATTRIBUTE((format(printf, 1, 2), noreturn)) MPIR_QMPI_HIDDEN;

/* One line from the first process of the job, where the user asked for reports. */
void MPII_QMPI_report(const char *format, ...) ATTRIBUTE((format(printf, 1, 2))) MPIR_QMPI_HIDDEN;

/* The whole chain, where the user asked for reports. */
void MPII_QMPI_report_chain(const MPII_QMPI_Instance * instances, int count) MPIR_QMPI_HIDDEN;

/* calloc for what lives as long as the process; ends it if there is no memory. MPL_malloc's account
 * is closed in MPI_Finalize; the chain lives longer. */
void *MPII_QMPI_allocate(size_t number, size_t size) MPIR_QMPI_HIDDEN;
char *MPII_QMPI_copy(const char *text) MPIR_QMPI_HIDDEN;

/* ---- error codes that tell what was refused, for the function fcname ---- */

int MPII_QMPI_refuse_null(const char *fcname, const char *argument) MPIR_QMPI_HIDDEN;
int MPII_QMPI_refuse_tool_id(const char *fcname, int tool_id) MPIR_QMPI_HIDDEN;
int MPII_QMPI_refuse_no_memory(const char *fcname) MPIR_QMPI_HIDDEN;

/* MPI_SUCCESS where a tool or a service can have that name; argument is what fcname calls it. */
int MPII_QMPI_check_name(const char *fcname, const char *argument, const char *name)
    MPIR_QMPI_HIDDEN;

#endif /* ENABLE_QMPI */

#endif /* MPII_QMPI_H_INCLUDED */
