/*
 * Copyright (C) by the QMPI for MPICH developers
 *     See COPYRIGHT in top-level directory
 */

/* In a chain of 1000 instances each is initialized and called exactly once, in order, with its own
 * storage. */

#include "qmpi_test.h"

#define NUM_INSTANCES 1000

struct instance {
    int tool_id;
    int times;
};

static struct instance instances[NUM_INSTANCES + 1];
static int num_inits = 0;
static int order[NUM_INSTANCES + 10];
static int num_calls = 0;

static int my_rank(MPI_Context context, int tool_id, MPI_Comm comm, int *rank)
{
    struct instance *instance = NULL;
    void (*fn) (void);
    int id;

    if (num_calls < NUM_INSTANCES + 10)
        order[num_calls++] = tool_id;
    if (MPI_Get_tool_storage(context, tool_id, &instance) != MPI_SUCCESS || instance == NULL ||
        MPI_Get_next_tool_function(tool_id, MPI_COMM_RANK_T, &fn, &id) != MPI_SUCCESS)
        return MPI_ERR_INTERN;
    if (instance->tool_id == tool_id)
        instance->times++;
    return ((MPI_Comm_rank_t *) fn) (context, id, comm, rank);
}

static void init_many(int tool_id)
{
    num_inits++;
    QT_CHECK(tool_id == num_inits, "instance %d is number %d", tool_id, num_inits);
    if (tool_id < 1 || tool_id > NUM_INSTANCES)
        return;
    instances[tool_id].tool_id = tool_id;
    QT_SUCCESS(MPI_Register_tool_storage(tool_id, &instances[tool_id]));
    QT_SUCCESS(MPI_Register_tool_function(tool_id, MPI_COMM_RANK_T, (void (*)(void)) my_rank));
}

__attribute__ ((constructor))
static void load(void)
{
    qt_register("many", init_many);
}

int main(int argc, char **argv)
{
    static char list[NUM_INSTANCES * 5 + 1];
    int rank = -1;

    qt_begin();
    for (int i = 0; i < NUM_INSTANCES; i++)
        strcat(list, i ? ",many" : "many");
    qt_ensure_list(argv, list);

    MPI_Init(&argc, &argv);
    QT_CHECK(num_inits == NUM_INSTANCES, "%d instances", num_inits);
    QT_SUCCESS(MPI_Comm_rank(MPI_COMM_SELF, &rank));
    QT_CHECK(rank == 0, "rank %d", rank);
    QT_CHECK(num_calls == NUM_INSTANCES, "%d calls", num_calls);
    for (int i = 0; i < NUM_INSTANCES; i++) {
        QT_CHECK(order[i] == i + 1, "call %d reached instance %d", i + 1, order[i]);
        QT_CHECK(instances[i + 1].times == 1, "instance %d: %d calls with its storage", i + 1,
                 instances[i + 1].times);
    }
    MPI_Finalize();
    return qt_end();
}
