// The processes that a launcher such as mpirun has started together, as the ranks of one run.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "ranks/launcher.h"
#include "ranks/lifeline.h"
#include "ranks/process_ranks.h"

namespace nmt {

/// Joins them, for as long as the process lives. Rank 0 speaks for all: on the others standard output goes
/// nowhere, and so do messages, but for errors, which rank 0 logs with their rank.
class LaunchedRanks {
 public:
  /// The ranks that this process is one of; nullptr where no launcher has started several. Throws UsageError
  /// where they cannot be joined: libnmt_mpi.so is not there, or of another build, or MPI sees others than
  /// the launcher; Error where MPI or the network fails.
  static LaunchedRanks* of_this_process();

  ~LaunchedRanks();
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
  /// Nothing is sent or received any more, for the memory that it is read from is about to go.
  void abandon() { communicator_.abandon(); }

 private:
  struct Introduction;

  explicit LaunchedRanks(const Launch& launch);
  /// Who all are, and how many share what with this one.
  void meet(const std::vector<Introduction>& ranks);
  /// The work of this rank has ended; on rank 0 in a way that has this exit code.
  void conclude(int code);

  ProcessRanks communicator_;
  std::vector<std::string> names_;
  std::string stranger_;  // one of them that runs another program than rank 0
  int ranks_of_machine_ = 1, machines_ = 1, cores_ = 1;
  std::unique_ptr<Lifeline> lifeline_;
};

}  // namespace nmt
