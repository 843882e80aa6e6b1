# Copyright (C) by the QMPI for MPICH developers
#     See COPYRIGHT in top-level directory

"""labelled.py counts the findings in programs that say whether they are wrong."""

import subprocess
import sys
from pathlib import Path

import pytest

SCRIPT = Path(__file__).resolve().parent / "labelled.py"
HEAD = """/*
BEGIN_MBI_TESTS
  $ mpirun -np 2 ${EXE} 1
  | OK
  | nothing
  $ mpirun -np 2 ${EXE} 2
  | ERROR: RootMatching
  | other roots
END_MBI_TESTS
*/
"""
PROGRAM = """
#define PROC_NUM 2
#include <mpi.h>
int main(int argc, char **argv)
{
    int rank, value = 0;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Bcast(&value, 1, MPI_INT, argc > 1 && *argv[1] == '1' ? 0 : rank, MPI_COMM_WORLD);
    MPI_Finalize();
    return 0;
}
"""


@pytest.mark.parametrize("name, text, classes", [
    ("roots.c", HEAD + PROGRAM, {"RootMatching": ("1", "1"), "right programs": ("1", "0")}),
    ("roots-yes.c", PROGRAM, {"race": ("1", "1")}),
    ("correct/roots.c", PROGRAM, {"right programs": ("1", "1")}),
    ("ArgMismatch-MPIBcast-root.c", PROGRAM, {"ArgMismatch": ("1", "1")}),
])
def test_findings_are_counted_by_class(mpich, tmp_path, name, text, classes):
    source = tmp_path / name
    source.parent.mkdir(exist_ok=True)
    source.write_text(text)
    result = subprocess.run([sys.executable, SCRIPT, f"--prefix={mpich.prefix}", tmp_path], capture_output=True, text=True, check=True)
    rows = [line.rsplit(None, 2) if "collective" not in line else line.rsplit(None, 5)[:3] for line in result.stdout.splitlines()[1:]]
    assert {row[0].strip(): tuple(row[1:3]) for row in rows} == classes, result.stdout


def test_folder_without_such_programs_is_an_error(mpich, tmp_path):
    (tmp_path / "plain.c").write_text(PROGRAM)
    result = subprocess.run([sys.executable, SCRIPT, f"--prefix={mpich.prefix}", tmp_path], capture_output=True, text=True, check=False)
    assert result.returncode == 2 and str(tmp_path) in result.stderr
