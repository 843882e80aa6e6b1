/*
 * Copyright (C) by the QMPI for MPICH developers
 *     See COPYRIGHT in top-level directory
 */

/* A report as one self-contained HTML page that loads nothing else. */

#ifndef QMPI_PAGE_HPP_INCLUDED
#define QMPI_PAGE_HPP_INCLUDED

#include <nlohmann/json.hpp>

#include <string>
#include <utility>
#include <vector>

namespace qmpi {
inline namespace v1 {

/* Unit of a number; the page adds a prefix for its magnitude: 1.50 MiB, 12.3 us. */
enum class Unit {
    number,
    seconds,
    bytes,
    bytes_per_second,
    percent, /* 100 is all */
    text     /* columns of tables only */
};

/* A column of a table; see Table for reports that are no pages. */
struct Column {
    std::string title;        /* in the page; empty: not in it */
    Unit unit = Unit::number; /* all but text are right-aligned and sorted as numbers */
    std::string key = {}; /* in JSON and CSV; a/b: member b of the object a; empty: not in them */

    struct Text {
        std::string title = {}; /* empty: that of the page */
        int width = 0;          /* at least; 0: not in the text */
        int digits = 0;         /* after the decimal point */
        double factor = 1;      /* of numbers that are not whole, as 1e3 for milliseconds */
    };
    Text text = {};
};

/* Value between process `row` and process `column`, from 0. */
struct Cell {
    int row;
    int column;
    double value;
};

/* One of the alternatives of a matrix. */
struct Measure {
    std::string title;
    Unit unit = Unit::number;
    std::vector<Cell> cells; /* in any order, without zeros; duplicates are added */
};

/* Number of items of size from <= size < to. */
struct Bin {
    double from;
    double to;
    double count;
};

/* Activity of a lane (from 0), in seconds on a common clock. */
struct Span {
    int lane;
    double begin;
    double end;
    std::string category; /* for example the name of a function */
};

enum class Tone { good, doubtful, bad };

/* Sentences below a heading of their own. */
struct Remark {
    std::string title;
    std::vector<std::string> lines;
};

/* Lines of a file, of which one is marked. */
struct Excerpt {
    std::string title;
    int first; /* number of the first line */
    int marked;
    std::vector<std::string> lines;
};

/* Something that was found, with a line for each process or set of them. Items of a group appear
 * together. */
struct Item {
    struct Line {
        std::string who;
        std::string text;
    };

    std::string group;
    std::string title;
    std::vector<Line> lines;
    std::vector<Excerpt> excerpts;
    std::string code; /* for the reader to copy */
};

struct Node {
    std::string name;
    std::vector<std::string> lines;
};

/* Between nodes, from 0. */
struct Arrow {
    int from, to;
    std::string text;
};

/* Parts appear in the order added. A note is a sentence below the title. Texts are UTF-8; invalid
 * bytes are shown as U+FFFD, and nothing is interpreted as HTML. Numbers that are not finite are
 * shown as missing. Not thread-safe. Functions throw std::bad_alloc, and std::invalid_argument if
 * sizes or indices do not match. */
class Page {
  public:
    /* Series or category for time outside MPI, drawn in a muted colour. */
    static constexpr const char *application = "Application";

    Page(std::string title, std::string subtitle);

    /* Name and value pairs: program, ranks, date. */
    void facts(const std::vector<std::pair<std::string, std::string>> &pairs);

    /* A table with sorting and filters. A row has one value per column: a number, a text or null.
     * Rows keep their order until the reader sorts. */
    void table(const std::string &title, const std::vector<Column> &columns,
               const std::vector<std::vector<nlohmann::json>> &rows, const std::string &note = {});

    /* Stacked bars: values[row][series], none negative. The page shows the largest series and adds
     * up the rest. */
    void bars(const std::string &title, const std::vector<std::string> &rows,
              const std::vector<std::string> &series,
              const std::vector<std::vector<double>> &values, Unit unit,
              const std::string &note = {});

    /* Matrix of n * n processes as a colour map with row and column totals. */
    void matrix(const std::string &title, int n, const std::vector<Cell> &cells, Unit unit,
                const std::string &note = {});
    void matrix(const std::string &title, int n, const std::vector<Measure> &measures,
                const std::string &note = {});

    /* Histogram with ascending sizes in the unit. Gaps between bins are shown as empty columns. */
    void histogram(const std::string &title, const std::vector<Bin> &bins, Unit unit,
                   const std::string &note = {});

    /* Timeline of lanes (ranks, threads). Spans may be in any order and leave gaps; where they
     * overlap, the one that covers more of a pixel is shown. */
    void timeline(const std::string &title, const std::vector<std::string> &lanes,
                  std::vector<Span> spans, const std::string &note = {});

    /* A sentence that sums up the report, and what the reader must know of it. */
    void summary(const std::string &title, const std::string &text, Tone tone,
                 const std::vector<Remark> &remarks, const std::string &note = {});

    void items(const std::string &title, const std::vector<Item> &items,
               const std::string &note = {});

    /* A drawing of nodes and arrows, with the cycles highlighted. */
    void graph(const std::string &title, const std::vector<Node> &nodes,
               const std::vector<Arrow> &arrows, const std::string &note = {});

    /* The page as text. */
    std::string html() const;

  private:
    nlohmann::json document_;
};

}  // namespace v1
}  // namespace qmpi

#endif /* QMPI_PAGE_HPP_INCLUDED */
