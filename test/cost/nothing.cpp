// Copyright (C) by the QMPI for MPICH developers
//     See COPYRIGHT in top-level directory

// Functions of one instruction. They are in a separate library, like the real ones.

extern "C" {
void cost_nothing_next() {}
void cost_nothing_context() {}
void cost_nothing_address() {}
}
