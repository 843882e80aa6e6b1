/*
 * Copyright (C) by the QMPI for MPICH developers
 *     See COPYRIGHT in top-level directory
 */

/* Tool "bcast": broadcasts by point-to-point messages. MPI_Bcast ends here; the tools below see
 * MPI_Comm_rank, MPI_Comm_size, MPI_Send and MPI_Recv instead. Calls for the tool's own needs
 * (attribute, group, hidden communicator) use QMPI_ names and are invisible to all tools. */

#include <qmpi.hpp>

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>

namespace {

/* One tag is enough: broadcasts on a communicator are ordered and messages do not overtake. */
const int message_tag = 0;

/* ---- the hidden communicator ---- */

/* The attribute value is the address of the handle. Called when the application frees its
 * communicator, for MPI_COMM_WORLD in MPI_Finalize. */
int free_hidden(MPI_Comm, int, void *attribute, void *)
{
    const std::unique_ptr<MPI_Comm> hidden(static_cast<MPI_Comm *>(attribute));
    return QMPI_Comm_free(hidden.get());
}

/* Attribute key of the hidden communicators. It lives from the first use to the end of its last
 * user (world or session). Freeing it earlier would be wrong: some processes would look under the
 * old key, others under a new one. */
class Key {
  public:
    int get(int &value)
    {
        value = keyval_.load(std::memory_order_acquire);
        if (value != MPI_KEYVAL_INVALID)
            return MPI_SUCCESS;

        std::lock_guard<std::mutex> guard(lock_);
        value = keyval_.load(std::memory_order_relaxed);
        if (value != MPI_KEYVAL_INVALID)
            return MPI_SUCCESS;
        /* Not copied: a duplicate gets its own hidden communicator. */
        int error_code =
            QMPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, free_hidden, &value, nullptr);
        if (error_code == MPI_SUCCESS)
            keyval_.store(value, std::memory_order_release);
        return error_code;
    }

    int add_user(int error_code) { return change_users(error_code, 1); }
    int remove_user(int error_code) { return change_users(error_code, -1); }

    void free_before_last_user()
    {
        std::lock_guard<std::mutex> guard(lock_);
        int value = keyval_.load(std::memory_order_relaxed);
        if (users_ <= 1 && value != MPI_KEYVAL_INVALID) {
            keyval_.store(MPI_KEYVAL_INVALID, std::memory_order_relaxed);
            QMPI_Comm_free_keyval(&value);
        }
    }

  private:
    int change_users(int error_code, int change)
    {
        if (error_code == MPI_SUCCESS) {
            std::lock_guard<std::mutex> guard(lock_);
            users_ += change;
        }
        return error_code;
    }

    /* The lock protects writers of the key and the user count; the key is read without it. */
    std::atomic<int> keyval_{MPI_KEYVAL_INVALID};
    std::mutex lock_;
    int users_ = 0; /* open sessions, plus one while the world is initialised */
};

/* Not MPI_Comm_dup, which would run the application's attribute copy callbacks. */
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

    /* Errors are reported on the application's communicator. */
    QMPI_Comm_set_errhandler(hidden, MPI_ERRORS_RETURN);
    auto attribute = std::make_unique<MPI_Comm>(hidden);
    error_code = QMPI_Comm_set_attr(comm, keyval, attribute.get());
    if (error_code == MPI_SUCCESS)
        (void) attribute.release(); /* the delete callback frees it */
    else
        QMPI_Comm_free(&hidden);
    return error_code;
}

/* All processes of comm call MPI_Bcast in the same order, so either all or none have the attribute,
 * and creating the communicator is one more collective call on comm. */
int get_hidden(Key &key, MPI_Comm comm, MPI_Comm &hidden)
{
    int keyval, found;
    void *attribute;

    int error_code = key.get(keyval);
    if (error_code != MPI_SUCCESS)
        return error_code;
    error_code = QMPI_Comm_get_attr(comm, keyval, &attribute, &found);
    if (error_code != MPI_SUCCESS)
        return error_code;
    if (!found)
        return create_hidden(comm, keyval, hidden);
    hidden = *static_cast<MPI_Comm *>(attribute);
    return MPI_SUCCESS;
}

/* ---- the broadcast ---- */

/* MPI_Bcast exists with int and with MPI_Count; each uses messages of the same form. */
template <typename Count>
struct Form;

template <>
struct Form<int> {
    static constexpr auto send = MPI_SEND_T;
    static constexpr auto recv = MPI_RECV_T;

    static int received(const MPI_Status &status, MPI_Datatype datatype, int &count)
    {
        return QMPI_Get_count(&status, datatype, &count);
    }
};

template <>
struct Form<MPI_Count> {
    static constexpr auto send = MPI_SEND_C_T;
    static constexpr auto recv = MPI_RECV_C_T;

    static int received(const MPI_Status &status, MPI_Datatype datatype, MPI_Count &count)
    {
        return QMPI_Get_count_c(&status, datatype, &count);
    }
};

