// In which order the tokens of a target are read and predicted.
#pragma once

#include <cstdint>

#include "nn/settings.h"

namespace nmt {

enum class TargetDirection : std::uint8_t {
  left_to_right,
  right_to_left,  // from the last token to the first (Liu et al., 2016; Sennrich et al., 2016)
};

/// The setting `target_direction`.
ModelKey target_direction_key();
/// Reads it.
TargetDirection target_direction_of(const ModelSettings& settings);

}  // namespace nmt
