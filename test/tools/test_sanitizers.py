# Copyright (C) by the QMPI for MPICH developers
#     See COPYRIGHT in top-level directory

"""The tools, compiled with sanitizers, pass their tests and have no findings. What is linked to them is not instrumented:
libmpi (test/choose/test_threads.py and test/list do that) and the libraries of reports."""

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
SANITIZERS = {"address": ("address,undefined", "libasan.so"), "thread": ("thread", "libtsan.so")}
# Memory in use at the exit is not looked for: a tool's object lives as long as the process.
OPTIONS = {"address": {"ASAN_OPTIONS": "detect_leaks=0:exitcode=99:log_path={log}",
                       "UBSAN_OPTIONS": "print_stacktrace=1:log_path={log}"},
           "thread": {"TSAN_OPTIONS": "exitcode=0:log_path={log}:suppressions={suppressions}"}}
TESTS = ["test/tools/test_bytes.py", "test/tools/test_check.py", "test/tools/test_messages.py", "test/tools/test_profile.py",
         "test/tools/test_trace.py", "test/tools/test_worlds.py", "test/demo"]
pytestmark = pytest.mark.hours


def check(*words, **keywords):
    done = subprocess.run(words, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, **keywords)
    if done.returncode:
        pytest.fail(done.stdout[-6000:], pytrace=False)
    return done.stdout
