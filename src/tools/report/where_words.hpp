/*
 * Copyright (C) by the QMPI for MPICH developers
 *     See COPYRIGHT in top-level directory
 */

/* What the ranks of a job do, for whom they wait, and the words for it. */

#ifndef TOOLS_REPORT_WHERE_WORDS_HPP_INCLUDED
#define TOOLS_REPORT_WHERE_WORDS_HPP_INCLUDED

#include "where_job.hpp"

#include <cstddef>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace qmpi::report {

/* ---- words ---- */

/* "31 s", "12 min", "3 h 20 min" */
std::string duration_text(double seconds);

/* Between the shortest and the longest of some times. */
std::string duration_text(double shortest, double longest);

/* "3", "0, 2-3" */
std::string numbers_text(const std::set<int> &ranks);

/* "rank 3", "ranks 0, 2-3" */
std::string ranks_list(const std::set<int> &ranks);

/* "solver.c:212" */
std::string place_of(const CallSite &site);

std::string name_of(const CommunicatorFacts &communicator);

/* ---- what a rank waits for ---- */

bool is_rooted(int function);

/* Calls that return only when another process, or the system, has done something. */
bool may_wait(int function);

class World {
  public:
    explicit World(const WorldFacts &facts);

    const WorldFacts &facts() const { return facts_; }

    /* The process (index in facts) with a rank of a communicator; none if unknown. */
    std::size_t member(const CommunicatorFacts &communicator, int rank) const;

    /* "rank 1", "rank 3 (1 of that communicator)", "any rank" */
    std::string peer_text(const CallFacts &call, int peer) const;

    /* Ranks of which there is no record. */
    std::set<int> missing() const;

    /* A sentence about them; empty if there are none. */
    std::string missing_text() const;

  private:
    void note(std::size_t process, const CommunicatorFacts &communicator);

    const WorldFacts &facts_;
    std::map<int, std::size_t> by_rank_;
    std::map<std::pair<std::int64_t, int>, std::map<int, std::size_t>> members_;
};

/* "a message from rank 1 with tag 5": differs between ranks that wait in the same place. */
std::string details_of(const World &world, const CallFacts &call);

/* Threads that are in a call; else the one that was last, with is_outside. */
struct Position {
    std::vector<const CallFacts *> calls;
    const CallFacts *last = nullptr;
    bool polls = false; /* all its last calls only tested */

    bool is_outside() const { return calls.empty(); }

    /* Since when it is there, in wall-clock time; 0: unknown. */
    double since() const;
};

Position position_of(const RankFacts &rank);

enum class Situation {
    dead,
    exited,
    finished,
    stopped,
    traced,
    polling,     /* tests or probes without result */
    progressing, /* has made calls during the observation */
    outside,
    in_call
};

Situation situation_of(const RankFacts &rank, const Position &position);

/* Makes no more calls. */
bool is_gone(const RankFacts &rank);

/* ---- cycles ---- */

/* A process waits for each process of its set. */
using Graph = std::vector<std::vector<std::size_t>>;

/* Only processes with one call in progress: another thread may help the others. */
Graph waits_of(const World &world);

std::vector<std::vector<std::size_t>> cycles_in(const Graph &graph);

/* "ranks 0-1 wait for each other for 31 s" */
std::string cycle_text(const World &world, const std::vector<std::size_t> &cycle, double now);

}  // namespace qmpi::report

#endif /* TOOLS_REPORT_WHERE_WORDS_HPP_INCLUDED */
