# Copyright (C) by the QMPI for MPICH developers
#     See COPYRIGHT in top-level directory

"""The analyser of the tool check: cost of an event in jobs of 100 to 10,000 processes, by events of jobs that were never run."""

import re
from pathlib import Path

import pytest

from check.parts import program_with

HERE = Path(__file__).resolve().parent


@pytest.fixture(scope="module")
def check_events(mpich_module):
    return program_with(mpich_module, "events.cpp", "accesses", "analyser", "findings", "recorder", "replay", "signature", "sites")


def instructions(mpich, program, ranks, rounds, packet):
    """Instructions and events of a job; no finding."""
    result = mpich.run("valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null", program, ranks, rounds, packet, seconds=600)
    events, findings = map(int, re.match(r"(\d+) events, (\d+) findings,", result.out).groups())
    assert (result.status, findings) == (0, 0), result
    return int(re.search(r"Collected : (\d+)", result.err).group(1)), events


def cost_of_an_event(mpich, program, ranks, rounds=1, packet=1):
    """Of the later rounds: the first ones begin with the connections."""
    few, many = (instructions(mpich, program, ranks, number, packet) for number in (rounds, 3 * rounds))
    return (many[0] - few[0]) / (many[1] - few[1])


@pytest.mark.parametrize("options", [[], ["distrust"]], ids=" ".join)
def test_memory_does_not_grow_with_the_run(mpich, check_events, options):
    def memory(rounds):
        result = mpich.run(check_events, 4, rounds, *options)
        assert result.status == 0 and " 0 findings, " in result.out, result
        return int(re.search(r"(\d+) KiB", result.out).group(1))
    few, many = memory(2_000), memory(21_000)
    assert many - few < 250, (few, many)


def test_cost_of_an_event_does_not_grow_with_the_job(mpich, check_events):
    cost = {ranks: cost_of_an_event(mpich, check_events, ranks) for ranks in (100, 1000, 10000)}
    assert max(cost.values()) < 1.1 * min(cost.values()), cost


def test_cost_of_an_event_does_not_grow_with_the_lead_of_a_process(mpich, check_events):
    """Rank 0 is up to 2,000 rounds ahead: so many messages and receives wait for each other."""
    few, many = (cost_of_an_event(mpich, check_events, 2, rounds=2000, packet=packet) for packet in (4, 2000))
    assert many < 1.2 * few, (few, many)


def test_data_with_gaps_is_compared_without_a_lock(mpich):
    """Other threads start and complete operations meanwhile."""
    program = program_with(mpich, "pending.cpp", "resources", "signature")
    result = mpich.run(program)
    changes = re.fullmatch(r"(\d+) changes\n", result.out)
    assert result.status == 0 and changes and int(changes[1]) > 100, result


def test_cost_of_an_operation_does_not_grow_with_earlier_and_pending_ones(mpich, needs):
    needs("valgrind")
    program = program_with(mpich, "history.cpp", "resources", "signature")

    def cost(case):
        result = mpich.run("valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null", program, case, seconds=600)
        assert result.status == 0 and result.out == "0 conflicts\n", result
        return int(re.search(r"Collected : (\d+)", result.err).group(1))
    plain = cost("NOTHING")
    assert max(cost("LONG"), cost("READERS")) < 1.5 * plain, plain


MESSAGES = """
#include <mpi.h>
#include <stdlib.h>

int main(int argc, char **argv)
{
    int rank, sent = 0, received = 0;
    MPI_Request requests[2];
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (int i = 0; i < atoi(argv[1]); i++) {
        MPI_Irecv(&received, 1, MPI_INT, !rank, 0, MPI_COMM_WORLD, &requests[0]);
        MPI_Isend(&sent, 1, MPI_INT, !rank, 0, MPI_COMM_WORLD, &requests[1]);
        MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
        MPI_Wait(&requests[1], MPI_STATUS_IGNORE);
    }
    MPI_Finalize();
    return 0;
}
"""


def test_messages_allocate_no_memory(mpich, needs):
    """In a process that only sends what happens to the analyser of another."""
    needs("valgrind")
    program = mpich.program(MESSAGES, name="messages.c")

    def allocations(rounds):
        result = mpich.run("mpiexec", "-n", 1, program, rounds, ":", "-n", 1, "valgrind", "--leak-check=no", program, rounds,
                           MPIR_CVAR_QMPI_TOOL_LIST="check", seconds=300)
        assert result.status == 0, result
        return int(re.search(r"total heap usage: ([\d,]+) allocs", result.err).group(1).replace(",", ""))
    assert allocations(700) - allocations(200) < 50


