/*
 * Copyright (C) by the QMPI for MPICH developers
 *     See COPYRIGHT in top-level directory
 */

/* Tool "bcast": makes a broadcast out of point-to-point messages. MPI_Bcast ends here; what the
 * tools below see in its place are MPI_Comm_rank, MPI_Comm_size, MPI_Send and MPI_Recv, called
 * through the links of the next tool. Whatever else the tool needs for itself (attribute, group,
 * hidden communicator) it calls by the QMPI_ names, and no tool sees it. */

#include "tool.hpp"

#include <atomic>
#include <cstdint>
#include <mutex>

namespace {

using qmpi_tool::Next;

const char tool_name[] = "bcast";

/* Broadcasts on one communicator are ordered, and messages between two processes do not overtake
 * each other: one tag serves all. */
const int message_tag = 0;

/* The functions that have two forms, with int and with MPI_Count. */
template <typename Count>
struct Forms;

template <>
struct Forms<int> {
    Next<MPI_Send_t> send;
    Next<MPI_Recv_t> recv;
    Next<MPI_Bcast_t> bcast;

    static int received(const MPI_Status &status, MPI_Datatype datatype, int &count)
    {
        return QMPI_Get_count(&status, datatype, &count);
    }
};

template <>
struct Forms<MPI_Count> {
    Next<MPI_Send_c_t> send;
    Next<MPI_Recv_c_t> recv;
    Next<MPI_Bcast_c_t> bcast;

    static int received(const MPI_Status &status, MPI_Datatype datatype, MPI_Count &count)
    {
        return QMPI_Get_count_c(&status, datatype, &count);
    }
};

struct Instance : Forms<int>, Forms<MPI_Count> {
    Next<MPI_Comm_rank_t> comm_rank;
    Next<MPI_Comm_size_t> comm_size;
    Next<MPI_Init_t> init;
    Next<MPI_Init_thread_t> init_thread;
    Next<MPI_Session_init_t> session_init;
    Next<MPI_Finalize_t> finalize;
    Next<MPI_Session_finalize_t> session_finalize;

    /* Under this key a communicator keeps its hidden one. Key and number of users are changed
     * under the lock; the key is read without it. */
    std::atomic<int> keyval{MPI_KEYVAL_INVALID};
    std::mutex lock;
    int users = 0;      /* open sessions, and the world while it is initialised */
};

Instance &instance_of(MPI_Context context, int tool_id)
{
    return qmpi_tool::instance_of<Instance>(context, tool_id);
}

/* ---- the hidden communicator ---- */

/* A handle is an int here, and fits into the attribute itself. */
void *attribute_from(MPI_Comm hidden)
{
    return reinterpret_cast<void *>(static_cast<std::intptr_t>(hidden));
}

MPI_Comm hidden_from(void *attribute)
{
    return static_cast<MPI_Comm>(reinterpret_cast<std::intptr_t>(attribute));
}

/* Called when the application frees its communicator, for MPI_COMM_WORLD in MPI_Finalize. */
int free_hidden(MPI_Comm, int, void *attribute, void *)
{
    MPI_Comm hidden = hidden_from(attribute);
    return QMPI_Comm_free(&hidden);
}

int get_keyval(Instance &self, int &keyval)
{
    keyval = self.keyval.load(std::memory_order_acquire);
    if (keyval != MPI_KEYVAL_INVALID)
        return MPI_SUCCESS;

    std::lock_guard<std::mutex> guard(self.lock);
    keyval = self.keyval.load(std::memory_order_relaxed);
    if (keyval != MPI_KEYVAL_INVALID)
        return MPI_SUCCESS;
    /* Not copied: a duplicate of the application's communicator gets a hidden one of its own. */
    int error_code =
        QMPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, free_hidden, &keyval, nullptr);
    if (error_code == MPI_SUCCESS)
        self.keyval.store(keyval, std::memory_order_release);
    return error_code;
}

/* MPI_Comm_dup would do, were it not for the copy callbacks of the application's attributes, which
 * it calls. A communicator made of the old one's group carries nothing along. */
int create_hidden(MPI_Comm comm, int keyval, MPI_Comm &hidden)
{
    MPI_Group group;
    int error_code = QMPI_Comm_group(comm, &group);
    if (error_code != MPI_SUCCESS)
        return error_code;
    error_code = QMPI_Comm_create(comm, group, &hidden);
    QMPI_Group_free(&group);
    if (error_code != MPI_SUCCESS)
        return error_code;

    /* Errors go to the handler that the application's communicator has when they occur. */
    QMPI_Comm_set_errhandler(hidden, MPI_ERRORS_RETURN);
    error_code = QMPI_Comm_set_attr(comm, keyval, attribute_from(hidden));
    if (error_code != MPI_SUCCESS)
        QMPI_Comm_free(&hidden);
    return error_code;
}

