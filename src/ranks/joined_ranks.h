// Ranks that are threads of several processes, and the check that all of them were started with the same
// settings.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "tensor/communicator.h"

namespace nmt {

/// Ranks are numbered process by process; the number of ranks may differ between processes.
struct JoinedRanks {
  int first = 0;  // number of the first rank of this process
  int here = 1;   // number of ranks in this process
  int all = 1;
};

/// Numbers the ranks, given `here` ranks in this process. All processes call this together.
JoinedRanks number_ranks(ProcessGroup& processes, std::size_t here);

/// Calls work(group, i) for each i below ranks.here at the same time, the first on this thread, and returns
/// when all have ended. Each is one rank among those of all processes, which call this together. The first
/// rank of each process communicates with other processes through `processes`.
///
/// If one of them throws, the ranks of this process that wait for it get RankEnded, and the exception is
/// rethrown here. `leave_processes` is called first, on the thread that failed; after that, ranks that wait
/// for other processes get RankEnded as well.
void run_joined_ranks(ProcessGroup& processes, const JoinedRanks& ranks,
                      const std::function<void()>& leave_processes,
                      const std::function<void(ProcessGroup&, std::size_t)>& work);

/// Names and values that must be equal on all ranks of a run.
using RunFacts = std::vector<std::pair<std::string, std::string>>;

/// Throws UsageError, the same on all ranks, naming the first rank (of `names`) whose facts differ from those
/// of rank 0, and the difference. Names and values must not contain tabs or line breaks.
void check_agreement(ProcessGroup& group, const std::vector<std::string>& names, const RunFacts& facts);

}  // namespace nmt