template <typename Call, typename Count>
struct Broadcast {
    Call &call;
    void *buffer;
    Count count;
    MPI_Datatype datatype;
    MPI_Comm hidden;

    /* Binomial tree over indices relative to the root: an index receives from itself without its
     * lowest set bit, and sends to itself plus each lower bit. After an error it continues, so that
     * the processes below it do not hang. */
    int run(int rank, int size, int root)
    {
        const std::int64_t index = (std::int64_t{rank} - root + size) % size;
        int error_code = MPI_SUCCESS;
        std::int64_t bit = 1;

        for (; bit < size; bit <<= 1) {
            if (index & bit) {
                error_code = receive(rank_at(index - bit, size, root));
                break;
            }
        }
        for (bit >>= 1; bit > 0; bit >>= 1) {
            if (index + bit < size) {
                int send_code = send(rank_at(index + bit, size, root));
                if (error_code == MPI_SUCCESS)
                    error_code = send_code;
            }
        }
        return error_code;
    }

    static int rank_at(std::int64_t index, int size, int root)
    {
        return static_cast<int>((index + root) % size);
    }

    int send(int dest)
    {
        return call.template next<Form<Count>::send>(buffer, count, datatype, dest, message_tag,
                                                     hidden);
    }

    int receive(int source)
    {
        MPI_Status status;
        int error_code = call.template next<Form<Count>::recv>(buffer, count, datatype, source,
                                                               message_tag, hidden, &status);
        return error_code == MPI_SUCCESS ? check_length(status) : error_code;
    }

    /* A short message is no error for MPI_Recv, but it is one for MPI_Bcast. */
    int check_length(const MPI_Status &status) const
    {
        MPI_Count size;
        Count received;

        int error_code = QMPI_Type_size_x(datatype, &size);
        if (error_code != MPI_SUCCESS || size == 0)
            return error_code;
        error_code = Form<Count>::received(status, datatype, received);
        if (error_code == MPI_SUCCESS && received != count)
            return MPI_ERR_OTHER;
        return error_code;
    }
};

/* Erroneous arguments are left to the library, which reports them; so are intercommunicators. */
template <typename Count>
bool is_left_to_library(const void *buffer, Count count, MPI_Datatype datatype, MPI_Comm comm)
{
    int between_groups;

    return comm == MPI_COMM_NULL || datatype == MPI_DATATYPE_NULL || count < 0 ||
        buffer == MPI_IN_PLACE || QMPI_Comm_test_inter(comm, &between_groups) != MPI_SUCCESS ||
        between_groups;
}

/* ---- the tool ---- */

class Bcast : public qmpi::tool<Bcast> {
  public:
    static constexpr const char *description = "broadcasts by point-to-point messages";

    int MPI_Bcast(qmpi::call<MPI_BCAST_T> &call, void *buffer, int count, MPI_Datatype datatype,
                  int root, MPI_Comm comm)
    {
        return broadcast(call, buffer, count, datatype, root, comm);
    }

    int MPI_Bcast_c(qmpi::call<MPI_BCAST_C_T> &call, void *buffer, MPI_Count count,
                    MPI_Datatype datatype, int root, MPI_Comm comm)
    {
        return broadcast(call, buffer, count, datatype, root, comm);
    }

    int MPI_Init(qmpi::call<MPI_INIT_T> &call) { return key_.add_user(call()); }
    int MPI_Init_thread(qmpi::call<MPI_INIT_THREAD_T> &call) { return key_.add_user(call()); }
    int MPI_Session_init(qmpi::call<MPI_SESSION_INIT_T> &call) { return key_.add_user(call()); }

    int MPI_Finalize(qmpi::call<MPI_FINALIZE_T> &call)
    {
        key_.free_before_last_user();
        return key_.remove_user(call());
    }

    int MPI_Session_finalize(qmpi::call<MPI_SESSION_FINALIZE_T> &call)
    {
        key_.free_before_last_user();
        return key_.remove_user(call());
    }

  private:
    template <typename Call, typename Count>
    int broadcast(Call &call, void *buffer, Count count, MPI_Datatype datatype, int root,
                  MPI_Comm comm)
    {
        int rank, size;
        MPI_Comm hidden;

        if (is_left_to_library(buffer, count, datatype, comm))
            return call();

        int error_code = call.template next<MPI_COMM_RANK_T>(comm, &rank);
        if (error_code == MPI_SUCCESS)
            error_code = call.template next<MPI_COMM_SIZE_T>(comm, &size);
        if (error_code != MPI_SUCCESS)
            return error_code;
        /* Nothing to send, but the library still checks the arguments. */
        if (root < 0 || root >= size || size == 1)
            return call();

        error_code = get_hidden(key_, comm, hidden);
        if (error_code != MPI_SUCCESS)
            return error_code;
        error_code =
            Broadcast<Call, Count>{call, buffer, count, datatype, hidden}.run(rank, size, root);
        if (error_code != MPI_SUCCESS)
            QMPI_Comm_call_errhandler(comm, error_code);
        return error_code;
    }

    Key key_;
};

}  // namespace

QMPI_TOOL("bcast", Bcast)
