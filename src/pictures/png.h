// The formats of drawings: SVG, and PNG, drawings as pixels.
#pragma once

#include <string>
#include <vector>

#include "common/process/stop_request.h"

namespace nmt {

/// An SVG drawing as the bytes of a PNG file, `scale` pixels for each of the drawing's, by the program
/// rsvg-convert (Debian: librsvg2-bin). Throws Error when it is missing or fails,
/// Interrupted when `stop` asks for the end.
std::string png_of(const std::string& svg, double scale = 2, const StopRequest& stop = never_stopped());

/// "svg" and "png", and an SVG drawing in one of them. Throws as png_of().
const std::vector<std::string>& picture_formats();
std::string in_format(const std::string& svg, const std::string& format,
                      const StopRequest& stop = never_stopped());

}  // namespace nmt
