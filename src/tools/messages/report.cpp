/*
 * Copyright (C) by the QMPI for MPICH developers
 *     See COPYRIGHT in top-level directory
 */

#include "report.hpp"

#include "options.hpp"

#include "../common/envelope.hpp"
#include "../common/process.hpp"
#include "../common/record_report.hpp"
#include "../common/table.hpp"

#include <nlohmann/json.hpp>

#include <cinttypes>
#include <memory>
#include <string>
#include <tuple>
#include <utility>

namespace qmpi::messages {

const char *name_of(Kind kind)
{
    switch (kind) {
    case Kind::point_to_point:
        return "point-to-point";
    case Kind::collective:
        return "collective";
    case Kind::one_sided:
        return "one-sided";
    }
    return "";
}

namespace {

using nlohmann::json;

constexpr std::array<Kind, 3> kinds{Kind::point_to_point, Kind::collective, Kind::one_sided};

/* Messages from one process to another, as seen by both. */
struct Pair {
    int phase;
    Kind kind;
    int from, to;
    Sums sent, received;

    /* Best known number: for one-sided operations, the side that made the call; for messages the
     * sender, or the receiver if only it reported. */
    Sums moved() const
    {
        if (kind != Kind::one_sided)
            return sent.messages > 0 ? sent : received;
        Sums sums = sent;
        sums.add(received);
        return sums;
    }
};

class Report {
  public:
    Report(const State &state, Heading heading) : state_(state), heading_(std::move(heading))
    {
        for (const Entry &entry : state_.entries) {
            Pair &pair = pair_of(pairs_, entry);
            (entry.side == Side::sent ? pair.sent : pair.received).add(entry.sums);
        }
        std::map<std::pair<int, int>, Pair> sum;
        for (const Pair &pair : pairs_) {
            Pair &all = sum.try_emplace({pair.from, pair.to},
                                        Pair{0, pair.kind, pair.from, pair.to, {}, {}})
                            .first->second;
            all.sent.add(pair.moved());
            kinds_of_totals_[pair.kind].add(pair);
        }
        for (auto &[key, pair] : sum)
            ranking_.push_back(pair);
        std::stable_sort(ranking_.begin(), ranking_.end(), [](const Pair &a, const Pair &b) {
            return std::tie(a.sent.bytes, a.sent.messages) >
                std::tie(b.sent.bytes, b.sent.messages);
        });
        find_differences();
        for (const auto &[key, sums] : state_.functions)
            functions_[key.second].add(sums);
    }

    std::string make(Format format) const
    {
        switch (format) {
        case Format::text:
            return text();
        case Format::json:
            return as_json();
        case Format::csv:
            return csv();
        case Format::html:
            return page();
        default:
            return {};
        }
    }

  private:
    struct Totals {
        Sums all, own;

        void add(const Pair &pair)
        {
            all.add(pair.moved());
            if (pair.from == pair.to)
                own.add(pair.moved());
        }
    };

    /* Entries are sorted: the pair is the last one or new. */
    static Pair &pair_of(std::vector<Pair> &pairs, const Entry &entry)
    {
        if (pairs.empty() ||
            std::tie(pairs.back().phase, pairs.back().kind, pairs.back().from, pairs.back().to) !=
                std::tie(entry.phase, entry.kind, entry.from, entry.to))
            pairs.push_back({entry.phase, entry.kind, entry.from, entry.to, {}, {}});
        return pairs.back();
    }

    /* Without phases: a message may be sent in one and received in the next. */
    void find_differences()
    {
        if (!is_compared())
            return;
        std::map<std::tuple<Kind, int, int>, Pair> sum;
        for (const Pair &pair : pairs_) {
            if (pair.kind == Kind::one_sided || pair.from < 0 || pair.to < 0)
                continue;
            Pair &all = sum.try_emplace({pair.kind, pair.from, pair.to},
                                        Pair{0, pair.kind, pair.from, pair.to, {}, {}})
                            .first->second;
            all.sent.add(pair.sent);
            all.received.add(pair.received);
        }
        for (const auto &[key, pair] : sum) {
            if (pair.sent.messages != pair.received.messages ||
                pair.sent.bytes != pair.received.bytes)
                differences_.push_back(pair);
        }
    }

