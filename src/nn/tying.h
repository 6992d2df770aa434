// Which tables of words of a model are one matrix.
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

/// The setting `tied_embeddings`.
ModelKey tying_key();
/// Reads it. Throws ModelSettingError: a shared matrix for vocabularies of different sizes.
Tying tying_of(const ModelSettings& settings);

/// Whether source and target embedding are one matrix.
constexpr bool has_one_embedding(Tying tying) {
  return tying == Tying::all || tying == Tying::inputs;
}
/// Whether the target embedding is the matrix of the output, too.
constexpr bool has_tied_output(Tying tying) {
  return tying == Tying::all || tying == Tying::target;
}
/// Throws ModelSettingError where source and target embedding are one matrix, which two vocabularies cannot
/// share.
void refuse_two_vocabularies(Tying tying);

}  // namespace nmt
