// Runs of a tiny model on generated text, with harm where a test wants it, and comparisons of what they
// leave.
#pragma once

#include <gtest/gtest.h>

#include <functional>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "backend/devices.h"
#include "backend/factory.h"
#include "common/recording_log.h"
#include "common/temporary_folder.h"
#include "data/small_vocabulary.h"
#include "train/trainer.h"

namespace nmt::testing {

/// What does harm: takes the number of an update that is tried, from 1; true: its losses become no numbers.
using Meddle = std::function<bool(int)>;

inline bool no_harm(int) {
  return false;
}

class SmallRuns : public ::testing::Test {
 protected:
  SmallRuns();

  /// Begins a run in a folder, or goes on with the one there. `meddle` is asked on the last rank.
  void train(const std::string& name, const Meddle& meddle = no_harm);
  /// The same of one rank, on this device.
  void train_on(Backend& backend, const std::string& name, const Meddle& meddle = no_harm);

  /// The lines of metrics.jsonl without what depends on time.
  std::vector<nlohmann::json> metrics(const std::string& name) const;
  /// The state that a run has left.
  TrainingState last_state(const std::string& name) const;

  /// All that a run leaves but the state, which tells times.
  void expect_same_run(const std::string& name, const std::string& other) const;
  /// A run that crashes in this update, and goes on, leaves what the other one does.
  void expect_same_after_crash(int crash, const std::string& other);
  /// The models and the states that two runs end with have the same bits.
  void expect_same_tensors(const std::string& name, const std::string& other) const;
  /// All numbers of the states that two runs end with, and of their metrics, are the same to rounding, and
  /// all counts are equal.
  void expect_same_to_rounding(const std::string& name, const std::string& other,
                               bool same_batches = true) const;

  /// The model that runs begin with.
  SavedModel new_model(Backend& backend) const;

  TemporaryFolder folder_;
  RecordingLog log_{LogLevel::warning};
  StopRequest* stop_ = &never_stopped();
  TrainingSettings settings_;
  std::string device_ = "cpu", precision_ = "auto";
  Vocabulary words_ = small_vocabulary();  // of both sides
  int ranks_ = 1, threads_ = 1, validation_seed_ = 3;
  /// Cards have a number each, and compute in f32.
  std::function<std::unique_ptr<Backend>(int rank)> open_rank_ = [this](int rank) {
    return device_ == "cuda"
               ? open_backend({.device = fmt::format("cuda:{}", rank),
                               .precision = "f32",
                               .events = warnings_to_terminal()})
               : open_backend({.device = device_, .precision = precision_, .threads = threads_});
  };

 private:
  /// Each rank writes files of its own.
  ParallelText text(int rank, int seed, int pairs) const;
  using TrainRank = std::function<void(Backend&, Communicator&)>;
  /// Calls work(train_rank), which calls train_rank for each rank.
  void train_ranks(const std::string& name, const std::function<void(const TrainRank&)>& work);
  void train_rank(Backend& backend, Communicator& communicator, const Corpus& corpus, const RunDirectory& run,
                  const ModelFile* state);
};

}  // namespace nmt::testing
