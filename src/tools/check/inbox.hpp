/*
 * Copyright (C) by the QMPI for MPICH developers
 *     See COPYRIGHT in top-level directory
 */

/* Messages to one process on one communicator, and its receives that have no message yet. Messages of
 * a source and tag match the receives in the order of sending and of posting (MPI 4.0, 3.5). */

#ifndef TOOLS_CHECK_INBOX_HPP_INCLUDED
#define TOOLS_CHECK_INBOX_HPP_INCLUDED

#include "erase.hpp"
#include "events.hpp"
#include "replay.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <tuple>
#include <utility>
#include <vector>

namespace qmpi::check {

/* Ranks are those of MPI_COMM_WORLD. match(message, receive) is called for each pair. */
class Inbox {
  public:
    struct Message {
        Position position;
        std::uint64_t number; /* of the operation in its process */
        Signature signature;
        SharedEnd end;
    };

    struct Receive {
        Position position;
        std::uint64_t number; /* of the operation in its process */
        int source;
        int tag;
        bool is_certain; /* can only get a message of that source and tag */
        Signature signature;
        SharedEnd end;
        bool may_get_none = false; /* MPI_Cancel was called */
    };

    template <typename Match>
    void add(int source, int tag, Message message, Match match)
    {
        sends_.emplace(std::make_pair(source, tag), std::move(message));
        match_all_of(source, tag, match);
    }

    template <typename Match>
    void add(Receive receive, Match match)
    {
        const int source = receive.source, tag = receive.tag;
        const std::uint64_t number = receive.number;
        if (source == MPI_ANY_SOURCE || tag == MPI_ANY_TAG)
            wildcards_.emplace(number, std::move(receive));
        else {
            exact_.emplace(Key{source, tag, number}, std::move(receive));
            match_all_of(source, tag, match);
        }
    }

    /* The receive gets a message of that source and tag. */
    template <typename Match>
    void settle(std::uint64_t number, int source, int tag, Match match)
    {
        if (auto wildcard = wildcards_.extract(number)) {
            Receive &receive = wildcard.mapped();
            const int old_source = std::exchange(receive.source, source);
            const int old_tag = std::exchange(receive.tag, tag);
            receive.is_certain = true;
            exact_.emplace(Key{source, tag, number}, std::move(receive));
            match_fitting(old_source, old_tag, match);
        } else if (const auto exact = exact_.find({source, tag, number}); exact != exact_.end()) {
            exact->second.is_certain = true;
            match_all_of(source, tag, match);
        }
    }

    /* The receive gets none. */
    template <typename Match>
    void remove(std::uint64_t number, Match match)
    {
        if (const auto wildcard = wildcards_.extract(number))
            match_fitting(wildcard.mapped().source, wildcard.mapped().tag, match);
        else if (const auto exact = find_exact(number); exact != exact_.end()) {
            const auto [source, tag, ignored] = exact->first;
            exact_.erase(exact);
            match_all_of(source, tag, match);
        }
    }

    /* Forgets what the process has sent, and receives from it. */
    void remove_source(int source)
    {
        erase_if(sends_, [source](const auto &send) { return send.first.first == source; });
        erase_if(exact_, [source](const auto &exact) { return exact.second.source == source; });
        erase_if(wildcards_, [source](const auto &one) { return one.second.source == source; });
    }

    bool is_empty() const { return sends_.empty() && exact_.empty() && wildcards_.empty(); }

    bool has_receive(std::uint64_t number) const
    {
        return wildcards_.count(number) > 0 || find_exact(number) != exact_.end();
    }

    void cancel(std::uint64_t number)
    {
        if (const auto wildcard = wildcards_.find(number); wildcard != wildcards_.end())
            wildcard->second.may_get_none = true;
        else if (const auto exact = find_exact(number); exact != exact_.end())
            exact_.at(exact->first).may_get_none = true;
    }

    /* True if a receive or probe of that number can get a message with that tag from a source that is
     * wanted: not if receives that were posted before need all of them. gets_more(): other messages
     * may come, of any source. */
    template <typename IsWanted, typename GetsMore>
    bool may_get(std::uint64_t number, int tag, IsWanted is_wanted, GetsMore gets_more) const
    {
        for (auto send = sends_.begin(); send != sends_.end();
             send = sends_.upper_bound(send->first)) {
            const auto [source, its_tag] = send->first;
            if ((tag == MPI_ANY_TAG || tag == its_tag) && is_wanted(source) &&
                is_left(source, its_tag, number, gets_more))
                return true;
        }
        return false;
    }

    /* Calls visit(source, tag, message) for each message. */
    template <typename Visit>
    void each_message(Visit visit) const
    {
        for (const auto &[envelope, message] : sends_)
            visit(envelope.first, envelope.second, message);
    }

