#include "backend/cuda/libraries/nccl.h"

#include "backend/cuda/libraries/library.h"
#include "backend/cuda/runtime/status.h"

namespace nmt::cuda {
namespace {

Nccl open_nccl() {
  const Library library(fmt::format("libnccl.so.{}", NCCL_MAJOR),
                        "install NCCL, or set LD_LIBRARY_PATH to its folder");
  return {
      .error_string = library.find<&ncclGetErrorString>("ncclGetErrorString"),
      .last_error = library.find<&ncclGetLastError>("ncclGetLastError"),
      .unique_id = library.find<&ncclGetUniqueId>("ncclGetUniqueId"),
      .init = library.find<&ncclCommInitRankConfig>("ncclCommInitRankConfig"),
      .async_error = library.find<&ncclCommGetAsyncError>("ncclCommGetAsyncError"),
      .finalize = library.find<&ncclCommFinalize>("ncclCommFinalize"),
      .destroy = library.find<&ncclCommDestroy>("ncclCommDestroy"),
      .abort = library.find<&ncclCommAbort>("ncclCommAbort"),
      .all_reduce = library.find<&ncclAllReduce>("ncclAllReduce"),
      .reduce_scatter = library.find<&ncclReduceScatter>("ncclReduceScatter"),
      .all_gather = library.find<&ncclAllGather>("ncclAllGather"),
  };
}

}  // namespace

const Nccl& nccl() {
  static const Nccl table = open_nccl();
  return table;
}

void check(ncclResult_t status) {
  if (status != ncclSuccess) fail(fmt::format("NCCL: {}", nccl().error_string(status)));
}

}  // namespace nmt::cuda
