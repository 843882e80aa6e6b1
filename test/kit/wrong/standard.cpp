// Copyright (C) by the QMPI for MPICH developers
//     See COPYRIGHT in top-level directory

// flags: -std=c++14
// expected: qmpi.hpp needs C++17
#include <qmpi.hpp>
