/*
 * Copyright (C) by the QMPI for MPICH developers
 *     See COPYRIGHT in top-level directory
 */

#include "otf2_output.hpp"

#ifndef HAVE_OTF2

namespace qmpi::trace {

std::string write_otf2(MPI_Comm, const std::string &, const Definitions &,
                       const std::vector<Recording> &)
{
    return "built without OTF2 support";
}

}  // namespace qmpi::trace

#else

#include "categories.hpp"

#include "../common/merge.hpp"

#include <qmpi.hpp>

#include <algorithm>
#include <cstdarg>
#include <cstdio>
#include <cstring>

#include <dirent.h>
#include <time.h>
#include <unistd.h>

/* OTF2's collective callbacks for MPI are in a header. They must bypass the tools and wait asleep. */
namespace qmpi::trace::asleep {

template <auto start, typename... Arguments>
int run(Arguments... arguments)
{
    return await([&](MPI_Request *request) { return start(arguments..., request); });
}

}  // namespace qmpi::trace::asleep

#define MPI_Barrier qmpi::trace::asleep::run<QMPI_Ibarrier>
#define MPI_Bcast qmpi::trace::asleep::run<QMPI_Ibcast>
#define MPI_Comm_dup qmpi::trace::asleep::run<QMPI_Comm_idup>
#define MPI_Gather qmpi::trace::asleep::run<QMPI_Igather>
#define MPI_Gatherv qmpi::trace::asleep::run<QMPI_Igatherv>
#define MPI_Scatter qmpi::trace::asleep::run<QMPI_Iscatter>
#define MPI_Scatterv qmpi::trace::asleep::run<QMPI_Iscatterv>
#define MPI_Comm_free QMPI_Comm_free
#define MPI_Comm_rank QMPI_Comm_rank
#define MPI_Comm_size QMPI_Comm_size
#define MPI_Comm_split QMPI_Comm_split
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wunused-function"
#pragma GCC diagnostic ignored "-Wunused-parameter"
#include <otf2/OTF2_MPI_Collectives.h>
#include <otf2/otf2.h>
#pragma GCC diagnostic pop

namespace qmpi::trace {
namespace {

/* Rank in the low half: the first thread's location is the rank. */
OTF2_LocationRef location_of(std::int32_t rank, std::int32_t thread)
{
    return static_cast<OTF2_LocationRef>(rank) | static_cast<OTF2_LocationRef>(thread) << 32;
}

/* ---- errors ---- */

/* Collects OTF2's errors; the first one counts. */
class Errors {
  public:
    Errors() : former_(OTF2_Error_RegisterCallback(note, this)) {}
    ~Errors() { OTF2_Error_RegisterCallback(former_, nullptr); }
    Errors(const Errors &) = delete;
    Errors &operator=(const Errors &) = delete;

    const std::string &first() const { return first_; }

  private:
    static OTF2_ErrorCode note(void *self, const char *, std::uint64_t, const char *,
                               OTF2_ErrorCode code, const char *format, std::va_list list)
    {
        char text[512] = "";
        if (format != nullptr)
            std::vsnprintf(text, sizeof text, format, list);
        std::string &first = static_cast<Errors *>(self)->first_;
        if (first.empty() && code != OTF2_SUCCESS)
            first = std::string(OTF2_Error_GetDescription(code)) + (*text ? ": " : "") + text;
        return code;
    }

