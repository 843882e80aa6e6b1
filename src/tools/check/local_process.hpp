/*
 * Copyright (C) by the QMPI for MPICH developers
 *     See COPYRIGHT in top-level directory
 */

/* What the rules have in common: the process that keeps or breaks them. It knows what it holds and
 * where its calls come from, tells the analyser, and says whether what it tells can be believed. */

#ifndef TOOLS_CHECK_LOCAL_PROCESS_HPP_INCLUDED
#define TOOLS_CHECK_LOCAL_PROCESS_HPP_INCLUDED

#include "connection.hpp"
#include "findings.hpp"
#include "resources.hpp"
#include "signature.hpp"
#include "sites.hpp"

#include "../common/communicators.hpp"

#include <qmpi.hpp>

#include <atomic>
#include <memory>
#include <string>
#include <utility>

namespace tools::check {

using SharedCommunicator = std::shared_ptr<const Communicator>;

/* A call that is being checked. */
struct Here {
    MPI_Context context;
    int function;
};

/* Any number of threads. */
class LocalProcess {
  public:
    /* findings: what is found while there is no analyser; they must stay as long as the object. */
    explicit LocalProcess(Findings &findings);

    Types types;
    Handles handles;
    Communicators communicators;

    /* ---- findings and where they are ---- */

    bool wants(Kind kind) const { return findings_.wants(kind); }
    void found(Kind kind, const Place &place, const std::string &text);

    /* For the end of the process, when nobody else can be told any more. */
    void found_alone(Kind kind, const Place &place, const std::string &text);

    Place place(const Here &here);
    std::string text(const Place &place) const;

    /* ---- the others ---- */

    /* After MPI_Init: the process has a rank from now on. */
    void enter_world();

    /* In MPI_COMM_WORLD; -1 until there is one. */
    int rank() const { return rank_; }

    /* Of all processes together, with the analyser's address: its port is 0 where there is none.
     * False if not all of them reach it. */
    bool connect(const Address &address);

    bool is_connected() const { return client_.is_up(); }

    template <typename Fields>
    void tell(Event event, Fields fields, bool wants_answer)
    {
        client_.tell(event, std::move(fields), wants_answer);
    }
    void tell(Event event, bool wants_answer) { client_.tell(event, wants_answer); }
    void flush() { client_.flush(); }

    /* The first calls of each call site wait for the analyser, so that its finding comes before the
     * end of the program; then the program need not wait any more. */
    bool waits_for_answer(const Place &place) { return sites_.times(place.site) < 50; }

    /* ---- what can be compared with others ---- */

    /* From now on nobody compares anything with this process. */
    void distrust();
    bool is_distrusted() const { return is_distrusted_; }

    /* The communicator of a call that has not been made yet, and therefore only for handles that
     * are valid for certain; else the null pointer. */
    SharedCommunicator communicator(MPI_Comm comm);

    /* Whether all its processes have the same analyser, and what this one tells is in order. */
    bool is_comparable(const SharedCommunicator &communicator);

  private:
    void note_thread();

    Findings &findings_;
    Client client_;
    Sites sites_;
    int rank_ = -1;
    std::atomic<bool> is_distrusted_{false};
    std::atomic<char *> first_thread_{nullptr};
};

}  // namespace tools::check

#endif /* TOOLS_CHECK_LOCAL_PROCESS_HPP_INCLUDED */
