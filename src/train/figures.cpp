#include "train/figures.h"

#include <algorithm>
#include <array>
#include <string_view>

namespace nmt {

std::vector<std::pair<std::string, double>> figures_of(const nlohmann::ordered_json& line) {
  static constexpr std::array<std::string_view, 5> kPlaces = {"step", "epoch", "source_tokens",
                                                              "target_tokens", "seconds"};
  std::vector<std::pair<std::string, double>> figures;
  for (const auto& [name, value] : line.items()) {
    if (value.is_number() && std::ranges::find(kPlaces, name) == kPlaces.end()) {
      figures.emplace_back(name, value.get<double>());
    }
  }
  return figures;
}

}  // namespace nmt