DOUBLE_BUFFERED = """
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>

int main(int argc, char **argv)
{
    int rank, buffers[2] = {0}, rounds = atoi(argv[1]);
    MPI_Request requests[2];
    struct rusage usage;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (int i = 0; i < rounds; i++) {
        if (rank > 0)
            MPI_Recv(buffers, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        else {
            MPI_Isend(&buffers[i % 2], 1, MPI_INT, 1, 0, MPI_COMM_WORLD, &requests[i % 2]);
            if (i > 0)
                MPI_Wait(&requests[(i + 1) % 2], MPI_STATUS_IGNORE);
        }
        if (i % 10 == 9)
            MPI_Barrier(MPI_COMM_WORLD);
    }
    if (rank == 0)
        MPI_Wait(&requests[(rounds + 1) % 2], MPI_STATUS_IGNORE);
    MPI_Barrier(MPI_COMM_WORLD);
    getrusage(RUSAGE_SELF, &usage);
    if (rank == 0)
        printf("%ld KiB\\n", usage.ru_maxrss);
    MPI_Finalize();
    return 0;
}
"""


def test_memory_does_not_grow_while_a_send_is_always_open(mpich):
    program = mpich.program(DOUBLE_BUFFERED, name="double_buffered.c")

    def memory(rounds):
        result = mpich.mpiexec(2, program, rounds, tools="check(out=memory)")
        assert result.status == 0 and not re.search("^QMPI check", result.err, re.M), result
        return int(re.search(r"(\d+) KiB", result.out).group(1))
    few, many = memory(2_000), memory(32_000)
    assert many - few < 6_000, (few, many)


PAUSES = """
#define _GNU_SOURCE
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int pauses;
static double shortest = 1e9; /* s */

/* std::condition_variable calls it to wait for a time. */
int pthread_cond_clockwait(pthread_cond_t *condition, pthread_mutex_t *mutex, clockid_t clock, const struct timespec *end)
{
    int (*real)(pthread_cond_t *, pthread_mutex_t *, clockid_t, const struct timespec *);
    struct timespec now;
    *(void **) &real = dlsym(RTLD_NEXT, "pthread_cond_clockwait");
    clock_gettime(clock, &now);
    double time = (double) (end->tv_sec - now.tv_sec) + 1e-9 * (double) (end->tv_nsec - now.tv_nsec);
    pthread_mutex_lock(&lock);
    pauses++;
    if (time < shortest)
        shortest = time;
    pthread_mutex_unlock(&lock);
    return real(condition, mutex, clock, end);
}

/* On every machine */
long sysconf(int name)
{
    long (*real)(int);
    *(void **) &real = dlsym(RTLD_NEXT, "sysconf");
    return name == _SC_NPROCESSORS_ONLN ? 1 : real(name);
}

__attribute__((destructor)) static void print_pauses(void)
{
    if (pauses > 0)
        printf("%d pauses of %.6f s or more\\n", pauses, shortest);
}
"""
LOOP = """
#include <mpi.h>
#include <unistd.h>

int main(int argc, char **argv)
{
    int one = 1, sum;
    MPI_Init(&argc, &argv);
    for (int i = 0; i < 30; i++) {
        MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
        usleep(100000);
    }
    MPI_Finalize();
    return 0;
}
"""


def pauses(mpich, processes):
    """Of each process in 3 seconds, as if there were one core: their number, and the shortest in seconds"""
    result = mpich.run("mpiexec", "-n", processes, mpich.program(LOOP, name="loop.c"), MPIR_CVAR_QMPI_TOOL_LIST="check",
                       LD_PRELOAD=mpich.library(PAUSES, "-ldl", name="pauses.c"), seconds=120)
    printed = re.findall(r"^(\d+) pauses of ([\d.]+) s or more$", result.out, re.M)
    assert result.status == 0 and len(printed) == processes, result
    return [(int(number), float(shortest)) for number, shortest in printed]


def test_the_thread_of_a_process_wakes_rarely_while_calls_return(mpich):
    assert all(1 < number < 10 for number, shortest in pauses(mpich, 2))


def test_the_thread_of_a_process_wakes_less_often_where_many_share_a_core(mpich):
    """The more there are, the more of them wait for the one that it delays."""
    few, many = (min(shortest for number, shortest in pauses(mpich, processes))
                 for processes in (1, 32))
    assert many > 3 * few, (few, many)
