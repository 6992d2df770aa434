// Ranks that are cards.
#pragma once

#include <memory>

#include "backend/cuda/runtime/stream.h"
#include "tensor/communicator.h"

namespace nmt::cuda {

/// What the ranks of `group` do together, with tensors of cards: their collective calls are NCCL's, on a
/// stream of their own, so that the card goes on with its work until finish(). `stream`: of this rank's card,
/// outlives it. All ranks call this together. Sums are the same bits on all ranks, and from run to run on the
/// same cards; in which order they are taken is NCCL's affair, and those that travel in bf16 are rounded to
/// it wherever they pass. Throws UsageError where there is no NCCL.
std::unique_ptr<Communicator> connect(ProcessGroup& group, Stream& stream);

}  // namespace nmt::cuda
