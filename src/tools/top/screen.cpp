/*
 * Copyright (C) by the QMPI for MPICH developers
 *     See COPYRIGHT in top-level directory
 */

#include "screen.hpp"

#include <stdexcept>

#ifdef HAVE_NCURSES
#define NCURSES_NOMACROS
#include <algorithm>
#include <clocale>
#include <cstdlib>
#include <string>

#include <ncurses.h>
#include <unistd.h>
#endif

namespace qmpi::top {

#ifdef HAVE_NCURSES

namespace {

using Clock = std::chrono::steady_clock;

constexpr int least_columns = 40, least_lines = 6;
constexpr int shift = 8; /* columns that a key moves */
constexpr int escape = 27, erase_key = 127;

/* The terminal, in ncurses' mode while the object exists. */
class Terminal {
  public:
    Terminal()
    {
        std::setlocale(LC_CTYPE, "");
        screen_ = newterm(nullptr, stdout, stdin);
        if (screen_ == nullptr) {
            const char *const name = std::getenv("TERM");
            throw std::runtime_error(std::string("the terminal '") + (name == nullptr ? "" : name) +
                                     "' (TERM) is unknown; --once prints the table");
        }
        cbreak();
        noecho();
        keypad(stdscr, true);
        set_escdelay(50);
        curs_set(0);
    }
    ~Terminal()
    {
        endwin();
        delscreen(screen_);
    }
    Terminal(const Terminal &) = delete;
    Terminal &operator=(const Terminal &) = delete;

  private:
    SCREEN *screen_;
};

/* Columns of a text in UTF-8, with spaces after its end. */
std::string part_of(const std::string &text, int from, int columns)
{
    std::string part;
    int column = -1;
    for (const char one : text) {
        column += (one & 0xc0) != 0x80 ? 1 : 0;
        if (column >= from && column < from + columns)
            part += one;
    }
    return part.append(
        static_cast<std::size_t>(std::max(0, from + columns - std::max(from, column + 1))), ' ');
}

/* "by waiting time, waiting only" */
std::string text_of(const View &view)
{
    static constexpr const char *keys[] = {"rank", "waiting time", "time in MPI",
                                           "calls per second"};
    return std::string("by ") + keys[static_cast<std::size_t>(view.sort)] +
        (view.is_reversed ? " (reversed)" : "") + (view.waiting_only ? ", waiting only" : "") +
        (view.is_grouped ? ", grouped" : "") + (view.ranks.empty() ? "" : ", ranks " + view.ranks);
}

class Screen {
  public:
    Screen(report::Observer &observer, View view, std::chrono::duration<double> interval)
        : observer_(observer), view_(std::move(view)), interval_(interval)
    {
    }

    void run()
    {
        constexpr std::chrono::duration<double> first(0.3); /* the user waits */
        wait(std::min(interval_, first));
        while (!is_done_) {
            facts_ = observer_.read();
            is_over_ = has_ended(facts_);
            make();
            if (!is_over_)
                observer_.search();
            wait(interval_);
        }
    }

  private:
    /* For keys and samples, until the next reading. A job that has ended needs none. */
    void wait(std::chrono::duration<double> seconds)
    {
        const auto end = Clock::now() + std::chrono::duration_cast<Clock::duration>(seconds);
        while (!is_done_ && (is_over_ || Clock::now() < end)) {
            const auto left = std::chrono::ceil<std::chrono::milliseconds>(end - Clock::now());
            timeout(is_over_ ? -1
                             : static_cast<int>(
                                   std::min(report::Observer::pause(interval_), left).count()));
            const int key = getch();
            if (key != ERR)
                press(key);
            else if (isatty(STDIN_FILENO) == 0) /* the terminal is gone */
                is_done_ = true;
            else if (!is_over_)
                observer_.sample();
        }
    }

    /* ---- keys ---- */

    void press(int key)
    {
        if (is_asked_ && key != KEY_RESIZE)
            write(key);
        else
            command(key);
        make();
    }

