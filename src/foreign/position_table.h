// Positions that stand in a table, though models here compute them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "nn/settings.h"

namespace nmt {

/// Positions that a model here computes.
struct ComputedPositions {
  std::string kind;         // a value of the setting `positions`
  std::int64_t offset = 0;  // the position of the first row

  bool operator==(const ComputedPositions&) const = default;
};

/// What a table [rows, d_model] holds, where that is the sinusoids of some kind from a position up to 2 on,
/// as exact as programs that compute rates in f32 come to; nothing where it is learned.
std::optional<ComputedPositions> computed_positions(const std::vector<float>& table, std::int64_t d_model);

/// Sets the settings `positions` and `position_offset` to what both sides have, where that is the same, else
/// to learned ones.
void set_positions(const std::optional<ComputedPositions>& source,
                   const std::optional<ComputedPositions>& target, ModelSettings& settings);

/// The sinusoids of so many positions as a table: of a kind that is not learned, from position `offset` on.
std::vector<float> position_table(const ComputedPositions& positions, std::int64_t rows,
                                  std::int64_t d_model);

}  // namespace nmt
