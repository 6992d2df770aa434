// nmt plot: the pictures of the paper.
#include <functional>
#include <map>

#include "cli/command.h"
#include "cli/common_options.h"
#include "cli/drawing.h"
#include "cli/paper_pictures.h"
#include "cli/spelling.h"
#include "cli/value.h"
#include "common/error.h"

namespace nmt {
namespace {

struct PlotSettings {
  std::vector<std::string> picture;  // one
  std::vector<std::string> curves = {"512:4000", "512:8000", "256:4000"};
  DrawingOptions drawing;
  LogOptions log;
};

std::vector<RateCurve> curves_of(const Options& options, const PlotSettings& settings) {
  std::vector<RateCurve> curves;
  const auto is_number = [](std::string_view text, std::int64_t& number) {
    return ValueType<std::int64_t>::read(text, number) == Reading::good && number >= 1 && number <= 1'000'000;
  };
  for (const std::string& text : settings.curves) {
    const std::string_view view = text;
    const std::size_t colon = std::min(view.find(':'), view.size());
    RateCurve& curve = curves.emplace_back();
    if (!is_number(view.substr(0, colon), curve.d_model) ||
        !is_number(view.substr(std::min(colon + 1, view.size())), curve.warmup)) {
      throw UsageError("{}: expected d_model:warmup, two numbers from 1 to 1000000 such as 512:4000, got {}",
                       options.origin("curve"), quoted(text));
    }
  }
  return curves;
}

using Pictures = std::map<std::string, std::function<std::string()>>;

Pictures pictures_of(const Options& options, const PlotSettings& settings) {
  return {{"positions", positions_picture},
          {"schedule", [&] { return schedule_picture(curves_of(options, settings)); }},
          {"smoothing", smoothing_picture},
          {"masks", masks_picture}};
}

/// The function that draws what is asked for.
std::function<std::string()> chosen(const Options& options, const PlotSettings& settings) {
  const Pictures pictures = pictures_of(options, settings);
  const std::string& name = settings.picture[0];
  if (const auto found = pictures.find(name); found != pictures.end()) {
    if (name != "schedule" && options.given("curve")) {
      throw UsageError("{} is for 'nmt plot schedule'; leave it out", options.origin("curve"));
    }
    return found->second;
  }
  std::vector<std::string> names;
  for (const auto& [known, draw] : pictures) names.push_back(known);
  throw UsageError("there is no picture {}{}; there are {}", quoted(name), did_you_mean(name, names),
                   join(names, ", "));
}

}  // namespace

int run_plot(const Arguments& arguments) {
  PlotSettings settings;
  Options options("nmt plot", "positions|schedule|smoothing|masks",
                  "Draws pictures of the paper from the program's own functions: position embeddings, "
                  "learning rates, label smoothing, what attention sees.",
                  "nmt plot schedule -o schedule.svg");
  options.positional(settings.picture, "PICTURE", "positions, schedule, smoothing or masks", 1, 1);
  options.add("curve", settings.curves, "D:W", "a curve of the schedule: d_model and updates of warm-up");
  add_drawing_options(options, settings.drawing);
  if (!parse_with_log_options(options, arguments, settings.log)) return 0;
  write_drawing(chosen(options, settings)(), settings.drawing);
  return 0;
}

}  // namespace nmt
