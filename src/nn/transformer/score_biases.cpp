#include "nn/transformer/score_biases.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdlib>
#include <mutex>

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

Tensor upload_buckets(Backend& backend, const std::vector<std::int32_t>& buckets) {
  const Tensor on_device = allocate_tensor(backend, 1, std::ssize(buckets), DType::i32);
  backend.upload(on_device, buckets.data());
  return on_device;
}

/// Trained biases (Raffel et al., 2020, section 2.1).
class RelativePositions final : public ScoreBiases {
 public:
  RelativePositions(Parameters& parameters, const std::string& side, const TransformerConfig& config)
      : table_(parameters.add(side + ".relative_bias.weight",
                              ParameterSpec::bias_table(config.relative_buckets, config.heads))),
        buckets_(distance_buckets(config.relative_buckets, config.relative_distance, side == "encoder")) {}

  ScoreBias at_least(const Graph& g, std::int64_t /*positions*/) const override {
    const std::lock_guard lock(guard_);
    if (!on_device_) {
      on_device_ = upload_buckets(g.backend(), buckets_);
      g.backend().finish();  // before another worker reads it
    }
    return {table_, on_device_};
  }

 private:
  const Parameter& table_;  // [buckets, heads]
  std::vector<std::int32_t> buckets_;
  mutable std::mutex guard_;
  mutable Tensor on_device_;
};

/// Attention with linear biases (ALiBi; Press et al., 2022): minus the slope of the head times the distance,
/// in both directions. Each distance is a bucket of its own.
class LinearBiases final : public ScoreBiases {
 public:
  explicit LinearBiases(int heads) : slopes_(linear_slopes(heads)) {}

  ScoreBias at_least(const Graph& g, std::int64_t positions) const override {
    const std::lock_guard lock(guard_);
    if (biases_.empty() || biases_.back().table.value.rows() < positions)
      biases_.push_back(computed(g.backend(), std::max<std::int64_t>(2 * positions, 512)));
    return biases_.back();
  }

 private:
  ScoreBias computed(Backend& backend, std::int64_t distances) const {
    std::vector<double> biases;
    for (std::int64_t distance = 0; distance < distances; ++distance) {
      for (const double slope : slopes_) biases.push_back(-slope * static_cast<double>(distance));
    }
    std::vector<std::int32_t> buckets;
    for (std::int64_t distance = 1 - distances; distance < distances; ++distance)
      buckets.push_back(static_cast<std::int32_t>(std::abs(distance)));
    const Tensor table = allocate_tensor(backend, distances, std::ssize(slopes_), backend.precision().master);
    upload_reals(backend, table, biases);
    const ScoreBias bias{{.name = {}, .value = table, .gradient = {}}, upload_buckets(backend, buckets)};
    backend.finish();  // before another worker reads it
    return bias;
  }

  std::vector<double> slopes_;
  // The last one is for the longest sequence seen by any thread. Earlier ones stay because other threads may
  // still read them.
  mutable std::mutex guard_;
  mutable std::vector<ScoreBias> biases_;
};

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

std::vector<double> linear_slopes(int heads) {
  const auto power = static_cast<int>(std::bit_floor(static_cast<unsigned>(heads)));
  std::vector<double> slopes;
  for (int i = 1; i <= power; ++i) slopes.push_back(std::exp2(-8.0 * i / power));
  for (int i = 1; std::ssize(slopes) < heads; i += 2) slopes.push_back(std::exp2(-8.0 * i / (2 * power)));
  return slopes;
}

std::unique_ptr<ScoreBiases> score_biases(Parameters& parameters, const std::string& side,
                                          const TransformerConfig& config) {
  if (side == "decoder" && config.decoder_layer != DecoderLayerKind::attention) return nullptr;
  if (config.positions == Positions::relative)
    return std::make_unique<RelativePositions>(parameters, side, config);
  if (config.positions == Positions::alibi) return std::make_unique<LinearBiases>(config.heads);
  return nullptr;
}

}  // namespace nmt
