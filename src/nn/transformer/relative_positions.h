// Relative positions (Raffel et al., 2020, section 2.1): a bias of attention scores for each bucket of
// distances.
#pragma once

#include <cstdint>
#include <mutex>
#include <string>
#include <vector>

#include "graph/operations.h"
#include "nn/transformer/transformer_config.h"
#include "nn/weights/parameters.h"

namespace nmt {

/// Returns the bucket of each distance -farthest, ..., farthest, that is, the position of the key minus that
/// of the query. With `both_ways`, keys after the query have the second half of the buckets; otherwise they
/// count as the query itself. Half of the buckets of a direction are for single distances; the others grow
/// with the logarithm of the distance, and `farthest` and what is beyond have the last one.
std::vector<std::int32_t> distance_buckets(std::int64_t buckets, std::int64_t farthest, bool both_ways);

/// The relative positions of a stack of layers, whose self-attentions share one table.
class RelativePositions {
 public:
  /// Adds the table of the side "encoder" or "decoder".
  RelativePositions(Parameters& parameters, const std::string& side, const TransformerConfig& config);
  /// Returns the bias on the graph's device. Thread-safe.
  TrainedBias operator()(const Graph& g) const;

 private:
  const Parameter& table_;  // [buckets, heads]
  std::vector<std::int32_t> buckets_;
  mutable std::mutex guard_;
  mutable Tensor on_device_;
};

}  // namespace nmt
