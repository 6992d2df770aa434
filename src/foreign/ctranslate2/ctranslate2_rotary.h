// Rotary positions of models of CTranslate2, which are attributes of the attention of each layer.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "foreign/weight_source.h"
#include "nn/settings.h"

namespace nmt {

/// The pairs of features that a model of CTranslate2 rotates together.
enum class CTranslate2Pairs : std::uint8_t {
  halves,     // j and w/2 + j
  neighbors,  // 2j and 2j + 1
};

/// The names of the attributes, and the values of rotary positions that nmt supports.
constexpr const char *kRotaryDim = "rotary_dim", *kRotaryInterleave = "rotary_interleave",
                     *kRotaryBase = "rotary_base";
constexpr int kWholeHead = 0;
constexpr float kSupportedRotaryBase = 10000;

/// Returns the pairs of a model with rotary positions; nothing if it has none. `settings`: those of the
/// model, with sizes. Throws Error if layers differ, or if the rotations are not those of nmt.
std::optional<CTranslate2Pairs> rotary_pairs(ForeignTensors& tensors, const ModelSettings& settings);

}  // namespace nmt
