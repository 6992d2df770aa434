// The interface of libnmt_mpi.so: what the program finds by name once it has opened it. Program and library
// are of one build, which is checked.
#pragma once

#include "ranks/transport.h"

namespace nmt {

/// const char[]: what the build of the library is called, NMT_BUILD_ID.
constexpr const char* kMpiBuild = "nmt_mpi_build";

/// Joins the processes that a launcher has started together with this one, in MPI_COMM_WORLD. Throws Error
/// when MPI refuses.
using JoinMpiRanks = Transport* (*)();
constexpr const char* kJoinMpiRanks = "nmt_join_mpi_ranks";

}  // namespace nmt
