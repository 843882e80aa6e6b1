/*
 * Copyright (C) by the QMPI for MPICH developers
 *     See COPYRIGHT in top-level directory
 */

/* Results of tools reach the application unchanged: any error code, the double of MPI_Wtime, the
 * address of MPI_Aint_add, also if the tool does not call the next link. Errors of the library
 * reach the tools. Run with the list bend,bend. */

#include "qmpi_test.h"

static int bent_code = MPI_SUCCESS;     /* result of the second instance */
static int next_result = -1;    /* result of the next link of the first instance */

static int my_comm_size(MPI_Context context, int tool_id, MPI_Comm comm, int *size)
{
    void (*fn) (void);
    int id;

    if (tool_id == 2 && bent_code != MPI_SUCCESS) {
        *size = 12345;
        return bent_code;
    }
    QT_SUCCESS(MPI_Get_next_tool_function(tool_id, MPI_COMM_SIZE_T, &fn, &id));
    next_result = ((MPI_Comm_size_t *) fn) (context, id, comm, size);
    return next_result;
}

static double my_wtime(MPI_Context context, int tool_id)
{
    void (*fn) (void);
    int id;

    if (tool_id == 2)
        return 1234.5;
    QT_SUCCESS(MPI_Get_next_tool_function(tool_id, MPI_WTIME_T, &fn, &id));
    return ((MPI_Wtime_t *) fn) (context, id) * 2;
}

static MPI_Aint my_aint_add(MPI_Context context, int tool_id, MPI_Aint base, MPI_Aint disp)
{
    void (*fn) (void);
    int id;

    QT_SUCCESS(MPI_Get_next_tool_function(tool_id, MPI_AINT_ADD_T, &fn, &id));
    return ((MPI_Aint_add_t *) fn) (context, id, base, disp) + 1;
}

static void init_bend(int tool_id)
{
    QT_SUCCESS(MPI_Register_tool_function(tool_id, MPI_COMM_SIZE_T, (void (*)(void)) my_comm_size));
    QT_SUCCESS(MPI_Register_tool_function(tool_id, MPI_WTIME_T, (void (*)(void)) my_wtime));
    QT_SUCCESS(MPI_Register_tool_function(tool_id, MPI_AINT_ADD_T, (void (*)(void)) my_aint_add));
}

__attribute__ ((constructor))
static void load(void)
{
    qt_register("bend", init_bend);
}

int main(int argc, char **argv)
{
    static const int codes[] = { MPI_ERR_OTHER, MPI_ERR_LASTCODE, -1, 0x7fffffff, 1000000 };
    int size = -1, rc;
    MPI_Aint big = (MPI_Aint) 1 << (8 * sizeof(MPI_Aint) - 4);

    qt_begin();
    MPI_Init(&argc, &argv);
    /* error codes of tools do not call error handlers */
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL);
    for (size_t i = 0; i < sizeof(codes) / sizeof(codes[0]); i++) {
        bent_code = codes[i];
        size = -1;
        rc = MPI_Comm_size(MPI_COMM_WORLD, &size);
        QT_CHECK(rc == codes[i], "code %d became %d", codes[i], rc);
        QT_CHECK(size == 12345, "the tool's result became %d", size);
        QT_CHECK(next_result == codes[i], "the first instance got %d instead of %d",
                 next_result, codes[i]);
    }
    bent_code = MPI_SUCCESS;

    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    rc = MPI_Comm_size(MPI_COMM_WORLD, NULL);
    QT_CHECK(qt_class(rc) == MPI_ERR_ARG, "class %d of the library's error", qt_class(rc));
    QT_CHECK(next_result == rc, "the tools got %d, the application %d", next_result, rc);

    QT_CHECK(MPI_Wtime() == 2469.0, "wrong time");
    QT_CHECK(MPI_Aint_add(big, 5) == big + 7, "wrong address");
    QT_CHECK(QMPI_Aint_add(big, 5) == big + 5, "wrong address without tools");
    MPI_Finalize();
    return qt_end();
}
