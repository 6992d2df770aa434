#include "foreign/rotary.h"

#include <cstring>
#include <utility>
#include <vector>

#include "nn/transformer/transformer_config.h"

namespace nmt {
namespace {

/// Returns the number of the row that becomes row `row` of heads of this width.
std::int64_t neighbor_row(std::int64_t row, std::int64_t width) {
  const std::int64_t in_head = row % width, half = width / 2;
  return row - in_head + (in_head < half ? 2 * in_head : 2 * (in_head - half) + 1);
}

/// Reorders the first `rows` rows of a matrix, or elements of a vector.
WeightSource reordered(WeightSource weight, std::int64_t rows, std::int64_t width) {
  const std::int64_t columns = weight.rows > 1 ? weight.columns : 1;
  return {weight.rows, weight.columns, [=, weight = std::move(weight)](RowRange range) {
            const TensorBytes from = weight.read();
            const auto bytes = static_cast<std::size_t>(columns) * sizeof(float);
            std::vector<float> to(static_cast<std::size_t>(weight.size()));
            std::memcpy(to.data(), from.data(), to.size() * sizeof(float));
            for (std::int64_t row = 0; row < rows; ++row)
              std::memcpy(to.data() + row * columns,
                          from.data() + static_cast<std::size_t>(neighbor_row(row, width)) * bytes, bytes);
            if (weight.rows == 1) return to;
            const auto begin = to.begin() + range.begin * columns;
            return std::vector<float>(begin, begin + range.count * columns);
          }};
}

}  // namespace

void rotate_halves(std::map<std::string, WeightSource>& weights, const ModelSettings& settings) {
  const TransformerConfig config(settings);
  for (auto& [name, weight] : weights) {
    if (name.find(".self_attn.in_proj_") != name.npos)
      weight = reordered(std::move(weight), config.attention_width() + config.key_width(),
                         config.position_width());
  }
}

}  // namespace nmt