    std::string first_;
    OTF2_ErrorCallback former_;
};

OTF2_FlushType flush_always(void *, OTF2_FileType, OTF2_LocationRef, void *, bool)
{
    return OTF2_FLUSH;
}

/* ---- events ---- */

OTF2_CollectiveOp collective_operation_of(const Transfer &transfer)
{
    using qmpi::operation;
    const auto function = static_cast<int>(transfer.function);
    const qmpi::layout layout = qmpi::layout_of(function);
    const bool is_uniform = layout == qmpi::layout::uniform;
    switch (qmpi::operation_of(function)) {
    case operation::bcast:
        return OTF2_COLLECTIVE_OP_BCAST;
    case operation::gather:
        return is_uniform ? OTF2_COLLECTIVE_OP_GATHER : OTF2_COLLECTIVE_OP_GATHERV;
    case operation::scatter:
        return is_uniform ? OTF2_COLLECTIVE_OP_SCATTER : OTF2_COLLECTIVE_OP_SCATTERV;
    case operation::allgather:
        return is_uniform ? OTF2_COLLECTIVE_OP_ALLGATHER : OTF2_COLLECTIVE_OP_ALLGATHERV;
    case operation::alltoall:
        return is_uniform                    ? OTF2_COLLECTIVE_OP_ALLTOALL
            : layout == qmpi::layout::vector ? OTF2_COLLECTIVE_OP_ALLTOALLV
                                             : OTF2_COLLECTIVE_OP_ALLTOALLW;
    case operation::reduce:
        return OTF2_COLLECTIVE_OP_REDUCE;
    case operation::allreduce:
        return OTF2_COLLECTIVE_OP_ALLREDUCE;
    case operation::reduce_scatter:
        return is_uniform ? OTF2_COLLECTIVE_OP_REDUCE_SCATTER_BLOCK
                          : OTF2_COLLECTIVE_OP_REDUCE_SCATTER;
    case operation::scan:
        return OTF2_COLLECTIVE_OP_SCAN;
    case operation::exscan:
        return OTF2_COLLECTIVE_OP_EXSCAN;
    default:
        return OTF2_COLLECTIVE_OP_BARRIER;
    }
}

std::uint32_t root_of(const Transfer &transfer)
{
    if (transfer.peer == MPI_ROOT)
        return OTF2_COLLECTIVE_ROOT_SELF;
    if (transfer.peer == MPI_PROC_NULL)
        return OTF2_COLLECTIVE_ROOT_THIS_GROUP;
    return transfer.peer < 0 ? OTF2_COLLECTIVE_ROOT_NONE
                             : static_cast<std::uint32_t>(transfer.peer);
}

/* Attributes of an entry in the archive, and of a call that has not ended. */
enum Attribute : OTF2_AttributeRef { call_site, caller, not_ended };

/* String table; numbers are assigned on first use. */
class Strings {
  public:
    Strings(OTF2_GlobalDefWriter *writer, OTF2_StringRef first) : writer_(writer), next_(first) {}

    OTF2_StringRef operator()(const std::string &text)
    {
        const auto [found, is_new] = numbers_.emplace(text, next_);
        if (is_new)
            OTF2_GlobalDefWriter_WriteString(writer_, next_++, text.c_str());
        return found->second;
    }

  private:
    OTF2_GlobalDefWriter *writer_;
    OTF2_StringRef next_;
    std::map<std::string, OTF2_StringRef> numbers_;
};

/* Events per location, over all processes. */
struct EventNumbers {
    std::map<OTF2_LocationRef, std::uint64_t> numbers;

    void write(qmpi::Writer &writer) const { writer.put(numbers); }
    void merge(qmpi::Reader &reader) { numbers.merge(reader.get<decltype(numbers)>()); }
};

/* Writes the events of one location after another. */
class Events : public Sink {
  public:
    Events(OTF2_Archive *archive, const Definitions &definitions)
        : archive_(archive), attributes_(OTF2_AttributeList_New())
    {
        for (const auto &entry : definitions.sites)
            sites_.push_back(&entry.first);
    }

    ~Events() override { OTF2_AttributeList_Delete(attributes_); }

    void begin(std::int32_t rank, std::int32_t thread) override
    {
        location_ = location_of(rank, thread);
        writer_ = OTF2_Archive_GetEvtWriter(archive_, location_);
    }

