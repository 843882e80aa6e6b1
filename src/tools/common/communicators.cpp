/*
 * Copyright (C) by the QMPI for MPICH developers
 *     See COPYRIGHT in top-level directory
 */

#include "communicators.hpp"

#include "process.hpp"

#include <algorithm>
#include <numeric>
#include <set>

namespace qmpi {
inline namespace v1 {

namespace {

std::atomic<std::uint64_t> number_of_objects{0};

const std::uint64_t to_be_made = 1; /* of ids of what stands for a communicator */

std::uint64_t mix(std::uint64_t hash, std::uint64_t value)
{
    hash ^= value + 0x9e3779b97f4a7c15u + (hash << 6) + (hash >> 2);
    hash *= 0xff51afd7ed558ccdu;
    return hash ^ (hash >> 32);
}

std::uint64_t mix(std::uint64_t hash, const std::vector<int> &ranks)
{
    hash = mix(hash, ranks.size());
    for (int rank : ranks)
        hash = mix(hash, static_cast<std::uint64_t>(rank));
    return hash;
}

/* The same in all members. */
std::uint64_t hash_of_members(const Communicator &communicator)
{
    return mix(mix(communicator.is_inter ? 2 : 1, communicator.first_group()),
               communicator.second_group());
}

void find_neighbours(Communicator &communicator)
{
    const MPI_Comm comm = communicator.handle;
    auto &in = communicator.sources, &out = communicator.destinations;
    int number = 0;

    if (communicator.is_inter || QMPI_Topo_test(comm, &communicator.topology) != MPI_SUCCESS)
        return;
    if (communicator.topology == MPI_CART) {
        QMPI_Cartdim_get(comm, &number);
        for (int direction = 0; direction < number; direction++) {
            int below = MPI_PROC_NULL, above = MPI_PROC_NULL;
            QMPI_Cart_shift(comm, direction, 1, &below, &above);
            in.insert(in.end(), {below, above});
        }
        out = in;
    } else if (communicator.topology == MPI_GRAPH) {
        QMPI_Graph_neighbors_count(comm, communicator.rank, &number);
        in.resize(static_cast<std::size_t>(number));
        QMPI_Graph_neighbors(comm, communicator.rank, number, in.data());
        out = in;
    } else if (communicator.topology == MPI_DIST_GRAPH) {
        int number_out = 0, is_weighted = 0;
        QMPI_Dist_graph_neighbors_count(comm, &number, &number_out, &is_weighted);
        in.resize(static_cast<std::size_t>(number));
        out.resize(static_cast<std::size_t>(number_out));
        std::vector<int> in_weights(in.size() + 1), out_weights(out.size() + 1);
        QMPI_Dist_graph_neighbors(comm, number, in.data(), in_weights.data(), number_out,
                                  out.data(), out_weights.data());
    }
}

std::vector<bool> existing(const std::vector<int> &ranks)
{
    std::vector<bool> exist;
    for (const int rank : ranks)
        exist.push_back(rank != MPI_PROC_NULL);
    return exist;
}

Shape make_shape(const Communicator &communicator, int remote_size)
{
    return {communicator.is_inter,
            communicator.rank,
            communicator.size,
            remote_size,
            existing(communicator.sources),
            existing(communicator.destinations)};
}

const Shape *keep(Shape &&shape)
{
    static auto &lock = *new std::mutex;
    static auto &all = *new std::set<Shape>;
    const std::lock_guard<std::mutex> guard(lock);
    return &*all.insert(std::move(shape)).first;
}

std::string name_of(MPI_Comm comm)
{
    char name[MPI_MAX_OBJECT_NAME] = "";
    int length = 0;
    return QMPI_Comm_get_name(comm, name, &length) == MPI_SUCCESS ? std::string(name)
                                                                  : std::string();
}

std::uint64_t number_of(MPI_Comm comm)
{
    long long context_id = 0;
    QMPIX_Get_context_id(comm, &context_id);
    return static_cast<std::uint64_t>(context_id);
}

/* Processes of MPI_COMM_WORLD. Never cached, since with sessions MPI can be initialised again. */
class World {
  public:
    World()
    {
        if (is_world_up())
            QMPI_Comm_group(MPI_COMM_WORLD, &group_);
        else
            find_by_session();
    }

    ~World()
    {
        if (is_known())
            QMPI_Group_free(&group_);
    }

    World(const World &) = delete;
    World &operator=(const World &) = delete;

    bool is_known() const { return group_ != MPI_GROUP_NULL; }

    MPI_Group group() const { return group_; }

    std::vector<int> ranks_of(MPI_Group group) const
    {
        int size = 0;
        QMPI_Group_size(group, &size);
        std::vector<int> ranks(static_cast<std::size_t>(size)), world(ranks.size());
        std::iota(ranks.begin(), ranks.end(), 0);
        QMPI_Group_translate_ranks(group, size, ranks.data(), group_, world.data());
        std::replace(world.begin(), world.end(), int{MPI_UNDEFINED}, outside_world);
        return world;
    }

  private:
    /* Without MPI_COMM_WORLD: the session's process set. */
    void find_by_session()
    {
        MPI_Session session = MPI_SESSION_NULL;
        if (QMPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_RETURN, &session) != MPI_SUCCESS)
            return;
        if (QMPI_Group_from_session_pset(session, "mpi://WORLD", &group_) != MPI_SUCCESS)
            group_ = MPI_GROUP_NULL;
        QMPI_Session_finalize(&session);
    }

    MPI_Group group_ = MPI_GROUP_NULL;
};

}  // namespace

std::string own_world()
{
    const World world;
    const char *name = "";
    int rank = 0;
    return world.is_known() &&
            QMPIX_Get_process_world(world.group(), 0, &name, &rank) == MPI_SUCCESS
        ? name
        : "";
}

std::vector<int> Communicators::ranks_of(MPI_Group group) const
{
    return counted(group, World().ranks_of(group));
}

/* ranks: of the group in the own world */
std::vector<int> Communicators::counted(MPI_Group group, std::vector<int> ranks) const
{
    for (std::size_t i = 0; first_of_ && i < ranks.size(); i++) {
        const char *name = "";
        int rank = 0;
        if (ranks[i] != outside_world)
            ranks[i] += first_;
        else if (QMPIX_Get_process_world(group, static_cast<int>(i), &name, &rank) == MPI_SUCCESS) {
            const int first = first_of_(name);
            ranks[i] = first < 0 ? outside_world : first + rank;
        }
    }
    return ranks;
}

PlaceInJob place_in_job()
{
    const World world;
    PlaceInJob place;
    if (world.is_known()) {
        QMPI_Group_rank(world.group(), &place.rank);
        QMPI_Group_size(world.group(), &place.size);
    }
    return place;
}

OwnCommunicator::OwnCommunicator()
{
    if (is_world_up()) {
        comm_ = MPI_COMM_SELF;
        return;
    }
    MPI_Group group = MPI_GROUP_NULL;
    if (QMPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_RETURN, &session_) != MPI_SUCCESS ||
        QMPI_Group_from_session_pset(session_, "mpi://SELF", &group) != MPI_SUCCESS)
        return;
    /* Threads that do this at the same time must have different tags. */
    const std::string tag = "qmpi-" + std::to_string(reinterpret_cast<std::uintptr_t>(this));
    if (QMPI_Comm_create_from_group(group, tag.c_str(), MPI_INFO_NULL, MPI_ERRORS_RETURN, &comm_) !=
        MPI_SUCCESS)
        comm_ = MPI_COMM_NULL;
    QMPI_Group_free(&group);
}

