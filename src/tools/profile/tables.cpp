/*
 * Copyright (C) by the QMPI for MPICH developers
 *     See COPYRIGHT in top-level directory
 */

#include "tables.hpp"

#include "../common/call_sites.hpp"
#include "../common/process.hpp"

#include <algorithm>
#include <cstring>

#include <time.h>

namespace qmpi::profile {

void FunctionRecord::clear()
{
    for (Number *number : {&calls, &timed_calls, &outer_time, &sent, &received})
        number->set(0);
    for (auto *sizes : {&sent_sizes, &received_sizes}) {
        for (Number &size : *sizes)
            size.set(0);
    }
    until_timed = 0;
}

void SiteRecord::clear()
{
    for (Number *number : {&calls, &time, &longest, &sent, &received})
        number->set(0);
    shortest.set(std::numeric_limits<Time>::max());
}

void CommunicatorRecord::clear()
{
    for (Number *number : {&calls, &time, &sent, &received})
        number->set(0);
}

Table::Table(Tables &tables, std::uint64_t number)
    : tables_(tables), record_(tables.record_.make<TableRecord>(
                           Kind::table, [number](TableRecord &made) { made.number.set(number); }))
{
}

void Table::drop_left_calls(const Frame &later)
{
    for (int level = std::min(nesting_, max_nesting) - 1; level >= 0; level--) {
        const Frame &frame = *frames_[static_cast<std::size_t>(level)];
        if (!frame.is_left(later))
            break;
        record_.current[static_cast<std::size_t>(level)].key.set(0);
        nesting_ = level;
    }
}

FunctionRecord &Table::add_function(int id)
{
    FunctionRecord &added =
        tables_.record_.make<FunctionRecord>(Kind::function, [this, id](FunctionRecord &made) {
            made.table = number();
            made.function = static_cast<std::uint32_t>(id);
        });
    functions_[static_cast<std::size_t>(id)] = &added;
    return added;
}

SiteRecord &Table::add_site(int function, const void *const *path, std::size_t depth)
{
    SitePlace places[max_depth];
    const CallKey key(static_cast<std::uint32_t>(function), sites_.all().size() + 1);
    for (std::size_t i = 0; i < depth; i++) {
        const CodeLocation location = locate(path[i]);
        places[i] = {path[i], tables_.number_of_module(location.module), location.offset};
    }
    return tables_.record_.make<SiteRecord>(
        Kind::site,
        [&](SiteRecord &made) {
            made.table = number();
            made.key = key;
            made.depth = static_cast<std::uint32_t>(depth);
            made.innermost = path[0];
            std::copy(places, places + depth, made.places());
        },
        depth * sizeof(SitePlace));
}

bool Table::is_path_of(const SiteRecord &site, const void *const *path)
{
    return std::equal(
        path, path + site.depth, site.places(),
        [](const void *address, const SitePlace &place) { return place.address == address; });
}

CommunicatorRecord &Table::communicator(int function, const Communicators::Shared &communicator)
{
    return communicators_.find(
        mixed(static_cast<std::uint64_t>(function), communicator->id),
        [&](const CommunicatorRecord &record) {
            return record.function == static_cast<std::uint32_t>(function) &&
                record.id == communicator->id;
        },
        [&]() -> CommunicatorRecord & {
            tables_.name(communicator);
            return tables_.record_.make<CommunicatorRecord>(
                Kind::communicator, [&](CommunicatorRecord &made) {
                    made.table = number();
                    made.function = static_cast<std::uint32_t>(function);
                    made.id = communicator->id;
                });
        });
}

void Table::clear(std::uint32_t generation)
{
    for (FunctionRecord *function : functions_) {
        if (function != nullptr)
            function->clear();
    }
    for (SiteRecord *site : sites_.all())
        site->clear();
    for (CommunicatorRecord *record : communicators_.all())
        record->clear();
    record_.generation.set(generation);
}

/* ---- what all threads share ---- */

Tables::Tables(Record &record, std::uint32_t sample)
    : record_(record), process_(record.make<ProcessRecord>(Kind::process))
{
    process_.sample.set(sample);
    timespec wall{};
    clock_gettime(CLOCK_REALTIME, &wall);
    process_.epoch.set(static_cast<Time>(wall.tv_sec) * ns_per_second +
                       static_cast<Time>(wall.tv_nsec) - now());
}

std::uint64_t Tables::number_of_module(const std::string &path)
{
    const std::lock_guard<std::mutex> guard(mutex_);
    const auto found = std::find(modules_.begin(), modules_.end(), path);
    const auto number = static_cast<std::uint64_t>(found - modules_.begin());
    if (found == modules_.end()) {
        modules_.push_back(path);
        record_.add(Kind::module, path);
    }
    return number;
}

void Tables::name(const Communicators::Shared &communicator)
{
    {
        const std::lock_guard<std::mutex> guard(mutex_);
        auto &[kept, block] = communicators_[communicator->id];
        if (block != nullptr)
            return;
        kept = communicator;
        block = &record_.make<NamedCommunicator>(Kind::named_communicator,
                                                 [&communicator](NamedCommunicator &made) {
                                                     made.id = communicator->id;
                                                     made.size = communicator->size;
                                                     made.is_inter = communicator->is_inter;
                                                 });
    }
    update_names();
}

void Tables::update_names()
{
    const std::lock_guard<std::mutex> guard(mutex_);
    for (auto &[id, named] : communicators_)
        std::strncpy(named.second->name, named.first->name().c_str(),
                     sizeof named.second->name - 1);
}

}  // namespace qmpi::profile
