/*
 * Copyright (C) by the QMPI for MPICH developers
 *     See COPYRIGHT in top-level directory
 */

/* Type signatures: the sequence of basic types that a count and a datatype stand for (MPI 4.0,
 * 5.1), kept as runs of equal ones. Basic types count as equal that have the same nature and size,
 * such as MPI_INT and MPI_INTEGER; complex numbers are two real ones. MPI_BYTE and MPI_PACKED go
 * with everything, as many programs use them so: with them only the number of bytes is compared. */

#ifndef TOOLS_CHECK_SIGNATURE_HPP_INCLUDED
#define TOOLS_CHECK_SIGNATURE_HPP_INCLUDED

#include <qmpi.hpp>

#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <unordered_map>
#include <vector>

namespace tools::check {

/* A number of equal basic types; the nature is 'i'nteger, 'f'loating-point or 'b'yte. */
struct Run {
    std::uint16_t basic = 0;
    std::uint64_t number = 0;

    char nature() const { return static_cast<char>(basic >> 8); }
    std::uint64_t bytes() const { return number * (basic & 255); }

    template <typename Visit>
    void each(Visit &&visit)
    {
        visit(basic);
        visit(number);
    }
};

constexpr std::uint16_t basic_type(char nature, int size)
{
    return static_cast<std::uint16_t>(nature << 8 | size);
}

/* A unit of runs, so many times. */
struct Signature {
    bool is_known = false;
    std::uint64_t times = 0;
    std::vector<Run> unit;

    template <typename Visit>
    void each(Visit &&visit)
    {
        visit(is_known);
        visit(times);
        visit(unit);
    }

    std::uint64_t bytes() const;
    bool has_bytes() const;

    /* "10 int32" or "3 x (1 float64, 1 int32)" */
    std::string text() const;
};

enum class Comparison { equal, shorter, longer, different, unknown };

/* shorter: a is the beginning of b; longer: the other way round. unknown where it would take too
 * long. */
Comparison compare(const Signature &a, const Signature &b);

/* What is known of a datatype. */
struct Type {
    std::vector<Run> unit;
    std::uint64_t size = 0;
    MPI_Count first = 0;        /* byte, relative to the buffer's address, where the data begins */
    bool is_contiguous = false; /* also several of them one after the other */
};

/* All datatypes, followed from their creation. Any number of threads. */
class Types {
  public:
    using Shared = std::shared_ptr<const Type>;

    Types();

    /* Those that MPI has from the beginning: nobody frees them. */
    bool is_predefined(MPI_Datatype datatype) const;

    /* nullptr if the datatype is not known. */
    Shared of(MPI_Datatype datatype);
    Signature signature(MPI_Datatype datatype, MPI_Count count);

    /* After a function has made a type of others: so many of each, one after the other. Functions
     * with one old type repeat it as often as it fits into the new one. */
    void made(MPI_Datatype made, const std::vector<std::pair<MPI_Datatype, std::uint64_t>> &parts);
    void made(MPI_Datatype made, MPI_Datatype old);

    /* A handle that has come from elsewhere may be another type than before. */
    void forget(MPI_Datatype datatype);

  private:
    void add_pair(MPI_Datatype datatype, std::uint16_t first);
    static int size_in_bytes(MPI_Datatype datatype);

    std::vector<Run> predefined_unit(MPI_Datatype datatype);

    /* A unit that gets too long is not kept: the signature is unknown then. */
    static void append(std::vector<Run> &unit, const std::vector<Run> &part, std::uint64_t times);
    static void append(std::vector<Run> &unit, const Run &run);

    Shared remember(MPI_Datatype datatype, std::vector<Run> unit);

    std::unordered_map<MPI_Datatype, char> natures_;
    std::unordered_map<MPI_Datatype, std::vector<Run>> pairs_;
    std::mutex lock_;
    std::unordered_map<MPI_Datatype, Shared> types_;
};

}  // namespace tools::check

#endif /* TOOLS_CHECK_SIGNATURE_HPP_INCLUDED */
