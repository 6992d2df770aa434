// Positions of self-attention that are biases of its scores, by the distance of key and query.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "graph/operations.h"
#include "nn/transformer/transformer_config.h"
#include "nn/weights/parameters.h"

namespace nmt {

/// Returns the bucket of each distance -farthest, ..., farthest, that is, the position of the key minus that
/// of the query. With `both_ways`, keys after the query have the second half of the buckets; otherwise they
/// count as the query itself. Half of the buckets of a direction are for single distances. The others grow
/// with the logarithm of the distance; `farthest` and greater distances are in the last bucket.
std::vector<std::int32_t> distance_buckets(std::int64_t buckets, std::int64_t farthest, bool both_ways);

/// Returns the slope of each head of ALiBi (Press et al., 2022, section 3): 2^(-8 i / n) for i = 1, ..., n
/// where n, the number of heads, is a power of two. For other numbers, the first heads have the slopes for
/// the largest power of two below, and the rest every other slope for twice that power, from the first on.
std::vector<double> linear_slopes(int heads);

/// The biases of a stack of layers, whose self-attentions share them.
class ScoreBiases {
 public:
  virtual ~ScoreBiases() = default;
  /// Returns biases for sequences of up to `positions` tokens on the graph's device. Thread-safe.
  virtual ScoreBias at_least(const Graph& g, std::int64_t positions) const = 0;
};

/// Returns the biases of the layers of "encoder" or "decoder", whose weights it adds; null if positions are
/// of another kind, or these layers have no self-attention.
std::unique_ptr<ScoreBiases> score_biases(Parameters& parameters, const std::string& side,
                                          const TransformerConfig& config);

}  // namespace nmt