    std::string row_name(int row) const
    {
        if (row < 0)
            return "outside";
        if (heading_.rows.block == 1)
            return std::to_string(row);
        const int last = std::min((row + 1) * heading_.rows.block, heading_.rows.processes) - 1;
        return std::to_string(row * heading_.rows.block) + "-" + std::to_string(last);
    }

    /* Without phases. */
    using Functions = std::vector<std::pair<std::pair<int, int>, FunctionSums>>;
    Functions functions_by_bytes() const
    {
        Functions sorted;
        for (const auto &[function, sums] : functions_)
            sorted.push_back({{0, function}, sums});
        std::stable_sort(sorted.begin(), sorted.end(), [](const auto &a, const auto &b) {
            return a.second.sent_bytes + a.second.received_bytes >
                b.second.sent_bytes + b.second.received_bytes;
        });
        return sorted;
    }

    Totals all_kinds() const
    {
        Totals all;
        for (const auto &[kind, totals] : kinds_of_totals_) {
            all.all.add(totals.all);
            all.own.add(totals.own);
        }
        return all;
    }

    /* True if the report has both ends of all messages. */
    bool is_compared() const
    {
        return heading_.is_whole && !heading_.is_alone && heading_.introduction.absent.empty();
    }

    std::string instance() const
    {
        const Introduction &own = heading_.introduction;
        return instance_text(own.instance, own.instances, own.tool_id);
    }

    std::string title() const { return "Messages of " + heading_.introduction.program; }

    std::string processes() const
    {
        if (heading_.is_alone)
            return "one process only";
        return number_of(heading_.rows.processes, "process", "es") + " of MPI_COMM_WORLD" +
            absent_text(heading_.introduction.absent);
    }

    /* A name if all rows have names, so that the column sorts correctly. */
    json row_value(int row) const
    {
        return heading_.rows.block == 1 && row >= 0 ? json(row) : json(row_name(row));
    }

    /* ---- tables ---- */

    qmpi::Table totals() const
    {
        qmpi::Table table("",
                          {{"", Unit::text, "", {"Kind", 16}},
                           {"", Unit::number, "", {"Messages", 14}},
                           {"", Unit::bytes, "", {"Bytes", 18}},
                           {"", Unit::number, "", {"To itself", 14}},
                           {"", Unit::bytes, "", {"Bytes", 18}}});
        auto row = [](const char *name, const Totals &totals) {
            return qmpi::Table::Row{name, totals.all.messages, totals.all.bytes,
                                    totals.own.messages, totals.own.bytes};
        };
        for (const auto &[kind, totals] : kinds_of_totals_)
            table.add(row(name_of(kind), totals));
        table.total = row("(all)", all_kinds());
        return table;
    }

    /* Functions: sums by phase and id. */
    template <typename Functions>
    static qmpi::Table functions(const Functions &functions)
    {
        qmpi::Table table("Functions",
                          {{"", Unit::number, "phase"},
                           {"Function", Unit::text, "function", {"", 26}},
                           {"Operations", Unit::number, "operations", {"", 12}},
                           {"Sent", Unit::number, "sent_messages", {"", 14}},
                           {"Bytes sent", Unit::bytes, "sent_bytes", {"Bytes", 18}},
                           {"Received", Unit::number, "received_messages", {"", 14}},
                           {"Bytes received", Unit::bytes, "received_bytes", {"Bytes", 18}},
                           {"Time", Unit::seconds, "time_s", {"Time (s)", 12, 6}},
                           {"Unfinished", Unit::number, "unfinished"}});
        for (const auto &[key, sums] : functions) {
            const auto [phase, function] = key;
            table.add({phase, function_name(function), sums.operations, sums.sent_messages,
                       sums.sent_bytes, sums.received_messages, sums.received_bytes,
                       seconds(sums.time), sums.unfinished});
        }
        return table;
    }

