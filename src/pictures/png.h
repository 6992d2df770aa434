// PNG: drawings as pixels.
#pragma once

#include <string>

namespace nmt {

/// An SVG drawing as the bytes of a PNG file, `scale` pixels for each of the drawing's, by the program
/// rsvg-convert (Debian: librsvg2-bin). Throws Error when it is missing or fails.
std::string png_of(const std::string& svg, double scale = 2);

}  // namespace nmt
