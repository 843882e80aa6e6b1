/*
 * Copyright (C) by the QMPI for MPICH developers
 *     See COPYRIGHT in top-level directory
 */

/* Merges the data of all processes into one table. */

#include <qmpi.hpp>
#include <qmpi/merge.hpp>
#include <qmpi/report.hpp>
#include <qmpi/text.hpp>

#include <array>
#include <atomic>
#include <cstdint>
#include <map>

namespace {

/* Calls by function name; the ids of functions could be used as well. */
struct Calls {
    std::map<std::string, std::uint64_t> numbers;

    void write(qmpi::Writer &writer) const
    {
        for (const auto &[name, number] : numbers) {
            writer.put(name);
            writer.put(number);
        }
    }

    void merge(qmpi::Reader &reader)
    {
        while (!reader.at_end()) {
            const auto name = reader.get<std::string>();
            numbers[name] += reader.get<std::uint64_t>();
        }
    }
};

struct Merge : qmpi::tool<Merge> {
    static constexpr const char *description = "calls of each function in all processes";

    struct Options : qmpi::options {
        using options::options;
        std::string out = option("out", "calls.txt").value("FILE").help("file of the table");
    };
    const Options options{arguments()};

    std::array<std::atomic<std::uint64_t>, MPI_LAST_FUNC_T> numbers{};

    int intercept(qmpi::any_call &call)
    {
        numbers[call.id()]++;
        return call();
    }

    void at_world_end(const qmpi::world &world)
    {
        Calls calls;
        for (int id = 0; id < MPI_LAST_FUNC_T; id++) {
            const char *name = "";
            if (numbers[id] > 0 && MPIX_Get_function_name(id, &name) == MPI_SUCCESS)
                calls.numbers[name] = numbers[id];
        }
        if (!qmpi::merge_to_root(world.comm(), calls) || world.rank() != 0)
            return;
        std::string table;
        for (const auto &[name, number] : calls.numbers)
            table += qmpi::print("%-20s %8s\n", name.c_str(), qmpi::grouped(number).c_str());
        const std::string fault = qmpi::write_file(options.out, table);
        if (!fault.empty())
            qmpi::complain(name(), "cannot write " + options.out + ": " + fault);
    }
};

}  // namespace

QMPI_TOOL("merge", Merge)
