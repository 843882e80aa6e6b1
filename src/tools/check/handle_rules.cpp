/*
 * Copyright (C) by the QMPI for MPICH developers
 *     See COPYRIGHT in top-level directory
 */

#include "handle_rules.hpp"

#include <string>
#include <utility>
#include <vector>

namespace qmpi::check {
namespace {

using qmpi::role;

bool may_outlive_world(role kind)
{
    return kind == role::info || kind == role::errhandler || kind == role::session;
}

std::string text_of_leak(const Handle &handle)
{
    return std::string("this ") + name_of(handle.role) + " was not freed";
}

}  // namespace

void HandleRules::report_freed(const Handle &handle, const Position &end, const Here &here)
{
    process_.found(
        Kind::handle, process_.position(here),
        std::string("this ") + name_of(handle.role) + " was freed (" + process_.text(end) + ")");
}

void HandleRules::report_unknown(std::string_view name, const Here &here)
{
    process_.found(Kind::argument, process_.position(here),
                   std::string(name) + " is not the handle of an existing object");
}

void HandleRules::made(const Handle &handle, const Here &here, bool is_permanent)
{
    if (is_permanent)
        process_.handles.seen(handle);
    else
        process_.handles.made(handle, process_.position(here));
}

/* MPI_Type_get_contents returns new references, which must be freed. */
void HandleRules::follow_contents(MPI_Datatype datatype, const MPI_Datatype *types,
                                  const Here &here)
{
    int integers = 0, addresses = 0, number = 0, combiner = 0;
    if (QMPI_Type_get_envelope(datatype, &integers, &addresses, &number, &combiner) != MPI_SUCCESS)
        return;
    for (int i = 0; i < number; i++) {
        if (!can_be_freed<role::datatype>(types[i]))
            continue;
        const Handle handle{role::datatype, qmpi::handle_value(types[i])};
        if (!process_.handles.is_live(handle))
            process_.types.forget(types[i]);
        made(handle, here, false);
    }
}

void HandleRules::find_leaks()
{
    process_.handles.each_live([this](const Handle &handle, const Position &position) {
        if (!may_outlive_world(handle.role))
            process_.found(Kind::leak, position, text_of_leak(handle));
    });
}

void HandleRules::find_leaks_of_session(const Here &here)
{
    std::vector<std::pair<Handle, Position>> left;
    process_.handles.each_live([&left](const Handle &handle, const Position &position) {
        if (handle.role == role::communicator || handle.role == role::window ||
            handle.role == role::file)
            left.emplace_back(handle, position);
    });
    for (const auto &[handle, position] : left) {
        process_.found(Kind::leak, position, text_of_leak(handle));
        process_.handles.freed(handle, process_.position(here));
    }
}

bool HandleRules::find_leaks_of_process()
{
    bool is_any_there = false;
    process_.handles.each_live([&](const Handle &handle, const Position &position) {
        if (may_outlive_world(handle.role)) {
            is_any_there = true;
            process_.found_at_exit(Kind::leak, position, text_of_leak(handle));
        }
    });
    return is_any_there;
}

int HandleRules::live_sessions() const
{
    int number = 0;
    process_.handles.each_live(
        [&](const Handle &handle, const Position &) { number += handle.role == role::session; });
    return number;
}

}  // namespace qmpi::check