/* All processes of comm call MPI_Bcast, in the same order: either all of them have the attribute
 * or none has, and creating the communicator here is one more collective call on comm. */
int get_hidden(Instance &self, MPI_Comm comm, MPI_Comm &hidden)
{
    int keyval, found;
    void *attribute;

    int error_code = get_keyval(self, keyval);
    if (error_code != MPI_SUCCESS)
        return error_code;
    error_code = QMPI_Comm_get_attr(comm, keyval, &attribute, &found);
    if (error_code != MPI_SUCCESS)
        return error_code;
    if (!found)
        return create_hidden(comm, keyval, hidden);
    hidden = hidden_from(attribute);
    return MPI_SUCCESS;
}

/* ---- the broadcast ---- */

template <typename Count>
struct Broadcast {
    const Forms<Count> &next;
    MPI_Context context;
    void *buffer;
    Count count;
    MPI_Datatype datatype;
    MPI_Comm hidden;

    /* A binomial tree: with the places counted from the root, a process receives from the place
     * that lacks its own place's lowest set bit, and sends to those that have one lower bit more.
     * After an error it goes on, lest the processes below it wait for ever. */
    int run(int rank, int size, int root) const
    {
        const std::int64_t place = (std::int64_t{rank} - root + size) % size;
        int error_code = MPI_SUCCESS;
        std::int64_t bit = 1;

        for (; bit < size; bit <<= 1) {
            if (place & bit) {
                error_code = receive(rank_at(place - bit, size, root));
                break;
            }
        }
        for (bit >>= 1; bit > 0; bit >>= 1) {
            if (place + bit < size) {
                int send_code = send(rank_at(place + bit, size, root));
                if (error_code == MPI_SUCCESS)
                    error_code = send_code;
            }
        }
        return error_code;
    }

    static int rank_at(std::int64_t place, int size, int root)
    {
        return static_cast<int>((place + root) % size);
    }

    int send(int dest) const
    {
        return next.send(context, buffer, count, datatype, dest, message_tag, hidden);
    }

    int receive(int source) const
    {
        MPI_Status status;
        int error_code =
            next.recv(context, buffer, count, datatype, source, message_tag, hidden, &status);
        return error_code == MPI_SUCCESS ? check_length(status) : error_code;
    }

    /* Less than expected is no error for MPI_Recv, but it is one for MPI_Bcast. */
    int check_length(const MPI_Status &status) const
    {
        MPI_Count size;
        Count received;

        int error_code = QMPI_Type_size_x(datatype, &size);
        if (error_code != MPI_SUCCESS || size == 0)
            return error_code;
        error_code = Forms<Count>::received(status, datatype, received);
        if (error_code == MPI_SUCCESS && received != count)
            return MPI_ERR_OTHER;
        return error_code;
    }
};

/* What MPI_Bcast has to refuse stays with the library, which says it best; so does the broadcast
 * between two groups, in which the processes beside the root have no part. */
template <typename Count>
bool stays_with_library(const void *buffer, Count count, MPI_Datatype datatype, MPI_Comm comm)
{
    int between_groups;

    return comm == MPI_COMM_NULL || datatype == MPI_DATATYPE_NULL || count < 0 ||
        buffer == MPI_IN_PLACE ||
        QMPI_Comm_test_inter(comm, &between_groups) != MPI_SUCCESS || between_groups;
}

template <typename Count>
int broadcast(MPI_Context context, int tool_id, void *buffer, Count count, MPI_Datatype datatype,
              int root, MPI_Comm comm)
{
    Instance &self = instance_of(context, tool_id);
    const Forms<Count> &next = self;
    int rank, size;
    MPI_Comm hidden;

    if (stays_with_library(buffer, count, datatype, comm))
        return next.bcast(context, buffer, count, datatype, root, comm);

    int error_code = self.comm_rank(context, comm, &rank);
    if (error_code == MPI_SUCCESS)
        error_code = self.comm_size(context, comm, &size);
    if (error_code != MPI_SUCCESS)
        return error_code;
    /* Alone there is nobody to send to, but the arguments want checking all the same. */
    if (root < 0 || root >= size || size == 1)
        return next.bcast(context, buffer, count, datatype, root, comm);

    error_code = get_hidden(self, comm, hidden);
    if (error_code != MPI_SUCCESS)
        return error_code;
    error_code = Broadcast<Count>{next, context, buffer, count, datatype, hidden}
        .run(rank, size, root);
    if (error_code != MPI_SUCCESS)
        QMPI_Comm_call_errhandler(comm, error_code);
    return error_code;
}