    /* The first in the ranking. */
    qmpi::Table pairs(std::size_t most) const
    {
        qmpi::Table table("Pairs with the most bytes",
                          {{"From", Unit::number, "", {"", 12}},
                           {"To", Unit::number, "", {"", 12}},
                           {"Messages", Unit::number, "", {"", 14}},
                           {"Bytes", Unit::bytes, "", {"", 18}},
                           {"Time", Unit::seconds, "", {"Time (s)", 12, 6}},
                           {"Min bandwidth", Unit::bytes_per_second, "", {"Min", 10, 2, 1e-6}},
                           {"Mean bandwidth", Unit::bytes_per_second, "", {"Mean", 10, 2, 1e-6}},
                           {"Max bandwidth", Unit::bytes_per_second, "", {"Max", 10, 2, 1e-6}}});
        for (const Pair &pair : ranking_) {
            if (table.rows.size() == most)
                break;
            qmpi::Table::Row row{row_value(pair.from), row_value(pair.to)};
            for (const json &value : values_of(pair.sent))
                row.push_back(value);
            table.add(std::move(row));
        }
        table.note = print(
            "%zu of %zu pairs. Times are from the start of a message until its "
            "completion is seen.",
            table.rows.size(), ranking_.size());
        return table;
    }

    qmpi::Table differences() const
    {
        qmpi::Table table("Sent and received messages differ",
                          {{"Kind", Unit::text, "kind", {"", 16}},
                           {"From", Unit::number, "", {"", 12}},
                           {"", Unit::number, "from"},
                           {"To", Unit::number, "", {"", 12}},
                           {"", Unit::number, "to"},
                           {"Sent", Unit::number, "sent_messages", {"", 14}},
                           {"Bytes sent", Unit::bytes, "sent_bytes", {"Bytes", 18}},
                           {"Received", Unit::number, "received_messages", {"", 14}},
                           {"Bytes received", Unit::bytes, "received_bytes", {"Bytes", 18}}});
        for (const Pair &pair : differences_)
            table.add({name_of(pair.kind), row_value(pair.from), pair.from, row_value(pair.to),
                       pair.to, pair.sent.messages, pair.sent.bytes, pair.received.messages,
                       pair.received.bytes});
        return table;
    }

    /* ---- text ---- */

    std::string text() const
    {
        std::string out = "messages: " + instance() + ", " + processes() + "\n";
        out += print("program %s, %s, %.3f s\n\n", heading_.introduction.program.c_str(),
                     heading_.introduction.begin.c_str(), heading_.seconds);
        out += totals().text() + "\n" + functions(functions_by_bytes()).text() + "\n";
        return out + text_of_pairs() + text_of_matrix() + text_of_differences() +
            text_of_unfinished();
    }

    std::string text_of_pairs() const
    {
        const qmpi::Table table = pairs(static_cast<std::size_t>(heading_.top));
        return table.rows.empty()
            ? ""
            : print("Pairs with the most bytes: %zu of %zu (bandwidth in MB/s)\n",
                    table.rows.size(), ranking_.size()) +
                table.text() + "\n";
    }

