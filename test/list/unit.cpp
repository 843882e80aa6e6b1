/*
 * Copyright (C) by the QMPI for MPICH developers
 *     See COPYRIGHT in top-level directory
 */

/* How a tool list is read: what each entry becomes, and what is said about what is wrong. */

#include "entries.hpp"

#include <cstdio>

namespace {

int passed = 0, failed = 0;

/* An entry in a form that can be compared and read: NAME n; FILE p; FILE n=p; PMPI p; with the
 * arguments in brackets where there are any, or the fault behind an exclamation mark. */
std::string form(const Entry &entry)
{
    static const char *const kinds[] = {"NAME", "FILE", "PMPI"};

    if (entry.fault)
        return "!" + *entry.fault;
    std::string text = std::string(kinds[entry.kind]) + " " + entry.name.value_or("");
    if (entry.path)
        text += (entry.name ? "=" : "") + *entry.path;
    return entry.arguments.empty() ? text : text + "(" + entry.arguments + ")";
}

void expect(const std::string &list, const std::vector<std::string> &expected)
{
    const List found = parse(list);
    std::vector<std::string> forms;

    if (found.fault)
        forms.push_back("!!" + *found.fault);
    for (const Entry &entry : found.entries)
        forms.push_back(form(entry));
    if (forms == expected) {
        passed++;
        return;
    }
    failed++;
    std::printf("list '%.60s':\n", list.c_str());
    for (const std::string &text : expected)
        std::printf("  expected %.200s\n", text.c_str());
    for (const std::string &text : forms)
        std::printf("  found    %.200s\n", text.c_str());
}

std::string repeat(const std::string &text, int times)
{
    std::string all;
    for (int i = 0; i < times; i++)
        all += text;
    return all;
}

void good_lists()
{
    expect("a", {"NAME a"});
    expect("a,b:c", {"NAME a", "NAME b", "NAME c"});
    expect("a,a,a", {"NAME a", "NAME a", "NAME a"});
    expect(" a ,\tb\n:\r\nc ", {"NAME a", "NAME b", "NAME c"});
    expect("two words", {"NAME two words"});
    expect("a=b", {"NAME a=b"});
    expect("/x/y.so", {"FILE /x/y.so"});
    expect("./y.so,../y.so,x/y.so", {"FILE ./y.so", "FILE ../y.so", "FILE x/y.so"});
    expect("/x y/z.so", {"FILE /x y/z.so"});
    expect("a=/x/y.so", {"FILE a=/x/y.so"});
    expect(" a = /x/y.so ", {"FILE a=/x/y.so"});
    expect("./a=b/y.so", {"FILE ./a=b/y.so"});
    expect("a=b=/y.so", {"FILE a=b=/y.so"});
    expect("pmpi=/x/y.so", {"PMPI /x/y.so"});
    expect("pmpi=y.so", {"PMPI y.so"});
    expect("pmpi = y.so (a)", {"PMPI y.so(a)"});
    expect("pmpi=x=/y.so", {"PMPI x=/y.so"});
    expect("pmpi", {"NAME pmpi"});
    expect("pmpi/y.so", {"FILE pmpi/y.so"});
    expect("PMPI=y.so", {"NAME PMPI=y.so"});
}

void arguments()
{
    expect("a()", {"NAME a"});
    expect("a(x)", {"NAME a(x)"});
    expect("a (x)", {"NAME a(x)"});
    expect("a( x )", {"NAME a( x )"});
    expect("a(x,y:z),b", {"NAME a(x,y:z)", "NAME b"});
    expect("profile(out=a.json),bcast,profile(out=b.json)",
           {"NAME profile(out=a.json)", "NAME bcast", "NAME profile(out=b.json)"});
    expect("a((x),(y(z))):b", {"NAME a((x),(y(z)))", "NAME b"});
    expect("a(())", {"NAME a(())"});
    expect("/x/y.so(out=/tmp/z)", {"FILE /x/y.so(out=/tmp/z)"});
    expect("n=/x/y.so(a=b)", {"FILE n=/x/y.so(a=b)"});
    expect("a(b=/c)", {"NAME a(b=/c)"});
    expect("a(\n)", {"NAME a(\n)"});
    expect("a(" + repeat("(", 5000) + repeat(")", 5000) + "),b",
           {"NAME a(" + repeat("(", 5000) + repeat(")", 5000) + ")", "NAME b"});
}

void empty_entries()
{
    expect("", {"!entry 1 of 1 is empty in ''"});
    expect(" \t", {"!entry 1 of 1 is empty in ' \\x09'"});
    expect("a,,b", {"NAME a", "!entry 2 of 3 is empty in 'a,,b'", "NAME b"});
    expect(",a", {"!entry 1 of 2 is empty in ',a'", "NAME a"});
    expect("a:", {"NAME a", "!entry 2 of 2 is empty in 'a:'"});
    expect("a, ,b", {"NAME a", "!entry 2 of 3 is empty in 'a, ,b'", "NAME b"});
}

void brackets()
{
    expect("a(x", {"!a '(' without ')' in 'a(x'"});
    expect("a(x,b", {"!a '(' without ')' in 'a(x,b'"});
    expect("a((x),b", {"!a '(' without ')' in 'a((x),b'"});
    expect("a),b", {"!a ')' without '(' in 'a)'", "NAME b"});
    expect("a(x)),b", {"!text behind the closing bracket in 'a(x))'", "NAME b"});
    expect("a(x)y", {"!text behind the closing bracket in 'a(x)y'"});
    expect("a(x)(y)", {"!text behind the closing bracket in 'a(x)(y)'"});
    expect(")(", {"!a ')' without '(' in ')('"});
    expect("(x),b", {"!no tool before the bracket in '(x)'", "NAME b"});
    expect("b, ( x )", {"NAME b", "!no tool before the bracket in '( x )'"});
    expect("()", {"!no tool before the bracket in '()'"});
}

void selectors()
{
    expect("pmpi=", {"!'pmpi=' has no path"});
    expect("pmpi= (x)", {"!'pmpi=' has no path"});
    expect("=/x/y.so", {"!'=/x/y.so' has no name before the '='"});
    expect(" = /x/y.so(a)", {"!'= /x/y.so' has no name before the '='"});
}

void lengths()
{
    const std::string name = repeat("x", 255), path = "/" + repeat("y", 4094);
    const std::string start = repeat("x", 68) + "...", path_start = "/" + repeat("y", 67) + "...";

    expect(name, {"NAME " + name});
    expect(name + "x", {"!the name '" + start + "' has 256 characters; at most 255 are allowed"});
    expect(path, {"FILE " + path});
    expect(path + "y",
           {"!the path '" + path_start + "' has 4096 characters; at most 4095 are allowed"});
    expect(name + "=" + path, {"FILE " + name + "=" + path});
    expect(name + "x=/y", {"!the name '" + start + "' has 256 characters; at most 255 are allowed"});
    expect("pmpi=" + path + "y",
           {"!the path '" + path_start + "' has 4096 characters; at most 4095 are allowed"});
    expect("a(" + repeat("z", 1 << 20) + ")", {"NAME a(" + repeat("z", 1 << 20) + ")"});
    expect(repeat("a,", 10000) + "a",
           {"!!more than 10000 entries in '" + repeat("a,", 34) + "...'"});
    expect(repeat("a,", 9999) + "a", std::vector<std::string>(10000, "NAME a"));
}

/* Whatever the user wrote, a message can be shown on any terminal. */
void shown()
{
    expect("a\001\033[2J\x7f(", {"!a '(' without ')' in 'a\\x01\\x1b[2J\\x7f('"});
    expect("%s%n(", {"!a '(' without ')' in '%s%n('"});
    expect("\xc3\xa4(", {"!a '(' without ')' in '\xc3\xa4('"});
    expect("\xc2\x9b" "2J(", {"!a '(' without ')' in '\\x9b2J('"});
    expect(repeat("\n", 100) + "(", {"!a '(' without ')' in '('"});
    expect("a" + repeat("\n", 100) + "(",
           {"!a '(' without ')' in 'a" + repeat("\\x0a", 16) + "...'"});
}

}  // namespace

int main()
{
    good_lists();
    arguments();
    empty_entries();
    brackets();
    selectors();
    lengths();
    shown();
    std::printf("%d passed, %d failed\n", passed, failed);
    return failed != 0;
}
