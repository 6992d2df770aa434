// NCCL, NVIDIA's library of collective calls, opened by name, so that the program also starts without it.
#pragma once

#include <nccl.h>

namespace nmt::cuda {

/// The functions used here; each is documented by NVIDIA under the name that nccl.cpp looks up.
struct Nccl {
  decltype(&ncclGetErrorString) error_string;
  decltype(&ncclGetLastError) last_error;
  decltype(&ncclGetUniqueId) unique_id;
  decltype(&ncclCommInitRankConfig) init;
  decltype(&ncclCommGetAsyncError) async_error;
  decltype(&ncclCommFinalize) finalize;
  decltype(&ncclCommDestroy) destroy;
  decltype(&ncclCommAbort) abort;
  decltype(&ncclAllReduce) all_reduce;
  decltype(&ncclReduceScatter) reduce_scatter;
  decltype(&ncclAllGather) all_gather;
};

/// Returns the functions, opening the library on the first call. Throws UsageError if there is none.
const Nccl& nccl();

/// Throws Error with NCCL's own message, and the GPU of the calling thread, unless the status is success.
void check(ncclResult_t status);

}  // namespace nmt::cuda
