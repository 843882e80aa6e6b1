/*
 * Copyright (C) by the QMPI for MPICH developers
 *     See COPYRIGHT in top-level directory
 */

/* Datatypes with their type maps, which are computed here and not by the library. */

#ifndef LAYOUTS_HPP
#define LAYOUTS_HPP

#include <mpi.h>

#include <algorithm>
#include <cstring>
#include <memory>
#include <vector>

#include "random.hpp"

enum class Basic { int8, byte, int16, int32, uint32, int64, real, real8, complex16 };

inline MPI_Datatype type_of(Basic basic)
{
    switch (basic) {
    case Basic::int8:
        return MPI_SIGNED_CHAR;
    case Basic::byte:
        return MPI_BYTE;
    case Basic::int16:
        return MPI_SHORT;
    case Basic::int32:
        return MPI_INT;
    case Basic::uint32:
        return MPI_UNSIGNED;
    case Basic::int64:
        return MPI_LONG;
    case Basic::real:
        return MPI_FLOAT;
    case Basic::real8:
        return MPI_DOUBLE;
    default:
        return MPI_C_DOUBLE_COMPLEX;
    }
}

inline MPI_Aint size_of(Basic basic)
{
    constexpr MPI_Aint sizes[] = {1, 1, 2, 4, 4, 8, 4, 8, 16};
    return sizes[static_cast<int>(basic)];
}

template <class T>
void store_as(char *at, int value)
{
    const T converted = static_cast<T>(value);
    memcpy(at, &converted, sizeof converted);
}

template <class T>
int load_as(const char *at)
{
    T value;
    memcpy(&value, at, sizeof value);
    return static_cast<int>(value);
}

inline void store(char *at, Basic basic, int value)
{
    switch (basic) {
    case Basic::int8:
    case Basic::byte:
        return store_as<signed char>(at, value);
    case Basic::int16:
        return store_as<short>(at, value);
    case Basic::int32:
    case Basic::uint32:
        return store_as<int>(at, value);
    case Basic::int64:
        return store_as<long>(at, value);
    case Basic::real:
        return store_as<float>(at, value);
    case Basic::real8:
        return store_as<double>(at, value);
    default:
        store_as<double>(at, value);
        store_as<double>(at + sizeof(double), -value);
    }
}

inline int load(const char *at, Basic basic)
{
    switch (basic) {
    case Basic::int8:
    case Basic::byte:
        return load_as<signed char>(at);
    case Basic::int16:
        return load_as<short>(at);
    case Basic::int32:
    case Basic::uint32:
        return load_as<int>(at);
    case Basic::int64:
        return load_as<long>(at);
    case Basic::real:
        return load_as<float>(at);
    case Basic::real8:
        return load_as<double>(at);
    default:
        return load_as<double>(at);
    }
}

/* A committed type, which is freed with its last user. */
class Type {
  public:
    Type(MPI_Datatype handle, bool is_predefined) : handle_(handle), is_predefined_(is_predefined)
    {
        if (!is_predefined)
            MPI_Type_commit(&handle_);
    }
    Type(const Type &) = delete;
    Type &operator=(const Type &) = delete;
    ~Type()
    {
        if (!is_predefined_)
            MPI_Type_free(&handle_);
    }
    operator MPI_Datatype() const { return handle_; }

  private:
    MPI_Datatype handle_;
    bool is_predefined_;
};

struct Item {
    MPI_Aint at;
    Basic basic;
};

struct Layout {
    std::shared_ptr<Type> type;
    std::vector<Item> items;
    MPI_Aint lb = 0, extent = 0;

    Layout() = default;
    Layout(MPI_Datatype handle, std::vector<Item> all, bool is_predefined = false)
        : type(std::make_shared<Type>(handle, is_predefined)), items(std::move(all))
    {
        MPI_Type_get_extent(*type, &lb, &extent);
    }

