// Corpora that training mixes: files, each with an optional ratio.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cli/options/value.h"

namespace nmt {

/// A file with an optional ratio: "a.nmtc", or "a.nmtc:3". A number after the last colon is the ratio.
struct MixedFile {
  std::string path;
  std::optional<double> ratio;
};

template <>
struct ValueType<MixedFile> {
  static constexpr std::string_view kKind = "a file, perhaps with a ratio above 0 (train.nmtc:3)";
  static constexpr std::string_view kType = "file";

  static Reading read(std::string_view text, MixedFile& value) {
    value = {.path = std::string(text), .ratio = std::nullopt};
    const std::size_t colon = text.rfind(':');
    double ratio = 0;
    if (colon == std::string_view::npos ||
        ValueType<double>::read(text.substr(colon + 1), ratio) == Reading::malformed) {
      return Reading::good;
    }
    if (!(ratio > 0)) return Reading::out_of_range;
    value = {.path = std::string(text.substr(0, colon)), .ratio = ratio};
    return value.path.empty() ? Reading::malformed : Reading::good;
  }
  static std::string write(const MixedFile& value) {
    return value.ratio ? fmt::format("{}:{}", value.path, *value.ratio) : value.path;
  }
  static double magnitude(const MixedFile& /*value*/) { return 0; }
};

}  // namespace nmt
