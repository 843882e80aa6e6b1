// Copyright (C) by the QMPI for MPICH developers
//     See COPYRIGHT in top-level directory

// The tool "plain" of other_base_tool.c on the C++ kit.

#include <qmpi.hpp>

namespace {

struct Plain : qmpi::tool<Plain> {
    template <typename Call>
    auto intercept(Call &call)
    {
        std::printf("%s\n", Call::name.data());
        return call();
    }

    int MPI_Recv(qmpi::call<MPI_RECV_T> &call)
    {
        const int result = intercept(call);
        const MPI_Datatype datatype = qmpi::get<qmpi::role::datatype>(call);
        const MPI_Status *status = qmpi::get<qmpi::role::status>(call);
        int elements = -1, size = -1;
        QMPI_Get_count(status, datatype, &elements);
        QMPI_Type_size(datatype, &size);
        std::printf("source %d tag %d, %d of %d bytes\n", status->MPI_SOURCE, status->MPI_TAG,
                    elements, size);
        return result;
    }
};

}  // namespace

QMPI_TOOL("plain", Plain)
