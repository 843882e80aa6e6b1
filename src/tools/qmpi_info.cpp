/*
 * Copyright (C) by the QMPI for MPICH developers
 *     See COPYRIGHT in top-level directory
 */

/* Lists the available tools and what they intercept, and resolves a tool list.
 *
 * The MPI library itself answers: this program starts itself again with the list in the
 * environment. That process, the probe, builds the chain by an MPI call as any program would and
 * writes the result. So answers and messages are the library's, and a tool that crashes only takes
 * the probe with it.
 *
 * Compiled once for each ABI, as the commands qmpi_info and qmpi_info_abi: a tool list is explained
 * by the library that the command is linked with, and each command starts the other one for tools of
 * the other ABI. */

#ifndef MPICH_SKIP_MPICXX
#define MPICH_SKIP_MPICXX 1
#endif
#include <mpi.h>
#include <qmpi.hpp>

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <filesystem>
#include <functional>
#include <iostream>
#include <iterator>
#include <map>
#include <optional>
#include <sstream>
#include <string>
#include <vector>

#include <dlfcn.h>
#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

namespace {

namespace fs = std::filesystem;
using json = nlohmann::ordered_json;

const char probe_argument[] = "--qmpi-info-probe";
const char pmpi[] = "pmpi"; /* tool that runs the PMPI tool in its argument */
const int answer_fd = 3;
const unsigned probe_seconds = 60;
const std::size_t max_names = 20; /* above this, only the number of functions is printed */

/* A command that can be the probe, and the ABI of its library. */
struct Prober {
    const char *command;
    const char *abi;
};

const Prober for_mpich{"qmpi_info", "MPICH"}, for_abi{"qmpi_info_abi", "MPI"};
const bool is_for_abi = MPIX_TOOL_INTERFACE_VERSION & MPIX_TOOL_INTERFACE_ABI;
const Prober &own = is_for_abi ? for_abi : for_mpich;
const Prober &other = is_for_abi ? for_mpich : for_abi;

/* ---- the probe ---- */

std::vector<std::string> functions_of(int tool_id)
{
    std::vector<std::string> names;
    for (int f = 0; f < MPI_LAST_FUNC_T; f++) {
        void (*function)() = nullptr;
        const char *name = "";
        QMPIX_Get_tool_function(tool_id, static_cast<MPI_Functions_enum>(f), &function);
        QMPIX_Get_function_name(f, &name);
        if (function)
            names.emplace_back(name);
    }
    return names;
}

/* Line 1 of a tool's description is about the tool; each further line is about one argument. */
std::string first_line(const std::string &text)
{
    return text.substr(0, text.find('\n'));
}

std::vector<std::string> further_lines(const std::string &text)
{
    std::vector<std::string> lines;
    std::istringstream parts(text);
    for (std::string line; std::getline(parts, line);)
        lines.push_back(line);
    if (!lines.empty())
        lines.erase(lines.begin());
    return lines;
}

json registered_tools()
{
    json tools = json::array();
    const char *name, *version, *author, *description, *file;
    for (int i = 0;
         QMPIX_Get_tool_info(i, &name, &version, &author, &description, &file) == MPI_SUCCESS; i++)
        tools.push_back({{"name", name},
                         {"version", version},
                         {"author", author},
                         {"description", first_line(description)},
                         {"file", file},
                         {"argument_list", further_lines(description)}});
    return tools;
}

json instances()
{
    json all = json::array();
    const char *name, *arguments;
    for (int id = 1; QMPIX_Get_tool_name(id, &name) == MPI_SUCCESS; id++) {
        QMPIX_Get_tool_arguments(id, &arguments);
        all.push_back({{"id", id},
                       {"name", name},
                       {"arguments", arguments},
                       {"functions", functions_of(id)}});
    }
    return all;
}

/* Text from tools may not be valid UTF-8. */
std::string text_of(const json &value, int indent = -1)
{
    return value.dump(indent, ' ', false, json::error_handler_t::replace);
}

int run_probe()
{
    MPIX_Load_tools();
    std::size_t number = 0; /* the library has fewer functions than there are ids */
    for (int f = 0; f < MPI_LAST_FUNC_T; f++)
        number += qmpi::set::all.contains(f);
    const std::string answer =
        text_of({{"tools", registered_tools()}, {"instances", instances()}, {"functions", number}});
    std::size_t written = 0;
    while (written < answer.size()) {
        const ssize_t n = write(answer_fd, answer.data() + written, answer.size() - written);
        if (n <= 0)
            break;
        written += static_cast<std::size_t>(n);
    }
    /* No exit handlers: tools have nothing to report. */
    _exit(0);
}

/* ---- running the probe ---- */

struct Answer {
    json tools = json::array();
    json instances = json::array();
    std::size_t functions = 0;       /* of the library */
    std::vector<std::string> faults; /* the library's complaints about the list */
};

[[noreturn]] void die(const std::string &what)
{
    std::cerr << own.command << ": " << what << ": " << std::strerror(errno) << "\n";
    std::exit(2);
}

/* The other command is in the same directory; it is missing if MPICH was built for one ABI. */
fs::path program_of(const Prober &prober)
{
    const fs::path self = "/proc/self/exe";
    std::error_code error;
    return &prober == &own ? self : fs::read_symlink(self, error).parent_path() / prober.command;
}

bool is_installed(const Prober &prober)
{
    return access(program_of(prober).c_str(), X_OK) == 0;
}

[[noreturn]] void start_probe(const Prober &prober, const std::string &list,
                              const std::optional<std::string> &path, int answer, int errors)
{
    /* The probe is no process of a job: without the launcher's variables. */
    for (const char *name : {"QMPI_TOOL_LIST", "MPIR_CVAR_QMPI_VERBOSE", "PMI_RANK", "PMIX_RANK",
                             "MPI_LOCALRANKID", "SLURM_PROCID", "SLURM_LOCALID"})
        unsetenv(name);
    setenv("MPIR_CVAR_QMPI_TOOL_LIST", list.c_str(), 1);
    setenv("MPIR_CVAR_QMPI_ON_ERROR", "warn", 1);
    if (path)
        setenv("MPIR_CVAR_QMPI_TOOL_PATH", path->c_str(), 1);

    const int nothing = open("/dev/null", O_RDWR);
    if (nothing < 0 || dup2(nothing, 0) < 0 || dup2(nothing, 1) < 0 || dup2(errors, 2) < 0 ||
        (answer == answer_fd ? fcntl(answer, F_SETFD, 0) : dup2(answer, answer_fd)) < 0)
        _exit(127);
    alarm(probe_seconds);
    execl(program_of(prober).c_str(), prober.command, probe_argument, static_cast<char *>(nullptr));
    _exit(127);
}

/* Anonymous temporary file, so that the probe never blocks on a pipe. */
int open_scratch()
{
    std::FILE *file = std::tmpfile();
    if (!file)
        die("cannot make a temporary file");
    const int fd = fcntl(fileno(file), F_DUPFD_CLOEXEC, 10);
    std::fclose(file);
    if (fd < 0)
        die("cannot make a temporary file");
    return fd;
}

std::string read_scratch(int fd)
{
    std::string text;
    char part[4096];
    lseek(fd, 0, SEEK_SET);
    for (ssize_t n; (n = read(fd, part, sizeof part)) > 0;)
        text.append(part, static_cast<std::size_t>(n));
    close(fd);
    return text;
}

/* The library's complaints in the probe's standard error; ON_ERROR=warn appends "; left out". */
std::vector<std::string> faults_in(const std::string &errors)
{
    static const std::string heading = "MPICH: tool list: ", ending = "; left out";
    std::vector<std::string> faults;
    std::istringstream lines(errors);
    for (std::string line; std::getline(lines, line);) {
        if (line.compare(0, heading.size(), heading) != 0)
            continue;
        line.erase(0, heading.size());
        if (line.size() >= ending.size() &&
            line.compare(line.size() - ending.size(), ending.size(), ending) == 0)
            line.erase(line.size() - ending.size());
        faults.push_back(line);
    }
    return faults;
}

Answer ask(const std::string &list, const std::optional<std::string> &path,
           const Prober &prober = own)
{
    const int answer = open_scratch(), errors = open_scratch();
    const pid_t pid = fork();
    int status = 0;

    if (pid < 0)
        die("cannot start a process");
    if (pid == 0)
        start_probe(prober, list, path, answer, errors);
    while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
        continue;

    const std::string text = read_scratch(answer), said = read_scratch(errors);
    Answer result;
    result.faults = faults_in(said);
    const json parsed = json::parse(text, nullptr, false);
    if (parsed.is_object()) {
        result.tools = parsed["tools"];
        result.instances = parsed["instances"];
        result.functions = parsed["functions"];
    } else if (WIFSIGNALED(status)) {
        result.faults.push_back(
            std::string("a program with this list ") +
            (WTERMSIG(status) == SIGALRM ? "does not terminate" : "is killed by a signal: ") +
            (WTERMSIG(status) == SIGALRM ? "" : strsignal(WTERMSIG(status))));
    } else if (result.faults.empty()) {
        result.faults.push_back("a program with this list exits with status " +
                                std::to_string(WEXITSTATUS(status)) + " before the chain is built");
    }
    return result;
}

/* ---- finding tools ---- */

/* Directories that the libraries of the ABIs search, in order. */
std::vector<fs::path> directories(const std::optional<std::string> &path)
{
    std::vector<fs::path> all;
    const char *chosen = path ? path->c_str() : std::getenv("MPIR_CVAR_QMPI_TOOL_PATH");
    std::istringstream parts(chosen ? chosen : "");
    for (std::string directory; std::getline(parts, directory, ':');)
        if (!directory.empty())
            all.emplace_back(directory);

    /* dlsym, since in a program the address of a function may be that of its PLT stub. */
    void *in_library = dlsym(RTLD_DEFAULT, "PMPI_Initialized");
    Dl_info info;
    std::error_code error;
    if (in_library && dladdr(in_library, &info) && info.dli_fname) {
        const fs::path library = fs::canonical(info.dli_fname, error);
        if (!error) {
            for (const char *tools : {"tools", "tools_abi"})
                all.push_back(library.parent_path() / "mpich" / tools);
        }
    }
    return all;
}

std::vector<std::string> libraries_in(const fs::path &directory)
{
    std::vector<std::string> files;
    std::error_code error;
    for (const auto &entry : fs::directory_iterator(directory, error)) {
        const std::string name = entry.path().filename();
        if (name.compare(0, 3, "lib") == 0 && entry.path().extension() == ".so")
            files.push_back(entry.path());
    }
    std::sort(files.begin(), files.end());
    return files;
}

bool is_same_file(const std::string &one, const std::string &other)
{
    std::error_code error;
    return fs::equivalent(one, other, error);
}

struct Found {
    json tools = json::array();
    std::map<std::string, std::size_t> functions; /* of the library of each ABI */
};

/* Registered tool of an instance's name. */
json tool_of(const Answer &answer, const json &instance)
{
    for (const json &tool : answer.tools)
        if (tool["name"] == instance["name"])
            return tool;
    return {{"version", ""},
            {"author", ""},
            {"description", ""},
            {"file", ""},
            {"argument_list", json::array()}};
}

/* Adds a tool as the library that it was compiled for describes it, with what one instance of it
 * intercepts; for pmpi its argument decides that. The other library refuses the tool. */
void add(Found &found, json tool, const std::string &entry, const std::optional<std::string> &path)
{
    const bool is_pmpi = tool["name"] == pmpi;
    tool["abi"] = own.abi;
    tool["functions"] = json::array();
    for (const Prober *prober : {&own, &other}) {
        if (!is_installed(*prober))
            continue;
        const Answer answer =
            ask(is_pmpi ? "?=" + tool["file"].get<std::string>() : entry, path, *prober);
        const bool is_usable = is_pmpi ? prober == &for_mpich : !answer.instances.empty();
        if (!is_pmpi && (is_usable || prober == &own)) {
            tool.erase("fault");
            if (!answer.faults.empty())
                tool["fault"] = answer.faults.front();
        }
        if (!is_usable)
            continue;
        tool.update(tool_of(answer, tool));
        tool["abi"] = prober->abi;
        if (!is_pmpi)
            tool["functions"] = answer.instances[0]["functions"];
        found.functions[prober->abi] = answer.functions;
        break;
    }
    found.tools.push_back(std::move(tool));
}

/* Tools that are already registered, then those in the directories. Asking a library for a name that
 * it does not have loads it and registers its tools without an instance. */
Found find_tools(const std::optional<std::string> &path)
{
    Found found;
    const Answer linked = ask("", path);

    for (const json &tool : linked.tools)
        add(found, tool, tool["name"], path);
    for (const fs::path &directory : directories(path)) {
        for (const std::string &file : libraries_in(directory)) {
            const Answer answer = ask("?=" + file, path);
            bool has_tool = false;
            for (const json &tool : answer.tools) {
                if (!is_same_file(tool["file"], file))
                    continue;
                has_tool = true;
                add(found, tool, tool["name"].get<std::string>() + "=" + file, path);
            }
            if (!has_tool)
                found.tools.push_back(
                    {{"name", ""},
                     {"file", file},
                     {"fault", answer.faults.empty() ? "" : answer.faults.front()}});
        }
    }
    return found;
}

/* ---- printing ---- */

std::string number_of_functions(const json &functions, std::size_t all)
{
    return functions.size() == all ? "all" : std::to_string(functions.size());
}

void print_table(const std::vector<std::vector<std::string>> &rows)
{
    std::vector<std::size_t> width(rows.front().size(), 0);
    for (const auto &row : rows)
        for (std::size_t i = 0; i < row.size(); i++)
            width[i] = std::max(width[i], row[i].size());
    for (const auto &row : rows) {
        std::string line;
        for (std::size_t i = 0; i < row.size(); i++)
            line +=
                row[i] + std::string(i + 1 < row.size() ? width[i] - row[i].size() + 2 : 0, ' ');
        std::cout << line << "\n";
    }
}

void print_found(const Found &found)
{
    std::vector<std::vector<std::string>> rows = {
        {"Name", "Version", "Functions", "ABI", "Description", "File"}};
    for (const json &tool : found.tools) {
        if (tool["name"].get<std::string>().empty())
            continue;
        const auto all = found.functions.find(tool["abi"]);
        rows.push_back({tool["name"], tool["version"],
                        tool["name"] == pmpi || all == found.functions.end()
                            ? "-"
                            : number_of_functions(tool["functions"], all->second),
                        tool["abi"], tool["description"], tool["file"]});
    }
    print_table(rows);
    for (const json &tool : found.tools)
        if (tool.contains("fault"))
            std::cout << "fault: " << tool["fault"].get<std::string>() << "\n";
}

void print_field(const char *name, const std::string &text)
{
    if (!text.empty())
        std::cout << "  " << name << std::string(14 - std::strlen(name), ' ') << text << "\n";
}

/* Functions that programs call in place of others: the form for large counts, and those that begin MPI. */
std::vector<std::vector<std::string>> alternatives()
{
    std::vector<std::vector<std::string>> all{{"MPI_Init", "MPI_Init_thread", "MPI_Session_init"}};
    for (int f = 0; f < MPI_LAST_FUNC_T; f++) {
        const char *text = "";
        int large;
        QMPIX_Get_function_name(f, &text);
        const std::string name = text;
        if (qmpi::set::all.contains(f) &&
            QMPIX_Get_function_enum((name + "_c").c_str(), &large) == MPI_SUCCESS &&
            qmpi::set::large_count.contains(large))
            all.push_back({name, name + "_c"});
    }
    return all;
}

/* Functions that a tool does not intercept, though it does one of their alternatives. The kit intercepts
 * MPI_Session_init for itself. */
std::vector<std::string> missed_functions(const json &functions)
{
    const auto is_intercepted = [&functions](const std::string &name) {
        return std::find(functions.begin(), functions.end(), name) != functions.end();
    };
    std::vector<std::string> missed;
    for (const auto &names : alternatives()) {
        if (std::any_of(names.begin(), names.end(), [&](const std::string &name) {
                return name != "MPI_Session_init" && is_intercepted(name);
            }))
            std::copy_if(names.begin(), names.end(), std::back_inserter(missed),
                         std::not_fn(is_intercepted));
    }
    return missed;
}

std::string missed_text(const json &functions)
{
    const std::vector<std::string> missed = missed_functions(functions);
    if (missed.size() > max_names)
        return std::to_string(missed.size()) + " functions that programs call in place of these";
    std::string text;
    for (const std::string &name : missed)
        text += (text.empty() ? "" : ", ") + name;
    return text;
}

void print_instance(const Answer &answer, const json &instance)
{
    const json tool = tool_of(answer, instance);
    std::cout << instance["id"].get<int>() << ": " << instance["name"].get<std::string>() << "\n";
    print_field("arguments", instance["arguments"]);
    print_field("version", tool["version"]);
    print_field("author", tool["author"]);
    print_field("description", tool["description"]);
    print_field("file", tool["file"]);
    print_field("intercepts",
                number_of_functions(instance["functions"], answer.functions) +
                    (instance["functions"].size() == 1 ? " function" : " functions"));
    print_field("misses", missed_text(instance["functions"]));
    const char *heading = "takes";
    for (const json &argument : tool["argument_list"]) {
        print_field(heading, argument);
        heading = "";
    }
}

/* Instances that a call of a function passes, in order. */
json chain_of(const std::string &function, const json &instances)
{
    json chain = json::array();
    for (const json &instance : instances) {
        const json &functions = instance["functions"];
        if (std::find(functions.begin(), functions.end(), function) != functions.end())
            chain.push_back({{"id", instance["id"]}, {"name", instance["name"]}});
    }
    return chain;
}

/* The functions asked for, or all that are intercepted. */
std::vector<std::string> shown_functions(const json &instances,
                                         const std::vector<std::string> &wanted)
{
    if (!wanted.empty())
        return wanted;
    std::vector<std::string> all;
    for (int f = 0; f < MPI_LAST_FUNC_T; f++) {
        const char *name = "";
        QMPIX_Get_function_name(f, &name);
        if (!chain_of(name, instances).empty())
            all.emplace_back(name);
    }
    return all;
}

/* With the library of a PMPI tool, as all of these have the name pmpi. */
std::string name_in_chain(const json &instance)
{
    const std::string name = instance["name"];
    return name == pmpi ? name + "(" + instance["arguments"].get<std::string>() + ")" : name;
}

std::string text_of_chain(const std::string &function, const json &instances)
{
    std::string text;
    for (const json &member : chain_of(function, instances)) {
        const int id = member["id"];
        const json &instance = instances[static_cast<std::size_t>(id) - 1];
        text += std::to_string(id) + " " + name_in_chain(instance) + ", ";
    }
    return text + "library";
}

/* Functions with the same chain share a line, unless the user asked for them. */
void print_chains(const json &instances, const std::vector<std::string> &functions, bool is_short)
{
    std::vector<std::pair<std::string, std::string>> lines;
    std::map<std::string, std::size_t> number;
    for (const std::string &function : functions) {
        lines.emplace_back(function, text_of_chain(function, instances));
        number[lines.back().second]++;
    }
    const auto is_combined = [&](const std::string &chain) {
        return is_short && number[chain] > max_names;
    };
    for (const auto &[function, chain] : lines)
        if (!is_combined(chain))
            std::cout << function << ": " << chain << "\n";
    for (const auto &[chain, size] : number)
        if (is_combined(chain))
            std::cout << size << (number.size() > 1 ? " others: " : " functions: ") << chain
                      << "\n";
}

void print_answer(const Answer &answer, const std::vector<std::string> &wanted)
{
    for (const json &instance : answer.instances)
        print_instance(answer, instance);
    std::cout << (answer.instances.empty() ? "" : "\n");
    print_chains(answer.instances, shown_functions(answer.instances, wanted), wanted.empty());
}

json answer_as_json(const Answer &answer, const std::vector<std::string> &wanted)
{
    json result = {
        {"instances", json::array()}, {"functions", json::object()}, {"faults", answer.faults}};
    for (const json &instance : answer.instances) {
        json shown = instance;
        shown.erase("functions");
        const json tool = tool_of(answer, instance);
        for (const char *key : {"version", "author", "description", "file", "argument_list"})
            shown[key] = tool[key];
        shown["functions"] = instance["functions"];
        shown["misses"] = missed_functions(instance["functions"]);
        result["instances"].push_back(shown);
    }
    for (const std::string &function : shown_functions(answer.instances, wanted))
        result["functions"][function] = chain_of(function, answer.instances);
    return result;
}

int run(int argc, char **argv)
{
    CLI::App app{"Lists the available tools, or explains a tool list.", own.command};
    std::string list, path;
    std::vector<std::string> functions;
    bool as_json = false;
    app.add_option("LIST", list,
                   "tool list to explain, as in MPIR_CVAR_QMPI_TOOL_LIST; "
                   "without it, list all available tools");
    app.add_option("-f,--function", functions, "show the chain of this function only (repeatable)")
        ->type_name("NAME")
        ->expected(1)
        ->take_all();
    app.add_option("-p,--path", path, "directories to search, instead of MPIR_CVAR_QMPI_TOOL_PATH")
        ->type_name("DIRECTORIES");
    app.add_flag("-j,--json", as_json, "print JSON");
    app.footer(
        "Exit status: 0 success, 1 fault in the list or a tool, "
        "2 usage error.");
    try {
        app.parse(argc, argv);
    } catch (const CLI::ParseError &error) {
        return app.exit(error) == 0 ? 0 : 2;
    }

    for (const std::string &function : functions) {
        int id;
        if (QMPIX_Get_function_enum(function.c_str(), &id) != MPI_SUCCESS) {
            std::cerr << own.command << ": unknown function " << function << "\n";
            return 2;
        }
    }
    const std::optional<std::string> wanted_path =
        app.count("--path") ? std::optional<std::string>(path) : std::nullopt;

    if (app.count("LIST") == 0) {
        const Found found = find_tools(wanted_path);
        if (as_json)
            std::cout << text_of(found.tools, 2) << "\n";
        else
            print_found(found);
        return std::any_of(found.tools.begin(), found.tools.end(),
                           [](const json &tool) { return tool.contains("fault"); });
    }

    const Answer answer = ask(list, wanted_path);
    if (as_json)
        std::cout << text_of(answer_as_json(answer, functions), 2) << "\n";
    else
        print_answer(answer, functions);
    for (const std::string &fault : answer.faults)
        std::cerr << "MPICH: tool list: " << fault << "\n";
    return !answer.faults.empty();
}

}  // namespace

int main(int argc, char **argv)
{
    try {
        if (argc == 2 && std::strcmp(argv[1], probe_argument) == 0)
            return run_probe();
        return run(argc, argv);
    } catch (const std::exception &exception) {
        std::fprintf(stderr, "%s: %s\n", own.command, exception.what());
        return 2;
    }
}
