#include "nn/transformer/relative_positions.h"

#include <algorithm>
#include <cmath>

namespace nmt {
namespace {

/// Returns the bucket of a distance from 0 on, of `buckets` for one direction. Logarithms are of f32, as in
/// the original, because their rounding decides at powers.
std::int64_t bucket_of(std::int64_t distance, std::int64_t buckets, std::int64_t farthest) {
  const std::int64_t single = buckets / 2;
  if (distance < single) return distance;
  const auto first = static_cast<float>(single);
  const float growth =
      std::log(static_cast<float>(distance) / first) /
      static_cast<float>(std::log(static_cast<double>(farthest) / static_cast<double>(single)));
  const auto further = static_cast<std::int64_t>(growth * static_cast<float>(buckets - single));
  return std::min(single + further, buckets - 1);
}

}  // namespace

std::vector<std::int32_t> distance_buckets(std::int64_t buckets, std::int64_t farthest, bool both_ways) {
  std::vector<std::int32_t> list;
  const std::int64_t each = both_ways ? buckets / 2 : buckets;
  for (std::int64_t distance = -farthest; distance <= farthest; ++distance) {
    const std::int64_t first = both_ways && distance > 0 ? each : 0;
    const std::int64_t seen = both_ways ? std::abs(distance) : std::max<std::int64_t>(0, -distance);
    list.push_back(static_cast<std::int32_t>(first + bucket_of(seen, each, farthest)));
  }
  return list;
}

RelativePositions::RelativePositions(Parameters& parameters, const std::string& side,
                                     const TransformerConfig& config)
    : table_(parameters.add(side + ".relative_bias.weight",
                            ParameterSpec::bias_table(config.relative_buckets, config.heads))),
      buckets_(distance_buckets(config.relative_buckets, config.relative_distance, side == "encoder")) {}

TrainedBias RelativePositions::operator()(const Graph& g) const {
  const std::lock_guard lock(guard_);
  if (!on_device_) {
    Backend& backend = g.backend();
    on_device_ = allocate_tensor(backend, 1, std::ssize(buckets_), DType::i32);
    backend.upload(on_device_, buckets_.data());
    backend.finish();  // before another worker reads it
  }
  return {table_, on_device_};
}

}  // namespace nmt
