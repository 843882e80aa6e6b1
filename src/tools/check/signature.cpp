/*
 * Copyright (C) by the QMPI for MPICH developers
 *     See COPYRIGHT in top-level directory
 */

#include "signature.hpp"

#include "functions.hpp"

#include "../common/communicators.hpp"

#include <algorithm>
#include <cstdint>

namespace qmpi::check {

std::uint64_t Signature::bytes() const
{
    std::uint64_t bytes = 0;
    for (const Run &run : unit)
        bytes += run.bytes();
    return bytes * times;
}

bool Signature::has_bytes() const
{
    for (const Run &run : unit) {
        if (run.nature() == 'b')
            return true;
    }
    return false;
}

namespace {

const char *name_of(char nature)
{
    switch (nature) {
    case 'f':
        return "float";
    case 'i':
        return "int";
    case 'u':
        return "unsigned";
    case 'a':
        return "char";
    case 'l':
        return "logical";
    case 'z':
        return "complex";
    default:
        return "byte";
    }
}

}  // namespace

std::string Signature::text() const
{
    if (unit.empty() || times == 0)
        return "nothing";
    const bool is_plain = unit.size() == 1;
    std::string text = is_plain ? "" : std::to_string(times) + " x (";
    for (std::size_t i = 0; i < unit.size() && i < 6; i++) {
        const Run &run = unit[i];
        const char *name = name_of(run.nature());
        text +=
            (i > 0 ? ", " : "") + std::to_string(run.number * (is_plain ? times : 1)) + " " + name;
        if (run.nature() != 'b' && run.nature() != 'o')
            text += std::to_string((run.basic & 255) * 8);
    }
    return text + (unit.size() > 6 ? ", ..." : "") + (is_plain ? "" : ")");
}

namespace {

class Cursor {
  public:
    explicit Cursor(const Signature &signature)
        : signature_(signature), times_(signature.unit.empty() ? 0 : signature.times)
    {
        if (!at_end())
            left_ = signature_.unit[0].number;
        if (signature_.unit.size() == 1) {
            left_ *= times_;
            times_ = times_ > 0 ? 1 : 0;
        }
    }

    bool at_end() const { return times_ == 0; }
    std::uint16_t basic() const { return signature_.unit[index_].basic; }
    std::uint64_t left() const { return left_; }

    void advance(std::uint64_t number)
    {
        left_ -= number;
        if (left_ > 0)
            return;
        if (++index_ == signature_.unit.size()) {
            index_ = 0;
            times_--;
        }
        left_ = signature_.unit[index_].number;
    }

  private:
    const Signature &signature_;
    std::uint64_t times_;
    std::size_t index_ = 0;
    std::uint64_t left_ = 0;
};

template <typename Number>
Comparison compare_lengths(Number a, Number b)
{
    return a < b ? Comparison::shorter : a > b ? Comparison::longer : Comparison::equal;
}

constexpr MPI_Count most_bytes = 1 << 20; /* of a datatype with gaps */

/* A committed type with the same data. */
class Committed {
  public:
    explicit Committed(MPI_Datatype datatype)
    {
        is_made_ = QMPI_Type_contiguous(1, datatype, &type_) == MPI_SUCCESS &&
            QMPI_Type_commit(&type_) == MPI_SUCCESS;
    }
    ~Committed()
    {
        if (type_ != MPI_DATATYPE_NULL)
            QMPI_Type_free(&type_);
    }
    Committed(const Committed &) = delete;
    Committed &operator=(const Committed &) = delete;

    bool is_made() const { return is_made_; }
    MPI_Datatype type() const { return type_; }

