#include "pictures/png.h"

#include <fmt/format.h>

#include "common/error.h"
#include "common/process/program.h"

namespace nmt {

std::string png_of(const std::string& svg, double scale, const StopRequest& stop) {
  const ProgramResult result =
      run_program({"rsvg-convert", "--format", "png", "--zoom", fmt::format("{}", scale)}, svg, stop);
  if (!result.found) {
    throw Error(
        "the program rsvg-convert, which makes PNG, is not installed; install it (Debian: librsvg2-bin), or "
        "write SVG");
  }
  if (result.status != 0 || result.output.empty()) {
    throw Error("rsvg-convert cannot make a PNG: {}",
                result.errors.empty() ? fmt::format("its exit code is {}", result.status) : result.errors);
  }
  return result.output;
}

const std::vector<std::string>& picture_formats() {
  static const std::vector<std::string> formats = {"svg", "png"};
  return formats;
}

std::string in_format(const std::string& svg, const std::string& format, const StopRequest& stop) {
  return format == "png" ? png_of(svg, 2, stop) : svg;
}

}  // namespace nmt
