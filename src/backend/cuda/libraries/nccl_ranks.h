// Ranks that are GPUs.
#pragma once

#include <memory>

#include "backend/cuda/runtime/stream.h"
#include "tensor/communicator.h"

namespace nmt::cuda {

/// Returns the communicator of the ranks of `group` for tensors on GPUs. Its collective calls are NCCL's, on
/// a separate stream, so that the GPU continues its work until finish(). `stream`: of this rank's GPU, must
/// outlive the communicator. All ranks call this together. Sums are equal bit by bit on all ranks, and from
/// run to run on the same GPUs; NCCL determines the order of additions, and rounds every partial sum of
/// values sent in bf16. Throws UsageError if there is no NCCL.
std::unique_ptr<Communicator> connect(ProcessGroup& group, Stream& stream);

}  // namespace nmt::cuda
