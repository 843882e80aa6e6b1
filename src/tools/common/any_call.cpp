/*
 * Copyright (C) by the QMPI for MPICH developers
 *     See COPYRIGHT in top-level directory
 */

/* Entries of the functions for tools with a member intercept(any_call &), compiled once for all. */

#include <qmpi.hpp>

#include <cstdarg>
#include <tuple>
#include <utility>
#include <vector>

namespace qmpi {
inline namespace v1 {
namespace detail {
namespace {

/* By tool id; written before the first call. Never freed: exit handlers may call MPI. */
const instance_base **any_instances = nullptr;

template <MPI_Functions_enum id, typename Arguments = typename function<id>::arguments>
struct any_entry;

template <MPI_Functions_enum id, typename... Arguments>
struct any_entry<id, std::tuple<Arguments...>> {
    static typename function<id>::result run(MPI_Context context, int tool_id,
                                             Arguments... arguments) noexcept
    {
        const instance_base &self = *any_instances[tool_id];
        call<id> typed(self, context, arguments...);
        return intercept_any(typed, self);
    }
};

int run_pcontrol(MPI_Context context, int tool_id, int level, ...) noexcept
{
    std::va_list list;
    va_start(list, level);
    const int result = any_entry<MPI_PCONTROL_T>::run(context, tool_id, level, varargs(&list));
    va_end(list);
    return result;
}

template <MPI_Functions_enum id>
void (*entry_of())()
{
    if constexpr (id == MPI_PCONTROL_T)
        return reinterpret_cast<void (*)()>(run_pcontrol);
    else
        return reinterpret_cast<void (*)()>(any_entry<id>::run);
}

/* By id; nullptr for functions that the library lacks. */
struct Entries {
    void (*entries[MPI_LAST_FUNC_T])() = {};

    template <std::size_t... ids>
    explicit Entries(std::index_sequence<ids...>)
    {
        constexpr std::size_t functions[] = {ids...};
        void (*const known[])() = {entry_of<static_cast<MPI_Functions_enum>(ids)>()...};
        for (std::size_t i = 0; i < sizeof...(ids); i++)
            entries[functions[i]] = known[i];
    }
};

}  // namespace

void (*any_entry_of(MPI_Functions_enum id))()
{
    static const Entries all{function_ids()};
    return all.entries[id];
}

void add_any_instance(const instance_base &instance)
{
    static auto *const all = new std::vector<const instance_base *>;
    const auto index = static_cast<std::size_t>(instance.tool_id);
    if (all->size() <= index)
        all->resize(index + 1);
    (*all)[index] = &instance;
    any_instances = all->data();
}

}  // namespace detail
}  // namespace v1
}  // namespace qmpi
