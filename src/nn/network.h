// Network: parameters and their memory, whatever the network computes.
#pragma once

#include <cassert>
#include <memory>

#include "nn/weights/low_rank.h"
#include "nn/weights/training_weights.h"

namespace nmt {

/// The parameters of a network, which its layers add, and the memory of their weights.
class Network {
 public:
  virtual ~Network() = default;
  Network(const Network&) = delete;
  Network& operator=(const Network&) = delete;

  Parameters& parameters() { return parameters_; }
  const Parameters& parameters() const { return parameters_; }
  /// Allocates memory for training the parameters, on a device that must outlive the model. For inference,
  /// see nn/weights/inference_weights.h.
  TrainingWeights& allocate_for_training(Backend& backend) {
    training_weights_ = std::make_unique<TrainingWeights>(parameters_, backend);
    return *training_weights_;
  }
  /// Instead allocates memory for training updates of low rank, with all parameters frozen.
  LowRankWeights& allocate_for_low_rank(Backend& backend, const LowRankSettings& settings) {
    low_rank_ = std::make_unique<LowRankWeights>(parameters_, backend, settings);
    return *low_rank_;
  }
  bool has_training_weights() const { return training_weights_ != nullptr || low_rank_ != nullptr; }
  /// Returns the weights that training changes, for which one of these functions has allocated memory.
  TrainingWeights& training_weights() {
    assert(has_training_weights());
    return low_rank_ ? low_rank_->weights() : *training_weights_;
  }
  const TrainingWeights& training_weights() const {
    return const_cast<Network*>(this)->training_weights();  // NOLINT(cppcoreguidelines-pro-type-const-cast)
  }

 protected:
  Network() = default;

 private:
  Parameters parameters_;
  std::unique_ptr<TrainingWeights> training_weights_;  // null for inference
  std::unique_ptr<LowRankWeights> low_rank_;           // null unless updates of low rank are trained
};

}  // namespace nmt