  private:
    MPI_Datatype type_ = MPI_DATATYPE_NULL;
    bool is_made_ = false;
};

/* Marks the bytes that a datatype has data in: it is unpacked over zeros. */
std::vector<std::int64_t> blocks_of(MPI_Datatype datatype)
{
    MPI_Count size = 0, begin = 0, extent = 0;
    if (QMPI_Type_size_x(datatype, &size) != MPI_SUCCESS ||
        QMPI_Type_get_true_extent_x(datatype, &begin, &extent) != MPI_SUCCESS || size <= 0 ||
        extent <= 0 || size > most_bytes || extent > most_bytes)
        return {};
    const Committed committed(datatype);
    const OwnCommunicator comm;
    if (!committed.is_made() || comm.get() == MPI_COMM_NULL)
        return {};
    std::vector<char> marks(static_cast<std::size_t>(extent));
    const std::vector<char> packed(static_cast<std::size_t>(size), 1);
    int position = 0;
    if (QMPI_Unpack(packed.data(), static_cast<int>(size), &position, marks.data() - begin, 1,
                    committed.type(), comm.get()) != MPI_SUCCESS)
        return {};
    std::vector<std::int64_t> blocks;
    for (MPI_Count i = 0; i < extent; i++) {
        if (!marks[static_cast<std::size_t>(i)])
            continue;
        if (blocks.empty() || blocks[blocks.size() - 2] + blocks.back() != begin + i) {
            blocks.push_back(begin + i);
            blocks.push_back(0);
        }
        blocks.back()++;
    }
    return blocks;
}

}  // namespace

Comparison compare(const Signature &a, const Signature &b)
{
    if (!a.is_known || !b.is_known)
        return Comparison::unknown;
    if (a.has_bytes() || b.has_bytes())
        return compare_lengths(a.bytes(), b.bytes());
    Cursor left(a), right(b);
    for (int step = 0; step < 20000; step++) {
        if (left.at_end() || right.at_end())
            return left.at_end() && right.at_end() ? Comparison::equal
                : left.at_end()                    ? Comparison::shorter
                                                   : Comparison::longer;
        if (left.basic() != right.basic())
            return Comparison::different;
        const std::uint64_t number = std::min(left.left(), right.left());
        left.advance(number);
        right.advance(number);
    }
    return Comparison::unknown;
}

std::vector<MPI_Datatype> floating_types()
{
    return {
        MPI_FLOAT, MPI_DOUBLE, MPI_LONG_DOUBLE, MPI_REAL, MPI_DOUBLE_PRECISION,
        MPI_REAL4, MPI_REAL8,  MPI_REAL16,
#ifdef MPI_REAL2
        MPI_REAL2,
#endif
    };
}

std::vector<MPI_Datatype> complex_types()
{
    return {MPI_COMPLEX,           MPI_DOUBLE_COMPLEX,     MPI_COMPLEX8,
            MPI_COMPLEX16,         MPI_COMPLEX32,
#ifdef MPI_COMPLEX4
            MPI_COMPLEX4,
#endif
            MPI_C_FLOAT_COMPLEX,   MPI_C_DOUBLE_COMPLEX,   MPI_C_LONG_DOUBLE_COMPLEX,
            MPI_CXX_FLOAT_COMPLEX, MPI_CXX_DOUBLE_COMPLEX, MPI_CXX_LONG_DOUBLE_COMPLEX};
}

Types::Types()
{
    for (MPI_Datatype datatype : floating_types())
        natures_[datatype] = 'f';
#ifdef MPIX_C_FLOAT16
    natures_[MPIX_C_FLOAT16] = 'f';
#endif
    for (MPI_Datatype datatype : complex_types())
        natures_[datatype] = 'c';
    for (MPI_Datatype datatype : {MPI_2REAL, MPI_2DOUBLE_PRECISION})
        natures_[datatype] = 'c';
    for (MPI_Datatype datatype : {MPI_BYTE, MPI_PACKED})
        natures_[datatype] = 'b';
    const std::uint16_t number = basic_type('i', sizeof(int));
    add_pair(MPI_FLOAT_INT, basic_type('f', sizeof(float)));
    add_pair(MPI_DOUBLE_INT, basic_type('f', sizeof(double)));
    add_pair(MPI_LONG_DOUBLE_INT, basic_type('f', sizeof(long double)));
    add_pair(MPI_LONG_INT, basic_type('i', sizeof(long)));
    add_pair(MPI_SHORT_INT, basic_type('i', sizeof(short)));
    add_pair(MPI_2INT, number);
    add_pair(MPI_2INTEGER, number);
}

bool Types::is_predefined(MPI_Datatype datatype) const
{
    return (origin_of(datatype) == Origin::library && has_type<qmpi::role::datatype>(datatype)) ||
        pairs_.count(datatype) > 0;
}

Types::Shared Types::of(MPI_Datatype datatype)
{
    {
        std::lock_guard<SpinLock> guard(lock_);
        const auto found = types_.find(datatype);
        if (found != types_.end())
            return found->second;
    }
    if (datatype == MPI_DATATYPE_NULL)
        return nullptr;
    return is_predefined(datatype)
        ? remember(datatype, predefined_unit(datatype), [] { return true; })
        : section(datatype);
}

Types::Shared Types::section(MPI_Datatype datatype)
{
    int integers = 0, addresses = 0, types = 0, combiner = 0;
    if (!has_type<qmpi::role::datatype>(datatype) ||
        QMPI_Type_get_envelope(datatype, &integers, &addresses, &types, &combiner) != MPI_SUCCESS ||
        types != 1 || integers < 1 || integers > 2 || addresses > 1 ||
        (combiner != MPI_COMBINER_CONTIGUOUS && combiner != MPI_COMBINER_HVECTOR))
        return nullptr;
    int numbers[2] = {0, 1};
    MPI_Aint stride[1] = {0};
    MPI_Datatype old = MPI_DATATYPE_NULL;
    if (QMPI_Type_get_contents(datatype, integers, addresses, 1, numbers, stride, &old) !=
        MPI_SUCCESS)
        return nullptr;
    const Shared part = of(old);
    std::shared_ptr<Type> type;
    /* Where MPICH 4.0.2 repeats a type with gaps without a stride, the type has other data than the section. */
    const bool is_section =
        part != nullptr && (combiner == MPI_COMBINER_HVECTOR || part->is_contiguous);
    if (is_section && part->size > 0 && numbers[1] == 1) {
        part->blocks(old);
        Runs unit;
        append(unit, part->unit, static_cast<std::uint64_t>(numbers[0]));
        type = make(datatype, std::move(unit), [&] { return part->is_contiguous; });
        if (type != nullptr)
            type->repeated = {
                part, numbers[0],
                combiner == MPI_COMBINER_HVECTOR ? MPI_Count{stride[0]} : part->extent};
    }
    if (!is_predefined(old))
        QMPI_Type_free(&old);
    return type;
}

Signature Types::signature(MPI_Datatype datatype, MPI_Count count)
{
    Signature signature;
    if (count == 0) {
        signature.is_known = true; /* then the datatype is not significant */
        return signature;
    }
    const Shared type = count > 0 ? of(datatype) : nullptr;
    if (type == nullptr || (type->size > 0 && type->unit.empty()))
        return signature;
    signature.is_known = true;
    signature.times = type->unit.empty() ? 0 : static_cast<std::uint64_t>(count);
    signature.unit = type->unit;
    return signature;
}

namespace {

bool are_apart(Types::Blocks blocks)
{
    std::sort(blocks.begin(), blocks.end());
    return std::adjacent_find(blocks.begin(), blocks.end(),
                              [](const Types::Block &a, const Types::Block &b) {
                                  return a.second > b.first;
                              }) == blocks.end();
}

}  // namespace

void Types::made(MPI_Datatype made,
                 const std::vector<std::pair<MPI_Datatype, std::uint64_t>> &parts,
                 const std::function<Blocks()> &blocks)
{
    Runs unit;
    bool is_known = true, are_contiguous = true;
    for (const auto &[datatype, times] : parts) {
        const Shared part = times > 0 ? of(datatype) : nullptr;
        if (times > 0 && (part == nullptr || (part->size > 0 && part->unit.empty())))
            is_known = false;
        if (times > 0 && is_known)
            append(unit, part->unit, times);
        if (times > 0 && (part == nullptr || (part->size > 0 && !part->is_contiguous)))
            are_contiguous = false;
    }
    if (!is_known)
        unit.clear();
    remember(made, std::move(unit),
             [&] { return are_contiguous && (blocks == nullptr || are_apart(blocks())); });
}

void Types::made(MPI_Datatype made, MPI_Datatype old, const std::function<Blocks()> &blocks)
{
    MPI_Count size = 0;
    const Shared part = of(old);
    QMPI_Type_size_x(made, &size);
    const std::uint64_t times =
        part == nullptr || part->size == 0 ? 0 : static_cast<std::uint64_t>(size) / part->size;
    this->made(made, {{old, times}}, blocks);
}

void Types::forget(MPI_Datatype datatype)
{
    std::lock_guard<SpinLock> guard(lock_);
    types_.erase(datatype);
}

void Types::add_pair(MPI_Datatype datatype, std::uint16_t first)
{
    const Run one{first, 1}, two{basic_type('i', sizeof(int)), 1};
    pairs_[datatype] = one.basic == two.basic ? Runs{{first, 2}} : Runs{one, two};
}

int Types::size_in_bytes(MPI_Datatype datatype)
{
    int size = 0;
    QMPI_Type_size(datatype, &size);
    return size;
}

Runs Types::predefined_unit(MPI_Datatype datatype)
{
    const auto pair = pairs_.find(datatype);
    if (pair != pairs_.end())
        return pair->second;
    const int size = size_in_bytes(datatype);
    if (size <= 0)
        return {};
    const auto found = natures_.find(datatype);
    const char nature = found == natures_.end() ? 'i' : found->second;
    const char strict = is_strict_ ? strict_nature(datatype) : nature;
    if (strict != nature && size <= UINT8_MAX)
        return {{basic_type(strict, size), 1}};
    if (nature == 'c')
        return {{basic_type('f', size / 2), 2}};
    return {{basic_type(nature, size), 1}};
}

/* Never destroyed, see class_of_type(). */
char Types::strict_nature(MPI_Datatype datatype)
{
    static const auto &natures = *[] {
        auto *const made = new std::unordered_map<MPI_Datatype, char>;
        const auto set = [made](char nature, const std::vector<MPI_Datatype> &types) {
            for (MPI_Datatype type : types)
                (*made)[type] = nature;
        };
        set('f', floating_types());
        set('z', complex_types());
        set('c', {MPI_2REAL, MPI_2DOUBLE_PRECISION});
        set('u',
            {MPI_UNSIGNED_CHAR, MPI_UNSIGNED_SHORT, MPI_UNSIGNED, MPI_UNSIGNED_LONG,
             MPI_UNSIGNED_LONG_LONG, MPI_UINT8_T, MPI_UINT16_T, MPI_UINT32_T, MPI_UINT64_T});
        set('a', {MPI_CHAR, MPI_CHARACTER, MPI_WCHAR});
        set('l', {MPI_C_BOOL, MPI_CXX_BOOL, MPI_LOGICAL});
        set('o', {MPI_BYTE});
        set('b', {MPI_PACKED});
        return made;
    }();
    const auto found = natures.find(datatype);
    return found == natures.end() ? 'i' : found->second;
}

void Types::append(Runs &unit, const Runs &part, std::uint64_t times)
{
    if (part.size() == 1)
        append(unit, {part[0].basic, part[0].number * times});
    else if (part.size() * times + unit.size() <= 4096) {
        for (std::uint64_t i = 0; i < times; i++) {
            for (const Run &run : part)
                append(unit, run);
        }
    } else {
        unit.clear();
        has_long_ = true;
    }
}

void Types::append(Runs &unit, const Run &run)
{
    if (!unit.empty() && unit.back().basic == run.basic)
        unit.back().number += run.number;
    else
        unit.push_back(run);
}

std::vector<std::int64_t> Type::repeated_blocks() const
{
    constexpr std::size_t most = 1 << 18;
    const Type &part = *repeated.part;
    const std::vector<std::int64_t> whole{part.first, static_cast<std::int64_t>(part.size)};
    const std::vector<std::int64_t> &once = part.is_contiguous ? whole : part.blocks();
    std::vector<std::int64_t> blocks;
    if (once.empty() || static_cast<std::size_t>(repeated.count) > most / once.size())
        return {};
    for (MPI_Count i = 0; i < repeated.count; i++) {
        for (std::size_t j = 0; j + 1 < once.size(); j += 2) {
            const std::int64_t begin = once[j] + i * repeated.stride;
            if (!blocks.empty() && blocks[blocks.size() - 2] + blocks.back() == begin)
                blocks.back() += once[j + 1];
            else if (!blocks.empty() && blocks[blocks.size() - 2] > begin)
                return {}; /* not ascending */
            else
                blocks.insert(blocks.end(), {begin, once[j + 1]});
        }
    }
    return blocks;
}

const std::vector<std::int64_t> &Type::blocks(MPI_Datatype datatype) const
{
    std::call_once(has_blocks_, [&] {
        blocks_ = repeated.part != nullptr ? repeated_blocks() : blocks_of(datatype);
        std::uint64_t bytes = 0;
        for (std::size_t i = 1; i < blocks_.size(); i += 2)
            bytes += static_cast<std::uint64_t>(blocks_[i]);
        overlaps_itself_ = bytes > 0 && bytes < size;
    });
    return blocks_;
}

std::shared_ptr<Type> Types::make(MPI_Datatype datatype, Runs unit,
                                  const std::function<bool()> &is_contiguous)
{
    auto type = std::make_shared<Type>();
    MPI_Count size = 0, bound = 0, extent = 0, true_bound = 0, true_extent = 0;
    if (QMPI_Type_size_x(datatype, &size) != MPI_SUCCESS || size < 0 ||
        QMPI_Type_get_extent_x(datatype, &bound, &extent) != MPI_SUCCESS ||
        QMPI_Type_get_true_extent_x(datatype, &true_bound, &true_extent) != MPI_SUCCESS)
        return nullptr;
    type->size = static_cast<std::uint64_t>(size);
    type->first = true_bound;
    type->extent = extent;
    /* A type of that size has gaps if some of its data is in the same memory. */
    type->is_contiguous = size == extent && size == true_extent && is_contiguous();
    std::uint64_t bytes = 0;
    for (const Run &run : unit)
        bytes += run.bytes();
    if (bytes == type->size)
        type->unit = std::move(unit);
    return type;
}

Types::Shared Types::remember(MPI_Datatype datatype, Runs unit,
                              const std::function<bool()> &is_contiguous)
{
    const Shared type = make(datatype, std::move(unit), is_contiguous);
    if (type == nullptr)
        return nullptr;
    std::lock_guard<SpinLock> guard(lock_);
    types_[datatype] = type;
    return type;
}

}  // namespace qmpi::check
