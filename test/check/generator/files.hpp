/*
 * Copyright (C) by the QMPI for MPICH developers
 *     See COPYRIGHT in top-level directory
 */

/* Files: each process has its part of a file, of ints. */

#ifndef FILES_HPP
#define FILES_HPP

#include "script.hpp"

namespace files {

inline void run(Script &script)
{
    Random &draw = script.draw;
    const auto comm = script.intra();
    const int part = draw.between(1, 12), size = comm->size(), rounds = draw.between(1, 4);
    const bool has_view = draw.chance(50);
    const uint64_t key = script.key();
    std::vector<int> writes, reads;
    for (int i = 0; i < rounds; i++) {
        writes.push_back(draw.below(has_view ? 5 : 8));
        reads.push_back(draw.below(5));
    }
    const bool is_atomic = draw.chance(15), sets_size = draw.chance(30), has_info = draw.chance(20);
    const int number = draw.below(1 << 30);
    /* MPICH has one lock for all files, so those of two threads deadlock. */
    if (!comm->has(script.me) || !script.is_main())
        return;
    script.say("file, comm %d, %d rounds%s", comm->number, rounds, has_view ? ", view" : "");
    const int me = comm->rank(script.me);
    const std::string name = "drawn-" + std::to_string(script.options.seed) + "-" +
        std::to_string(script.number) + "-" + std::to_string(number) + "-" +
        std::to_string(comm->groups[0][0]);
    MPI_File file;
    MPI_Info info = MPI_INFO_NULL;
    if (has_info) {
        MPI_Info_create(&info);
        MPI_Info_set(info, "access_style", "write_once");
    }
    MPI_File_open(comm->handle, name.c_str(),
                  MPI_MODE_CREATE | MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE, info, &file);
    if (info != MPI_INFO_NULL)
        MPI_Info_free(&info);
    if (sets_size)
        MPI_File_set_size(file, 4 * part * size);
    if (is_atomic)
        MPI_File_set_atomicity(file, 1);
    MPI_Datatype view = MPI_DATATYPE_NULL;
    if (has_view) {
        /* every size-th int, from its rank on */
        MPI_Type_create_resized(MPI_INT, 0, 4 * size, &view);
        MPI_Type_commit(&view);
        MPI_File_set_view(file, 4 * me, MPI_INT, view, "native", MPI_INFO_NULL);
        MPI_Type_free(&view);
    }
    const MPI_Offset at = has_view ? 0 : 4 * part * me;
    std::vector<int> data(static_cast<size_t>(part)), got(data.size());
    for (int round = 0; round < rounds; round++) {
        MPI_Request request;
        MPI_Status status;
        for (int i = 0; i < part; i++)
            data[static_cast<size_t>(i)] =
                value_of(key + static_cast<uint64_t>(round * 64 + me), static_cast<size_t>(i));
        switch (writes[static_cast<size_t>(round)]) {
        case 0:
            MPI_File_write_at_all(file, at, data.data(), part, MPI_INT, &status);
            break;
        case 1:
            MPI_File_write_at(file, at, data.data(), part, MPI_INT, MPI_STATUS_IGNORE);
            break;
        case 2:
            MPI_File_iwrite_at(file, at, data.data(), part, MPI_INT, &request);
            MPI_Wait(&request, &status);
            break;
        case 3:
            MPI_File_write_at_all_begin(file, at, data.data(), part, MPI_INT);
            MPI_File_write_at_all_end(file, data.data(), &status);
            break;
        case 4:
            MPI_File_seek(file, has_view ? 0 : part * me * 4, MPI_SEEK_SET);
            MPI_File_write_all(file, data.data(), part, MPI_INT, MPI_STATUS_IGNORE);
            break;
        case 5:
            MPI_File_iwrite_at_all(file, at, data.data(), part, MPI_INT, &request);
            MPI_Wait(&request, MPI_STATUS_IGNORE);
            break;
        case 6:
            MPI_File_seek_shared(file, 0, MPI_SEEK_SET);
            MPI_File_write_ordered(file, data.data(), part, MPI_INT, MPI_STATUS_IGNORE);
            break;
        default:
            MPI_File_seek(file, 4 * part * me, MPI_SEEK_SET);
            MPI_File_write(file, data.data(), part, MPI_INT, &status);
        }
        MPI_File_sync(file);
        MPI_Barrier(comm->handle);
        MPI_File_sync(file);
        switch (reads[static_cast<size_t>(round)]) {
        case 0:
            MPI_File_read_at_all(file, at, got.data(), part, MPI_INT, &status);
            break;
        case 1:
            MPI_File_read_at(file, at, got.data(), part, MPI_INT, &status);
            break;
        case 2:
            MPI_File_iread_at(file, at, got.data(), part, MPI_INT, &request);
            script.add(
                request, script.step, [](MPI_Status *) {}, true, true);
            script.complete();
            break;
        case 3:
            MPI_File_read_at_all_begin(file, at, got.data(), part, MPI_INT);
            MPI_File_read_at_all_end(file, got.data(), MPI_STATUS_IGNORE);
            break;
        default:
            MPI_File_seek(file, has_view ? 0 : 4 * part * me, MPI_SEEK_SET);
            MPI_File_read_all(file, got.data(), part, MPI_INT, &status);
        }
        script.expect(data == got, "wrong data of a file");
        MPI_Barrier(comm->handle);
    }
    if (script.own.chance(30)) {
        MPI_Offset bytes;
        MPI_File_get_size(file, &bytes);
        script.expect(bytes >= 4 * part * size, "size of a file");
    }
    MPI_File_close(&file);
    MPI_Barrier(comm->handle);
}

/* A file that does not exist: the default error handler returns. */
inline void missing(Script &script)
{
    const auto comm = script.intra();
    if (!comm->has(script.me) || !script.is_main())
        return;
    MPI_File file;
    script.expect(MPI_File_open(comm->handle, "no-such-file", MPI_MODE_RDONLY, MPI_INFO_NULL,
                                &file) != MPI_SUCCESS,
                  "a missing file");
}

}  // namespace files

#endif