    /* True if the send may wait for a receive, and none has got its message yet. */
    bool needs_receive(int source, int tag, std::uint64_t number) const
    {
        const auto [first, last] = sends_.equal_range({source, tag});
        return std::any_of(first, last, [number](const auto &send) {
            return send.second.number == number && send.second.end->needs_receive;
        });
    }

    /* No receive has got the message yet. */
    bool has_message(int source, int tag, std::uint64_t number) const
    {
        const auto [first, last] = sends_.equal_range({source, tag});
        return std::any_of(first, last,
                           [number](const auto &send) { return send.second.number == number; });
    }

    /* True if a receive may still get such a message. */
    bool may_receive(int source, int tag) const
    {
        return first_of(source, tag) != exact_.end() || is_contested(UINT64_MAX, source, tag);
    }

  private:
    using Key = std::tuple<int, int, std::uint64_t>; /* source, tag and number */
    using Exact = std::map<Key, Receive>;

    /* A message, and what a receive was posted for. */
    static bool fits(int source, int tag, int wanted_source, int wanted_tag)
    {
        return (wanted_source == source || wanted_source == MPI_ANY_SOURCE) &&
            (wanted_tag == tag || wanted_tag == MPI_ANY_TAG);
    }

    /* The first that was posted for exactly this; end() if there is none. */
    Exact::const_iterator first_of(int source, int tag) const
    {
        const auto found = exact_.lower_bound({source, tag, 0});
        return found != exact_.end() && found->second.source == source && found->second.tag == tag
            ? found
            : exact_.end();
    }

    Exact::const_iterator find_exact(std::uint64_t number) const
    {
        return std::find_if(exact_.begin(), exact_.end(),
                            [number](const auto &exact) { return exact.second.number == number; });
    }

    /* A receive from any process, or with any tag, that was posted before may get such a message. */
    bool is_contested(std::uint64_t number, int source, int tag) const
    {
        for (const auto &[earlier, wildcard] : wildcards_) {
            if (earlier >= number)
                break;
            if (fits(source, tag, wildcard.source, wildcard.tag))
                return true;
        }
        return false;
    }

    /* True if such messages, of which there is one, can be left for a receive of that number. Each earlier
     * receive that fits them needs one of them, or another message that it fits. */
    template <typename GetsMore>
    bool is_left(int source, int tag, std::uint64_t number, GetsMore &gets_more) const
    {
        std::vector<std::pair<int, int>> wanted; /* source and tag, of wildcards */
        std::size_t receives = 0;
        bool is_from_any = false;
        for (auto exact = exact_.lower_bound({source, tag, 0});
             exact != exact_.end() && exact->first < Key{source, tag, number}; ++exact)
            receives += exact->second.may_get_none ? 0U : 1U;
        if (receives >= sends_.count({source, tag}))
            return false;
        for (const auto &[earlier, wildcard] : wildcards_) {
            if (earlier >= number)
                break;
            if (wildcard.may_get_none || !fits(source, tag, wildcard.source, wildcard.tag))
                continue;
            wanted.emplace_back(wildcard.source, wildcard.tag);
            is_from_any = is_from_any || wildcard.source == MPI_ANY_SOURCE;
        }
        if (wanted.empty() || (is_from_any && gets_more()))
            return true;
        receives += wanted.size();
        std::size_t messages = 0;
        for (auto send = sends_.begin(); send != sends_.end() && messages <= receives; ++send) {
            const auto &envelope = send->first;
            messages += std::any_of(wanted.begin(), wanted.end(), [&envelope](const auto &one) {
                return fits(envelope.first, envelope.second, one.first, one.second);
            });
        }
        return receives < messages;
    }

    template <typename Match>
    void match_all_of(int source, int tag, Match &match)
    {
        for (;;) {
            const auto receive = first_of(source, tag);
            if (receive == exact_.end() || !receive->second.is_certain)
                return;
            const auto send = sends_.lower_bound({source, tag});
            if (send == sends_.end() || send->first != std::make_pair(source, tag) ||
                is_contested(receive->second.number, source, tag))
                return;
            const auto message = sends_.extract(send);
            const auto received = exact_.extract(receive);
            match(message.mapped(), received.mapped());
        }
    }

    template <typename Match>
    void match_fitting(int source, int tag, Match &match)
    {
        for (auto exact = exact_.begin(); exact != exact_.end();) {
            const auto [its_source, its_tag, number] = exact->first;
            if (fits(its_source, its_tag, source, tag))
                match_all_of(its_source, its_tag, match);
            exact = exact_.upper_bound({its_source, its_tag, UINT64_MAX});
        }
    }

    std::multimap<std::pair<int, int>, Message>
        sends_; /* by source and tag, in the order of sending */
    Exact exact_;
    std::map<std::uint64_t, Receive> wildcards_; /* by number */
};

}  // namespace qmpi::check

#endif /* TOOLS_CHECK_INBOX_HPP_INCLUDED */
