#include "cli/training/unusual_run.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "cli/program.h"
#include "common/text/number.h"
#include "nn/presets.h"
#include "optim/schedule.h"
#include "train/corpus_fit.h"

namespace nmt {
namespace {

constexpr double kSmallFactor = 0.01;  // of noam
constexpr double kLargeRate = 0.1;     // Adam's usual rates are below 0.01
constexpr double kManyPasses = 100;    // a large corpus gets 6 to 20

/// Each of these functions returns a warning, or an empty text.
std::string unusual_rate(const Options& options, const TrainOptions& t, const ModelSettings& model) {
  const TrainingSettings& s = t.training;
  const std::string given = fmt::format("{} {}", options.origin("learning-rate"), s.learning_rate);
  const ScheduleSettings schedule{.schedule = schedule_named(s.schedule),
                                  .learning_rate = s.learning_rate,
                                  .warmup = s.warmup,
                                  .width = ModelRegistry::instance().width(model)};
  if (s.schedule == "noam" && s.learning_rate > 0 && s.learning_rate < kSmallFactor) {
    return fmt::format(
        "{} is a factor of the schedule noam, so the learning rate rises only to {:.2g}; if {} is meant as "
        "the highest rate, give --schedule inverse-sqrt",
        given, learning_rate(schedule, std::max<std::int64_t>(s.warmup, 1)), s.learning_rate);
  }
  if (s.schedule != "noam" && s.learning_rate >= kLargeRate) {
    return fmt::format(
        "{} is the highest rate of the schedule {}, at which training usually diverges; common rates are "
        "1e-4 to 1e-3, and factors such as 1 are for --schedule noam",
        given, s.schedule);
  }
  return "";
}

std::string unusual_tuning(const Options& options, const TrainOptions& t) {
  const bool is_chosen = options.given("schedule") || options.given("learning-rate");
  if (!t.from_weights || is_chosen || t.training.schedule != "noam") return "";
  return fmt::format(
      "{}: the learning rate rises as for a new model, so that the model forgets what it has learned; to "
      "fine-tune it, "
      "give a small rate, such as --schedule constant --learning-rate 1e-4",
      options.origin("from-weights"));
}

std::string unusual_risk(const Options& options, const TrainOptions& t) {
  if (t.from_weights || !t.training.risk.is_wanted()) return "";
  return fmt::format("{} improves a trained model, and a new one learns little from it; give --from-weights",
                     options.origin("risk"));
}

/// Returns the number of updates per pass over the corpus.
double updates_of_pass(const TrainingSettings& s, const Corpus& corpus) {
  return CorpusSample::draw(corpus, s.seed, *program_job().stop).updates(s.batch_tokens, s.delay);
}

/// Whether the command line limits a run whose warm-up is from a settings file, which may serve runs of any
/// length.
bool is_shortened(const Options& options) {
  const auto is_typed = [&options](const char* name) {
    return options.given(name) && options.origin(name).starts_with("--");
  };
  return options.given("warmup") && !is_typed("warmup") && (is_typed("steps") || is_typed("epochs"));
}

std::string unusual_warmup(const Options& options, const TrainingSettings& s, const Corpus& corpus) {
  double updates = s.steps > 0 ? static_cast<double>(s.steps) : std::numeric_limits<double>::infinity();
  if (s.epochs > 0) updates = std::min(updates, static_cast<double>(s.epochs) * updates_of_pass(s, corpus));
  if (static_cast<double>(s.warmup) <= updates || is_shortened(options)) return "";
  return fmt::format("{}: the learning rate rises for {}, but the run ends after {}; give a shorter warm-up",
                     options.origin("warmup"), count_of(s.warmup, "update"), std::llround(updates));
}

std::string unusual_length(const Options& options, const TrainOptions& t, const Corpus& corpus) {
  const TrainingSettings& s = t.training;
  const std::vector<const char*> lengths = {"steps", "epochs", "stop-after", "early-stopping"};
  const bool is_chosen =
      std::ranges::any_of(lengths, [&options](const char* name) { return options.given(name); });
  if (is_chosen || fits_corpus(t.preset)) return "";
  const double passes = static_cast<double>(s.steps) / std::max(updates_of_pass(s, corpus), 1e-9);
  if (passes < kManyPasses) return "";
  return fmt::format(
      "--preset {} is for large corpora: its {} are about {:.0f} passes over this text; use --preset {}, "
      "which chooses the length of the run by the text, or give --epochs or --early-stopping",
      t.preset, count_of(s.steps, "update"), passes,
      t.model.at("type") == "lm" ? "lm-small" : "transformer-small");
}

}  // namespace

std::vector<std::string> unusual_settings(const Options& options, const TrainOptions& t,
                                          const TrainingPlan& plan) {
  std::vector<std::string> warnings = {
      unusual_rate(options, t, plan.model().settings), unusual_tuning(options, t), unusual_risk(options, t),
      unusual_warmup(options, t.training, plan.corpus()), unusual_length(options, t, plan.corpus())};
  std::erase(warnings, "");
  return warnings;
}

}  // namespace nmt
