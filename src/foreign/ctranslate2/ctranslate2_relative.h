// Relative positions in models of CTranslate2. The self-attention of each layer has a table of biases (T5)
// and the farthest distance, or tables of vectors that are added to keys and values (Shaw et al., 2018).
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "foreign/weight_source.h"
#include "nn/settings.h"

namespace nmt {

/// The names of the variables of a layer's self-attention.
constexpr const char *kRelativeBias = "relative_attention_bias",
                     *kRelativeDistance = "relative_attention_max_distance",
                     *kRelativeKeys = "relative_position_keys", *kRelativeValues = "relative_position_values";

struct RelativeBiases {
  std::int64_t buckets = 0, distance = 0;

  bool operator==(const RelativeBiases&) const = default;
};

/// Returns the biases of a model; nothing if it has none. `settings`: those of the model, with sizes. Throws
/// Error if layers of a side have different tables, or the sides different sizes.
std::optional<RelativeBiases> relative_biases(ForeignTensors& tensors, const ModelSettings& settings);

/// Returns the distance up to which each has vectors of its own; nothing if keys and values have no vectors.
std::optional<std::int64_t> farthest_relative_vectors(ForeignTensors& tensors);

}  // namespace nmt
