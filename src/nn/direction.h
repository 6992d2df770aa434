// The order in which a model reads the tokens of each side.
#pragma once

#include <cstdint>

#include "nn/settings.h"

namespace nmt {

enum class Direction : std::uint8_t {
  left_to_right,
  right_to_left,  // from the last token to the first (Liu et al., 2016; Sennrich et al., 2016)
};

/// Describes the setting `source_direction`.
ModelKey source_direction_key();
/// Describes the setting `target_direction`.
ModelKey target_direction_key();

/// Reads the setting `source_direction`.
Direction source_direction_of(const ModelSettings& settings);
/// Reads the setting `target_direction`.
Direction target_direction_of(const ModelSettings& settings);

}  // namespace nmt
