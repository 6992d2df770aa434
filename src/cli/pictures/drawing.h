// Where drawings go, and in which format.
#pragma once

#include <optional>
#include <string>

#include "cli/options/options.h"

namespace nmt {

struct DrawingOptions {
  std::string output = "-";
  std::optional<std::string> format;  // none: by the end of the output's name
};

/// `--output` and `--format svg|png`.
void add_drawing_options(Options& options, DrawingOptions& target);

/// Writes a drawing. Throws Error when it cannot be written, or cannot become a PNG.
void write_drawing(const std::string& svg, const DrawingOptions& options);

}  // namespace nmt
