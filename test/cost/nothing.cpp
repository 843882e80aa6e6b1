// Copyright (C) by the QMPI for MPICH developers
//     See COPYRIGHT in top-level directory

// Functions of one instruction, in a library of their own as the real ones are.

extern "C" {
void cost_nothing_next() {}
void cost_nothing_context() {}
void cost_nothing_address() {}
}
