/*
 * Copyright (C) by the QMPI for MPICH developers
 *     See COPYRIGHT in top-level directory
 */

/* Programs that hang, each for another reason: hangs REASON. A rank writes its process number to
 * ready.RANK just before the call or loop in which it stays. Tests find lines by the words in
 * brackets. */

#include <mpi.h>

#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int rank, size;
static int number, sum;
static volatile int forever = 1;

static void write_to(const char *file, pid_t process)
{
    FILE *out = fopen(file, "w");
    fprintf(out, "%d\n", (int) process);
    fclose(out);
}

static void ready_as(int name)
{
    char file[32];
    sprintf(file, "ready.%d", name);
    write_to(file, getpid());
}

static void ready(void)
{
    ready_as(rank);
}

__attribute__((noinline)) static void compute(void)
{
    while (forever)     /* [in loop] */
        continue;
}

static void barrier(void)
{
    ready();
    MPI_Barrier(MPI_COMM_WORLD);        /* [barrier] */
}

static void missing_send(void)
{
    if (rank == 1) {
        ready();
        MPI_Recv(&number, 1, MPI_INT, 0, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE); /* [missing] */
    }
    barrier();
}

static void loop(void)
{
    MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);    /* [before loop] */
    if (rank == size - 1) {
        ready();
        compute();
    }
    barrier();
}

static void stopped(void)
{
    MPI_Barrier(MPI_COMM_WORLD);        /* [before stop] */
    if (rank == 1) {
        ready();
        raise(SIGSTOP);
    }
    barrier();
}

/* The proxy of the process manager would end the others. */
static void killed(void)
{
    MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);    /* [before kill] */
    if (rank == 1) {
        write_to("stopped", getppid());
        kill(getppid(), SIGSTOP);
        ready();
        raise(SIGKILL);
    }
    barrier();
}

static void wildcard(void)
{
    if (rank > 0)
        MPI_Send(&rank, 1, MPI_INT, 0, rank, MPI_COMM_WORLD);
    else {
        for (int i = 0; i < size; i++) {
            if (i == size - 1)
                ready();
            MPI_Recv(&number, 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG,        /* [wildcard] */
                     MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        }
    }
    barrier();
}

static void collectives(void)
{
    ready();
    if (rank == 0)
        MPI_Barrier(MPI_COMM_WORLD);    /* [other collective] */
    else
        MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);        /* [collective] */
}

static void heads(void)
{
    static char data[1 << 20];
    if (rank < 2) {
        ready();
        MPI_Send(data, 1 << 20, MPI_CHAR, 1 - rank, 3, MPI_COMM_WORLD); /* [heads] */
    }
    barrier();
}

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

static void *receive_with_lock(void *unused)
{
    pthread_mutex_lock(&mutex);
    ready();
    MPI_Recv(&number, 1, MPI_INT, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);     /* [with lock] */
    pthread_mutex_unlock(&mutex);
    return unused;
}

static void lock(void)
{
    if (rank == 1) {
        pthread_t thread;
        pthread_create(&thread, NULL, receive_with_lock, NULL);
        sleep(1);
        pthread_mutex_lock(&mutex);
        MPI_Barrier(MPI_COMM_WORLD);
    }
    barrier();
}

