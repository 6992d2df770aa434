// Ranks that are threads of several processes.
#pragma once

#include <cstddef>
#include <functional>

#include "tensor/hosts.h"

namespace nmt {

/// Calls work(hosts, i) for each i below `threads` at the same time, the first one on this thread, and
/// returns when all have ended. Each is a rank beside those of other processes, which call this together:
/// ranks are numbered from process to process, and the first one of each speaks with the others by
/// `processes`. How many there are in each may differ.
///
/// When one throws, those of this process that wait for it get RankEnded, and what it threw is thrown again
/// here. Then `give_up` is called first, on its thread, after which whoever waits for other processes throws
/// RankEnded as well.
void run_joined_ranks(Hosts& processes, std::size_t threads, const std::function<void()>& give_up,
                      const std::function<void(Hosts&, std::size_t)>& work);

}  // namespace nmt
