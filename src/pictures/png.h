// The formats of drawings: SVG, and PNG, drawings as pixels.
#pragma once

#include <string>
#include <vector>

namespace nmt {

/// An SVG drawing as the bytes of a PNG file, `scale` pixels for each of the drawing's, by the program
/// rsvg-convert (Debian: librsvg2-bin). Throws Error when it is missing or fails.
std::string png_of(const std::string& svg, double scale = 2);

/// "svg" and "png", and an SVG drawing in one of them.
const std::vector<std::string>& picture_formats();
std::string in_format(const std::string& svg, const std::string& format);

}  // namespace nmt
