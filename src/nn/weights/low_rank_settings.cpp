#include "nn/weights/low_rank_settings.h"

#include <fmt/format.h>

#include <algorithm>

#include "common/text/number.h"

namespace nmt {

std::optional<LowRankSettings> parse_low_rank(std::string_view text) {
  std::optional<std::int64_t> rank;
  std::optional<double> alpha;
  for (bool is_last = false; !is_last;) {
    const std::string_view setting = text.substr(0, text.find(','));
    is_last = setting.size() == text.size();
    text.remove_prefix(std::min(setting.size() + 1, text.size()));
    const std::string_view name = setting.substr(0, setting.find('='));
    const std::string value(setting.substr(std::min(name.size() + 1, setting.size())));
    if (name == "rank" && !rank) {
      rank = number_of<std::int64_t>(value);
      if (!rank) return std::nullopt;
    } else if (name == "alpha" && !alpha) {
      alpha = number_of<double>(value);
      if (!alpha || !(*alpha >= kLeastAlpha && *alpha <= kMostAlpha)) return std::nullopt;
    } else {
      return std::nullopt;
    }
  }
  if (!rank || *rank <= 0 || *rank > kMostRank) return std::nullopt;
  return LowRankSettings{*rank, alpha.value_or(static_cast<double>(*rank))};
}

std::string format_low_rank(const LowRankSettings& settings) {
  return fmt::format("rank={},alpha={}", settings.rank, settings.alpha);
}

}  // namespace nmt
