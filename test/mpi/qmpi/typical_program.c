/*
 * Copyright (C) by the QMPI for MPICH developers
 *     See COPYRIGHT in top-level directory
 */

/* A program that uses functions of every kind gives the right results with two instances of
 * passall, and a recording tool between them. Run with the list passall,rec,passall on two
 * processes. The program contains passall.c. */

#include "qmpi_test.h"

static int rank, size;

__attribute__ ((constructor))
static void load(void)
{
    qt_register("rec", qt_record_all);
}

static void point_to_point(void)
{
    int other = 1 - rank, number = rank + 10, received = -1, flag = 0, count = -1;
    double big[1000];
    MPI_Request requests[2];
    MPI_Status status;
    MPI_Message message;

    for (int i = 0; i < 1000; i++)
        big[i] = rank ? -1 : i * 0.5;
    if (rank == 0) {
        QT_SUCCESS(MPI_Send(big, 1000, MPI_DOUBLE, 1, 1, MPI_COMM_WORLD));
    } else {
        QT_SUCCESS(MPI_Mprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &message, &status));
        QT_SUCCESS(MPI_Get_count(&status, MPI_DOUBLE, &count));
        QT_SUCCESS(MPI_Mrecv(big, 1000, MPI_DOUBLE, &message, &status));
        QT_CHECK(count == 1000 && status.MPI_TAG == 1, "%d elements, tag %d", count,
                 status.MPI_TAG);
    }
    for (int i = 0; i < 1000; i++)
        QT_CHECK(big[i] == i * 0.5, "element %d is %g", i, big[i]);

    QT_SUCCESS(MPI_Irecv(&received, 1, MPI_INT, other, 2, MPI_COMM_WORLD, &requests[0]));
    QT_SUCCESS(MPI_Isend(&number, 1, MPI_INT, other, 2, MPI_COMM_WORLD, &requests[1]));
    QT_SUCCESS(MPI_Waitall(2, requests, MPI_STATUSES_IGNORE));
    QT_CHECK(received == other + 10, "received %d", received);

    QT_SUCCESS(MPI_Send_init(&number, 1, MPI_INT, other, 3, MPI_COMM_WORLD, &requests[0]));
    QT_SUCCESS(MPI_Recv_init(&received, 1, MPI_INT, other, 3, MPI_COMM_WORLD, &requests[1]));
    for (int i = 0; i < 3; i++) {
        received = -1;
        QT_SUCCESS(MPI_Startall(2, requests));
        while (!flag)
            QT_SUCCESS(MPI_Testall(2, requests, &flag, MPI_STATUSES_IGNORE));
        QT_CHECK(received == other + 10, "received %d", received);
        flag = 0;
    }
    QT_SUCCESS(MPI_Request_free(&requests[0]));
    QT_SUCCESS(MPI_Request_free(&requests[1]));
}

static int first_of(void *state, MPI_Status * status)
{
    return MPI_SUCCESS;
}

static void collectives(void)
{
    int in[2] = { rank, rank * 10 }, out[4] = { -1, -1, -1, -1 }, sum = -1;
    int counts[2] = { 1, 1 }, places[2] = { 1, 0 };
    MPI_Request request;

    QT_SUCCESS(MPI_Barrier(MPI_COMM_WORLD));
    QT_SUCCESS(MPI_Allgather(in, 2, MPI_INT, out, 2, MPI_INT, MPI_COMM_WORLD));
    QT_CHECK(out[0] == 0 && out[1] == 0 && out[2] == 1 && out[3] == 10, "allgather");
    QT_SUCCESS(MPI_Gatherv(in, 1, MPI_INT, out, counts, places, MPI_INT, 0, MPI_COMM_WORLD));
    QT_CHECK(rank != 0 || (out[0] == 1 && out[1] == 0), "gatherv");
    QT_SUCCESS(MPI_Alltoall(in, 1, MPI_INT, out, 1, MPI_INT, MPI_COMM_WORLD));
    QT_CHECK(out[0] == 0 && out[1] == (rank ? 10 : 1), "alltoall %d %d", out[0], out[1]);
    QT_SUCCESS(MPI_Iallreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &request));
    QT_SUCCESS(MPI_Wait(&request, MPI_STATUS_IGNORE));
    QT_CHECK(sum == 1, "iallreduce %d", sum);
    QT_SUCCESS(MPI_Exscan(&size, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD));
    QT_CHECK(rank == 0 || sum == 2, "exscan %d", sum);
    QT_SUCCESS(MPI_Allreduce_c(&rank, &sum, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD));
    QT_CHECK(sum == 1, "allreduce_c %d", sum);
}

