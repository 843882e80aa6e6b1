/*
 * Copyright (C) by the QMPI for MPICH developers
 *     See COPYRIGHT in top-level directory
 */

/* Changes an argument: the level of threads that the program asks for. */

#include <qmpi.hpp>

namespace {

struct Threads : qmpi::tool<Threads> {
    static constexpr const char *description = "initializes MPI with another level of threads";

    struct Options : qmpi::options {
        using options::options;
        int level = option("level", static_cast<int>(MPI_THREAD_MULTIPLE))
                        .one_of({{"single", MPI_THREAD_SINGLE},
                                 {"funneled", MPI_THREAD_FUNNELED},
                                 {"serialized", MPI_THREAD_SERIALIZED},
                                 {"multiple", MPI_THREAD_MULTIPLE}})
                        .help("level in place of the program's");
        bool quiet = flag("quiet").help("without a message");
    };
    const Options options{arguments()};

    int MPI_Init_thread(qmpi::call<MPI_INIT_THREAD_T> &call, int *argc, char ***argv, int required,
                        int *provided)
    {
        const int result = call(argc, argv, options.level, provided);
        if (!options.quiet)
            std::fprintf(stderr, "level %d in place of %d: got %d\n", options.level, required,
                         *provided);
        return result;
    }
};

}  // namespace

QMPI_TOOL("threads", Threads)
