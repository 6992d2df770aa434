#include "cli/pictures/drawing.h"

#include "cli/files/output.h"
#include "cli/program.h"
#include "pictures/png.h"

namespace nmt {

void add_drawing_options(Options& options, DrawingOptions& target) {
  options.add("output,o", target.output, "FILE", "picture to write. - is standard output.")
      .command_line_only()
      .writes();
  options
      .add("format", target.format, "",
           "format of the picture. png needs the program rsvg-convert (Debian: librsvg2-bin).")
      .choices(picture_formats())
      .default_text("png where the name of --output ends in .png, else svg");
}

void write_drawing(const std::string& svg, const DrawingOptions& options) {
  const std::string format = options.format.value_or(format_by_name(options.output, picture_formats()));
  const std::string picture = in_format(svg, format, *program_job().stop);
  Output output(options.output);
  output.write(picture);
  output.commit();
}

}  // namespace nmt
