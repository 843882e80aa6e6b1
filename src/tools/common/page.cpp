/*
 * Copyright (C) by the QMPI for MPICH developers
 *     See COPYRIGHT in top-level directory
 */

#include "page.hpp"

#include "page_assets.hpp" /* page/page.css, and page/page.mjs with its modules, as text */

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <map>
#include <stdexcept>
#include <tuple>

namespace qmpi {
inline namespace v1 {

namespace {

using nlohmann::json;

/* ---- compact data ---- */

/* Seven significant digits are enough and half as long; whole numbers stay exact. */
json number(double value)
{
    const double largest_whole = 9007199254740992; /* 2^53 */

    if (!std::isfinite(value))
        return nullptr;
    if (value == std::floor(value) && std::fabs(value) < largest_whole)
        return static_cast<std::int64_t>(value);
    const double exponent = 6 - std::floor(std::log10(std::fabs(value)));
    if (std::fabs(exponent) > 300)
        return value;
    const double scale = std::pow(10.0, exponent);
    return std::round(value * scale) / scale;
}

/* Run-length encoding: a value that repeats becomes [value, count]. Values are never lists. */
class Packed {
  public:
    void add(json value)
    {
        if (times_ > 0 && value == last_) {
            times_++;
            return;
        }
        write_last();
        last_ = std::move(value);
        times_ = 1;
    }

    json take()
    {
        write_last();
        times_ = 0;
        return std::move(list_);
    }

  private:
    void write_last()
    {
        if (times_ > 2)
            list_.push_back(json::array({last_, times_}));
        else
            for (std::uint64_t i = 0; i < times_; i++)
                list_.push_back(last_);
    }

    json list_ = json::array();
    json last_;
    std::uint64_t times_ = 0;
};

json packed(const std::vector<std::string> &texts)
{
    Packed list;
    for (const std::string &text : texts)
        list.add(text);
    return list.take();
}

/* Numbers, texts and null are allowed in a table. */
json table_value(const json &value)
{
    if (value.is_number_float())
        return number(value.get<double>());
    if (value.is_structured())
        return value.dump(-1, ' ', false, json::error_handler_t::replace);
    return value;
}

const char *name_of(Unit unit)
{
    switch (unit) {
    case Unit::number:
        return "number";
    case Unit::seconds:
        return "seconds";
    case Unit::bytes:
        return "bytes";
    case Unit::bytes_per_second:
        return "bytes_per_second";
    case Unit::percent:
        return "percent";
    case Unit::text:
        break;
    }
    return "text";
}

void require(bool fits, const char *what)
{
    if (!fits)
        throw std::invalid_argument(what);
}

/* ---- the parts ---- */

json part(const char *kind, const std::string &title, const std::string &note)
{
    json made = {{"kind", kind}, {"title", title}};
    if (!note.empty())
        made["note"] = note;
    return made;
}

/* Cells as distances in reading order, and their values. */
json measure_json(int n, const Measure &measure)
{
    std::vector<std::pair<std::int64_t, double>> cells;

    cells.reserve(measure.cells.size());
    for (const Cell &cell : measure.cells) {
        require(cell.row >= 0 && cell.row < n && cell.column >= 0 && cell.column < n,
                "Page::matrix: a cell outside the matrix");
        if (std::isfinite(cell.value) && cell.value != 0)
            cells.emplace_back(std::int64_t{cell.row} * n + cell.column, cell.value);
    }
    std::sort(cells.begin(), cells.end());

    Packed gaps, values;
    std::int64_t before = 0;
    for (auto cell = cells.begin(); cell != cells.end();) {
        const std::int64_t index = cell->first;
        double sum = 0;
        for (; cell != cells.end() && cell->first == index; ++cell)
            sum += cell->second;
        gaps.add(index - before);
        values.add(number(sum));
        before = index;
    }
    return {{"title", measure.title},
            {"unit", name_of(measure.unit)},
            {"gaps", gaps.take()},
            {"values", values.take()}};
}

std::int64_t nanoseconds(double seconds)
{
    return static_cast<std::int64_t>(std::llround(seconds * 1e9));
}

/* ---- the text of the page ---- */

/* JSON for a script element: "</script>" in a text cannot end it. */
std::string embedded(const json &value)
{
    const std::string text = value.dump(-1, ' ', false, json::error_handler_t::replace);
    std::string safe;

    safe.reserve(text.size());
    for (char c : text) {
        if (c == '<')
            safe += "\\u003c";
        else
            safe += c;
    }
    return safe;
}

/* Text for HTML content; U+FFFD replaces invalid UTF-8. */
std::string escaped(const json &text)
{
    const std::string valid =
        json::parse(text.dump(-1, ' ', false, json::error_handler_t::replace)).get<std::string>();
    std::string safe;

    for (char c : valid) {
        if (c == '<')
            safe += "&lt;";
        else if (c == '&')
            safe += "&amp;";
        else
            safe += c;
    }
    return safe;
}

}  // namespace

Page::Page(std::string title, std::string subtitle)
    : document_{
          {"title", std::move(title)}, {"subtitle", std::move(subtitle)}, {"parts", json::array()}}
{
}

void Page::facts(const std::vector<std::pair<std::string, std::string>> &pairs)
{
    json list = json::array();
    for (const auto &[name, value] : pairs)
        list.push_back(json::array({name, value}));
    document_["parts"].push_back({{"kind", "facts"}, {"facts", std::move(list)}});
}

void Page::table(const std::string &title, const std::vector<Column> &columns,
                 const std::vector<std::vector<nlohmann::json>> &rows, const std::string &note)
{
    for (const auto &row : rows)
        require(row.size() == columns.size(), "Page::table: a row does not match the columns");

    json list = json::array();
    for (std::size_t i = 0; i < columns.size(); i++) {
        Packed values;
        for (const auto &row : rows)
            values.add(table_value(row[i]));
        list.push_back({{"title", columns[i].title},
                        {"unit", name_of(columns[i].unit)},
                        {"values", values.take()}});
    }
    json made = part("table", title, note);
    made["columns"] = std::move(list);
    document_["parts"].push_back(std::move(made));
}

void Page::bars(const std::string &title, const std::vector<std::string> &rows,
                const std::vector<std::string> &series,
                const std::vector<std::vector<double>> &values, Unit unit, const std::string &note)
{
    require(values.size() == rows.size(), "Page::bars: number of values and of rows differ");
    for (const auto &row : values)
        require(row.size() == series.size(), "Page::bars: number of values and of series differ");

    json list = json::array();
    for (std::size_t i = 0; i < series.size(); i++) {
        Packed parts;
        for (const auto &row : values)
            parts.add(number(row[i]));
        list.push_back({{"name", series[i]}, {"values", parts.take()}});
    }
    json made = part("bars", title, note);
    made["rows"] = packed(rows);
    made["series"] = std::move(list);
    made["unit"] = name_of(unit);
    document_["parts"].push_back(std::move(made));
}

void Page::matrix(const std::string &title, int n, const std::vector<Cell> &cells, Unit unit,
                  const std::string &note)
{
    matrix(title, n, std::vector<Measure>{{std::string{}, unit, cells}}, note);
}

void Page::matrix(const std::string &title, int n, const std::vector<Measure> &measures,
                  const std::string &note)
{
    json list = json::array();
    for (const Measure &measure : measures)
        list.push_back(measure_json(n, measure));
    json made = part("matrix", title, note);
    made["n"] = n;
    made["measures"] = std::move(list);
    document_["parts"].push_back(std::move(made));
}

void Page::histogram(const std::string &title, const std::vector<Bin> &bins, Unit unit,
                     const std::string &note)
{
    json list = json::array();
    for (const Bin &bin : bins)
        list.push_back(json::array({number(bin.from), number(bin.to), number(bin.count)}));
    json made = part("histogram", title, note);
    made["bins"] = std::move(list);
    made["unit"] = name_of(unit);
    document_["parts"].push_back(std::move(made));
}

void Page::timeline(const std::string &title, const std::vector<std::string> &lanes,
                    std::vector<Span> spans, const std::string &note)
{
    auto is_missing = [](const Span &span) {
        return !(std::isfinite(span.begin) && std::isfinite(span.end) && span.begin <= span.end);
    };
    spans.erase(std::remove_if(spans.begin(), spans.end(), is_missing), spans.end());
    for (const Span &span : spans)
        require(span.lane >= 0 && static_cast<std::size_t>(span.lane) < lanes.size(),
                "Page::timeline: a span outside the lanes");
    std::sort(spans.begin(), spans.end(), [](const Span &a, const Span &b) {
        return std::tie(a.lane, a.begin, a.end) < std::tie(b.lane, b.begin, b.end);
    });

    /* Each span as its gap to the previous one in its lane, and its length; without gaps only the
     * length. */
    Packed in_lane, gaps, lengths, categories;
    std::map<std::string, int> numbers;
    std::vector<std::string> names;
    double origin = spans.empty() ? 0 : spans.front().begin;
    for (const Span &span : spans)
        origin = std::min(origin, span.begin);
    int lane = -1;
    std::int64_t before = 0;
    for (const Span &span : spans) {
        const std::int64_t begin = nanoseconds(span.begin - origin);
        const std::int64_t end = nanoseconds(span.end - origin);
        if (span.lane != lane)
            before = 0;
        lane = span.lane;
        const auto [known, is_new] = numbers.emplace(span.category, static_cast<int>(names.size()));
        if (is_new)
            names.push_back(span.category);
        in_lane.add(lane);
        gaps.add(begin - before);
        lengths.add(end - begin);
        categories.add(known->second);
        before = end;
    }

    json made = part("timeline", title, note);
    made["lanes"] = packed(lanes);
    made["categories"] = std::move(names);
    made["origin"] = number(origin);
    made["spans"] = {{"lanes", in_lane.take()},
                     {"gaps", gaps.take()},
                     {"lengths", lengths.take()},
                     {"categories", categories.take()}};
    document_["parts"].push_back(std::move(made));
}

void Page::summary(const std::string &title, const std::string &text, Tone tone,
                   const std::vector<Remark> &remarks, const std::string &note)
{
    json list = json::array();
    for (const Remark &remark : remarks)
        list.push_back({{"title", remark.title}, {"lines", remark.lines}});
    json made = part("summary", title, note);
    made["text"] = text;
    made["tone"] = tone == Tone::good ? "good" : tone == Tone::bad ? "bad" : "doubtful";
    made["remarks"] = std::move(list);
    document_["parts"].push_back(std::move(made));
}

void Page::items(const std::string &title, const std::vector<Item> &items, const std::string &note)
{
    json list = json::array();
    for (const Item &item : items) {
        json lines = json::array(), excerpts = json::array();
        for (const Item::Line &line : item.lines)
            lines.push_back({{"who", line.who}, {"text", line.text}});
        for (const Excerpt &excerpt : item.excerpts)
            excerpts.push_back({{"title", excerpt.title},
                                {"first", excerpt.first},
                                {"marked", excerpt.marked},
                                {"lines", excerpt.lines}});
        list.push_back({{"group", item.group},
                        {"title", item.title},
                        {"lines", std::move(lines)},
                        {"excerpts", std::move(excerpts)},
                        {"code", item.code}});
    }
    json made = part("items", title, note);
    made["items"] = std::move(list);
    document_["parts"].push_back(std::move(made));
}

void Page::graph(const std::string &title, const std::vector<Node> &nodes,
                 const std::vector<Arrow> &arrows, const std::string &note)
{
    const int number = static_cast<int>(nodes.size());
    json drawn = json::array(), drawn_arrows = json::array();
    for (const Node &node : nodes)
        drawn.push_back({{"name", node.name}, {"lines", node.lines}});
    for (const Arrow &arrow : arrows) {
        require(arrow.from >= 0 && arrow.from < number && arrow.to >= 0 && arrow.to < number,
                "Page::graph: an arrow without a node");
        drawn_arrows.push_back({{"from", arrow.from}, {"to", arrow.to}, {"text", arrow.text}});
    }
    json made = part("graph", title, note);
    made["nodes"] = std::move(drawn);
    made["arrows"] = std::move(drawn_arrows);
    document_["parts"].push_back(std::move(made));
}

/* The content security policy blocks all loading, and all scripts but the page's own, whatever the
 * texts contain. */
std::string Page::html() const
{
    std::string text;

    text +=
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
        "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; "
        "style-src 'unsafe-inline'; script-src 'sha256-";
    text += page_js_hash;
    text +=
        "'\">\n<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<title>";
    text += escaped(document_["title"]);
    text += "</title>\n<style>\n";
    text += page_css;
    text +=
        "</style>\n</head>\n<body>\n"
        "<noscript><p>This report needs JavaScript, which the browser has disabled.</p>"
        "</noscript>\n<script type=\"application/json\" id=\"data\">";
    text += embedded(document_);
    text += "</script>\n<script>";
    text += page_js;
    text += "</script>\n</body>\n</html>\n";
    return text;
}

}  // namespace v1
}  // namespace qmpi
