/*
 * Copyright (C) by the QMPI for MPICH developers
 *     See COPYRIGHT in top-level directory
 */

/* Type signatures: the sequence of basic types of a count and a datatype (MPI 4.0, 5.1), run-length
 * encoded. Basic types of the same kind and size are equal, such as MPI_INT and MPI_INTEGER; a
 * complex number is two reals. MPI_BYTE and MPI_PACKED match everything of the same size, as many
 * programs use them so. */

#ifndef TOOLS_CHECK_SIGNATURE_HPP_INCLUDED
#define TOOLS_CHECK_SIGNATURE_HPP_INCLUDED

#include "few.hpp"

#include "../common/spin_lock.hpp"

#include <qmpi.hpp>

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <tuple>
#include <unordered_map>
#include <vector>

namespace qmpi::check {

/* A number of equal basic types; nature: 'i'nteger, 'f'loating-point or 'b'yte, and if types are
 * distinguished 'u'nsigned, 'a' character, 'l'ogical, 'z' complex number, and 'o' for MPI_BYTE. */
struct Run {
    std::uint16_t basic = 0;
    std::uint64_t number = 0;

    char nature() const { return static_cast<char>(basic >> 8); }
    std::uint64_t bytes() const { return number * (basic & 255); }

    auto fields() { return std::tie(basic, number); }
};

using Runs = Few<Run, 2>;

constexpr std::uint16_t basic_type(char nature, int size)
{
    return static_cast<std::uint16_t>(nature << 8 | size);
}

/* A repeated sequence of runs. */
struct Signature {
    bool is_known = false;
    std::uint64_t times = 0;
    Runs unit;

    auto fields() { return std::tie(is_known, times, unit); }

    std::uint64_t bytes() const;
    bool has_bytes() const;

    /* "10 int32" or "3 x (1 float64, 1 int32)" */
    std::string text() const;
};

enum class Comparison { equal, shorter, longer, different, unknown };

/* shorter: a is a prefix of b; longer: b is a prefix of a. unknown if it would take too long. */
Comparison compare(const Signature &a, const Signature &b);

/* Predefined types of C, C++ and Fortran; some may be MPI_DATATYPE_NULL. */
std::vector<MPI_Datatype> floating_types();
std::vector<MPI_Datatype> complex_types();

struct Type {
    Runs unit;
    std::uint64_t size = 0;
    MPI_Count first = 0; /* byte offset of the data from the buffer address */
    MPI_Count extent = 0;
    bool is_contiguous = false; /* also for several in a row; false if that is unknown */

    /* Offset and length of each block of data, ascending; none if the type is too large. datatype:
     * its handle */
    const std::vector<std::int64_t> &blocks(MPI_Datatype datatype) const;

    /* The same after that. */
    const std::vector<std::int64_t> &blocks() const { return blocks_; }

    /* Some data is in the same memory as other data of the type; after that, too. */
    bool overlaps_itself() const { return overlaps_itself_; }

    /* Of a type that repeats another one with a stride, if its handle may not last */
    struct Repeated {
        std::shared_ptr<const Type> part; /* null: not such a type */
        MPI_Count count = 0, stride = 0;
    };
    Repeated repeated;

  private:
    std::vector<std::int64_t> repeated_blocks() const;

    mutable std::once_flag has_blocks_;
    mutable std::vector<std::int64_t> blocks_;
    mutable bool overlaps_itself_ = false;
};

/* All datatypes, followed from their creation. Thread-safe. */
class Types {
  public:
    using Shared = std::shared_ptr<const Type>;

    Types();

    /* Basic types of the same size are equal only if they are of the same nature. Before any other call. */
    void distinguish() { is_strict_ = true; }

    /* Predefined types, which nobody frees. */
    bool is_predefined(MPI_Datatype datatype) const;

    Shared of(MPI_Datatype datatype);
    Signature signature(MPI_Datatype datatype, MPI_Count count);

    /* Begin and end of data, in bytes. */
    using Block = std::pair<MPI_Count, MPI_Count>;
    using Blocks = std::vector<Block>;

    /* After a type constructor: its old types with their counts, in order. A single old type is
     * repeated until its size fits. blocks: where its data is if the old types are contiguous, called only if
     * that matters; none if it does not place blocks where others may be */
    void made(MPI_Datatype made, const std::vector<std::pair<MPI_Datatype, std::uint64_t>> &parts,
              const std::function<Blocks()> &blocks);
    void made(MPI_Datatype made, MPI_Datatype old, const std::function<Blocks()> &blocks);

    /* The handle may now be a different type. */
    void forget(MPI_Datatype datatype);

    /* There were types of too many basic types, whose signatures are unknown. */
    bool has_long() const { return has_long_; }

  private:
    void add_pair(MPI_Datatype datatype, std::uint16_t first);
    static int size_in_bytes(MPI_Datatype datatype);

    Runs predefined_unit(MPI_Datatype datatype);
    static char strict_nature(MPI_Datatype datatype);

    /* Appends unless the unit gets too long; then the signature is unknown. */
    void append(Runs &unit, const Runs &part, std::uint64_t times);
    static void append(Runs &unit, const Run &run);

    /* A type that nothing has made: that of a strided section, of the Fortran binding, which is free again
     * after the call. */
    Shared section(MPI_Datatype datatype);

    /* is_contiguous: if its size is its extent */
    std::shared_ptr<Type> make(MPI_Datatype datatype, Runs unit,
                               const std::function<bool()> &is_contiguous);
    Shared remember(MPI_Datatype datatype, Runs unit, const std::function<bool()> &is_contiguous);

    bool is_strict_ = false;
    std::atomic<bool> has_long_{false};
    std::unordered_map<MPI_Datatype, char> natures_;
    std::unordered_map<MPI_Datatype, Runs> pairs_;
    SpinLock lock_;
    std::unordered_map<MPI_Datatype, Shared> types_;
};

}  // namespace qmpi::check

#endif /* TOOLS_CHECK_SIGNATURE_HPP_INCLUDED */
