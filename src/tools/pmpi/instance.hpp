/*
 * Copyright (C) by the QMPI for MPICH developers
 *     See COPYRIGHT in top-level directory
 */

#ifndef QMPI_PMPI_INSTANCE_HPP_INCLUDED
#define QMPI_PMPI_INSTANCE_HPP_INCLUDED

#ifndef MPICH_SKIP_MPICXX
#define MPICH_SKIP_MPICXX 1
#endif
#include <mpi.h>

#include <atomic>
#include <cstdint>

/* A PMPI tool in the chain. Calls cross between both in two directions, with a function for each
 * function of MPI:
 *
 *     from_chain   registered with MPI; calls the tool's MPI_X
 *     to_chain     what the tool calls as PMPI_X; calls the next link
 *
 * to_chain must know the instance, but the tool calls it with the arguments of PMPI_X alone, from any
 * thread. So each instance has its own stub for each function: a few instructions, in a library
 * that is generated for the instance, which note the instance and jump to to_chain. */

namespace pmpi {

using any_function = void (*)();

constexpr int num_functions = MPI_LAST_FUNC_T;
constexpr int num_stubs = num_functions + 1; /* the last is dlsym's */

struct link {
    any_function function;
    int tool_id;
};

#ifdef __x86_64__
/* All arguments stay where they are: r10 and r11 carry none. */
struct [[gnu::packed]] stub {
    std::uint8_t load_instance[2] = {0x49, 0xbb}; /* movabs $instance, %r11 */
    const void *instance;
    std::uint8_t note[5] = {0x64, 0x4c, 0x89, 0x1c, 0x25}; /* mov %r11, %fs:offset */
    std::int32_t offset;
    std::uint8_t load_target[2] = {0x49, 0xba}; /* movabs $target, %r10 */
    any_function target;
    std::uint8_t jump[3] = {0x41, 0xff, 0xe2}; /* jmp *%r10 */
};
#else
struct stub {
    std::uint32_t code[6] = {
        0x580000c9, /* ldr x9, instance */
        0x580000ea, /* ldr x10, offset */
        0xd53bd04b, /* mrs x11, tpidr_el0 */
        0xf82a6969, /* str x9, [x11, x10] */
        0x580000d0, /* ldr x16, target */
        0xd61f0200, /* br x16 */
    };
    const void *instance;
    std::int64_t offset;
    any_function target;
};
#endif

struct instance {
    any_function own[num_functions] = {}; /* the tool's MPI_X, nullptr where it has none */
    const stub *stubs = nullptr;          /* loaded */
    std::atomic<const link *> links{
        nullptr}; /* next links; the library itself before there are any */
    link all_links[num_functions];
};

struct function {
    const char *name;
    any_function from_chain;
    any_function to_chain;
    any_function library; /* QMPI_X, nullptr where the library lacks the function */
};

/* by MPI_Functions_enum; fill_functions writes them */
extern function functions[num_functions];
void fill_functions();

/* Instances by tool id; written in init callbacks only. */
extern instance **instances;

/* The instance whose stub was called last in this thread. */
const instance &calling_instance();
/* Where a stub notes its instance, relative to the thread pointer. */
std::intptr_t calling_instance_offset();

}  // namespace pmpi

#endif
