# Copyright (C) by the QMPI for MPICH developers
#     See COPYRIGHT in top-level directory

"""The modules of test/bench and test/cost, which import each other by their plain names."""

import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
for folder in (HERE, HERE.parent / "cost"):
    if str(folder) not in sys.path:
        sys.path.append(str(folder))