static void waitall(void)
{
    if (rank == 0) {
        int numbers[3];
        MPI_Request requests[3];
        for (int i = 0; i < 3; i++)
            MPI_Irecv(&numbers[i], 1, MPI_INT, 1, i, MPI_COMM_WORLD, &requests[i]);
        ready();
        MPI_Waitall(3, requests, MPI_STATUSES_IGNORE);  /* [waitall] */
    } else if (rank == 1)
        MPI_Send(&rank, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
    barrier();
}

static void finalize(void)
{
    MPI_Barrier(MPI_COMM_WORLD);        /* [before sleep] */
    ready();
    if (rank == 0)
        pause();
    MPI_Finalize();     /* [finalize] */
}

static void leave(void)
{
    MPI_Barrier(MPI_COMM_WORLD);        /* [before exit] */
    if (rank == 1) {
        ready();
        exit(0);
    }
    barrier();
}

static void ring(void)
{
    ready();
    const int next = (rank + 1) % size;
    MPI_Recv(&number, 1, MPI_INT, next, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);  /* [ring] */
}

/* The ranks of the halves are in reverse order. */
static void halves(void)
{
    MPI_Comm half;
    MPI_Comm_split(MPI_COMM_WORLD, rank % 2, -rank, &half);
    if (rank % 2)
        MPI_Comm_set_name(half, "odd half");
    ready();
    if (rank >= size - 2)
        MPI_Recv(&number, 1, MPI_INT, 1, 4, half, MPI_STATUS_IGNORE);   /* [half receive] */
    else
        MPI_Bcast(&number, 1, MPI_INT, 0, half);        /* [half bcast] */
}

static void poll(void)
{
    if (rank == 0) {
        ready();
        for (int flag = 0; !flag && forever;)
            MPI_Iprobe(MPI_ANY_SOURCE, 9, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE);    /* [poll] */
    }
    barrier();
}

static int receive_in_callback(MPI_Comm comm, int keyval, void *value, void *state)
{
    (void) comm, (void) keyval, (void) value, (void) state;
    ready();
    return MPI_Recv(&number, 1, MPI_INT, 1, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE); /* [callback] */
}

static void callback(void)
{
    MPI_Comm copy;
    MPI_Comm_dup(MPI_COMM_WORLD, &copy);
    if (rank == 0) {
        int keyval;
        MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, receive_in_callback, &keyval, NULL);
        MPI_Comm_set_attr(copy, keyval, NULL);
        MPI_Comm_free(&copy);
    }
    barrier();
}

static jmp_buf place;

static void jump(MPI_Comm *comm, int *code, ...)
{
    (void) comm, (void) code;
    longjmp(place, 1);
}

static void jumps(void)
{
    MPI_Errhandler handler;
    MPI_Comm_create_errhandler(jump, &handler);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, handler);
    for (volatile int i = 0; i < 100; i++) {
        if (setjmp(place) == 0)
            MPI_Send(&number, 1, MPI_INT, size + 1, 0, MPI_COMM_WORLD);
    }
    if (rank == 0) {
        ready();
        MPI_Recv(&number, 1, MPI_INT, 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE); /* [after jumps] */
    }
    barrier();
}

/* A child of fork calls MPI and ends; the parent stays. */
static void forked(void)
{
    if (rank == 0 && fork() == 0) {
        int flag;
        MPI_Iprobe(0, 1, MPI_COMM_SELF, &flag, MPI_STATUS_IGNORE);
        MPI_Iprobe(0, 2, MPI_COMM_SELF, &flag, MPI_STATUS_IGNORE);
        ready_as(1000);
        pause();
    }
    missing_send();
}

static const struct {
    const char *name;
    void (*run)(void);
} reasons[] = {
    {"missing_send", missing_send}, {"loop", loop}, {"stopped", stopped}, {"killed", killed},
    {"wildcard", wildcard}, {"collectives", collectives}, {"heads", heads}, {"lock", lock},
    {"waitall", waitall}, {"finalize", finalize}, {"leave", leave}, {"ring", ring},
    {"halves", halves}, {"poll", poll}, {"callback", callback}, {"jumps", jumps},
    {"forked", forked},
};

int main(int argc, char **argv)
{
    int level;
    const char *reason = argc > 1 ? argv[1] : "";
    const char *environment = getenv("PMI_RANK");
    rank = environment ? atoi(environment) : 0;
    if (strcmp(reason, "init") == 0) {
        ready();
        if (rank == 1)
            pause();
    }
    /* A longjmp leaves MPI's locks. */
    level = strcmp(reason, "jumps") == 0 ? MPI_THREAD_SINGLE : MPI_THREAD_MULTIPLE;
    MPI_Init_thread(&argc, &argv, level, &level);       /* [init] */
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    for (size_t i = 0; i < sizeof reasons / sizeof *reasons; i++) {
        if (strcmp(reason, reasons[i].name) == 0)
            reasons[i].run();
    }
    MPI_Finalize();
    return 0;
}
