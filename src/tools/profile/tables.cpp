/*
 * Copyright (C) by the QMPI for MPICH developers
 *     See COPYRIGHT in top-level directory
 */

#include "tables.hpp"

#include <utility>

namespace tools::profile {

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

Table::~Table()
{
    for (auto &function : functions_)
        delete function.load();
}

FunctionRecord &Table::add_function(int id)
{
    auto *added = new FunctionRecord;
    functions_[static_cast<std::size_t>(id)].store(added, std::memory_order_release);
    return *added;
}

CommunicatorRecord &Table::communicator(int function, const Communicators::Shared &communicator)
{
    return communicator_index_.find(
        communicators_, mixed(static_cast<std::uint64_t>(function), communicator->id),
        [&](const CommunicatorRecord &record) {
            return record.function == function && record.communicator->id == communicator->id;
        },
        [&](CommunicatorRecord &record) {
            record.function = function;
            record.communicator = communicator;
        });
}

void Table::clear(std::uint32_t generation)
{
    for (auto &function : functions_) {
        if (FunctionRecord *record = function.load(std::memory_order_relaxed))
            record->clear();
    }
    sites_.each([](SiteRecord &site) { site.clear(); });
    communicators_.each([](CommunicatorRecord &record) { record.clear(); });
    generation_.store(generation, std::memory_order_release);
}

/* ---- threads ---- */

thread_local Table **Tables::of_thread_ = nullptr;
thread_local std::size_t Tables::known_ = 0;

/* Tables a thread has borrowed. */
struct Loans {
    struct Loan {
        Tables *lender;
        Table *table;
    };

    std::vector<Loan> loans;
    std::vector<Table *> by_number;

    ~Loans()
    {
        Tables::known_ = 0;
        for (const Loan &loan : loans)
            loan.lender->give_back(loan.table);
    }

    void add(Tables *lender, std::size_t number, Table *table)
    {
        loans.push_back({lender, table});
        if (by_number.size() <= number)
            by_number.resize(number + 1);
        by_number[number] = table;
        Tables::of_thread_ = by_number.data();
        Tables::known_ = by_number.size();
    }
};

Table &Tables::take()
{
    /* Returns the tables at thread exit for reuse. Calls from later thread-local destructors get
     * new tables, which are not returned. */
    static thread_local Loans *loans = nullptr;
    static thread_local struct End {
        ~End() { delete std::exchange(loans, nullptr); }
    } end;
    (void) end;
    if (loans == nullptr)
        loans = new Loans;

    Table *table = nullptr;
    {
        const std::lock_guard<std::mutex> guard(mutex_);
        if (unused_.empty()) {
            all_.push_back(std::make_unique<Table>());
            unused_.reserve(all_.size());
            table = all_.back().get();
        } else {
            table = unused_.back();
            unused_.pop_back();
        }
    }
    loans->add(this, number_, table);
    return *table;
}

void Tables::give_back(Table *table)
{
    /* In a child of fork the lock may be held by a thread that no longer exists; skip it then. */
    const std::unique_lock<std::mutex> lock(mutex_, std::try_to_lock);
    if (lock.owns_lock())
        unused_.push_back(table);
}

}  // namespace tools::profile
