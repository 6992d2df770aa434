#include "foreign/position_table.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "nn/transformer/positions.h"

namespace nmt {
namespace {

constexpr std::array<std::pair<const char*, Positions>, 3> kKinds = {
    {{"sinusoidal", Positions::sinusoidal},
     {"sinusoidal_halves", Positions::sinusoidal_halves},
     {"tensor2tensor", Positions::tensor2tensor}}};
constexpr std::int64_t kLastOffset = 2;

/// Returns the tolerance of f32 at a position: rates in f32 are off by less than this, and angles by that
/// times the position.
double tolerance(std::int64_t position) {
  constexpr double kOfRates = 1e-6;
  return kOfRates * static_cast<double>(position + 1);
}

/// Whether the rows of a table are the sinusoids of a kind from position `first` on. Most kinds differ in the
/// first rows.
bool holds(const std::vector<float>& table, Positions kind, std::int64_t first, std::int64_t d_model) {
  std::int64_t position = first;
  for (auto row = table.begin(); row != table.end(); row += d_model, ++position) {
    const auto is_close = [most = tolerance(position)](double x, float y) { return std::abs(x - y) <= most; };
    const std::vector<double> sinusoids = sinusoid_table(kind, position, 1, d_model);
    if (!std::equal(sinusoids.begin(), sinusoids.end(), row, is_close)) return false;
  }
  return true;
}

}  // namespace

std::optional<ComputedPositions> computed_positions(const std::vector<float>& table, std::int64_t d_model) {
  if (d_model < 1 || table.empty() || std::ssize(table) % d_model != 0) return std::nullopt;
  // With an odd width, or a width of 2, all kinds give the same positions.
  const auto kinds = d_model % 2 == 0 && d_model >= 4 ? kKinds.size() : 1;
  for (std::size_t i = 0; i < kinds; ++i) {
    const auto& [name, kind] = kKinds[i];
    for (std::int64_t offset = 0; offset <= kLastOffset; ++offset) {
      if (holds(table, kind, offset, d_model)) return ComputedPositions{name, offset};
    }
  }
  return std::nullopt;
}

void set_positions(const std::optional<ComputedPositions>& source,
                   const std::optional<ComputedPositions>& target, ModelSettings& settings) {
  const bool are_computed = source && source == target;
  settings["positions"] = are_computed ? source->kind : "learned";
  settings["position_offset"] = std::to_string(are_computed ? source->offset : 0);
}

std::vector<float> position_table(const ComputedPositions& positions, std::int64_t rows,
                                  std::int64_t d_model) {
  const auto* const found = std::ranges::find(kKinds, positions.kind, &decltype(kKinds)::value_type::first);
  const std::vector<double> exact = sinusoid_table(found->second, positions.offset, rows, d_model);
  return {exact.begin(), exact.end()};
}

}  // namespace nmt
