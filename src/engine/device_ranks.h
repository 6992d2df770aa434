// The ranks of a training run in this process.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "backend/factory.h"
#include "nn/saved/saved_model.h"
#include "ranks/joined_ranks.h"
#include "ranks/launched_ranks.h"
#include "tensor/communicator.h"

namespace nmt {

/// The devices that a process of a run may use.
struct GpuClaim {
  std::vector<std::string> gpus;  // unique names of GPUs; empty: the process computes on the CPU
  bool one_alone = false;         // uses only one of them
};

/// Returns, for each process, the part of its claim that it uses. Processes that claim the same GPUs share
/// them in order: one GPU each, or all of them, as evenly as possible. `names`: the names of the processes,
/// for messages. Throws UsageError if there are more processes than GPUs, or if two claims overlap without
/// being equal.
std::vector<Part> partition_gpus(const std::vector<GpuClaim>& claims, const std::vector<std::string>& names);

/// A rank of this process: a copy of the model on its device, and its connection with the other ranks.
struct DeviceRank {
  SavedModel& model;
  Backend& backend;
  Communicator& communicator;
};

/// A rank for each device of this process: the GPUs that it was given, or another device that it computes on.
class DeviceRanks {
 public:
  /// Opens the devices. `settings`: precision "auto" is replaced by that of the first device. `launched`: the
  /// processes of the run, which call this together; those that see the same GPUs share them. Null: this
  /// process is alone. Throws UsageError if a device cannot be used, or if there are too few.
  DeviceRanks(DeviceSettings& settings, LaunchedRanks* launched);

  /// The device of the first rank.
  Backend& first() const { return *devices_[0]; }
  /// The names of the devices of this process, in the order of their ranks.
  const std::vector<std::string>& names() const { return names_; }
  /// The number of the first rank of this process.
  int first_rank() const { return ranks_.first; }
  /// The number of ranks of the run, in all processes.
  int count() const { return ranks_.all; }
  /// Describes the ranks: "4 GPUs on 2 machines", "2 ranks on 1 machine"; empty if there is only one.
  std::string text() const;
  /// The processes of the run; null: this process is alone.
  LaunchedRanks* launched() const { return launched_; }
  /// Communicates with the other processes.
  Communicator& processes() { return launched_ != nullptr ? launched_->communicator() : alone_; }

  /// Copies the model from the first device to all others.
  void copy(const SavedModel& model);
  /// Returns the memory, in bytes, that is available on each device, at least.
  std::size_t free_memory() const;
  /// Calls work(rank) for each rank at the same time, on a thread each, the first one on the calling thread.
  /// `model` is on the first device, and the others have copies. Rethrows what any of them throws.
  void run(SavedModel& model, const std::function<void(const DeviceRank&)>& work);

 private:
  LaunchedRanks* launched_;
  SingleRank alone_;
  bool are_gpus_ = false;
  std::vector<std::string> names_;
  std::vector<std::unique_ptr<Backend>> devices_;
  std::vector<SavedModel> copies_;  // on all devices but the first
  JoinedRanks ranks_;
};

}  // namespace nmt
