// The processes that a launcher such as mpirun has started together, as the ranks of one run.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "ranks/heartbeat.h"
#include "ranks/launcher.h"
#include "ranks/process_ranks.h"

namespace nmt {

/// Joins them, for as long as this lives. Rank 0 speaks for all: on the others standard output goes nowhere,
/// and so should messages, but for errors, which rank 0 tells with their rank (fail()).
class LaunchedRanks {
 public:
  /// The ranks that this process is one of; nullptr where no launcher has started several. Once a process.
  /// Throws UsageError where they cannot be joined: libnmt_mpi.so is not there, or of another build, or MPI
  /// sees others than the launcher; Error where MPI or the network fails.
  static std::unique_ptr<LaunchedRanks> join(const RankEvents& events);

  LaunchedRanks(const LaunchedRanks&) = delete;
  LaunchedRanks& operator=(const LaunchedRanks&) = delete;

  Communicator& communicator() { return communicator_; }
  /// "rank 1 (process 4711 on n2)", for each rank.
  const std::vector<std::string>& names() const { return names_; }
  /// How many of them are on the machine of this one.
  int ranks_of_machine() const { return ranks_of_machine_; }
  /// How many machines they are on.
  int machines() const { return machines_; }
  /// The cores that this one may use; of those that it shares with other ranks, its part. At least 1.
  int cores() const { return cores_; }

  /// Calls `work`, and returns when it is done on all ranks. Throws what it throws; whatever ends it on rank
  /// 0, a signal or an error, ends the other processes with the same exit code.
  void run(const std::function<void()>& work);
  /// On rank 0: another reason than work has for the end of this process, which ends the others, too.
  void end(int code) { heartbeat_->end(code); }
  /// On others: why this one ends, in the place of a message; rank 0 tells it. Returns when rank 0 has ended,
  /// or after ten seconds.
  void fail(std::string_view error) { heartbeat_->fail(error); }
  /// Nothing is sent or received any more, for the memory that it is read from is about to go.
  void abandon() { communicator_.abandon(); }

 private:
  struct Introduction;

  LaunchedRanks(const Launch& launch, const RankEvents& events);
  /// Who all are, and how many share what with this one.
  void meet(const std::vector<Introduction>& ranks);
  /// The work of this rank has ended; on rank 0 in a way that has this exit code.
  void conclude(int code);

  StopRequest& stop_;
  ProcessRanks communicator_;
  std::vector<std::string> names_;
  std::string stranger_;  // one of them that runs another program than rank 0
  int ranks_of_machine_ = 1, machines_ = 1, cores_ = 1;
  std::unique_ptr<Heartbeat> heartbeat_;
};

}  // namespace nmt