OwnCommunicator::~OwnCommunicator()
{
    if (session_ == MPI_SESSION_NULL)
        return;
    if (comm_ != MPI_COMM_NULL)
        QMPI_Comm_free(&comm_);
    QMPI_Session_finalize(&session_);
}

Communicators::Communicators(Detail detail) : detail_(detail), number_(++number_of_objects) {}

Communicators::Shared Communicators::of(MPI_Comm comm)
{
    Shared found = look_up(qmpi::handle_value(comm));
    if (found == nullptr && comm != MPI_COMM_NULL) {
        created(comm, false);
        found = find(qmpi::handle_value(comm));
    }
    return found;
}

Communicators::Shared Communicators::of_window(MPI_Win window)
{
    return look_up(qmpi::handle_value(window));
}

Communicators::Shared Communicators::look_up(std::uint64_t handle)
{
    Slot &slot = slot_of(handle);
    const std::uint64_t generation = generation_.load(std::memory_order_acquire);
    if (slot.is_of(handle, generation))
        return slot.communicator->shared_from_this();

    Shared found = find(handle);
    if (found != nullptr) {
        complete(found);
        /* Generation from before the search: if it has changed since, the next call searches again. */
        slot = {handle, generation, found.get()};
    }
    return found;
}

Communicators::Shared Communicators::of_message(MPI_Message message)
{
    std::lock_guard<std::mutex> guard(messages_lock_);
    const auto found = by_message_.find(message);
    return found == by_message_.end() ? nullptr : found->second;
}

