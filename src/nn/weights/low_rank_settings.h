// Settings of fine-tuning with updates of low rank.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace nmt {

/// Limits of the settings. Usual ranks are 4 to 256, and alpha is the rank or twice that.
inline constexpr std::int64_t kMostRank = 1'000'000;
inline constexpr double kLeastAlpha = 1e-6, kMostAlpha = 1e6;

/// The updates of weights are alpha / rank times the product of two matrices of this rank (LoRA: Hu et al.,
/// 2021).
struct LowRankSettings {
  std::int64_t rank = 0;
  double alpha = 0;

  double scale() const { return alpha / static_cast<double>(rank); }
  bool operator==(const LowRankSettings&) const = default;
};

/// Parses "rank=16" or "rank=16,alpha=32", in any order. Without alpha, it is the rank. Returns nothing for
/// any other text, and for numbers beyond the limits.
std::optional<LowRankSettings> parse_low_rank(std::string_view text);
/// Returns the text from which parse_low_rank() reads these settings.
std::string format_low_rank(const LowRankSettings& settings);

}  // namespace nmt
