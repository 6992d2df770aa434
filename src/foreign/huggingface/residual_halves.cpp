#include "foreign/huggingface/residual_halves.h"

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>
#include <vector>

namespace nmt {
namespace {

/// Returns each row in the new order.
std::vector<float> divided(const std::vector<float>& rows, std::int64_t d_model) {
  std::vector<float> divided(rows.size());
  const auto width = static_cast<std::size_t>(d_model);
  for (std::size_t row = 0; row < rows.size(); row += width) {
    for (std::size_t i = 0; i < width; ++i) divided[row + i / 2 + i % 2 * (width / 2)] = rows[row + i];
  }
  return divided;
}

/// Converts a weight whose input is the residual stream, or a table of it.
WeightSource with_halves_in(WeightSource weight) {
  const std::int64_t rows = weight.rows, d_model = weight.columns;
  return {rows, d_model, [weight = std::move(weight)] { return divided(weight.values(), weight.columns); }};
}

/// Converts a weight whose output is the residual stream, or a vector of it.
WeightSource with_halves_out(const WeightSource& weight) {
  if (weight.rows == 1) return with_halves_in(weight);
  return transposed(with_halves_in(transposed(weight)));
}

bool ends_in(const std::string& name, std::initializer_list<std::string_view> ends) {
  return std::ranges::any_of(ends, [&](std::string_view end) { return name.ends_with(end); });
}

}  // namespace

std::map<std::string, WeightSource> with_halves(std::map<std::string, WeightSource> parameters) {
  for (auto& [name, weight] : parameters) {
    if (ends_in(name, {"embedding.weight", "output.weight", ".in_proj_weight", ".linear1.weight"})) {
      weight = with_halves_in(weight);
    } else if (ends_in(name, {".out_proj.weight", ".out_proj.bias", ".linear2.weight", ".linear2.bias"}) ||
               name.find("norm") != std::string::npos) {
      weight = with_halves_out(weight);
    }
  }
  return parameters;
}

}  // namespace nmt
