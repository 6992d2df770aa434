// Replaces nccl_ranks.cpp if NCCL's header is missing.
#include "backend/cuda/libraries/nccl_ranks.h"
#include "common/error.h"

namespace nmt::cuda {

std::unique_ptr<Communicator> connect(ProcessGroup&, Stream&) {
  throw UsageError("this nmt was built without NCCL, which several GPUs need: install it, and build again");
}

}  // namespace nmt::cuda
