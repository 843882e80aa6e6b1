# Copyright (C) by the QMPI for MPICH developers
#     See COPYRIGHT in top-level directory

"""qmpi_info: tools in the directories, the chain of a list, faults."""

import json
import re

import pytest


@pytest.fixture(scope="module")
def info(choose):
    def info(*words, **keywords):
        keywords.setdefault("MPIR_CVAR_QMPI_TOOL_PATH", choose.work / "folder")
        return choose.run("qmpi_info", *words, **keywords)
    return info


def tools(result):
    return {tool["name"]: tool for tool in json.loads(result.out)}


@pytest.fixture(scope="module")
def listing(info):
    return info()


def test_lists_the_tools_in_the_directories(listing):
    names = re.findall(r"^(\w+) ", listing.out, re.M)
    ours, installed = ["never", "plain", "both", "hidden", "truth"], ["bcast", "count", "null"]
    of_the_abi = installed if re.search(r"^null .* MPI ", listing.out, re.M) else []
    wanted = ours + installed + of_the_abi
    assert [name for name in names if name in wanted] == wanted, listing


def test_lists_how_many_functions_a_tool_intercepts(listing):
    assert len(re.findall(r"^(?:never|plain|both|hidden|truth) +1 ", listing.out, re.M)) == 5, listing
    assert re.search(r"^count +\S* *all ", listing.out, re.M), listing


def test_lists_files_that_are_no_tools(listing):
    assert listing.status == 1, listing
    assert len(re.findall(r"^fault: '.*libqmpi_broken.so' cannot be loaded", listing.out, re.M)) == 1, listing


def test_json_has_name_file_functions_arguments_and_description(info):
    hidden = tools(info("--json"))["hidden"]
    assert (hidden["file"].split("/")[-1], hidden["functions"], hidden["argument_list"][0]) == (
        "libqmpi_hidden.so", ["MPI_Comm_rank"], "first=NUMBER   what comes first")
    assert tools(info("--json"))["count"]["description"] == "counts calls and bytes of every function"


def test_shows_the_arguments_of_a_tool(info):
    lines = info("hidden").out.splitlines()
    first = next(i for i, line in enumerate(lines) if line.startswith("  takes"))
    assert lines[first:first + 2] == ["  takes         first=NUMBER   what comes first",
                                      "                second         what comes then"]


def test_shows_the_chain_of_each_function(info):
    result = info("hidden(a),./libsecond.so,hidden(b)", "-f", "MPI_Comm_rank", "-f", "MPI_Send")
    assert result.status == 0 and result.out.splitlines()[-2:] == ["MPI_Comm_rank: 1 hidden, 2 second, 3 hidden, library",
                                                                   "MPI_Send: library"], result


def test_groups_functions_with_the_same_chain(info):
    result = info("count,bcast,count")
    assert "\nMPI_Bcast: 1 count, 2 bcast, 3 count, library\n" in result.out, result
    assert re.search(r"^\d+ others: 1 count, 3 count, library$", result.out, re.M), result
    assert len(re.findall(r": .*library$", result.out, re.M)) == 8, result


def test_json_of_a_list_has_instances_and_chains(info):
    found = json.loads(info("-j", "hidden(a),./libsecond.so").out)
    assert [(one["id"], one["name"], one["arguments"]) for one in found["instances"]] == [(1, "hidden", "a"), (2, "second", "")]
    assert [one["name"] for one in found["functions"]["MPI_Comm_rank"]] == ["hidden", "second"]


def test_reports_all_faults_of_a_list(info):
    result = info("nobody,hidden,./libhalf.so,a(")
    assert (result.status, result.err.count("\n")) == (1, 3), result


@pytest.mark.parametrize("entry", ["nobody", "./libhalf.so", "a("])
def test_reports_a_fault_in_the_words_of_the_library(info, run, choose, entry):
    said = run(entry, "./program", MPIR_CVAR_QMPI_TOOL_PATH=choose.work / "folder")
    assert info(entry).err == said.err


def test_json_has_the_faults(info):
    result = info("-j", "nobody,hidden")
    found = json.loads(result.out)
    assert (result.status, len(found["faults"]), len(found["instances"])) == (1, 1, 1), result


def test_directories_can_be_given(info, choose):
    found = json.loads(info("-p", choose.work / "other", "-j", "never=./other/libqmpi_hidden.so").out)
    assert [one["name"] for one in found["instances"]] == ["never"]


def test_outlives_a_tool_that_crashes(info):
    result = info("./libcrashing.so")
    assert (result.status, result.err.count("is killed by a signal: ")) == (1, 1), result


def test_unknown_function_is_refused(info):
    result = info("-f", "MPI_Nonsense", "count")
    assert (result.status, result.err) == (2, "qmpi_info: unknown function MPI_Nonsense\n"), result


def test_unknown_option_is_refused(info):
    result = info("--nonsense")
    assert result.status == 2 and "--nonsense" in result.err, result