    MPI_Datatype handle() const { return *type; }
    MPI_Aint size() const
    {
        MPI_Aint sum = 0;
        for (const Item &one : items)
            sum += size_of(one.basic);
        return sum;
    }
    /* First byte of count elements, and end */
    std::pair<MPI_Aint, MPI_Aint> span(MPI_Aint count) const
    {
        if (items.empty() || count == 0)
            return {0, 0};
        MPI_Aint low = items[0].at, high = low;
        for (const Item &one : items) {
            low = std::min(low, one.at);
            high = std::max(high, one.at + size_of(one.basic));
        }
        const MPI_Aint last = (count - 1) * extent;
        return {low + std::min<MPI_Aint>(last, 0), high + std::max<MPI_Aint>(last, 0)};
    }
    bool overlaps(MPI_Aint count) const
    {
        std::vector<std::pair<MPI_Aint, MPI_Aint>> all;
        for (MPI_Aint i = 0; i < std::min<MPI_Aint>(count, 64); i++)
            for (const Item &one : items)
                all.emplace_back(one.at + i * extent, one.at + i * extent + size_of(one.basic));
        std::sort(all.begin(), all.end());
        for (size_t i = 1; i < all.size(); i++)
            if (all[i].first < all[i - 1].second)
                return true;
        return count > 64 && (extent <= 0 || span(1).second - span(1).first > 32 * extent);
    }
    /* Elements do not interleave. */
    bool is_tame() const
    {
        const auto [low, high] = span(1);
        return extent >= high - low && !overlaps(1) && extent < 4096;
    }
    bool is_homogeneous() const
    {
        return !items.empty() && std::all_of(items.begin(), items.end(), [&](const Item &one) {
            return one.basic == items[0].basic;
        });
    }
};

inline Layout predefined(Basic basic)
{
    return {type_of(basic), {{0, basic}}, true};
}

/* Memory for count elements */
class Buffer {
  public:
    Buffer() = default;
    Buffer(const Layout &layout, MPI_Aint count) : layout_(layout), count_(count)
    {
        const auto [low, high] = layout.span(count);
        bytes_.assign(static_cast<size_t>(high - low) + 1, 0x55);
        base_ = reinterpret_cast<char *>(reinterpret_cast<uintptr_t>(bytes_.data()) -
                                         static_cast<uintptr_t>(low));
    }
    char *base() { return base_; }
    char *first() { return bytes_.data(); }
    size_t bytes() const { return bytes_.size(); }

  private:
    Layout layout_;
    MPI_Aint count_ = 0;
    std::vector<char> bytes_;
    char *base_ = nullptr;
};

inline int value_of(uint64_t key, size_t index)
{
    return static_cast<int>(Random::mixed(key + index) % 100);
}

inline void fill(char *base, const Layout &layout, MPI_Aint count, uint64_t key)
{
    size_t index = 0;
    for (MPI_Aint i = 0; i < count; i++)
        for (const Item &one : layout.items)
            store(base + i * layout.extent + one.at, one.basic, value_of(key, index++));
}

/* Data in the order of the type map, as the memory has it */
inline std::vector<char> packed(const char *base, const Layout &layout, MPI_Aint count)
{
    std::vector<char> all;
    for (MPI_Aint i = 0; i < count; i++)
        for (const Item &one : layout.items) {
            const char *at = base + i * layout.extent + one.at;
            all.insert(all.end(), at, at + size_of(one.basic));
        }
    return all;
}

/* What a process sends that has filled its buffer by the key. Elements may overlap. */
inline std::vector<char> sent(const Layout &layout, MPI_Aint count, uint64_t key)
{
    Buffer buffer(layout, count);
    fill(buffer.base(), layout, count, key);
    return packed(buffer.base(), layout, count);
}

