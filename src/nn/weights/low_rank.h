// Fine-tuning with updates of low rank (LoRA: Hu et al., 2021): all weights of a model are frozen, and each
// matrix of its linear layers gets an update that is the product of two small matrices.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "nn/weights/low_rank_settings.h"
#include "nn/weights/parameters.h"
#include "nn/weights/training_weights.h"

namespace nmt {

/// Returns the names of the two matrices of the update of a weight.
std::string low_rank_a(const std::string& weight);
std::string low_rank_b(const std::string& weight);

/// Whether a parameter has an update of low rank: the matrices of linear layers, in attention and
/// feed-forward networks, but neither embeddings nor the output layer.
bool has_low_rank_update(const ParameterSpec& spec);
/// Returns the highest rank of any matrix with an update: the smaller side of a part of it. 0 if there is
/// none.
std::int64_t highest_rank(const Parameters& base);
/// Adds the two matrices of each update to `small`: a [parts * rank, in], random with variance 1 / in, and b
/// [parts * rank, out of a part], zeros.
void add_low_rank_updates(const Parameters& base, std::int64_t rank, Parameters& small);

/// Memory for training such updates. The parameters of the model have values and no gradients. Products read
/// W + scale * b^T a, rounded to the compute type, as they would after merging; so the forward pass costs
/// nothing more, and the backward pass does without the gradients of matrices (see LowRankUpdate).
class LowRankWeights {
 public:
  /// `base`: the parameters of the model, which get zeroed values. They and `backend` must outlive this
  /// object.
  LowRankWeights(Parameters& base, Backend& backend, const LowRankSettings& settings);
  LowRankWeights(const LowRankWeights&) = delete;
  LowRankWeights& operator=(const LowRankWeights&) = delete;

  const LowRankSettings& settings() const { return settings_; }
  /// Returns the small matrices, which are all that updates, checkpoints and averages know of.
  TrainingWeights& weights() { return weights_; }
  /// Computes the values of the model. Called after base values have changed, and by weights() after each
  /// change of its own.
  void merge();

 private:
  struct Update {
    const Parameters::Entry* base;
    const Parameters::Entry *a, *b;
  };
  /// Returns the matrix of a small parameter in a flat buffer of the compute type.
  static Tensor in(const Tensor& flat, const Parameters::Entry& entry);

  LowRankSettings settings_;
  Backend& backend_;
  Parameters parameters_;  // small
  TrainingWeights weights_;
  std::vector<Update> updates_;
  Tensor scale_;   // compute [1, n]: the scale, as often as there are elements
  Tensor scaled_;  // compute [1, n]: the small matrices times the scale
  Tensor sum_;     // master: a merged matrix before it is rounded; empty if it need not be
};

}  // namespace nmt
