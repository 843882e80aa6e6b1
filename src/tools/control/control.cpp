/*
 * Copyright (C) by the QMPI for MPICH developers
 *     See COPYRIGHT in top-level directory
 */

/* Tool "control": a socket by which qmpi_ctl shows the instances of a process, wakes them, and lets
 * them sleep. It intercepts nothing. */

#include "endpoint.hpp"

#include "../common/process.hpp"
#include "../common/quiet_thread.hpp"

#include <qmpi.hpp>

#include <atomic>
#include <cerrno>
#include <cstdio>
#include <mutex>
#include <sstream>
#include <stdexcept>
#include <string>
#include <string_view>
#include <thread>

#include <poll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

namespace qmpi::control {
namespace {

/* Without what would end a line of the answer. */
std::string line_of(std::string text)
{
    for (char &c : text) {
        if (static_cast<unsigned char>(c) < ' ')
            c = ' ';
    }
    return text;
}

bool exists(int tool_id)
{
    const char *name = nullptr;
    return QMPIX_Get_tool_name(tool_id, &name) == MPI_SUCCESS;
}

/* "awake", "asleep", or "fixed" for an instance that cannot sleep */
const char *state_of(int tool_id)
{
    int is_awake = 1;
    QMPIX_Get_tool_awake(tool_id, &is_awake);
    if (QMPIX_Set_tool_awake(tool_id, is_awake) != MPI_SUCCESS)
        return "fixed";
    return is_awake != 0 ? "awake" : "asleep";
}

std::string description_of(int tool_id)
{
    const char *name = "", *arguments = "";
    QMPIX_Get_tool_name(tool_id, &name);
    QMPIX_Get_tool_arguments(tool_id, &arguments);
    return line_of(*arguments != '\0' ? std::string(name) + "(" + arguments + ")" : name);
}

class Control : public qmpi::tool<Control> {
  public:
    static constexpr const char *description =
        "lets qmpi_ctl show the instances of a running job, wake them, and let them sleep";

    ~Control()
    {
        if (!thread_.joinable())
            return;
        eventfd_write(end_.get(), 1);
        thread_.join();
        unlink(path_.c_str());
    }

    void at_world_begin(const qmpi::world &)
    {
        int rank = -1;
        QMPI_Comm_rank(MPI_COMM_WORLD, &rank);
        rank_ = rank;
        begin();
    }

    void at_session_begin() { begin(); }

  private:
    void begin()
    {
        std::call_once(has_begun_, [this] {
            try {
                if (instance_number() > 1)
                    throw std::runtime_error("the process has this tool already");
                path_ = path_of(folder(), getpid());
                listener_ = listen_at(path_);
                end_ = Descriptor(eventfd(0, EFD_CLOEXEC));
                thread_ = quiet_thread([this] { serve(); });
            } catch (const std::exception &exception) {
                std::fprintf(stderr, "control: qmpi_ctl cannot reach this process: %s\n",
                             exception.what());
            }
        });
    }

    void serve()
    {
        pollfd watched[] = {{listener_.get(), POLLIN, 0}, {end_.get(), POLLIN, 0}};
        while (poll(watched, 2, -1) > 0 || errno == EINTR) {
            if (watched[1].revents != 0)
                return;
            const Descriptor peer(accept4(listener_.get(), nullptr, nullptr, SOCK_CLOEXEC));
            if (peer && is_peer_allowed(peer))
                send_text(peer, answer(receive_text(peer, '\n', 64)));
        }
    }

    /* request: "status", "wake ID" or "sleep ID". Every answer ends with a line ".". */
    std::string answer(const std::string &request) const
    {
        std::istringstream words(request);
        std::string verb;
        int tool_id = 0;
        words >> verb >> tool_id;
        if (verb == "wake" || verb == "sleep")
            return QMPIX_Set_tool_awake(tool_id, verb == "wake") == MPI_SUCCESS ? "done\n.\n"
                                                                                : "refused\n.\n";
        std::ostringstream lines;
        lines << rank_ << ' ' << line_of(host_name()) << ' ' << program_invocation_short_name
              << '\n';
        for (tool_id = 1; exists(tool_id); tool_id++)
            lines << tool_id << ' ' << state_of(tool_id) << ' ' << description_of(tool_id) << '\n';
        lines << ".\n";
        return lines.str();
    }

    std::once_flag has_begun_;
    std::atomic<int> rank_{-1};
    std::string path_;
    Descriptor listener_, end_;
    std::thread thread_;
};

}  // namespace
}  // namespace qmpi::control

QMPI_TOOL("control", qmpi::control::Control)
