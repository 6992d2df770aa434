// The processes started together by a launcher such as mpirun, as the ranks of one run.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "ranks/heartbeat.h"
#include "ranks/process_ranks.h"

namespace nmt {

/// Describes this process as one of several that a launcher has started together.
struct Launch {
  std::string launcher;  // "mpirun" or "srun"
  int rank = 0, ranks = 1;
};

/// Returns the value of an environment variable; nullptr if it is not set.
using Environment = std::function<const char*(const char* name)>;

/// Detects the launcher from environment variables: mpirun of Open MPI, of MPICH or of its derivatives, or
/// srun. Returns nothing for a single process, such as a batch script of Slurm, whatever resources it has.
std::optional<Launch> find_launch(const Environment& environment);

/// Detects the launcher from the environment of this process.
std::optional<Launch> find_launch();

/// Joins the launched processes for as long as this object lives. Rank 0 writes all output. On other ranks,
/// standard output is discarded. They should print no messages, and report errors to rank 0, which prints
/// them with the rank (fail()).
class LaunchedRanks {
 public:
  /// Joins the ranks that were launched together with this process; nullptr if no launcher has started
  /// several. Call once per process. Throws UsageError if joining is impossible (libnmt_mpi.so is missing or
  /// of another build, or MPI sees other ranks than the launcher), Error if MPI or the network fails.
  static std::unique_ptr<LaunchedRanks> join(const RankEvents& events);

  LaunchedRanks(const LaunchedRanks&) = delete;
  LaunchedRanks& operator=(const LaunchedRanks&) = delete;

  Communicator& communicator() { return communicator_; }
  /// Returns "rank 1 (process 4711 on n2)" for each rank.
  const std::vector<std::string>& names() const { return names_; }
  /// Returns the number of ranks on this machine.
  int ranks_of_machine() const { return ranks_of_machine_; }
  /// Returns the number of machines.
  int machines() const { return machines_; }
  /// Returns the number of cores for this rank: those it may use, divided among the ranks that share them. At
  /// least 1.
  int cores() const { return cores_; }

  /// Calls `work`, and returns when it is done on all ranks. Throws what `work` throws. If a signal or an
  /// error ends it on rank 0, the other processes end with the same exit code.
  void run(const std::function<void()>& work);
  /// On rank 0: ends the other processes with this exit code, for a reason outside of `work`.
  void end(int code) { heartbeat_->end(code); }
  /// On other ranks: reports to rank 0 why this rank ends; rank 0 prints the error. Returns when rank 0 has
  /// ended, or after ten seconds.
  void fail(std::string_view error) { heartbeat_->fail(error); }
  /// Stops all communication, because the memory that it uses is about to be freed.
  void abandon() { communicator_.abandon(); }

 private:
  struct Introduction;

  LaunchedRanks(const Launch& launch, const RankEvents& events);
  /// Stores the names of all ranks, and counts the ranks that share a machine or cores with this one.
  void meet(const std::vector<Introduction>& ranks);
  /// Ends the run of this rank; `code` is the exit code on rank 0.
  void conclude(int code);

  StopRequest& stop_;
  ProcessRanks communicator_;
  std::vector<std::string> names_;
  std::string stranger_;  // name of a rank that runs another program than rank 0
  int ranks_of_machine_ = 1, machines_ = 1, cores_ = 1;
  std::unique_ptr<Heartbeat> heartbeat_;
};

}  // namespace nmt
