// nmt plot: draws the pictures of the paper.
#include <algorithm>
#include <map>
#include <optional>

#include "cli/files/model_file.h"
#include "cli/options/common_options.h"
#include "cli/options/value.h"
#include "cli/pictures/paper_pictures.h"
#include "cli/pictures/tower.h"
#include "cli/program.h"
#include "common/error.h"
#include "common/text/spelling.h"
#include "nn/registry.h"
#include "nn/transformer/positions.h"

namespace nmt {
namespace {

constexpr double kMostUpdates = 1e12;

struct PlotSettings {
  std::vector<std::string> picture;  // exactly one
  std::optional<std::string> model, preset;
  std::int64_t d_model = 48, positions = 61;
  std::vector<std::string> curves = {"512:4000", "512:8000", "256:4000"};
  std::vector<double> label_smoothing = {0, 0.1, 0.2};
  int vocabulary = 8;
  std::vector<std::string> pairs = {"6:5", "4:3"};
  DrawingOptions drawing;
  LogOptions log;
};

/// Parses two whole numbers from 1 to `most` separated by a colon; nothing for any other text.
std::optional<std::pair<std::int64_t, std::int64_t>> two_numbers(std::string_view text, std::int64_t most) {
  const auto is_number = [most](std::string_view part, std::int64_t& number) {
    return ValueType<std::int64_t>::read(part, number) == Reading::good && number >= 1 && number <= most;
  };
  const std::size_t colon = text.find(':');
  std::pair<std::int64_t, std::int64_t> numbers;
  if (colon == std::string_view::npos || !is_number(text.substr(0, colon), numbers.first) ||
      !is_number(text.substr(colon + 1), numbers.second)) {
    return std::nullopt;
  }
  return numbers;
}

/// Returns the model or the preset that the settings name.
std::optional<PlottedModel> named_model(const PlotSettings& settings) {
  if (settings.model) {
    const std::string file = chosen_model(*settings.model);
    return plotted_model(file, name_of_model(*settings.model));
  }
  if (settings.preset) return plotted_preset(*settings.preset);
  return std::nullopt;
}

std::string draw_architecture(const Options&, const PlotSettings& settings) {
  const auto model = named_model(settings);
  return architecture_picture(model ? *model : plotted_preset("transformer-base"));
}

const char* layout_text(Positions kind) {
  switch (kind) {
    case Positions::sinusoidal_halves:
      return "all sines, then all cosines";
    case Positions::tensor2tensor:
      return "all sines, then all cosines, of Tensor2Tensor";
    default:
      return "sine on even, cosine on odd dimensions";
  }
}

std::string draw_positions(const Options& options, const PlotSettings& settings) {
  const auto model = named_model(settings);
  PositionEmbeddings embeddings{
      .title = "", .positions = settings.positions, .d_model = settings.d_model, .values = {}};
  if (model && model->is_recurrent()) {
    throw UsageError("{}: a recurrent model has no position embeddings",
                     options.origins({"model", "preset"}));
  }
  if (model && !are_added(model->config().positions)) {
    throw UsageError("{}: the model has no position embeddings (positions: {})",
                     options.origins({"model", "preset"}), text_setting(model->settings, "positions"));
  }
  if (model) embeddings.d_model = integer_setting(model->settings, "d_model", 1, kMostPlotted);
  if (!model || model->learned_positions.empty()) {
    const Positions kind = model ? model->config().positions : Positions::sinusoidal;
    embeddings.values = sinusoid_table(kind, 0, embeddings.positions, embeddings.d_model);
    embeddings.title =
        fmt::format("Position embeddings, d_model {}: {}", embeddings.d_model, layout_text(kind));
    return positions_picture(embeddings);
  }
  const std::int64_t learned = std::ssize(model->learned_positions) / embeddings.d_model;
  if (embeddings.positions > learned) {
    if (options.given("positions")) {
      throw UsageError("{} {}: the model has learned {}", options.origin("positions"), embeddings.positions,
                       learned);
    }
    embeddings.positions = learned;
  }
  embeddings.title = fmt::format("Learned position embeddings, d_model {}", embeddings.d_model);
  embeddings.values = model->learned_positions;
  return positions_picture(embeddings);
}

/// Returns the schedule that a model was trained with; for a preset, the paper's schedule.
RateCurve curve_of(const PlottedModel& model) {
  const auto updates = [&](const char* setting) {
    return static_cast<std::int64_t>(model.training_number(setting, kMostUpdates));
  };
  RateCurve curve{
      .name = model.name,
      .settings = {.warmup = updates("warmup"), .width = ModelRegistry::instance().width(model.settings)}};
  if (!model.training.contains("schedule")) return curve;
  Schedule& schedule = curve.settings.schedule;
  schedule = schedule_named(choice_setting(model.training, "schedule", schedule_names()));
  curve.settings.learning_rate = model.training_number("learning_rate", 1e6);
  if (model.training.contains("decay_start")) curve.settings.decay_start = updates("decay_start");
  if (schedule == Schedule::linear || schedule == Schedule::cosine) curve.settings.steps = updates("steps");
  return curve;
}

std::string draw_schedule(const Options& options, const PlotSettings& settings) {
  std::vector<RateCurve> curves;
  if (const auto model = named_model(settings)) curves.push_back(curve_of(*model));
  if (!curves.empty() && !options.given("curve")) {
    return schedule_picture("Learning rate of " + curves[0].name, curves);
  }
  for (const std::string& text : settings.curves) {
    const auto numbers = two_numbers(text, 1'000'000);
    if (!numbers) {
      throw UsageError("{}: expected d_model:warmup, two numbers from 1 to 1000000 such as 512:4000, got {}",
                       options.origin("curve"), quoted(text));
    }
    curves.push_back({text, {.warmup = numbers->second, .width = numbers->first}});
  }
  return schedule_picture(
      curves.size() > settings.curves.size() ? "Learning rate" : "Learning rate, d_model:warm-up", curves);
}

std::string draw_smoothing(const Options& options, const PlotSettings& settings) {
  std::vector<double> rates = settings.label_smoothing;
  if (const auto model = named_model(settings)) {
    if (!options.given("label-smoothing")) rates = {0};
    rates.push_back(model->training_number("label_smoothing", 1));
  }
  return smoothing_picture(rates, settings.vocabulary);
}

std::string draw_masks(const Options& options, const PlotSettings& settings) {
  constexpr std::int64_t kMostDrawnTokens = 100;
  constexpr std::size_t kMostPairs = 10;
  std::vector<PairLengths> pairs;
  for (const std::string& text : settings.pairs) {
    const auto numbers = two_numbers(text, kMostDrawnTokens);
    if (!numbers) {
      throw UsageError(
          "{}: expected the tokens of source and target, two numbers from 1 to {} such as 6:5, got {}",
          options.origin("pair"), kMostDrawnTokens, quoted(text));
    }
    pairs.push_back({static_cast<std::int32_t>(numbers->first), static_cast<std::int32_t>(numbers->second)});
  }
  if (pairs.size() > kMostPairs) throw UsageError("{}: at most {} pairs", options.origin("pair"), kMostPairs);
  return masks_picture(pairs);
}

const std::map<std::string, std::string (*)(const Options&, const PlotSettings&)>& pictures() {
  static const std::map<std::string, std::string (*)(const Options&, const PlotSettings&)> all = {
      {"architecture", draw_architecture},
      {"positions", draw_positions},
      {"schedule", draw_schedule},
      {"smoothing", draw_smoothing},
      {"masks", draw_masks}};
  return all;
}

void add_figures(Options& options, PlotSettings& settings) {
  const auto of = [&settings](Option& option, const std::vector<std::string>& names) {
    std::string what = fmt::format("the picture {}", join(names, " or "));
    option.only_where(
        [&settings, names] { return std::ranges::find(names, settings.picture[0]) != names.end(); },
        std::move(what));
  };
  const std::vector<std::string> of_models = {"architecture", "positions", "schedule", "smoothing"};
  of(options.add("model,m", settings.model, "FILE",
                 "draw this model (a model file or run directory). Not for masks."),
     of_models);
  const ModelRegistry& registry = ModelRegistry::instance();
  Choices presets;
  for (const Preset& preset : registry.presets()) {
    const std::string& type = registry.type_of(preset.model).name;
    if (type == "transformer" || type == "rnn") presets.push_back(preset.name);
  }
  of(options.add("preset", settings.preset, "", "draw a model of this preset. Not for masks.")
         .choices(presets)
         .default_text("transformer-base for architecture"),
     of_models);
  of(options.add("d-model", settings.d_model, "N", "positions: number of dimensions").range(1, kMostPlotted),
     {"positions"});
  of(options.add("positions", settings.positions, "N", "positions: number of positions")
         .range(2, kMostPlotted),
     {"positions"});
  of(options.add("curve", settings.curves, "D:W",
                 "schedule: a curve for this d_model and number of warmup updates"),
     {"schedule"});
  of(options
         .add("label-smoothing", settings.label_smoothing, "X",
              "smoothing: label smoothing values. The first one above 0 is also drawn as a map.")
         .range(0, 1),
     {"smoothing"});
  of(options.add("vocabulary", settings.vocabulary, "N", "smoothing: vocabulary size, in tokens")
         .range(2, 64),
     {"smoothing"});
  of(options.add("pair", settings.pairs, "S:T", "masks: numbers of source and target tokens of a pair"),
     {"masks"});
}

/// Rejects an unknown picture before options that do not apply to a picture.
std::vector<std::string> picture_names() {
  std::vector<std::string> names;
  for (const auto& [name, draw] : pictures()) names.push_back(name);
  return names;
}

void check_picture(const std::string& name) {
  if (pictures().contains(name)) return;
  const std::vector<std::string> names = picture_names();
  throw UsageError("unknown picture {}{}; known pictures: {}", quoted(name), did_you_mean(name, names),
                   join(names, ", "));
}

}  // namespace

int run_plot(const Arguments& arguments) {
  PlotSettings settings;
  Options options("nmt plot", "architecture|positions|schedule|smoothing|masks",
                  "Draws a figure of the Transformer paper: architecture (the layers of a model), positions "
                  "(position embeddings), schedule (learning rates), smoothing (label smoothing) or masks "
                  "(attention masks).",
                  "nmt plot architecture -m model.safetensors -o architecture.svg");
  options.positional(settings.picture, "PICTURE",
                     "what to draw: architecture, positions, schedule, smoothing or masks", 1, 1,
                     picture_names());
  add_figures(options, settings);
  add_drawing_options(options, settings.drawing);
  if (!parse_with_log_options(options, arguments, settings.log)) return 0;
  check_picture(settings.picture[0]);
  if (settings.model.has_value() + settings.preset.has_value() + options.given("d-model") > 1) {
    throw UsageError("{} exclude each other; leave one out", options.origins({"model", "preset", "d-model"}));
  }
  write_drawing(pictures().at(settings.picture[0])(options, settings), settings.drawing);
  return 0;
}

}  // namespace nmt
