/*
 * Copyright (C) by the QMPI for MPICH developers
 *     See COPYRIGHT in top-level directory
 */

/* Shows what the ranks of a running job do. See qmpi_top(1). */

#include "screen.hpp"
#include "table.hpp"

#include <CLI/CLI.hpp>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <exception>
#include <map>
#include <string>
#include <thread>
#include <vector>

#include <unistd.h>

namespace {

using namespace qmpi::top;
using Seconds = std::chrono::duration<double>;

void print_once(qmpi::report::Observer &observer, const View &view, Seconds interval)
{
    const auto end = std::chrono::steady_clock::now() + interval;
    while (std::chrono::steady_clock::now() < end) {
        std::this_thread::sleep_for(std::min<Seconds>(qmpi::report::Observer::pause(interval),
                                                      end - std::chrono::steady_clock::now()));
        observer.sample();
    }
    const Table table = table_of(observer.read(), view);
    for (const std::string &line : table.head)
        std::printf("%s\n", line.c_str());
    std::printf("\n%s\n", table.columns.c_str());
    for (const std::string &line : table.rows)
        std::printf("%s\n", line.c_str());
}

}  // namespace

int main(int argc, char **argv)
{
    CLI::App app(
        "Shows what the ranks of a job with the tool watch do, until the key q is pressed. Without "
        "a terminal it prints the table once.");
    std::vector<std::string> jobs;
    double seconds = 1;
    bool is_once = false;
    View view;
    const std::map<std::string, Sort> keys = {
        {"rank", Sort::rank}, {"time", Sort::time}, {"mpi", Sort::mpi}, {"calls", Sort::calls}};
    app.add_option("JOB", jobs, "number of a process of the job, or records")->required();
    app.add_option("--interval", seconds, "seconds between two readings (default: 1)")
        ->check(CLI::Range(0.1, 3600.0));
    app.add_flag("--once", is_once, "print the table once, after an interval");
    app.add_option("--sort", view.sort, "rank (default), time, mpi or calls")
        ->transform(CLI::CheckedTransformer(keys));
    app.add_option("--ranks", view.ranks, "only these ranks, such as 0-3,7");
    app.add_flag("--waiting", view.waiting_only, "only ranks that wait");
    app.add_flag("--group", view.is_grouped, "one line for the ranks in the same situation");
    try {
        app.parse(argc, argv);
        ranges_in(view.ranks);
        qmpi::report::Observer observer(jobs);
        if (has_screen && !is_once && isatty(STDIN_FILENO) && isatty(STDOUT_FILENO))
            show_screen(observer, view, Seconds(seconds));
        else
            print_once(observer, view, Seconds(seconds));
        return 0;
    } catch (const CLI::ParseError &error) {
        return app.exit(error) == 0 ? 0 : 2;
    } catch (const std::exception &exception) {
        std::fprintf(stderr, "qmpi_top: %s\n", exception.what());
        return 2;
    }
}
