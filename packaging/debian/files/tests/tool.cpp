#include <qmpi.hpp>
#include <atomic>

struct Tool : qmpi::tool<Tool> {
    std::atomic<int> calls{0};
    int MPI_Get_processor_name(qmpi::call<MPI_GET_PROCESSOR_NAME_T> &call) { calls++; return call(); }
    ~Tool() { std::fprintf(stderr, "tool: %d call of MPI_Get_processor_name\n", calls.load()); }
};
QMPI_TOOL("tool", Tool)
