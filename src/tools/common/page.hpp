/*
 * Copyright (C) by the QMPI for MPICH developers
 *     See COPYRIGHT in top-level directory
 */

/* A report to look at: one HTML page that contains all it needs. Data, style and script are in the one
 * file, which loads nothing else and shows the same without a network. */

#ifndef TOOLS_PAGE_HPP_INCLUDED
#define TOOLS_PAGE_HPP_INCLUDED

#include <nlohmann/json.hpp>

#include <string>
#include <utility>
#include <vector>

namespace tools {

/* What a number is; the page writes it with a prefix that suits its size: 1.50 MiB, 12.3 us. */
enum class Unit {
    number,
    seconds,
    bytes,
    bytes_per_second,
    percent, /* 100 is all */
    text     /* columns of tables only */
};

struct Column {
    std::string title;
    Unit unit = Unit::number; /* all but text stand at the right and are sorted as numbers */
};

/* What process `row` has sent to, or has with, process `column`; both count from 0. */
struct Cell {
    int row;
    int column;
    double value;
};

/* One of several things that a matrix shows in turn. */
struct Measure {
    std::string title;
    Unit unit = Unit::number;
    std::vector<Cell> cells; /* in any order, zeros left out; a pair that comes twice is added up */
};

/* How many had a size of at least `from` and less than `to`. */
struct Bin {
    double from;
    double to;
    double count;
};

/* What lane `lane` (counted from 0) did from `begin` to `end`, in seconds on one clock for all lanes. */
struct Span {
    int lane;
    double begin;
    double end;
    std::string category; /* name of the function, say */
};

/* Parts stand on the page in the order in which they were added. A note is a sentence below the part's
 * title. Texts are UTF-8; what is not is shown as U+FFFD, and nothing in a text acts as HTML. Numbers that
 * are not finite are shown as missing. A page is filled by one thread; the functions throw
 * std::bad_alloc alone, and std::invalid_argument where sizes or indices do not fit together. */
class Page {
  public:
    /* The series or category of this name, time outside MPI, is drawn in a quiet colour. */
    static constexpr const char *application = "Application";

    Page(std::string title, std::string subtitle);

    /* Names and their values: program, ranks, date. */
    void facts(const std::vector<std::pair<std::string, std::string>> &pairs);

    /* A table that can be sorted and filtered. Each row has one value for each column: a number, a text or
     * null for none. Rows stand in the order given until the reader sorts. */
    void table(const std::string &title, const std::vector<Column> &columns,
               const std::vector<std::vector<nlohmann::json>> &rows, const std::string &note = {});

    /* A bar for each row (a rank), made of a part for each series (a function): values[row][series], none
     * negative. Where many series come, the page shows the largest and adds up the rest. */
    void bars(const std::string &title, const std::vector<std::string> &rows,
              const std::vector<std::string> &series,
              const std::vector<std::vector<double>> &values, Unit unit,
              const std::string &note = {});

    /* A matrix of n times n processes as a map of colours, with the totals of rows and columns. */
    void matrix(const std::string &title, int n, const std::vector<Cell> &cells, Unit unit,
                const std::string &note = {});
    void matrix(const std::string &title, int n, const std::vector<Measure> &measures,
                const std::string &note = {});

    /* Columns over sizes, in ascending order; the unit is that of the sizes. A gap between two bins is
     * shown as empty columns. */
    void histogram(const std::string &title, const std::vector<Bin> &bins, Unit unit,
                   const std::string &note = {});

    /* Lanes (ranks, threads) over time. Spans come in any order and need not fill a lane; where they
     * overlap, the one that covers more of a point of the screen is seen. */
    void timeline(const std::string &title, const std::vector<std::string> &lanes,
                  std::vector<Span> spans, const std::string &note = {});

    /* The page as text. */
    std::string html() const;

  private:
    nlohmann::json document;
};

}  // namespace tools

#endif /* TOOLS_PAGE_HPP_INCLUDED */
