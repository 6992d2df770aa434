// Ranks that are threads of one process.
#pragma once

#include <functional>

#include "tensor/communicator.h"

namespace nmt {

/// Calls work(communicator) for each of `size` ranks at the same time, rank 0 on this thread, and returns
/// when all have ended. Their tensors lie in host memory; what is asked for is done at once, and a sum is
/// taken in the order of the ranks. When one throws, those that wait for it get RankEnded; what it threw is
/// thrown again here.
void run_ranks(int size, const std::function<void(Communicator&)>& work);

}  // namespace nmt
