/*
 * Copyright (C) by the QMPI for MPICH developers
 *     See COPYRIGHT in top-level directory
 */

#include "reports.hpp"

#include "../common/process.hpp"
#include "../common/record_report.hpp"

#include <algorithm>
#include <exception>
#include <map>
#include <memory>
#include <string>

namespace qmpi::profile {
namespace {

class FromRecords : public RecordReport {
  public:
    explicit FromRecords(Records &records)
    {
        run_.is_alone = records.is_alone();
        for (const Records::Part &part : records.parts())
            note_last_time(part);
        records.each([this](const Records::Part &part) { add_state(summary_, summary_of(part)); });
        run_.introduction = records.introduction();
        reports_ = std::make_unique<Reports>(run_, summary_, call_sites_);
    }

    std::string make(Format format) const override { return reports_->make(format); }

  private:
    /* The clocks of other hosts are unknown. */
    static bool is_running_here(const Records::Part &part)
    {
        return part.life == Life::running && part.introduction.host == host_name();
    }

    void note_last_time(const Records::Part &part)
    {
        if (is_running_here(part))
            return;
        Time &last = last_[part.introduction.host];
        try {
            last = std::max(last, last_time_of(part.view));
        } catch (const std::exception &) {
            /* summary_of() reports the damage. */
        }
    }

    Summary summary_of(const Records::Part &part) const
    {
        Task task;
        task.rank = part.introduction.rank;
        task.process = part.introduction.process;
        task.host = part.introduction.host;
        if (is_running_here(part))
            return summary_of_running(part, task);
        return Summary::of(part.view, task, {last_.at(part.introduction.host), part.life, false});
    }

    /* The process changes its record while it is read. A call in progress counts if it is in the record both
     * before and after all sums; read again if one has ended meanwhile. */
    static Summary summary_of_running(const Records::Part &part, const Task &task)
    {
        constexpr int most_attempts = 20;
        auto first = std::make_unique<FileContent>(part.path);
        for (int attempt = 1;; attempt++) {
            const Moment moment{now(), Life::running, false};
            auto second = std::make_unique<FileContent>(part.path);
            const RecordView before(first->content()), after(second->content());
            if (attempt == most_attempts || has_same_calls(before, after))
                return Summary::of(before, task, moment, &after);
            first = std::move(second);
        }
    }

    Run run_;
    Summary summary_;
    CallSites call_sites_;
    std::unique_ptr<Reports> reports_;
    std::map<std::string, Time> last_; /* of processes that have ended, by host */
};

}  // namespace
}  // namespace qmpi::profile

QMPI_REPORT("profile", qmpi::profile::FromRecords)