    /* Text shows small matrices only. */
    std::string text_of_matrix() const
    {
        if (heading_.is_alone || heading_.rows.number > 16)
            return {};
        std::map<std::pair<int, int>, std::uint64_t> bytes;
        std::map<int, std::uint64_t> sent, received;
        for (const Pair &pair : ranking_) {
            if (pair.from < 0 || pair.to < 0)
                continue;
            bytes[{pair.from, pair.to}] += pair.sent.bytes;
            sent[pair.from] += pair.sent.bytes;
            received[pair.to] += pair.sent.bytes;
        }
        std::string out = print("Bytes from (row) to (column)\n%12s", "");
        for (int to = 0; to < heading_.rows.number; to++)
            out += print(" %12s", row_name(to).c_str());
        out += print(" %14s\n", "(all)");
        std::uint64_t all = 0;
        for (int from = 0; from < heading_.rows.number; from++) {
            out += print("%12s", row_name(from).c_str());
            for (int to = 0; to < heading_.rows.number; to++)
                out += print(" %12" PRIu64, bytes[{from, to}]);
            out += print(" %14" PRIu64 "\n", sent[from]);
            all += sent[from];
        }
        out += print("%12s", "(all)");
        for (int to = 0; to < heading_.rows.number; to++)
            out += print(" %12" PRIu64, received[to]);
        return out + print(" %14" PRIu64 "\n\n", all);
    }

    std::string text_of_differences() const
    {
        if (heading_.is_alone)
            return {};
        if (!heading_.is_whole)
            return "Functions were excluded: sent and received messages are not "
                   "compared.\n";
        if (!is_compared())
            return "Processes are not in the report: sent and received messages are not "
                   "compared.\n";
        if (differences_.empty())
            return "All messages that were sent were received.\n";
        const qmpi::Table table = differences();
        return table.title + "\n" + table.text();
    }

    std::string text_of_unfinished() const
    {
        std::string out;
        for (const auto &[function, sums] : functions_) {
            if (sums.unfinished > 0)
                out +=
                    print("%s: %" PRIu64 " not counted: never completed, or freed while active\n",
                          function_name(function), sums.unfinished);
        }
        return out;
    }

    /* ---- JSON and CSV ---- */

    static qmpi::Table::Row values_of(const Sums &sums)
    {
        qmpi::Table::Row values{sums.messages, sums.bytes, seconds(sums.time)};
        for (double value : {sums.min_bandwidth, sums.mean_bandwidth(), sums.max_bandwidth})
            values.push_back(sums.has_bandwidth() ? json(value) : json());
        return values;
    }

    json totals_as_json() const
    {
        json totals = json::object();
        for (const auto &[kind, sums] : kinds_of_totals_) {
            totals[name_of(kind)] = {
                {"messages", sums.all.messages},
                {"bytes", sums.all.bytes},
                {"own", {{"messages", sums.own.messages}, {"bytes", sums.own.bytes}}}};
        }
        return totals;
    }

    json sizes_as_json() const
    {
        json list = json::array();
        for (const Bin &bin : bins())
            list.push_back({{"from", bin.from}, {"to", bin.to}, {"messages", bin.count}});
        return list;
    }

    /* There may be a million pairs: write the text line by line. */
    std::string as_json() const
    {
        json document = envelope(heading_.introduction, heading_.end, heading_.rows.processes,
                                 heading_.is_alone);
        document["duration_s"] = heading_.seconds;
        document["block"] = heading_.rows.block;
        document["compared"] = is_compared();
        document["totals"] = totals_as_json();
        document["functions"] = functions(state_.functions).json();
        document["differences"] = differences().json();
        document["sizes"] = sizes_as_json();
        document["pair_columns"] = {"phase",
                                    "kind",
                                    "from",
                                    "to",
                                    "sent_messages",
                                    "sent_bytes",
                                    "sent_time_s",
                                    "sent_bandwidth_min",
                                    "sent_bandwidth_mean",
                                    "sent_bandwidth_max",
                                    "received_messages",
                                    "received_bytes",
                                    "received_time_s",
                                    "received_bandwidth_min",
                                    "received_bandwidth_mean",
                                    "received_bandwidth_max"};
        std::string out = json_text(document);
        out.resize(out.rfind("\n}"));
        out += ",\n \"pairs\": [";
        const char *separator = "\n  ";
        for (const Pair &pair : pairs_) {
            qmpi::Table::Row row{pair.phase, name_of(pair.kind), pair.from, pair.to};
            for (const Sums *sums : {&pair.sent, &pair.received}) {
                const qmpi::Table::Row values = values_of(*sums);
                row.insert(row.end(), values.begin(), values.end());
            }
            out += separator + json(row).dump();
            separator = ",\n  ";
        }
        return out + "\n ]\n}\n";
    }