    void enter(std::uint64_t time, std::uint32_t function, std::uint32_t site) override
    {
        OTF2_AttributeList_RemoveAllAttributes(attributes_);
        if (sites_[site]->line > 0)
            OTF2_AttributeList_AddSourceCodeLocationRef(attributes_, Attribute::call_site, site);
        if (!sites_[site]->caller.empty())
            OTF2_AttributeList_AddStringRef(attributes_, Attribute::caller, site);
        OTF2_EvtWriter_Enter(writer_, attributes_, time, function);
    }

    void leave(std::uint64_t time, std::uint32_t function, bool has_ended) override
    {
        if (has_ended) {
            OTF2_EvtWriter_Leave(writer_, nullptr, time, function);
            return;
        }
        has_open_calls = true;
        OTF2_AttributeList_RemoveAllAttributes(attributes_);
        OTF2_AttributeList_AddUint8(attributes_, Attribute::not_ended, 1);
        OTF2_EvtWriter_Leave(writer_, attributes_, time, function);
    }

    void transfer(Kind kind, std::uint64_t time, std::uint32_t comm,
                  const Transfer &transfer) override
    {
        const auto peer = static_cast<std::uint32_t>(transfer.peer);
        const auto tag = static_cast<std::uint32_t>(transfer.tag);
        const std::uint64_t request = transfer.request;
        switch (kind) {
        case Kind::send:
            OTF2_EvtWriter_MpiSend(writer_, nullptr, time, peer, comm, tag, transfer.sent);
            break;
        case Kind::receive:
            OTF2_EvtWriter_MpiRecv(writer_, nullptr, time, peer, comm, tag, transfer.received);
            break;
        case Kind::isend:
            OTF2_EvtWriter_MpiIsend(writer_, nullptr, time, peer, comm, tag, transfer.sent,
                                    request);
            break;
        case Kind::isend_done:
            OTF2_EvtWriter_MpiIsendComplete(writer_, nullptr, time, request);
            break;
        case Kind::irecv:
            OTF2_EvtWriter_MpiIrecvRequest(writer_, nullptr, time, request);
            break;
        case Kind::irecv_done:
            OTF2_EvtWriter_MpiIrecv(writer_, nullptr, time, peer, comm, tag, transfer.received,
                                    request);
            break;
        case Kind::cancelled:
            OTF2_EvtWriter_MpiRequestCancelled(writer_, nullptr, time, request);
            break;
        case Kind::collective_begin:
            OTF2_EvtWriter_MpiCollectiveBegin(writer_, nullptr, time);
            break;
        case Kind::collective_end:
            OTF2_EvtWriter_MpiCollectiveEnd(writer_, nullptr, time,
                                            collective_operation_of(transfer), comm,
                                            root_of(transfer), transfer.sent, transfer.received);
            break;
        case Kind::icollective:
            OTF2_EvtWriter_NonBlockingCollectiveRequest(writer_, nullptr, time, request);
            break;
        case Kind::icollective_done:
            OTF2_EvtWriter_NonBlockingCollectiveComplete(
                writer_, nullptr, time, collective_operation_of(transfer), comm, root_of(transfer),
                transfer.sent, transfer.received, request);
            break;
        default:
            break;
        }
    }

    void end() override
    {
        OTF2_EvtWriter_GetNumberOfEvents(writer_, &numbers.numbers[location_]);
        OTF2_Archive_CloseEvtWriter(archive_, writer_);
    }

    EventNumbers numbers;
    bool has_open_calls = false;