    void command(int key)
    {
        switch (key) {
        case 'q':
            is_done_ = true;
            break;
        case 'r':
            sort_by(Sort::rank);
            break;
        case 't':
            sort_by(Sort::time);
            break;
        case 'm':
            sort_by(Sort::mpi);
            break;
        case 'c':
            sort_by(Sort::calls);
            break;
        case 'w':
            view_.waiting_only = !view_.waiting_only;
            break;
        case 'g':
            view_.is_grouped = !view_.is_grouped;
            break;
        case 'f':
            is_asked_ = true;
            answer_ = view_.ranks;
            break;
        case KEY_UP:
            row_--;
            break;
        case KEY_DOWN:
            row_++;
            break;
        case KEY_PPAGE:
            row_ -= page_;
            break;
        case KEY_NPAGE:
            row_ += page_;
            break;
        case KEY_HOME:
            row_ = 0;
            break;
        case KEY_END:
            row_ = static_cast<int>(table_.rows.size());
            break;
        case KEY_LEFT:
            column_ -= shift;
            break;
        case KEY_RIGHT:
            column_ += shift;
            break;
        default:
            break;
        }
    }

    /* The same key again reverses. */
    void sort_by(Sort sort)
    {
        view_.is_reversed = view_.sort == sort && !view_.is_reversed;
        view_.sort = sort;
    }

    /* In the line for ranks. */
    void write(int key)
    {
        fault_.clear();
        switch (key) {
        case '\n':
        case '\r':
        case KEY_ENTER:
            try {
                ranges_in(answer_);
                view_.ranks = answer_;
                is_asked_ = false;
            } catch (const std::exception &exception) {
                fault_ = exception.what();
            }
            break;
        case escape:
            is_asked_ = false;
            break;
        case KEY_BACKSPACE:
        case erase_key:
        case '\b':
            if (!answer_.empty())
                answer_.pop_back();
            break;
        default:
            if (key > ' ' && key < erase_key)
                answer_ += static_cast<char>(key);
        }
    }

    /* ---- lines ---- */

    void make()
    {
        table_ = table_of(facts_, view_);
        draw();
    }

    static void put(int line, const std::string &text, int form = A_NORMAL)
    {
        attrset(form);
        mvaddstr(line, 0, part_of(text, 0, COLS).c_str());
        attrset(A_NORMAL);
    }

    /* The first column stays when the table is moved. */
    std::string moved(const std::string &text) const
    {
        const int fixed = static_cast<int>(table_.fixed);
        return part_of(text, 0, fixed) + part_of(text, fixed + column_, COLS - fixed);
    }

    void draw()
    {
        erase();
        if (COLS < least_columns || LINES < least_lines)
            put(0, "the terminal is too small");
        else
            draw_table();
        refresh();
    }

    void draw_table()
    {
        int line = 0;
        for (const std::string &text : table_.head) {
            if (line < LINES - 4)
                put(line, line == 0 ? text + " | " + text_of(view_) : text, A_BOLD);
            line++;
        }
        line = std::min(line, LINES - 4);
        const int size = static_cast<int>(table_.rows.size());
        page_ = LINES - 2 - line;
        row_ = std::max(0, std::min(row_, size - page_));
        column_ = std::max(0, std::min(column_, static_cast<int>(table_.width) - COLS));
        put(line++, moved(table_.columns), A_UNDERLINE);
        for (int i = row_; i < std::min(row_ + page_, size); i++)
            put(line++, moved(table_.rows[static_cast<std::size_t>(i)]));
        put(LINES - 1, last_line(), A_REVERSE);
    }

    std::string last_line() const
    {
        if (!is_asked_)
            return "q quit  sort by r rank, t time, m mpi, c calls  w waiting  g group  f ranks";
        return (fault_.empty() ? "ranks such as 0-3,7, or none for all" : fault_) + ": " + answer_;
    }

    report::Observer &observer_;
    View view_;
    const std::chrono::duration<double> interval_;
    report::JobFacts facts_;
    Table table_;
    bool is_done_ = false, is_over_ = false;
    int row_ = 0, column_ = 0; /* first ones shown */
    int page_ = 1;             /* rows shown */
    bool is_asked_ = false;    /* for ranks */
    std::string answer_, fault_;
};

}  // namespace

const bool has_screen = true;

void show_screen(report::Observer &observer, View view, std::chrono::duration<double> interval)
{
    const Terminal terminal;
    Screen(observer, std::move(view), interval).run();
}

#else

const bool has_screen = false;

void show_screen(report::Observer &, View, std::chrono::duration<double>)
{
    throw std::runtime_error("built without ncurses");
}

#endif

}  // namespace qmpi::top