    /* Of each side, as the state has them. */
    std::string csv() const
    {
        qmpi::Table table("",
                          {{"", Unit::text, "tool"},
                           {"", Unit::text, "kind"},
                           {"", Unit::number, "phase"},
                           {"", Unit::number, "from"},
                           {"", Unit::number, "to"},
                           {"", Unit::text, "side"},
                           {"", Unit::number, "messages"},
                           {"", Unit::bytes, "bytes"},
                           {"", Unit::seconds, "time_s"}});
        for (const Entry &entry : state_.entries)
            table.add({"messages", name_of(entry.kind), entry.phase, entry.from, entry.to,
                       entry.side == Side::sent ? "sent" : "received", entry.sums.messages,
                       entry.sums.bytes, seconds(entry.sums.time)});
        return table.csv();
    }

    /* ---- page ---- */

    std::vector<Bin> bins() const
    {
        std::vector<Bin> bins;
        for (std::size_t i = 0; i < state_.sizes.size(); i++) {
            if (state_.sizes[i] == 0)
                continue;
            bins.push_back({first_size(i), next_size(i), static_cast<double>(state_.sizes[i])});
        }
        return bins;
    }

    std::string page() const
    {
        Page page(title(), processes());
        add_facts(page);
        add_matrix(page);
        add_bars(page);
        page.histogram("Message sizes", bins(), Unit::bytes);
        pairs(1000).add_to(page);
        functions(functions_by_bytes()).add_to(page);
        if (!differences_.empty())
            differences().add_to(page);
        return page.html();
    }

    static std::string with_own(std::uint64_t all, std::uint64_t own)
    {
        return grouped(all) + " (" + grouped(own) + " of a process to itself)";
    }

    void add_facts(Page &page) const
    {
        const Totals all = all_kinds();
        std::vector<std::pair<std::string, std::string>> facts{
            {"Program", heading_.introduction.program},
            {"Processes", processes()},
            {"Begin", heading_.introduction.begin},
            {"Time", print("%.3f s", heading_.seconds)},
            {"Tool", "messages, " + instance()},
            {"Messages", with_own(all.all.messages, all.own.messages)},
            {"Bytes", with_own(all.all.bytes, all.own.bytes)}};
        if (heading_.rows.block > 1)
            facts.emplace_back("Rows of the matrix", print("%d ranks each", heading_.rows.block));
        page.facts(facts);
    }

    void add_matrix(Page &page) const
    {
        std::vector<Measure> measures{{"Bytes", Unit::bytes, {}},
                                      {"Messages", Unit::number, {}},
                                      {"Time", Unit::seconds, {}}};
        auto add = [](Measure &measure, const Pair &pair, double value) {
            measure.cells.push_back({pair.from, pair.to, value});
        };
        for (const Pair &pair : ranking_) {
            if (pair.from < 0 || pair.to < 0)
                continue;
            add(measures[0], pair, static_cast<double>(pair.sent.bytes));
            add(measures[1], pair, static_cast<double>(pair.sent.messages));
            add(measures[2], pair, seconds(pair.sent.time));
        }
        for (const auto &[kind, totals] : kinds_of_totals_) {
            if (kinds_of_totals_.size() < 2)
                break;
            measures.push_back({std::string("Bytes, ") + name_of(kind), Unit::bytes, {}});
            for (const Pair &pair : pairs_) {
                if (pair.kind == kind && pair.from >= 0 && pair.to >= 0)
                    add(measures.back(), pair, static_cast<double>(pair.moved().bytes));
            }
        }
        page.matrix(
            "Who sends to whom", heading_.rows.number, measures,
            heading_.rows.block > 1
                ? print("Each row and column is %d ranks of MPI_COMM_WORLD.", heading_.rows.block)
                : std::string("Rows send, columns receive; ranks of MPI_COMM_WORLD."));
    }