  private:
    OTF2_Archive *archive_;
    OTF2_AttributeList *attributes_;
    std::vector<const Site *> sites_;
    OTF2_EvtWriter *writer_ = nullptr;
    OTF2_LocationRef location_ = 0;
};

/* ---- definitions ---- */

OTF2_RegionRole role_of(int function)
{
    using qmpi::operation;
    switch (category_of(function)) {
    case Category::point_to_point:
    case Category::completion:
        return OTF2_REGION_ROLE_POINT2POINT;
    case Category::one_sided:
        return OTF2_REGION_ROLE_RMA;
    case Category::io:
        return OTF2_REGION_ROLE_FILE_IO;
    case Category::collective:
        break;
    default:
        return OTF2_REGION_ROLE_FUNCTION;
    }
    switch (qmpi::operation_of(function)) {
    case operation::barrier:
        return OTF2_REGION_ROLE_BARRIER;
    case operation::bcast:
    case operation::scatter:
        return OTF2_REGION_ROLE_COLL_ONE2ALL;
    case operation::gather:
    case operation::reduce:
        return OTF2_REGION_ROLE_COLL_ALL2ONE;
    case operation::scan:
    case operation::exscan:
        return OTF2_REGION_ROLE_COLL_OTHER;
    default:
        return OTF2_REGION_ROLE_COLL_ALL2ALL;
    }
}

/* Definitions common to all processes. */
class GlobalDefinitions {
  public:
    GlobalDefinitions(OTF2_GlobalDefWriter *writer, const Definitions &definitions)
        : writer_(writer), definitions_(definitions),
          string_(writer, static_cast<OTF2_StringRef>(definitions.sites.size()))
    {
    }

    void write(const EventNumbers &numbers, bool has_open_calls)
    {
        write_call_sites();
        if (has_open_calls)
            OTF2_GlobalDefWriter_WriteAttribute(
                writer_, Attribute::not_ended, string_("NOT_ENDED"),
                string_("call in progress, which lasts until the end of the trace or longer"),
                OTF2_TYPE_UINT8);
        OTF2_GlobalDefWriter_WriteClockProperties(writer_, 1000000000, definitions_.begin,
                                                  definitions_.end - definitions_.begin,
                                                  real_time_of(definitions_.begin));
        OTF2_GlobalDefWriter_WriteParadigm(writer_, OTF2_PARADIGM_MPI, string_("MPI"),
                                           OTF2_PARADIGM_CLASS_PROCESS);
        for (const auto &[name, number] : definitions_.functions)
            OTF2_GlobalDefWriter_WriteRegion(writer_, number, string_(name), string_(name),
                                             string_(""), role_of(id_of(name)), OTF2_PARADIGM_MPI,
                                             OTF2_REGION_FLAG_NONE, string_("MPI"), 0, 0);
        write_processes(numbers);
        write_communicators();
    }

  private:
    /* Wall-clock time by the first process with a journal: the trace may be made later, on another
     * host. */
    std::uint64_t real_time_of(std::uint64_t begin) const
    {
        for (const auto &[rank, process] : definitions_.processes) {
            if (process.epoch != 0)
                return process.clock.local(begin) + process.epoch;
        }
        return 0;
    }

    void write_call_sites()
    {
        /* A site and its caller's text have the same number, which events refer to. */
        for (const auto &[site, number] : definitions_.sites)
            OTF2_GlobalDefWriter_WriteString(writer_, number, site.caller.c_str());
        OTF2_GlobalDefWriter_WriteAttribute(writer_, Attribute::call_site, string_("CALL_SITE"),
                                            string_("call site of the function"),
                                            OTF2_TYPE_SOURCE_CODE_LOCATION);
        OTF2_GlobalDefWriter_WriteAttribute(writer_, Attribute::caller, string_("CALLER"),
                                            string_("calling function"), OTF2_TYPE_STRING);
        for (const auto &[site, number] : definitions_.sites)
            OTF2_GlobalDefWriter_WriteSourceCodeLocation(writer_, number, string_(site.file),
                                                         static_cast<std::uint32_t>(site.line));
    }