static void datatypes(void)
{
    int matrix[4][4], column[4] = { 0, 0, 0, 0 }, type_size = -1, position = 0;
    char packed[64];
    MPI_Datatype type;
    MPI_Aint lb, extent;

    for (int i = 0; i < 16; i++)
        matrix[i / 4][i % 4] = i;
    QT_SUCCESS(MPI_Type_vector(4, 1, 4, MPI_INT, &type));
    QT_SUCCESS(MPI_Type_commit(&type));
    QT_SUCCESS(MPI_Type_size(type, &type_size));
    QT_SUCCESS(MPI_Type_get_extent(type, &lb, &extent));
    QT_CHECK(type_size == 16 && lb == 0 && extent == 13 * (MPI_Aint) sizeof(int), "size %d",
             type_size);
    QT_SUCCESS(MPI_Pack(&matrix[0][2], 1, type, packed, sizeof(packed), &position, MPI_COMM_WORLD));
    position = 0;
    QT_SUCCESS(MPI_Unpack(packed, sizeof(packed), &position, column, 4, MPI_INT, MPI_COMM_WORLD));
    QT_CHECK(column[0] == 2 && column[3] == 14, "column %d %d", column[0], column[3]);
    QT_SUCCESS(MPI_Type_free(&type));
}

static void one_sided(void)
{
    int window[2] = { 100 + rank, 0 }, got = -1, one = 1, before = -1;
    MPI_Win win;

    QT_SUCCESS(MPI_Win_create(window, sizeof(window), sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD,
                              &win));
    QT_SUCCESS(MPI_Win_fence(0, win));
    QT_SUCCESS(MPI_Get(&got, 1, MPI_INT, 1 - rank, 0, 1, MPI_INT, win));
    QT_SUCCESS(MPI_Win_fence(0, win));
    QT_CHECK(got == 100 + 1 - rank, "got %d", got);
    QT_SUCCESS(MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, win));
    QT_SUCCESS(MPI_Fetch_and_op(&one, &before, MPI_INT, 0, 1, MPI_SUM, win));
    QT_SUCCESS(MPI_Win_unlock(0, win));
    QT_CHECK(before == 0 || before == 1, "before %d", before);
    QT_SUCCESS(MPI_Barrier(MPI_COMM_WORLD));
    QT_SUCCESS(MPI_Win_lock(MPI_LOCK_SHARED, 0, 0, win));
    QT_SUCCESS(MPI_Get(&got, 1, MPI_INT, 0, 1, 1, MPI_INT, win));
    QT_SUCCESS(MPI_Win_unlock(0, win));
    QT_CHECK(got == 2, "counted %d", got);
    QT_SUCCESS(MPI_Win_free(&win));
}

static void communicators(void)
{
    int dims[2] = { 0, 0 }, periods[2] = { 1, 1 }, coordinates[2], source, dest, result, n = -1;
    char name[MPI_MAX_OBJECT_NAME] = "";
    MPI_Comm comm, cart;
    MPI_Group world, mine;

    QT_SUCCESS(MPI_Comm_split(MPI_COMM_WORLD, 0, -rank, &comm));
    QT_SUCCESS(MPI_Comm_compare(comm, MPI_COMM_WORLD, &result));
    QT_CHECK(result == MPI_SIMILAR, "comparison %d", result);
    QT_SUCCESS(MPI_Comm_set_name(comm, "reversed"));
    QT_SUCCESS(MPI_Comm_get_name(comm, name, &n));
    QT_CHECK(strcmp(name, "reversed") == 0 && n == 8, "name %s", name);
    QT_SUCCESS(MPI_Comm_group(MPI_COMM_WORLD, &world));
    QT_SUCCESS(MPI_Comm_group(comm, &mine));
    QT_SUCCESS(MPI_Group_translate_ranks(world, 1, &rank, mine, &n));
    QT_CHECK(n == 1 - rank, "rank %d", n);
    QT_SUCCESS(MPI_Group_free(&world));
    QT_SUCCESS(MPI_Group_free(&mine));
    QT_SUCCESS(MPI_Comm_free(&comm));

    QT_SUCCESS(MPI_Dims_create(size, 2, dims));
    QT_CHECK(dims[0] == 2 && dims[1] == 1, "grid %d x %d", dims[0], dims[1]);
    QT_SUCCESS(MPI_Cart_create(MPI_COMM_WORLD, 2, dims, periods, 0, &cart));
    QT_SUCCESS(MPI_Cart_coords(cart, rank, 2, coordinates));
    QT_SUCCESS(MPI_Cart_shift(cart, 0, 1, &source, &dest));
    QT_CHECK(coordinates[0] == rank && source == 1 - rank && dest == 1 - rank, "grid place");
    QT_SUCCESS(MPI_Comm_free(&cart));
}

