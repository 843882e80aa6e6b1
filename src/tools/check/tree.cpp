/*
 * Copyright (C) by the QMPI for MPICH developers
 *     See COPYRIGHT in top-level directory
 */

#include "tree.hpp"

#include "../common/merge.hpp"
#include "../common/process.hpp"
#include "../common/wire.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <map>
#include <stdexcept>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

namespace qmpi::check {
namespace {

/* Hosts that connect to one: few connections for a hub, and few steps for an event. */
constexpr std::size_t fan_out = 16;

struct Host {
    int first = 0; /* rank of its first process in the world */
    int processes = 0;
    int port = 0; /* of its hub */
    std::uint64_t password = 0;

    auto fields() { return std::tie(first, processes, port, password); }
};

/* By name. */
struct Hosts {
    std::map<std::string, Host> by_name;

    void write(Writer &writer) const { writer.put(by_name); }

    /* The others have higher ranks. */
    void merge(Reader &reader)
    {
        for (const auto &[name, host] : reader.get<std::map<std::string, Host>>()) {
            const auto [known, is_new] = by_name.emplace(name, host);
            if (!is_new)
                known->second.processes += host.processes;
        }
    }
};

class Tree {
  public:
    /* Collective. Throws qmpi::world_error, as does share(). */
    explicit Tree(const qmpi::world &world)
    {
        const std::string name = host_name();
        gather(world, {{{name, {world.rank(), 1}}}});
        const auto own = std::find_if(hosts_.begin(), hosts_.end(),
                                      [&](const auto &host) { return host.first == name; });
        own_ = static_cast<std::size_t>(own - hosts_.begin());
        has_hub_ = own->second.first == world.rank();
    }

    /* Collective: the addresses of all hubs. own: that of this process, if it has one. */
    void share(const qmpi::world &world, const Address &own)
    {
        Hosts hosts;
        if (has_hub_) {
            auto [name, host] = hosts_[own_];
            host.port = own.port;
            host.password = own.password;
            hosts.by_name[name] = host;
        }
        gather(world, std::move(hosts));
    }

    /* The process is the first of its host. */
    bool has_hub() const { return has_hub_; }

    /* Of the hub: other hosts, and all connections to it. */
    int children() const
    {
        const std::size_t first = own_ * fan_out + 1;
        return static_cast<int>(std::min(first + fan_out, hosts_.size()) -
                                std::min(first, hosts_.size()));
    }
    int connections() const { return processes() + children(); }

    int processes() const { return hosts_[own_].second.processes; }

    Address hub() const { return address(own_); }
    Address first() const { return address(0); }

    /* Not of the root. */
    Address parent() const { return address((own_ - 1) / fan_out); }

  private:
    void gather(const qmpi::world &world, Hosts hosts)
    {
        if (world.size() > 1 && !merge_to_root(world.comm(), hosts))
            throw qmpi::world_error("cannot exchange addresses");
        const std::string bytes = world.from_first([&] {
            Writer writer;
            hosts.write(writer);
            return writer.take();
        });
        const auto all = Reader(bytes).get<std::map<std::string, Host>>();
        hosts_.assign(all.begin(), all.end());
        std::sort(hosts_.begin(), hosts_.end(),
                  [](const auto &a, const auto &b) { return a.second.first < b.second.first; });
    }

    Address address(std::size_t i) const
    {
        const auto &[name, host] = hosts_[i];
        return {name, host.port, host.password};
    }

    std::vector<std::pair<std::string, Host>> hosts_; /* in the order of their first processes */
    std::size_t own_ = 0;
    bool has_hub_ = false;
};

/* The message of a fault names the process. Others must not wait for an answer by its hub. */
template <typename Work>
void agree(const qmpi::world &world, Hub *hub, Work work)
{
    world.agree([&] {
        try {
            work();
        } catch (const std::exception &exception) {
            if (hub != nullptr)
                hub->close();
            throw std::runtime_error("rank " + std::to_string(world.program_rank()) + " on " +
                                     host_name() + ": " + exception.what());
        }
    });
}

}  // namespace

Connected connect_hosts(const qmpi::world &world, Hub *root, Entrance entrance,
                        const std::function<void(const Address &)> &connect)
{
    Tree tree(world);
    std::unique_ptr<Relay> relay;
    if (root == nullptr && tree.has_hub())
        relay = std::make_unique<Relay>(entrance.first + world.program_size());
    Hub *const hub = root != nullptr ? root : relay.get();
    Address own;
    agree(world, hub, [&] {
        if (hub != nullptr)
            own = hub->listen(tree.children() == 0, tree.connections());
    });
    tree.share(world, own);
    agree(world, hub, [&] {
        if (relay != nullptr)
            relay->connect(entrance.socket.is_open() ? std::move(entrance.socket)
                                                     : connection_to(tree.parent()));
        if (hub != nullptr)
            hub->start();
        connect(tree.hub());
    });
    return {tree.first(), tree.processes(), std::move(relay)};
}

}  // namespace qmpi::check
