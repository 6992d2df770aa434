// The formats of drawings: SVG and PNG.
#pragma once

#include <string>
#include <vector>

#include "common/job_context.h"

namespace nmt {

/// Converts an SVG drawing to the bytes of a PNG file, with `scale` pixels per unit of the drawing, by the
/// program rsvg-convert (Debian: librsvg2-bin). Throws Error if it is missing or fails, Interrupted if `stop`
/// requests to stop.
std::string png_of(const std::string& svg, double scale = 2, const StopRequest& stop = never_stopped());

/// Return the formats "svg" and "png", and an SVG drawing in one of them. Throws as png_of() does.
const std::vector<std::string>& picture_formats();
std::string in_format(const std::string& svg, const std::string& format,
                      const StopRequest& stop = never_stopped());

}  // namespace nmt
