// The word embeddings of a model that share a matrix.
#pragma once

#include <cstdint>

#include "nn/settings.h"

namespace nmt {

enum class Tying : std::uint8_t {
  all,     // one matrix for source, target and output (Press and Wolf, 2017)
  target,  // target embedding and output
  inputs,  // source and target embedding
  none,
};

/// Describes the setting `tied_embeddings`.
ModelKey tying_key();
/// Reads the setting `tied_embeddings`. Throws ModelSettingError for a shared matrix for vocabularies of
/// different sizes.
Tying tying_of(const ModelSettings& settings);

/// Whether source and target embedding share a matrix.
constexpr bool has_one_embedding(Tying tying) {
  return tying == Tying::all || tying == Tying::inputs;
}
/// Whether the target embedding is also the matrix of the output layer.
constexpr bool has_tied_output(Tying tying) {
  return tying == Tying::all || tying == Tying::target;
}
/// Throws ModelSettingError if source and target embedding share a matrix, which two vocabularies cannot use.
void refuse_two_vocabularies(Tying tying);

}  // namespace nmt
