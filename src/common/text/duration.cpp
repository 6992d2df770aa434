#include "common/text/duration.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>

namespace nmt {

std::string format_seconds(double seconds) {
  const std::int64_t s = std::llround(std::min(seconds, 1e12));
  const std::int64_t minutes = s / 60, hours = minutes / 60, days = hours / 24;
  if (s < 60) return fmt::format("{} s", s);
  if (minutes < 60 && s % 60 == 0) return fmt::format("{} min", minutes);
  if (minutes < 60) return fmt::format("{} min {} s", minutes, s % 60);
  if (hours < 24) return fmt::format("{} h {} min", hours, minutes % 60);
  return fmt::format("{} d {} h", days, hours % 24);
}

}  // namespace nmt
