# Copyright (C) by the QMPI for MPICH developers
#     See COPYRIGHT in top-level directory

"""The modules of the script in the HTML reports: their types, the functions that need no browser, and how they become
one script."""

import re
import shutil
from pathlib import Path

import pytest

HERE = Path(__file__).resolve().parent
SOURCE = HERE.parents[1] / "src/tools/common/page"
MODULES = sorted(path.name for path in SOURCE.glob("*.mjs"))


@pytest.fixture
def command(local):
    """Run a command of a Debian package and return its output."""
    def command(package, *words):
        if not shutil.which(words[0]):
            pytest.fail(f"this test needs {words[0]} (package {package})", pytrace=False)
        result = local.run(*words)
        assert result.status == 0, result
        return result.out
    return command


def test_types_fit(command):
    assert command("node-typescript", "tsc", "-p", SOURCE) == ""


@pytest.mark.parametrize("name", sorted(path.name for path in (HERE / "page").glob("*.test.mjs")))
def test_functions_without_browser(command, name):
    command("nodejs", "node", "--test", HERE / "page" / name)


def imported(module):
    return set(re.findall(r"^import .* from '\./(.*)';$", (SOURCE / module).read_text(), re.M))


def test_every_module_is_used():
    assert set().union(*map(imported, MODULES)) == set(MODULES) - {"page.mjs"}


def script(local):
    """The script that the build makes of the modules."""
    text = local.run("sh", SOURCE / "assets").out
    return re.search(r'page_js\[\] = R"__qmpi__\((.*?)\)__qmpi__"', text, re.S).group(1)


def test_script_is_complete_javascript(local, command):
    (local.work / "script.js").write_text(script(local))
    command("nodejs", "node", "--check", "script.js")


@pytest.mark.parametrize("module", MODULES)
def test_module_is_in_the_script_once(local, module):
    names = re.findall(r"^(?:export )?(?:class|function|const|let) (\w+)", (SOURCE / module).read_text(), re.M)
    defined = re.findall(r"^(?:class|function|const|let) (\w+)", script(local), re.M)
    assert names and [defined.count(name) for name in names] == [1] * len(names)


def test_script_has_no_comments_of_its_own_line(local):
    assert [line for line in script(local).splitlines() if re.match(r" *(/\*|\*|//)(?!.*\*/.)", line)] == []