    void add_bars(Page &page) const
    {
        std::vector<std::string> rows, series;
        for (int row = 0; row < heading_.rows.number; row++)
            rows.push_back((heading_.rows.block == 1 ? "Rank " : "Ranks ") + row_name(row));
        for (Kind kind : kinds)
            series.emplace_back(name_of(kind));
        std::vector<std::vector<double>> sent(rows.size(), std::vector<double>(series.size()));
        auto received = sent;
        for (const Pair &pair : pairs_) {
            const auto bytes = static_cast<double>(pair.moved().bytes);
            const auto kind = static_cast<std::size_t>(pair.kind);
            if (pair.from >= 0)
                sent[static_cast<std::size_t>(pair.from)][kind] += bytes;
            if (pair.to >= 0)
                received[static_cast<std::size_t>(pair.to)][kind] += bytes;
        }
        page.bars("Bytes sent by each rank", rows, series, sent, Unit::bytes);
        page.bars("Bytes received by each rank", rows, series, received, Unit::bytes);
    }

    const State &state_;
    const Heading heading_;
    std::vector<Pair> pairs_;   /* by phase, kind, from, to */
    std::vector<Pair> ranking_; /* sum over phases and kinds; sent holds moved() */
    std::vector<Pair> differences_;
    std::map<Kind, Totals> kinds_of_totals_;
    std::map<int, FunctionSums> functions_;
};

/* ---- from records ---- */

class FromRecords : public RecordReport {
  public:
    explicit FromRecords(Records &records)
        : heading_(heading_of(records.introduction(), records.is_alone())),
          state_(heading_.rows.block)
    {
        records.each([this](const Records::Part &part) {
            State state(heading_.rows.block);
            State::check(
                part.view,
                part.introduction.has_world() ? part.introduction.size : most_ranks_without_world);
            state.add(part.view, part.introduction.rank);
            if (state.last > part.introduction.start)
                heading_.seconds =
                    std::max(heading_.seconds, seconds(state.last - part.introduction.start));
            add_state(state_, state);
        });
        heading_.introduction = records.introduction();
        for (const Entry &entry : state_.entries)
            heading_.rows.number = std::max({heading_.rows.number, entry.from + 1, entry.to + 1});
    }

    std::string make(Format format) const override
    {
        return report_maker(state_, heading_)(format);
    }

  private:
    static constexpr int most_ranks_without_world = 1 << 22;

    Heading heading_;
    State state_;
};

}  // namespace

Heading heading_of(const Introduction &introduction, bool is_alone)
{
    const qmpi::arguments arguments(introduction.arguments);
    const Options options(arguments);
    Heading heading;
    heading.introduction = introduction;
    heading.is_alone = is_alone;
    heading.is_whole = !arguments.has("functions");
    heading.top = options.top;
    const int max_rows = options.rows;
    /* A process alone does not know all ranks and combines none. */
    if (is_alone)
        return heading;
    heading.rows.processes = introduction.size;
    heading.rows.block = (heading.rows.processes + max_rows - 1) / max_rows;
    heading.rows.number = (heading.rows.processes + heading.rows.block - 1) / heading.rows.block;
    return heading;
}

std::function<std::string(Format)> report_maker(const State &state, Heading heading)
{
    auto report = std::make_shared<Report>(state, std::move(heading));
    return [report](Format format) { return report->make(format); };
}

}  // namespace qmpi::messages

QMPI_REPORT("messages", qmpi::messages::FromRecords)