namespace detail {

inline std::vector<Item> moved(const std::vector<Item> &items, MPI_Aint by)
{
    std::vector<Item> all = items;
    for (Item &one : all)
        one.at += by;
    return all;
}

inline void append(std::vector<Item> &to, const Layout &layout, MPI_Aint count, MPI_Aint at)
{
    for (MPI_Aint i = 0; i < count; i++)
        for (const Item &one : layout.items)
            to.push_back({one.at + at + i * layout.extent, one.basic});
}

/* A type made from one or two others */
inline Layout grown(Random &draw, const Layout &old, const Layout &other)
{
    MPI_Datatype made;
    std::vector<Item> items;
    const int n = draw.chance(5) ? 0 : draw.between(1, 4);
    int lengths[4], places[4];
    MPI_Aint far[4];
    MPI_Count lengths_c[4], far_c[4];
    int where = draw.between(-6, 6);
    for (int i = 0; i < 4; i++) {
        /* MPICH's dataloops fail with empty blocks. */
        lengths[i] = draw.between(1, 3);
        places[i] = where;
        where += draw.chance(80) ? lengths[i] + draw.below(3) : draw.between(-4, 2);
        far[i] = places[i] * (draw.chance(70) ? old.extent : 4) + draw.between(0, 2) * 4;
        lengths_c[i] = lengths[i];
        far_c[i] = far[i];
    }
    const int length = draw.between(1, 3), stride = draw.between(-2, 5);
    const bool is_large = draw.chance(25);
    int way = draw.below(14);
    /* MPICH's dataloops fail with indices of empty elements. */
    if ((way == 3 || way == 4) && old.extent <= 0)
        way = 13;
    switch (way) {
    case 0:
        is_large ? MPI_Type_contiguous_c(n, old.handle(), &made)
                 : MPI_Type_contiguous(n, old.handle(), &made);
        append(items, old, n, 0);
        break;
    case 1:
        is_large ? MPI_Type_vector_c(n, length, stride, old.handle(), &made)
                 : MPI_Type_vector(n, length, stride, old.handle(), &made);
        for (int i = 0; i < n; i++)
            append(items, old, length, i * stride * old.extent);
        break;
    case 2:
        is_large ? MPI_Type_create_hvector_c(n, length, stride * 4, old.handle(), &made)
                 : MPI_Type_create_hvector(n, length, stride * 4, old.handle(), &made);
        for (int i = 0; i < n; i++)
            append(items, old, length, i * stride * 4);
        break;
    case 3:
    case 4:
        MPI_Type_indexed(n, lengths, places, old.handle(), &made);
        for (int i = 0; i < n; i++)
            append(items, old, lengths[i], places[i] * old.extent);
        break;
    case 5:
        is_large ? MPI_Type_create_hindexed_c(n, lengths_c, far_c, old.handle(), &made)
                 : MPI_Type_create_hindexed(n, lengths, far, old.handle(), &made);
        for (int i = 0; i < n; i++)
            append(items, old, lengths[i], far[i]);
        break;
    case 6:
        MPI_Type_create_indexed_block(n, length, places, old.handle(), &made);
        for (int i = 0; i < n; i++)
            append(items, old, length, places[i] * old.extent);
        break;
    case 7:
        MPI_Type_create_hindexed_block(n, length, far, old.handle(), &made);
        for (int i = 0; i < n; i++)
            append(items, old, length, far[i]);
        break;
    case 8:
    case 9: {
        MPI_Datatype types[4];
        for (int i = 0; i < n; i++) {
            const Layout &part = draw.chance(50) ? old : other;
            types[i] = part.handle();
            append(items, part, lengths[i], far[i]);
        }
        is_large ? MPI_Type_create_struct_c(n, lengths_c, far_c, types, &made)
                 : MPI_Type_create_struct(n, lengths, far, types, &made);
        break;
    }
    case 10: {
        const MPI_Aint lb = draw.between(-3, 3) * 4;
        const MPI_Aint extent =
            draw.chance(75) ? old.extent + draw.below(4) * 4 : draw.between(0, 6) * 4;
        is_large ? MPI_Type_create_resized_c(old.handle(), lb, extent, &made)
                 : MPI_Type_create_resized(old.handle(), lb, extent, &made);
        items = old.items;
        break;
    }
    case 11: {
        const int sizes[2] = {draw.between(1, 4), draw.between(1, 4)};
        const int parts[2] = {draw.between(1, sizes[0]), draw.between(1, sizes[1])};
        const int starts[2] = {draw.between(0, sizes[0] - parts[0]),
                               draw.between(0, sizes[1] - parts[1])};
        const bool is_c = draw.chance(60);
        MPI_Type_create_subarray(2, sizes, parts, starts, is_c ? MPI_ORDER_C : MPI_ORDER_FORTRAN,
                                 old.handle(), &made);
        for (int i = 0; i < (is_c ? parts[0] : parts[1]); i++)
            for (int k = 0; k < (is_c ? parts[1] : parts[0]); k++)
                append(items, old, 1,
                       (is_c ? (starts[0] + i) * sizes[1] + starts[1] + k
                             : (starts[1] + i) * sizes[0] + starts[0] + k) *
                           old.extent);
        break;
    }
    case 12: {
        /* one dimension in blocks, the other one not distributed */
        const int sizes[2] = {draw.between(2, 5), draw.between(1, 3)}, processes = 2,
                  rank = draw.below(2);
        const int ways[2] = {MPI_DISTRIBUTE_BLOCK, MPI_DISTRIBUTE_NONE}, grid[2] = {processes, 1};
        const int ignored[2] = {MPI_DISTRIBUTE_DFLT_DARG,
                                draw.chance(50) ? 0 : MPI_DISTRIBUTE_DFLT_DARG};
        MPI_Type_create_darray(processes, rank, 2, sizes, ways, ignored, grid, MPI_ORDER_C,
                               old.handle(), &made);
        const int block = (sizes[0] + processes - 1) / processes;
        for (int i = rank * block; i < std::min(sizes[0], (rank + 1) * block); i++)
            for (int k = 0; k < sizes[1]; k++)
                append(items, old, 1, (i * sizes[1] + k) * old.extent);
        break;
    }
    default:
        MPI_Type_dup(old.handle(), &made);
        items = old.items;
    }
    return {made, std::move(items)};
}

}  // namespace detail

