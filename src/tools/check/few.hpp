/*
 * Copyright (C) by the QMPI for MPICH developers
 *     See COPYRIGHT in top-level directory
 */

#ifndef TOOLS_CHECK_FEW_HPP_INCLUDED
#define TOOLS_CHECK_FEW_HPP_INCLUDED

#include <array>
#include <cstddef>
#include <initializer_list>
#include <iterator>
#include <utility>
#include <vector>

namespace qmpi::check {

/* A std::vector that allocates no memory for that number of elements or fewer. */
template <typename Element, std::size_t few>
class Few {
  public:
    Few() = default;
    Few(std::initializer_list<Element> elements)
    {
        for (const Element &element : elements)
            push_back(element);
    }
    Few(const Few &) = default;
    Few &operator=(const Few &) = default;
    Few(Few &&other) noexcept
        : size_(std::exchange(other.size_, 0)), first_(std::move(other.first_)),
          all_(std::move(other.all_))
    {
    }
    Few &operator=(Few &&other) noexcept
    {
        size_ = std::exchange(other.size_, 0);
        first_ = std::move(other.first_);
        all_ = std::move(other.all_);
        return *this;
    }

    std::size_t size() const { return size_; }
    bool empty() const { return size_ == 0; }
    Element *begin() { return size_ <= few ? first_.data() : all_.data(); }
    Element *end() { return begin() + size_; }
    const Element *begin() const { return size_ <= few ? first_.data() : all_.data(); }
    const Element *end() const { return begin() + size_; }
    Element &operator[](std::size_t i) { return begin()[i]; }
    const Element &operator[](std::size_t i) const { return begin()[i]; }
    Element &back() { return end()[-1]; }

    void push_back(Element element) { emplace_back() = std::move(element); }

    Element &emplace_back()
    {
        if (size_ == few)
            all_.assign(std::make_move_iterator(first_.begin()),
                        std::make_move_iterator(first_.end()));
        if (size_++ >= few)
            return all_.emplace_back();
        return first_[size_ - 1] = Element();
    }

    void clear() { *this = Few(); }

  private:
    std::size_t size_ = 0;
    std::array<Element, few> first_{};
    std::vector<Element> all_; /* if there are more */
};

}  // namespace qmpi::check

#endif /* TOOLS_CHECK_FEW_HPP_INCLUDED */
