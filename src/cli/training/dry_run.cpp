#include <algorithm>
#include <cmath>
#include <limits>

#include "cli/program.h"
#include "cli/training/train_model.h"
#include "common/process/resources.h"
#include "common/text/number.h"
#include "common/text/spelling.h"
#include "data/batches/batches.h"
#include "nn/presets.h"
#include "optim/schedule.h"
#include "train/corpus_fit.h"

namespace nmt {
namespace {

/// Returns the number of all weights, and of each part.
std::string weights(const Parameters& parameters) {
  std::vector<std::string> parts;
  for (const auto& [name, count] : parameters.count_by_part())
    parts.push_back(fmt::format("{} {}", name, count));
  return fmt::format("# weights: {} ({})\n", parameters.count(), join(parts, ", "));
}

std::string memory_text(const TrainingMemory& memory) {
  const auto& [micro_batch_tokens, need, free_bytes] = memory;
  const std::size_t program = resident_bytes(),
                    now = program + need.present;  // as if the weights were in memory
  std::string text = fmt::format(
      "# memory: {} MiB at the peak with {} tokens at once; {} MiB before training, with {} MiB free\n",
      (now + need.to_come()) >> 20, micro_batch_tokens, now >> 20, free_bytes >> 20);
  for (const auto& [name, mebibytes] : need.parts())
    text += fmt::format("#   {:>6} MiB  {}\n", mebibytes, name);
  text += fmt::format("#   {:>6} MiB  program and texts\n", program >> 20);
  const std::size_t most = need.without_translation().to_come();
  if (most > free_bytes) {
    text += fmt::format("# this run will not start: it needs {} MiB more than the machine has\n",
                        (most - free_bytes) >> 20);
  }
  return text;
}

/// Describes the batches of the first stage.
std::string batches(const TrainingSettings& settings, const TrainingStage& stage) {
  const Corpus& corpus = *stage.corpus;
  BatchStream stream(corpus, {.batch_tokens = stage.batch_tokens.value_or(settings.batch_tokens),
                              .seed = settings.seed,
                              .first_pool = StreamSettings{}.pool,  // as in all passes but the first
                              .delay = settings.delay});
  std::int64_t count = 0, pairs = 0;
  BatchSize size;
  do {
    const Batch batch = stream.next();
    ++count;
    pairs += std::ssize(batch.examples);
    size += stream.size();
  } while (stream.position().pool == 0 && stream.epochs_finished() == 0);
  const double padding = 1 - static_cast<double>(size.source + size.target) /
                                 static_cast<double>(size.padded_source + size.padded_target);
  return fmt::format("# batches: {}; the first {} pairs make {} of {} on average, with {:.1f} % padding\n",
                     corpus.description(), pairs, count_of(count, "update"),
                     count_of(size.target / count, "target token"), 100 * padding);
}

}  // namespace

std::string dry_run_text(const std::string& config, const TrainingPlan& plan, const TrainingMemory& memory,
                         const std::string& ranks) {
  std::string text = config;
  if (const std::string& chosen = plan.settings_from_corpus(); !chosen.empty())
    text += fmt::format("# settings that follow from the texts: {}\n", with_options(chosen));
  text += weights(plan.model().model->parameters());
  if (plan.weights().frozen > 0) text += fmt::format("# trained weights: {}\n", plan.weights().trained);
  text += memory_text(memory) + batches(plan.settings(), plan.stages().front());
  if (!ranks.empty())
    text += fmt::format("# each update is partitioned over {}; the memory is that of each rank\n", ranks);
  return text;
}

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

std::string unusual_patience(const Options& options, const TrainingSettings& s) {
  const bool is_late = s.early_stopping > 0 && s.stalled_patience >= s.early_stopping;
  if (s.stalled_decay == 1 || !is_late) return "";
  return fmt::format(
      "{} is never reached, because the run ends after {} without a better one; give a smaller one",
      options.origin("stalled-patience"), count_of(s.early_stopping, "validation"));
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
  std::vector<std::string> warnings = {unusual_rate(options, t, plan.model().settings),
                                       unusual_tuning(options, t),
                                       unusual_risk(options, t),
                                       unusual_warmup(options, t.training, plan.corpus()),
                                       unusual_length(options, t, plan.corpus()),
                                       unusual_patience(options, plan.settings())};
  std::erase(warnings, "");
  return warnings;
}

}  // namespace nmt