std::vector<Communicators::Shared> Communicators::all() const
{
    std::shared_lock<std::shared_mutex> guard(lock_);
    std::vector<Shared> communicators;
    for (const auto &[handle, communicator] : by_handle_) {
        if (qmpi::handle_value(communicator->handle) == handle) /* not a window */
            communicators.push_back(communicator);
    }
    return communicators;
}

Communicators::Shared Communicators::find(std::uint64_t handle) const
{
    std::shared_lock<std::shared_mutex> guard(lock_);
    const auto found = by_handle_.find(handle);
    return found == by_handle_.end() ? nullptr : found->second;
}

void Communicators::remember(std::uint64_t handle, Shared communicator)
{
    if (communicator == nullptr)
        return;
    std::unique_lock<std::shared_mutex> guard(lock_);
    by_handle_[handle] = std::move(communicator);
    generation_.fetch_add(1, std::memory_order_release);
}

Communicators::Shared Communicators::forget(std::uint64_t handle)
{
    const Shared forgotten = look_up(handle);
    std::unique_lock<std::shared_mutex> guard(lock_);
    if (by_handle_.erase(handle) != 0)
        generation_.fetch_add(1, std::memory_order_release);
    return forgotten;
}

void Communicators::remember_message(MPI_Message message, Shared communicator)
{
    if (message == MPI_MESSAGE_NULL || message == MPI_MESSAGE_NO_PROC || communicator == nullptr)
        return;
    std::lock_guard<std::mutex> guard(messages_lock_);
    by_message_[message] = std::move(communicator);
}

Communicators::Shared Communicators::forget_message(MPI_Message message)
{
    std::lock_guard<std::mutex> guard(messages_lock_);
    const auto found = by_message_.find(message);
    if (found == by_message_.end())
        return nullptr;
    const Shared forgotten = found->second;
    by_message_.erase(found);
    return forgotten;
}

/* Another tool may have freed a communicator of the same handle unseen. */
void Communicators::created(MPI_Comm comm, bool is_new)
{
    if (comm == MPI_COMM_NULL)
        return;
    std::lock_guard<std::mutex> guard(making_lock_);
    if (is_new || find(qmpi::handle_value(comm)) == nullptr)
        remember(qmpi::handle_value(comm), describe(comm));
}

std::uint64_t Communicators::origin_of(const std::string &tag)
{
    std::uint64_t hash = mix(no_origin, tag.size());
    for (const char character : tag)
        hash = mix(hash, static_cast<unsigned char>(character));
    return hash;
}