    void write_processes(const EventNumbers &numbers)
    {
        OTF2_GlobalDefWriter_WriteSystemTreeNode(writer_, 0, string_("machine"), string_("machine"),
                                                 OTF2_UNDEFINED_SYSTEM_TREE_NODE);
        OTF2_GlobalDefWriter_WriteSystemTreeNodeDomain(writer_, 0, OTF2_SYSTEM_TREE_DOMAIN_MACHINE);
        std::map<std::string, OTF2_SystemTreeNodeRef> nodes;
        for (const auto &[rank, process] : definitions_.processes) {
            const auto next = static_cast<OTF2_SystemTreeNodeRef>(nodes.size() + 1);
            const auto [node, is_new] = nodes.emplace(process.host, next);
            if (is_new) {
                OTF2_GlobalDefWriter_WriteSystemTreeNode(writer_, node->second,
                                                         string_(process.host), string_("node"), 0);
                OTF2_GlobalDefWriter_WriteSystemTreeNodeDomain(
                    writer_, node->second, OTF2_SYSTEM_TREE_DOMAIN_SHARED_MEMORY);
            }
            const auto group = static_cast<OTF2_LocationGroupRef>(rank);
            OTF2_GlobalDefWriter_WriteLocationGroup(
                writer_, group, string_("MPI Rank " + std::to_string(rank)),
                OTF2_LOCATION_GROUP_TYPE_PROCESS, node->second, OTF2_UNDEFINED_LOCATION_GROUP);
            for (const std::int32_t thread : process.threads) {
                const OTF2_LocationRef location = location_of(rank, thread);
                const auto found = numbers.numbers.find(location);
                const std::string name =
                    thread == 0 ? "Master thread" : "Thread " + std::to_string(thread);
                OTF2_GlobalDefWriter_WriteLocation(
                    writer_, location, string_(name), OTF2_LOCATION_TYPE_CPU_THREAD,
                    found == numbers.numbers.end() ? 0 : found->second, group);
            }
        }
    }

    void write_communicators()
    {
        std::vector<std::uint64_t> world;
        for (const auto &entry : definitions_.processes)
            world.push_back(location_of(entry.first, 0));
        write_group("", OTF2_GROUP_TYPE_COMM_LOCATIONS, world);

        OTF2_GroupRef self = OTF2_UNDEFINED_GROUP;
        std::map<Group, OTF2_GroupRef> groups;
        auto group_of_members = [&](const Group &group) {
            const auto [found, is_new] = groups.emplace(group, groups_);
            if (is_new)
                write_group("", OTF2_GROUP_TYPE_COMM_GROUP, members_of(group));
            return found->second;
        };
        for (const auto &[communicator, number] : definitions_.communicators) {
            if (communicator.is_self()) {
                if (self == OTF2_UNDEFINED_GROUP)
                    self = write_group("", OTF2_GROUP_TYPE_COMM_SELF, {});
                OTF2_GlobalDefWriter_WriteComm(writer_, number, string_(communicator.name), self,
                                               OTF2_UNDEFINED_COMM, OTF2_COMM_FLAG_NONE);
            } else if (communicator.is_inter)
                OTF2_GlobalDefWriter_WriteInterComm(writer_, number, string_(communicator.name),
                                                    group_of_members(communicator.own),
                                                    group_of_members(communicator.remote),
                                                    OTF2_UNDEFINED_COMM, OTF2_COMM_FLAG_NONE);
            else
                OTF2_GlobalDefWriter_WriteComm(writer_, number, string_(communicator.name),
                                               group_of_members(communicator.own),
                                               OTF2_UNDEFINED_COMM, OTF2_COMM_FLAG_NONE);
        }
    }

    OTF2_GroupRef write_group(const char *name, OTF2_GroupType type,
                              const std::vector<std::uint64_t> &members)
    {
        OTF2_GlobalDefWriter_WriteGroup(writer_, groups_, string_(name), type, OTF2_PARADIGM_MPI,
                                        OTF2_GROUP_FLAG_NONE,
                                        static_cast<std::uint32_t>(members.size()), members.data());
        return groups_++;
    }

