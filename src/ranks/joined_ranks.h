// Ranks that are threads of several processes.
#pragma once

#include <cstddef>
#include <functional>

#include "tensor/process_group.h"

namespace nmt {

/// Ranks are numbered from process to process; how many there are in each may differ.
struct JoinedRanks {
  int first = 0;  // of this process
  int here = 1;   // in this process
  int all = 1;
};

/// With `here` ranks in this process. All processes call this together.
JoinedRanks number_ranks(ProcessGroup& processes, std::size_t here);

/// Calls work(group, i) for each i below ranks.here at the same time, the first one on this thread, and
/// returns when all have ended. Each is a rank beside those of other processes, which call this together: the
/// first one of each process speaks with the others by `processes`.
///
/// When one throws, those of this process that wait for it get RankEnded, and what it threw is thrown again
/// here. Then `leave_processes` is called first, on its thread, after which whoever waits for other processes
/// throws RankEnded as well.
void run_joined_ranks(ProcessGroup& processes, const JoinedRanks& ranks,
                      const std::function<void()>& leave_processes,
                      const std::function<void(ProcessGroup&, std::size_t)>& work);

}  // namespace nmt