/* ---- when MPI begins and ends ---- */

/* A key ends with the library, that is with its last user, and the library may begin again. But it
 * must not be given up while another user has communicators: then some processes would look for a
 * hidden communicator under the old key and others under a new one. */

int count_user(Instance &self, int error_code)
{
    if (error_code == MPI_SUCCESS) {
        std::lock_guard<std::mutex> guard(self.lock);
        self.users++;
    }
    return error_code;
}

int discount_user(Instance &self, int error_code)
{
    if (error_code == MPI_SUCCESS) {
        std::lock_guard<std::mutex> guard(self.lock);
        self.users--;
    }
    return error_code;
}

void give_up_key_of_last_user(Instance &self)
{
    std::lock_guard<std::mutex> guard(self.lock);
    int keyval = self.keyval.load(std::memory_order_relaxed);
    if (self.users <= 1 && keyval != MPI_KEYVAL_INVALID) {
        self.keyval.store(MPI_KEYVAL_INVALID, std::memory_order_relaxed);
        QMPI_Comm_free_keyval(&keyval);
    }
}

int bcast_Init(MPI_Context context, int tool_id, int *argc, char ***argv)
{
    Instance &self = instance_of(context, tool_id);
    return count_user(self, self.init(context, argc, argv));
}

int bcast_Init_thread(MPI_Context context, int tool_id, int *argc, char ***argv, int required,
                      int *provided)
{
    Instance &self = instance_of(context, tool_id);
    return count_user(self, self.init_thread(context, argc, argv, required, provided));
}

int bcast_Session_init(MPI_Context context, int tool_id, MPI_Info info, MPI_Errhandler errhandler,
                       MPI_Session *session)
{
    Instance &self = instance_of(context, tool_id);
    return count_user(self, self.session_init(context, info, errhandler, session));
}

int bcast_Finalize(MPI_Context context, int tool_id)
{
    Instance &self = instance_of(context, tool_id);
    give_up_key_of_last_user(self);
    return discount_user(self, self.finalize(context));
}

int bcast_Session_finalize(MPI_Context context, int tool_id, MPI_Session *session)
{
    Instance &self = instance_of(context, tool_id);
    give_up_key_of_last_user(self);
    return discount_user(self, self.session_finalize(context, session));
}

/* ---- registration ---- */

void ready(int tool_id)
{
    Instance &self = *qmpi_tool::instances<Instance>()[tool_id];
    auto look_up = [tool_id](int function_enum, qmpi_tool::Link &link) {
        qmpi_tool::look_up(tool_name, tool_id, function_enum, link);
    };

    look_up(MPI_SEND_T, self.Forms<int>::send);
    look_up(MPI_RECV_T, self.Forms<int>::recv);
    look_up(MPI_BCAST_T, self.Forms<int>::bcast);
    look_up(MPI_SEND_C_T, self.Forms<MPI_Count>::send);
    look_up(MPI_RECV_C_T, self.Forms<MPI_Count>::recv);
    look_up(MPI_BCAST_C_T, self.Forms<MPI_Count>::bcast);
    look_up(MPI_COMM_RANK_T, self.comm_rank);
    look_up(MPI_COMM_SIZE_T, self.comm_size);
    look_up(MPI_INIT_T, self.init);
    look_up(MPI_INIT_THREAD_T, self.init_thread);
    look_up(MPI_SESSION_INIT_T, self.session_init);
    look_up(MPI_FINALIZE_T, self.finalize);
    look_up(MPI_SESSION_FINALIZE_T, self.session_finalize);
}

void init(int tool_id)
{
    qmpi_tool::create_instance<Instance>(tool_name, tool_id, ready);
    qmpi_tool::intercept(tool_name, tool_id, MPI_BCAST_T, broadcast<int>);
    qmpi_tool::intercept(tool_name, tool_id, MPI_BCAST_C_T, broadcast<MPI_Count>);
    qmpi_tool::intercept(tool_name, tool_id, MPI_INIT_T, bcast_Init);
    qmpi_tool::intercept(tool_name, tool_id, MPI_INIT_THREAD_T, bcast_Init_thread);
    qmpi_tool::intercept(tool_name, tool_id, MPI_SESSION_INIT_T, bcast_Session_init);
    qmpi_tool::intercept(tool_name, tool_id, MPI_FINALIZE_T, bcast_Finalize);
    qmpi_tool::intercept(tool_name, tool_id, MPI_SESSION_FINALIZE_T, bcast_Session_finalize);
}

__attribute__((constructor)) void register_bcast()
{
    qmpi_tool::register_tool(tool_name, "makes broadcasts out of point-to-point messages", init);
}

}  // namespace
