/*
 * Copyright (C) by the QMPI for MPICH developers
 *     See COPYRIGHT in top-level directory
 */

/* Tests of a tool without mpiexec and MPI_Init. */

#ifndef QMPI_TESTING_HPP_INCLUDED
#define QMPI_TESTING_HPP_INCLUDED

#include <qmpi.hpp>

#include <cstdio>
#include <cstdlib>
#include <functional>
#include <map>
#include <string>
#include <tuple>
#include <utility>

namespace qmpi {
inline namespace v1 {
namespace testing {

namespace detail {

template <MPI_Functions_enum id, typename Arguments = typename function<id>::arguments>
struct link;

/* Link that follows an instance for a function. */
template <MPI_Functions_enum id, typename... Arguments>
struct QMPI_DETAIL_HIDDEN link<id, std::tuple<Arguments...>> {
    using result = typename function<id>::result;
    using work = std::function<result(Arguments...)>;

    /* By tool id. */
    static inline std::map<int, work> works;

    static result run(MPI_Context, int tool_id, Arguments... arguments) noexcept
    {
        return works[tool_id](arguments...);
    }
};

/* Tool ids are those of all tools. */
QMPI_DETAIL_HIDDEN inline int new_id()
{
    static int last = 0;
    return ++last;
}

template <MPI_Functions_enum id>
[[noreturn]] void missing()
{
    const std::string name(function<id>::name);
    std::fprintf(stderr, "the tool calls %s, for which the test has no library()\n", name.c_str());
    std::abort();
}

}  // namespace detail

/* An instance of a tool. The test makes the calls of the application and is the library:
 *
 *     qmpi::testing::Instance<Sends> sends("loud");
 *     sends.library<MPI_SEND_T>([](auto...) { return MPI_SUCCESS; });
 *     sends.call<MPI_SEND_T>(&data, 1, MPI_INT, 3, 0, MPI_COMM_WORLD);
 *
 * Calls of the tool by QMPI_ names go to the real library, most of them after MPI_Init only. */
template <typename Tool>
class Instance {
  public:
    /* arguments: the text in parentheses of the tool list. Throws what the tool's constructor
     * throws. */
    explicit Instance(std::string arguments = "")
        : self_(qmpi::detail::instances<Tool>::add(detail::new_id()))
    {
        if (registration::name == nullptr)
            registration::name = "tested";
        registration::construct(self_, arguments);
        miss_all(qmpi::detail::function_ids());
        self_.tool().ready();
    }
    ~Instance() { end(); }
    Instance(const Instance &) = delete;
    Instance &operator=(const Instance &) = delete;

    Tool &tool() { return self_.tool(); }

    /* Sets the library's work in a function: it takes the function's arguments. */
    template <MPI_Functions_enum id>
    void library(typename detail::link<id>::work work)
    {
        detail::link<id>::works[self_.tool_id] = std::move(work);
        self_.next[id] = {reinterpret_cast<void (*)()>(detail::link<id>::run), self_.tool_id};
    }

    /* A call of the application. */
    template <MPI_Functions_enum id, typename... Arguments>
    typename function<id>::result call(Arguments... arguments)
    {
        return qmpi::detail::entry<Tool, id>::run(nullptr, self_.tool_id, arguments...);
    }

    /* The world has this process alone, and no communicator. */
    void begin_world() { tool().at_world_begin(world_); }
    void end_world() { tool().at_world_end(world_); }

    /* The end of the process: destroys the tool. */
    void end() { self_.end(); }

  private:
    using registration = qmpi::detail::registration<Tool>;

    template <std::size_t... ids>
    void miss_all(std::index_sequence<ids...>)
    {
        using Link = std::decay_t<decltype(self_.next[0])>;
        constexpr std::size_t functions[] = {ids...};
        const Link missing[] = {{detail::missing<static_cast<MPI_Functions_enum>(ids)>, 0}...};
        for (std::size_t i = 0; i < sizeof...(ids); i++)
            self_.next[functions[i]] = missing[i];
    }

    qmpi::detail::instance<Tool> &self_;
    const world world_;
};

}  // namespace testing
}  // namespace v1
}  // namespace qmpi

#endif /* QMPI_TESTING_HPP_INCLUDED */
