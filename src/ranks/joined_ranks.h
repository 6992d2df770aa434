// Ranks that are threads of several processes.
#pragma once

#include <cstddef>
#include <functional>

#include "tensor/hosts.h"

namespace nmt {

/// Ranks are numbered from process to process; how many there are in each may differ.
struct JoinedRanks {
  int first = 0;  // of this process
  int here = 1;   // in this process
  int all = 1;
};

/// With `here` ranks in this process. All processes call this together.
JoinedRanks number_ranks(Hosts& processes, std::size_t here);

/// Calls work(hosts, i) for each i below ranks.here at the same time, the first one on this thread, and
/// returns when all have ended. Each is a rank beside those of other processes, which call this together:
/// the first one of each process speaks with the others by `processes`.
///
/// When one throws, those of this process that wait for it get RankEnded, and what it threw is thrown again
/// here. Then `give_up` is called first, on its thread, after which whoever waits for other processes throws
/// RankEnded as well.
void run_joined_ranks(Hosts& processes, const JoinedRanks& ranks, const std::function<void()>& give_up,
                      const std::function<void(Hosts&, std::size_t)>& work);

}  // namespace nmt
