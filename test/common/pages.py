# Copyright (C) by the QMPI for MPICH developers
#     See COPYRIGHT in top-level directory

"""Commands and their output in a page: fenced blocks 'sh', each followed by a block 'text' if its output is shown."""

import re


def blocks(text):
    """Fenced blocks: (language, word after it, text)."""
    return re.findall(r"^```(\w+) ?([^\n]*)\n(.*?)^```$", text, re.M | re.S)


def sections(page):
    """{title: text} of the sections with commands."""
    parts = re.split(r"^## (.*)$", page.read_text(), flags=re.M)
    return {title: text for title, text in zip(parts[1::2], parts[2::2]) if "```sh" in text}


def matches(output, expected):
    """The same lines in any order, since processes write at the same time; "..." is any text. What mpiexec says of a job
    that was aborted is left out."""
    left = re.sub(r"\n=+\n=   BAD TERMINATION.*?debugging suggestions\n", "", output, flags=re.S).splitlines()
    for line in expected.splitlines():
        pattern = ".*".join(re.escape(part) for part in line.split("..."))
        found = next((it for it in left if re.fullmatch(pattern, it)), None)
        if found is None:
            return False
        left.remove(found)
    return not left


def run_section(mpich, text, **variables):
    """Runs the commands of a section in the test's folder, and compares the outputs."""
    output = None
    for language, _, block in blocks(text):
        if language == "sh":
            commands = block.replace("PREFIX", str(mpich.prefix))
            result = mpich.run("bash", "-c", f"{{ {commands} }} 2>&1", LD_PRELOAD=mpich.nap(), seconds=600, **variables)
            output = result.out
        elif language == "text" and output is not None:
            assert matches(output, block), f"{result!r}\nexpected:\n{block}"
            output = None
