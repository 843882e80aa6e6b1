/*
 * Copyright (C) by the QMPI for MPICH developers
 *     See COPYRIGHT in top-level directory
 */

/* Instances of "give" offer two objects, those of "ask" find them, and those of "give" others of their
 * own kind. Each prints its id and that of the instance which it has found, 0 for none. */

#include <qmpi.hpp>
#include <qmpi/services.hpp>

#include <cstdio>

namespace {

struct Number {
    static constexpr const char *name = "number.v1";
    int value = 0;
};

template <typename Tool>
void ask(const Tool &tool)
{
    const auto *number = qmpi::find_service<Number>(tool, "give", Number::name);
    std::printf("%d finds %d\n", tool.tool_id(), number == nullptr ? 0 : number->value);
    if (qmpi::find_service<Number>(tool, "give", "number.v2") != nullptr ||
        qmpi::find_service<Number>(tool, "ask", Number::name) != nullptr ||
        qmpi::find_service<Number>(tool, "nobody", Number::name) != nullptr)
        std::puts("found what is not there");
}

struct Give : qmpi::tool<Give> {
    Number number{tool_id()};
    int other = 0;

    Give()
    {
        qmpi::publish(*this, Number::name, number);
        qmpi::publish(*this, "other.v1", other);
        if (arguments().flag("fails"))
            throw std::runtime_error("as asked");
    }

    void ready() { ask(*this); }

    int MPI_Barrier(qmpi::call<MPI_BARRIER_T> &call) { return call(); }
};

struct Ask : qmpi::tool<Ask> {
    void ready() { ask(*this); }

    int MPI_Barrier(qmpi::call<MPI_BARRIER_T> &call) { return call(); }
};

}  // namespace

QMPI_TOOL("give", Give)
QMPI_TOOL("ask", Ask)

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    MPI_Finalize();
}
