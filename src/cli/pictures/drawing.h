// Output file and format of drawings.
#pragma once

#include <optional>
#include <string>

#include "cli/options/options.h"

namespace nmt {

struct DrawingOptions {
  std::string output = "-";
  std::optional<std::string> format;  // none: by the extension of the output's name
};

/// Adds `--output` and `--format svg|png`.
void add_drawing_options(Options& options, DrawingOptions& target);

/// Writes a drawing. Throws Error if it cannot be written, or cannot be converted to PNG.
void write_drawing(const std::string& svg, const DrawingOptions& options);

}  // namespace nmt
