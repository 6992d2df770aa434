#include "insight/data_wait.h"

#include <algorithm>
#include <utility>

#include "insight/metrics_reader.h"

namespace nmt {

std::optional<double> DataWait::add(const nlohmann::ordered_json& line) {
  const std::optional<double> waited = number_of(line, "data_wait"), seconds = number_of(line, "seconds");
  if (!waited || !seconds) return std::nullopt;
  const double part = *waited - std::exchange(waited_, *waited);
  const double whole = *seconds - std::exchange(seconds_, *seconds);
  if (!(whole > 0)) return std::nullopt;
  return std::clamp(100 * part / whole, 0.0, 100.0);
}

}  // namespace nmt
