// NCCL, NVIDIA's library of collective calls, opened by name: the program starts where it is not installed.
#pragma once

#include <nccl.h>

namespace nmt::cuda {

/// The functions that are used here; each is documented under the name that nccl.cpp finds it by.
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

/// Opens the library when it is called first. Throws UsageError where there is none.
const Nccl& nccl();

/// Throws Error with NCCL's own words, and the card of the calling thread.
void check(ncclResult_t status);

}  // namespace nmt::cuda
