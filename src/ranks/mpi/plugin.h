// The interface of libnmt_mpi.so: names that the program looks up after opening it. Program and library must
// be of the same build, which is checked.
#pragma once

#include "ranks/transport.h"

namespace nmt {

/// const char[]: the build id of the library, NMT_BUILD_ID.
constexpr const char* kMpiBuild = "nmt_mpi_build";

/// Joins the processes that a launcher has started together with this one, in MPI_COMM_WORLD. Throws Error if
/// MPI fails.
using JoinMpiRanks = Transport* (*)();
constexpr const char* kJoinMpiRanks = "nmt_join_mpi_ranks";

}  // namespace nmt