Communicators::Shared Communicators::to_make(MPI_Group group, MPI_Group remote,
                                             std::uint64_t origin)
{
    auto communicator = std::make_shared<Communicator>();
    if (QMPI_Group_rank(group, &communicator->rank) != MPI_SUCCESS ||
        communicator->rank == MPI_UNDEFINED)
        return nullptr;
    communicator->world = Ranks(ranks_of(group));
    communicator->size = static_cast<int>(communicator->world.size());
    communicator->is_inter = remote != MPI_GROUP_NULL;
    if (communicator->is_inter)
        communicator->remote = Ranks(ranks_of(remote));
    communicator->name_ = "the new communicator";
    communicator->members = hash_of_members(*communicator);
    std::lock_guard<std::mutex> guard(making_lock_);
    communicator->id = next_id(*communicator, mix(origin, to_be_made));
    return communicator;
}

void Communicators::duplicated(MPI_Comm copy, const Shared &original)
{
    if (original == nullptr)
        return;
    auto communicator = std::make_shared<Communicator>();
    static_cast<CommunicatorData &>(*communicator) = *original;
    communicator->handle = copy;
    communicator->id = 0;
    remember(qmpi::handle_value(copy), std::move(communicator));
}

void Communicators::rename(MPI_Comm comm, const Shared &known)
{
    if (known == nullptr || detail_ == Detail::shape)
        return;
    const std::string name = name_of(comm);
    std::lock_guard<std::mutex> guard(known->name_lock_);
    std::const_pointer_cast<Communicator>(known)->name_ = name;
}

/* Uses only local queries that are valid on any communicator. */
Communicators::Mutable Communicators::describe(MPI_Comm comm)
{
    auto communicator = std::make_shared<Communicator>();
    int is_inter = 0, remote_size = 0;

    communicator->handle = comm;
    if (QMPI_Comm_rank(comm, &communicator->rank) != MPI_SUCCESS ||
        QMPI_Comm_size(comm, &communicator->size) != MPI_SUCCESS ||
        QMPI_Comm_test_inter(comm, &is_inter) != MPI_SUCCESS ||
        (is_inter && QMPI_Comm_remote_size(comm, &remote_size) != MPI_SUCCESS))
        return nullptr;
    communicator->is_inter = is_inter != 0;
    find_neighbours(*communicator);
    communicator->shape = keep(make_shape(*communicator, remote_size));
    return detail_ == Detail::shape || add_ranks(*communicator) ? communicator : nullptr;
}

bool Communicators::add_ranks(Communicator &communicator)
{
    const World world;
    const MPI_Comm comm = communicator.handle;
    MPI_Group group = MPI_GROUP_NULL;
    if (!world.is_known())
        return false;
    if (QMPI_Comm_group(comm, &group) == MPI_SUCCESS) {
        std::vector<int> ranks = world.ranks_of(group);
        /* MPICH 5 gives a grid or graph of fewer processes the group of its parent. */
        ranks.resize(std::min(ranks.size(), static_cast<std::size_t>(communicator.size)));
        communicator.world = shared(counted(group, std::move(ranks)));
        QMPI_Group_free(&group);
    }
    if (communicator.is_inter && QMPI_Comm_remote_group(comm, &group) == MPI_SUCCESS) {
        communicator.remote = shared(counted(group, world.ranks_of(group)));
        QMPI_Group_free(&group);
    }
    communicator.name_ = name_of(comm);
    communicator.members = hash_of_members(communicator);
    communicator.id = next_id(communicator, number_of(comm));
    return true;
}

/* Groups with the same ranks share them. */
Ranks Communicators::shared(std::vector<int> ranks)
{
    std::weak_ptr<const std::vector<int>> &last = groups_[mix(0, ranks)];
    auto found = last.lock();
    if (found == nullptr || *found != ranks)
        last = found = std::make_shared<const std::vector<int>>(std::move(ranks));
    return Ranks(std::move(found));
}

void Communicators::complete(const Shared &copy)
{
    std::lock_guard<std::mutex> guard(making_lock_);
    if (copy->id == 0 && detail_ == Detail::all)
        std::const_pointer_cast<Communicator>(copy)->id = next_id(*copy, number_of(copy->handle));
}

std::uint64_t Communicators::next_id(const Communicator &communicator, std::uint64_t number)
{
    const std::uint64_t kind = mix(communicator.members, number);
    return mix(kind, times_[kind]++);
}

}  // namespace v1
}  // namespace qmpi
