// Ranks that are threads of one process.
#pragma once

#include <functional>

#include "tensor/communicator.h"

namespace nmt {

/// Calls work(communicator) for each of `size` ranks at the same time, rank 0 on this thread, and returns
/// when all have ended. Tensors must be in host memory; operations are done at once, and sums are added in
/// the order of the ranks. If one rank throws, ranks that wait for it get RankEnded; the exception is
/// rethrown here.
void run_ranks(int size, const std::function<void(Communicator&)>& work);

}  // namespace nmt
