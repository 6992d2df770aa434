// Detects tables of positions that nmt computes.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "nn/settings.h"

namespace nmt {

/// Positions that a model of nmt computes.
struct ComputedPositions {
  std::string kind;         // a value of the setting `positions`
  std::int64_t offset = 0;  // the position of the first row

  bool operator==(const ComputedPositions&) const = default;
};

/// Returns the kind of the sinusoids in a table [rows, d_model], whose first row may be position 0, 1 or 2.
/// Elements may differ as much as in programs that compute rates in f32. Returns nothing if the table is
/// learned.
std::optional<ComputedPositions> computed_positions(const std::vector<float>& table, std::int64_t d_model);

/// Sets the settings `positions` and `position_offset` to the values that both sides share, or to learned
/// positions if they differ.
void set_positions(const std::optional<ComputedPositions>& source,
                   const std::optional<ComputedPositions>& target, ModelSettings& settings);

/// Returns the sinusoids of `rows` positions as a table. `positions`: of a kind that is not learned; the
/// first position is its offset.
std::vector<float> position_table(const ComputedPositions& positions, std::int64_t rows,
                                  std::int64_t d_model);

}  // namespace nmt