static void infos(void)
{
    char value[32] = "";
    int flag = 0, n = -1;
    MPI_Info info;

    QT_SUCCESS(MPI_Info_create(&info));
    QT_SUCCESS(MPI_Info_set(info, "colour", "green"));
    QT_SUCCESS(MPI_Info_get(info, "colour", 31, value, &flag));
    QT_SUCCESS(MPI_Info_get_nkeys(info, &n));
    QT_CHECK(flag && strcmp(value, "green") == 0 && n == 1, "value %s", value);
    QT_SUCCESS(MPI_Info_free(&info));
}

static int nothing(void *state)
{
    return MPI_SUCCESS;
}

static int no_cancel(void *state, int complete)
{
    return MPI_SUCCESS;
}

static void requests(void)
{
    int flag = -1;
    MPI_Request request;
    MPI_Status status;

    QT_SUCCESS(MPI_Grequest_start(first_of, nothing, no_cancel, NULL, &request));
    QT_SUCCESS(MPI_Request_get_status(request, &flag, &status));
    QT_CHECK(flag == 0, "complete before completion");
    QT_SUCCESS(MPI_Grequest_complete(request));
    QT_SUCCESS(MPI_Test(&request, &flag, &status));
    QT_CHECK(flag == 1 && request == MPI_REQUEST_NULL, "not complete");
}

#ifdef ROMIO_VERSION
static void files(void)
{
    char name[] = "qmpi_typical_program.tmp";
    int number = rank + 5, back = -1;
    MPI_Offset bytes = -1;
    MPI_File file;

    QT_SUCCESS(MPI_File_open(MPI_COMM_WORLD, name, MPI_MODE_CREATE | MPI_MODE_RDWR |
                             MPI_MODE_DELETE_ON_CLOSE, MPI_INFO_NULL, &file));
    QT_SUCCESS(MPI_File_set_size(file, 0));
    QT_SUCCESS(MPI_File_write_at_all(file, rank * (MPI_Offset) sizeof(int), &number, 1, MPI_INT,
                                     MPI_STATUS_IGNORE));
    QT_SUCCESS(MPI_File_sync(file));
    MPI_Barrier(MPI_COMM_WORLD);
    QT_SUCCESS(MPI_File_sync(file));
    QT_SUCCESS(MPI_File_read_at(file, (1 - rank) * (MPI_Offset) sizeof(int), &back, 1, MPI_INT,
                                MPI_STATUS_IGNORE));
    QT_CHECK(back == 1 - rank + 5, "read %d", back);
    QT_SUCCESS(MPI_File_get_size(file, &bytes));
    QT_CHECK(bytes == 2 * (MPI_Offset) sizeof(int), "%ld bytes", (long) bytes);
    QT_SUCCESS(MPI_File_close(&file));
}
#endif

/* All three instances are in the chain. */
static void chain_is_used(void)
{
    void (*fn) (void);
    int id = -1, r = -1;

    qt_log_clear();
    MPI_Comm_rank(MPI_COMM_WORLD, &r);
    qt_expect_log("2>MPI_Comm_rank 2<MPI_Comm_rank", "the instance in the middle");
    QT_SUCCESS(MPI_Get_next_tool_function(2, MPI_COMM_RANK_T, &fn, &id));
    QT_CHECK(id == 3, "the next of 2 is %d", id);
}

int main(int argc, char **argv)
{
    int total = 0;

    qt_begin();
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    QT_CHECK(size == 2, "%d processes", size);
    chain_is_used();
    point_to_point();
    collectives();
    datatypes();
    one_sided();
    communicators();
    infos();
    requests();
#ifdef ROMIO_VERSION
    files();
#endif
    MPI_Reduce(&qt_errs, &total, 1, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD);
    MPI_Finalize();
    if (rank != 0)
        return qt_errs != 0;
    qt_errs = total;
    return qt_end();
}