    OTF2_GlobalDefWriter *writer_;
    const Definitions &definitions_;
    Strings string_;
    OTF2_GroupRef groups_ = 0;
};

/* ---- the archive ---- */

void write_clocks(OTF2_Archive *archive, const Definitions &definitions,
                  const std::vector<Recording> &recordings)
{
    OTF2_Archive_OpenDefFiles(archive);
    for (const Recording &recording : recordings) {
        OTF2_DefWriter *writer =
            OTF2_Archive_GetDefWriter(archive, location_of(recording.rank, recording.thread));
        for (const ClockPoint &point : definitions.processes.at(recording.rank).clock.points())
            OTF2_DefWriter_WriteClockOffset(writer, point.time, point.offset, point.deviation);
        OTF2_Archive_CloseDefWriter(archive, writer);
    }
    OTF2_Archive_CloseDefFiles(archive);
}

/* The usual name. */
constexpr const char *archive_name = "traces";

/* With names as OTF2 gives them. */
void remove_files(const std::string &folder, const std::vector<std::string> &endings)
{
    DIR *const directory = opendir(folder.c_str());
    if (directory == nullptr)
        return;
    while (const dirent *entry = readdir(directory)) {
        const std::string name = entry->d_name;
        const std::size_t dot = std::min(name.rfind('.'), name.size());
        const bool is_ours =
            name.substr(0, dot) == archive_name || name.find_first_not_of("0123456789") == dot;
        if (is_ours && std::find(endings.begin(), endings.end(), name.substr(dot)) != endings.end())
            unlink((folder + "/" + name).c_str());
    }
    closedir(directory);
}

/* OTF2 refuses to overwrite an archive. */
void remove_archive(const std::string &folder)
{
    const std::string inner = folder + "/" + archive_name;
    remove_files(inner, {".evt", ".def"});
    rmdir(inner.c_str());
    remove_files(folder, {".otf2", ".def"});
}

OTF2_ErrorCode set_collectives(OTF2_Archive *archive, MPI_Comm comm)
{
    return comm == MPI_COMM_NULL
        ? OTF2_Archive_SetSerialCollectiveCallbacks(archive)
        : OTF2_MPI_Archive_SetCollectiveCallbacks(archive, comm, MPI_COMM_NULL);
}

}  // namespace

std::string write_otf2(MPI_Comm comm, const std::string &folder, const Definitions &definitions,
                       const std::vector<Recording> &recordings)
{
    Errors errors;
    int rank = 0;
    if (comm != MPI_COMM_NULL)
        QMPI_Comm_rank(comm, &rank);
    if (rank == 0)
        remove_archive(folder);
    if (comm != MPI_COMM_NULL)
        await([comm](MPI_Request *request) { return QMPI_Ibarrier(comm, request); });

    OTF2_Archive *archive =
        OTF2_Archive_Open(folder.c_str(), archive_name, OTF2_FILEMODE_WRITE, 1 << 20, 4 << 20,
                          OTF2_SUBSTRATE_POSIX, OTF2_COMPRESSION_NONE);
    const bool is_open = archive != nullptr && set_collectives(archive, comm) == OTF2_SUCCESS;
    if (!all_of(comm, is_open)) /* closing is collective */
        return errors.first().empty() ? "OTF2 cannot open the archive" : errors.first();
    OTF2_FlushCallbacks flush{flush_always, nullptr};
    OTF2_Archive_SetFlushCallbacks(archive, &flush, nullptr);
    OTF2_Archive_SetCreator(archive, "QMPI tool trace");

    OTF2_Archive_OpenEvtFiles(archive);
    Events events(archive, definitions);
    for (const Recording &recording : recordings)
        replay(recording, definitions, events);
    OTF2_Archive_CloseEvtFiles(archive);
    write_clocks(archive, definitions, recordings);

    if (comm == MPI_COMM_NULL || qmpi::merge_to_root(comm, events.numbers)) {
        if (rank == 0) {
            OTF2_GlobalDefWriter *writer = OTF2_Archive_GetGlobalDefWriter(archive);
            GlobalDefinitions(writer, definitions).write(events.numbers, events.has_open_calls);
            OTF2_Archive_CloseGlobalDefWriter(archive, writer);
        }
    }
    OTF2_Archive_Close(archive);
    return errors.first();
}

}  // namespace qmpi::trace

#endif /* HAVE_OTF2 */
