/*
 * Copyright (C) by the QMPI for MPICH developers
 *     See COPYRIGHT in top-level directory
 */

/* Processes that have the same instance: the world of MPI_Init, and those that find each other without
 * a common communicator. */

#ifndef QMPI_WORLD_HPP_INCLUDED
#define QMPI_WORLD_HPP_INCLUDED

#include "function.hpp"

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <exception>
#include <limits>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <thread>
#include <type_traits>
#include <utility>

namespace qmpi {
inline namespace v1 {

/* ---- the world ---- */

/* Starts a nonblocking operation of a tool and waits for it, mostly asleep: processes that spin would
 * take the processor from those that they wait for, where these share one.
 *     qmpi::await([&](MPI_Request *request) { return QMPI_Ibarrier(comm, request); });
 * Returns the error code. */
template <typename Start>
int await(Start start)
{
    constexpr int busy_tests = 100;
    constexpr std::chrono::microseconds longest_pause(1000);
    MPI_Request request = MPI_REQUEST_NULL;
    int error_code = start(&request), is_complete = 0;
    std::chrono::microseconds pause(10);

    for (int tests = 0; error_code == MPI_SUCCESS; tests++) {
        error_code = QMPI_Test(&request, &is_complete, MPI_STATUS_IGNORE);
        if (is_complete)
            break;
        if (tests < busy_tests) {
            std::this_thread::yield();
            continue;
        }
        std::this_thread::sleep_for(pause);
        pause = std::min(2 * pause, longest_pause);
    }
    return error_code;
}

namespace detail {

/* Bytes of a text up to a limit that does not cut a character of UTF-8. */
inline std::size_t whole_characters(std::string_view text, std::size_t limit)
{
    std::size_t size = std::min(text.size(), limit);
    while (size > 0 && size < text.size() &&
           (static_cast<unsigned char>(text[size]) & 0xc0) == 0x80)
        size--;
    return size;
}

/* "rank 0 (no tools), ranks 3-5 (other arguments)"
 *   begun_otherwise   text for MPIX_TOOL_ALONE */
template <typename Has>
std::string absent(int size, const int *peers, Has has, const char *begun_otherwise)
{
    std::string text;
    for (int i = 0; i < size;) {
        const int first = i;
        while (i < size && !has(i) && peers[i] == peers[first])
            i++;
        if (i == first) {
            i++;
            continue;
        }
        const int last = i - 1, peer = peers[first];
        text += (text.empty() ? "" : ", ") + std::string(first == last ? "rank " : "ranks ") +
            std::to_string(first) + (first == last ? "" : "-" + std::to_string(last)) + " (" +
            (peer == MPIX_TOOL_VARIANT     ? "other arguments"
                 : peer == MPIX_TOOL_ALONE ? begun_otherwise
                 : peer == MPIX_TOOL_NONE  ? "no tools"
                                           : "other tools") +
            ")";
    }
    return text;
}

}  // namespace detail

/* A step of the world that failed: the reason of the process that failed, the same in all. */
class world_error : public std::runtime_error {
  public:
    using std::runtime_error::runtime_error;
};

/* The processes of MPI_COMM_WORLD that have the same instance: the same tool with the same
 * arguments, the nth of them in the list. Other processes are never waited for. */
class world {
  public:
    /* This process alone, without MPI: for tests. */
    world() = default;

    /* Made by the kit; comm and peers as MPI passes them to a world begin function. */
    world(MPI_Comm comm, const int *peers) : comm_(comm), peers_(peers)
    {
        QMPI_Comm_rank(MPI_COMM_WORLD, &program_rank_);
        QMPI_Comm_size(MPI_COMM_WORLD, &program_size_);
        if (comm == MPI_COMM_NULL)
            return;
        QMPI_Comm_rank(comm, &rank_);
        QMPI_Comm_size(comm, &size_);
    }

    /* Private communicator that returns errors; use it in at_world_begin and at_world_end only.
     * MPI_COMM_NULL if the library could not make one: this process is alone. */
    MPI_Comm comm() const { return comm_; }
    int rank() const { return rank_; }
    int size() const { return size_; }

    /* Rank and size of MPI_COMM_WORLD. */
    int program_rank() const { return program_rank_; }
    int program_size() const { return program_size_; }

    /* True if a process of MPI_COMM_WORLD has the instance. */
    bool has(int program_rank) const
    {
        return comm_ == MPI_COMM_NULL ? program_rank == program_rank_ : peers_[program_rank] > 0;
    }

    bool is_complete() const { return size_ == program_size_; }

    /* True if another process may have the same tool and is not in this world, and has a lower rank
     * than all processes of this world. */
    bool follows_variant() const
    {
        for (int i = 0; i < program_size_ && !has(i); i++) {
            if (peers_[i] == MPIX_TOOL_VARIANT || peers_[i] == MPIX_TOOL_ALONE)
                return true;
        }
        return false;
    }

    /* Processes that are not in this world: "rank 0 (no tools), ranks 3-5 (other arguments)". */
    std::string absent() const
    {
        return detail::absent(
            program_size_, peers_, [this](int rank) { return has(rank); },
            "a session before MPI_Init");
    }

    /* Collective: runs work, which may throw, in each process. If it threw in any process, all
     * throw a world_error with the text of the lowest rank. Returns what work returned. */
    template <typename Work>
    auto agree(Work work) const -> decltype(work())
    {
        std::string fault;
        auto guarded = [&](auto run) {
            try {
                run();
            } catch (const std::exception &exception) {
                fault = exception.what();
                if (fault.empty())
                    fault = "unknown exception";
            } catch (...) {
                fault = "not a std::exception";
            }
        };
        if constexpr (std::is_void_v<decltype(work())>) {
            guarded([&] { work(); });
            settle(fault);
        } else {
            std::optional<decltype(work())> result;
            guarded([&] { result.emplace(work()); });
            settle(fault);
            return std::move(*result);
        }
    }

    /* Collective: true if the value is true in all processes, false if an MPI call fails. */
    bool all(bool value) const
    {
        int own = value, lowest = own;
        const int error_code = size_ == 1 ? MPI_SUCCESS : await([&](MPI_Request *request) {
            return QMPI_Iallreduce(&own, &lowest, 1, MPI_INT, MPI_MIN, comm_, request);
        });
        return error_code == MPI_SUCCESS && lowest != 0;
    }

    /* Collective: runs work in rank 0 only and returns its text in all. If it threw, all throw a
     * world_error. */
    template <typename Work>
    std::string from_first(Work work) const
    {
        struct {
            std::uint64_t size = 0;
            std::uint64_t is_fault = 0;
            char begin[1008] = "";
        } message;
        std::string text;
        if (rank_ == 0) {
            message.is_fault = 1;
            try {
                text = work();
                message.is_fault = 0;
            } catch (const std::exception &exception) {
                text = exception.what();
            } catch (...) {
                text = "not a std::exception";
            }
            message.size = text.size();
            text.copy(message.begin, sizeof message.begin);
        }
        broadcast(&message, sizeof message, 0);
        text.resize(static_cast<std::size_t>(message.size));
        std::memcpy(text.data(), message.begin, std::min(text.size(), sizeof message.begin));
        constexpr std::size_t piece = std::size_t{1} << 30;
        for (std::size_t done = sizeof message.begin; done < text.size(); done += piece)
            broadcast(text.data() + done, std::min(piece, text.size() - done), 0);
        if (message.is_fault)
            throw world_error(text);
        return text;
    }

    /* Collective: the text of rank 0. */
    std::string share(const std::string &text) const
    {
        return from_first([&text] { return text; });
    }

  private:
    void broadcast(void *data, std::size_t size, int root) const
    {
        const int error_code = size_ == 1 ? MPI_SUCCESS : await([&](MPI_Request *request) {
            return QMPI_Ibcast(data, static_cast<int>(size), MPI_BYTE, root, comm_, request);
        });
        if (error_code != MPI_SUCCESS)
            throw world_error("an MPI call of the tool failed");
    }

    /* Throws in all processes if one has a fault. */
    void settle(const std::string &fault) const
    {
        const int nobody = std::numeric_limits<int>::max();
        int own = fault.empty() ? nobody : rank_, lowest = own;
        const int error_code = size_ == 1 ? MPI_SUCCESS : await([&](MPI_Request *request) {
            return QMPI_Iallreduce(&own, &lowest, 1, MPI_INT, MPI_MIN, comm_, request);
        });
        if (error_code != MPI_SUCCESS)
            throw world_error(fault.empty() ? "an MPI call of the tool failed" : fault);
        if (lowest == nobody)
            return;
        char text[512] = "";
        if (lowest == rank_)
            fault.copy(text, detail::whole_characters(fault, sizeof text - 1));
        broadcast(text, sizeof text, lowest);
        throw world_error(text);
    }

    MPI_Comm comm_ = MPI_COMM_NULL;
    const int *peers_ = nullptr;
    int rank_ = 0, size_ = 1;
    int program_rank_ = 0, program_size_ = 1;
};

/* The processes that mpiexec has started together, as one that begins with MPI_Session_init knows them.
 * Ranks are those in the process set mpi://WORLD. */
class job {
  public:
    /* Made by the kit. peers: as MPI passes them to a world begin function, for rank 0 only */
    job(int rank, int size, const char *offer, const int *peers)
        : rank_(rank), size_(size), offer_(offer), peers_(peers)
    {
    }

    int rank() const { return rank_; }
    int size() const { return size_; }

    /* The text that the same instance in rank 0 has offered; empty if there is none. */
    const char *offer() const { return offer_; }

    /* In rank 0 only, false elsewhere: true if a process begins with sessions, too, and has the same instance; perhaps
     * later, or never if it does not call MPI. */
    bool has(int rank) const { return peers_ != nullptr && peers_[rank] > 0; }

    /* In rank 0 only, empty elsewhere: processes that do not: "rank 1 (no tools), rank 2 (MPI_Init before a session)". */
    std::string absent() const
    {
        return peers_ == nullptr ? ""
                                 : detail::absent(
                                       size_, peers_, [this](int rank) { return has(rank); },
                                       "MPI_Init before a session");
    }

  private:
    int rank_, size_;
    const char *offer_;
    const int *peers_;
};

/* The processes that a call of MPI_Comm_spawn has started, as their rank 0 knows them. */
class spawned {
  public:
    /* Made by the kit */
    spawned(const char *world, int size, const char *offer)
        : world_(world), offer_(offer), size_(size)
    {
    }

    /* Name of their world, as from MPIX_Get_process_world. */
    const char *world() const { return world_; }

    int size() const { return size_; }

    /* The text that the same instance in the root of the call has offered; empty if there is none. */
    const char *offer() const { return offer_; }

  private:
    const char *world_, *offer_;
    int size_;
};

}  // namespace v1
}  // namespace qmpi

#endif /* QMPI_WORLD_HPP_INCLUDED */
