/*
 * Copyright (C) by the QMPI for MPICH developers
 *     See COPYRIGHT in top-level directory
 */

#include "merge.hpp"

#include <algorithm>
#include <exception>
#include <utility>

namespace qmpi {
inline namespace v1 {
namespace {

/* A process without memory for what it receives has this much room. */
constexpr std::size_t largest_piece = std::size_t{1} << 20;
char room[largest_piece];

/* Precedes the bytes. A process that failed says so, as its parent is waiting. */
struct Header {
    std::uint64_t size = 0;
    std::uint64_t is_whole = 0;
};

template <typename Transfer>
bool in_pieces(char *bytes, std::size_t size, Transfer transfer)
{
    for (std::size_t done = 0; done < size;) {
        const std::size_t piece = std::min(largest_piece, size - done);
        if (transfer(bytes + done, static_cast<int>(piece)) != MPI_SUCCESS)
            return false;
        done += piece;
    }
    return true;
}

bool send(MPI_Comm comm, int dest, bool is_whole, std::string bytes)
{
    const auto send_piece = [=](void *piece, int size) {
        return await([=](MPI_Request *request) {
            return QMPI_Isend(piece, size, MPI_BYTE, dest, 0, comm, request);
        });
    };
    Header header{bytes.size(), is_whole};
    return send_piece(&header, sizeof header) == MPI_SUCCESS &&
        in_pieces(bytes.data(), bytes.size(), send_piece);
}

bool receive(MPI_Comm comm, int source, std::string &bytes)
{
    const auto receive_piece = [=](void *piece, int size) {
        return await([=](MPI_Request *request) {
            return QMPI_Irecv(piece, size, MPI_BYTE, source, 0, comm, request);
        });
    };
    Header header;
    if (receive_piece(&header, sizeof header) != MPI_SUCCESS)
        return false;
    try {
        bytes.resize(header.size);
    } catch (const std::exception &) {
        /* The process that sends must not wait. A message that is truncated would end the program:
         * MPI_Test calls the error handler of MPI_COMM_WORLD. */
        for (std::uint64_t done = 0; done < header.size; done += largest_piece) {
            if (receive_piece(room, static_cast<int>(largest_piece)) != MPI_SUCCESS)
                break;
        }
        return false;
    }
    return in_pieces(bytes.data(), bytes.size(), receive_piece) && header.is_whole;
}

template <typename Work>
bool succeeds(Work work)
{
    try {
        return work();
    } catch (const std::exception &) {
        return false;
    }
}

}  // namespace

bool merge_to_root(MPI_Comm comm, const std::function<void(Writer &)> &write,
                   const std::function<void(Reader &)> &merge, const std::function<void()> &use)
{
    int rank = 0, size = 0;
    if (comm == MPI_COMM_NULL || QMPI_Comm_rank(comm, &rank) != MPI_SUCCESS ||
        QMPI_Comm_size(comm, &size) != MPI_SUCCESS)
        return false;

    bool is_whole = true;
    long long distance = 1;
    for (; distance < size && (rank & distance) == 0; distance *= 2) {
        if (rank + distance >= size)
            continue;
        is_whole &= succeeds([&] {
            std::string bytes;
            if (!receive(comm, static_cast<int>(rank + distance), bytes))
                return false;
            Reader reader(bytes);
            merge(reader);
            return true;
        });
    }
    if (rank != 0) {
        std::string bytes;
        is_whole = is_whole && succeeds([&] {
                       Writer writer;
                       write(writer);
                       bytes = writer.take();
                       return true;
                   });
        const int parent = static_cast<int>(rank - distance);
        is_whole &= send(comm, parent, is_whole, std::move(bytes));
    }
    if (rank == 0 && is_whole)
        is_whole = succeeds([&] {
            use();
            return true;
        });
    int result = is_whole;
    const int error_code = await(
        [&](MPI_Request *request) { return QMPI_Ibcast(&result, 1, MPI_INT, 0, comm, request); });
    return error_code == MPI_SUCCESS && result;
}

bool all_of(MPI_Comm comm, bool value)
{
    int own = value, all = value;
    if (comm != MPI_COMM_NULL)
        await([&](MPI_Request *request) {
            return QMPI_Iallreduce(&own, &all, 1, MPI_INT, MPI_LAND, comm, request);
        });
    return all != 0;
}

}  // namespace v1
}  // namespace qmpi