inline Layout pair_layout(Random &draw)
{
    switch (draw.below(4)) {
    case 0:
        return {MPI_DOUBLE_INT, {{0, Basic::real8}, {8, Basic::int32}}, true};
    case 1:
        return {MPI_2INT, {{0, Basic::int32}, {4, Basic::int32}}, true};
    case 2:
        return {MPI_SHORT_INT, {{0, Basic::int16}, {4, Basic::int32}}, true};
    default:
        return {MPI_LONG_INT, {{0, Basic::int64}, {8, Basic::int32}}, true};
    }
}

inline Layout basic_layout(Random &draw)
{
    return draw.chance(12) ? pair_layout(draw) : predefined(static_cast<Basic>(draw.below(9)));
}

/* Any type; is_for_writing: no byte of count elements occurs twice. */
inline Layout any_layout(Random &draw, bool is_for_writing, MPI_Aint count)
{
    Layout layout = basic_layout(draw);
    const int steps = draw.chance(35) ? 0 : draw.between(1, 3);
    for (int i = 0; i < steps; i++) {
        Layout next = detail::grown(draw, layout, basic_layout(draw));
        if (next.items.size() <= 80 && next.extent < 20000 && next.extent > -20000 &&
            !(is_for_writing && next.overlaps(count)))
            layout = next;
    }
    return layout.overlaps(count) && is_for_writing ? predefined(Basic::int32) : layout;
}

/* A type of which `multiple` elements have the signature of one element of another type */
struct Part {
    Layout layout;
    int multiple = 1;
};

/* Runs of the signature at drawn places, with gaps between them and after the last one; elements do not interleave. */
inline Layout spread(Random &draw, const Layout &unit)
{
    std::vector<int> lengths;
    std::vector<MPI_Datatype> types;
    std::vector<Basic> basics;
    for (size_t i = 0; i < unit.items.size();) {
        const size_t most = static_cast<size_t>(draw.between(1, 5));
        size_t end = i;
        while (end < unit.items.size() && end < i + most &&
               unit.items[end].basic == unit.items[i].basic)
            end++;
        lengths.push_back(static_cast<int>(end - i));
        types.push_back(type_of(unit.items[i].basic));
        basics.push_back(unit.items[i].basic);
        i = end;
    }
    const int n = static_cast<int>(lengths.size());
    std::vector<MPI_Aint> places(lengths.size());
    const MPI_Aint begin = draw.between(-4, 4) * 16;
    MPI_Aint end = begin;
    for (int i : draw.permutation(n)) {
        const size_t k = static_cast<size_t>(i);
        places[k] = end + draw.below(3) * 8;
        end = places[k] + lengths[k] * size_of(basics[k]);
    }
    std::vector<Item> items;
    for (size_t i = 0; i < lengths.size(); i++)
        detail::append(items, predefined(basics[i]), lengths[i], places[i]);
    MPI_Datatype inner, made;
    MPI_Type_create_struct(n, lengths.data(), places.data(), types.data(), &inner);
    MPI_Type_create_resized(inner, begin - draw.below(2) * 8, end - begin + 8 + draw.below(3) * 8,
                            &made);
    MPI_Type_free(&inner);
    return {made, std::move(items)};
}

/* is_tame: elements do not interleave either. */
inline Part matching(Random &draw, const Layout &unit, MPI_Aint count, bool is_tame = false)
{
    const int way = draw.below(4);
    if (way == 0 && !unit.overlaps(count) && (!is_tame || unit.is_tame()))
        return {unit, 1};
    if (way == 1 && unit.is_homogeneous())
        return {predefined(unit.items[0].basic), static_cast<int>(unit.items.size())};
    if (way == 2 && unit.is_homogeneous() && unit.items.size() > 1) {
        MPI_Datatype made;
        const int n = static_cast<int>(unit.items.size());
        std::vector<Item> items;
        const Layout basic = predefined(unit.items[0].basic);
        MPI_Type_contiguous(n, basic.handle(), &made);
        detail::append(items, basic, n, 0);
        return {Layout(made, std::move(items)), 1};
    }
    return {spread(draw, unit), 1};
}

#endif
