// The ranks of a run that this process has.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "backend/factory.h"
#include "ranks/joined_ranks.h"
#include "ranks/launched_ranks.h"
#include "train/replica.h"

namespace nmt {

/// A rank for each device of this process: the cards that it was given, or whatever else it computes on.
class DeviceRanks {
 public:
  /// Opens the devices. `settings`: precision "auto" becomes that of the first one. `launched`: the processes
  /// of the run, which call this together, and of which those that see the same cards share them out;
  /// nullptr: this one alone. Throws UsageError where a device cannot be used, or there are too few.
  DeviceRanks(DeviceSettings& settings, LaunchedRanks* launched);

  /// The device of the first rank.
  Backend& first() const { return *devices_[0]; }
  /// Of the run, in all processes.
  int count() const { return ranks_.all; }
  /// "4 cards on 2 machines", "2 ranks on 1 machine"; empty: there is one.
  std::string text() const;
  /// The processes of the run; nullptr: this one alone.
  LaunchedRanks* launched() const { return launched_; }
  /// This process among the others.
  Communicator& processes() { return launched_ != nullptr ? launched_->communicator() : alone_; }

  /// Gives all devices but the first, which has it, a copy of the model.
  void copy(const SavedModel& model);
  /// What each of them can have of its memory, at least.
  std::size_t free_memory() const;
  /// Calls work(parts) for each rank at the same time, on a thread each, the first one on this; `model` is on
  /// its device, and the others have copies. Throws what any of them throws.
  void run(SavedModel& model, const Corpus& corpus, const std::optional<ValidationText>& validation,
           const std::function<void(RankParts)>& work);

 private:
  LaunchedRanks* launched_;
  SingleRank alone_;
  bool are_cards_ = false;
  std::vector<std::unique_ptr<Backend>> devices_;
  std::vector<SavedModel> copies_;  // on all but the first
  JoinedRanks ranks_;
};

}  // namespace nmt
