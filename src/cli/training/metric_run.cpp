#include "cli/training/metric_run.h"

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "cli/program.h"
#include "cli/training/run_average.h"
#include "cli/training/train_model.h"
#include "common/error.h"
#include "engine/device_ranks.h"
#include "engine/metric_job.h"
#include "train/run/training_state.h"

namespace nmt {
namespace {

constexpr std::int64_t kMostMicroBatchTokens = 4096;

void refuse_several_ranks(const Options& options, const DeviceRanks& ranks) {
  if (ranks.count() == 1) return;
  throw UsageError("{}: a metric is trained on one device, not on {}; name one, such as cpu or cuda:0",
                   options.origin("device"), ranks.count());
}

/// Logs the best validation, and the next command to run.
void log_metric_outcome(const TrainOptions& t, const std::vector<BestValidations::Entry>& best,
                        bool has_reference) {
  const std::string run = without_slashes(t.output);
  if (!best.empty()) log_best(run, best.front(), t.training.best_by);
  log_info("next: nmt bleu REFERENCES --comet {} --source SOURCES < TRANSLATIONS{}", shell_word(run),
           has_reference ? "" : "; it does not read the references");
}

}  // namespace

void run_metric_training(Options& options, TrainOptions& t, LaunchedRanks* launched) {
  DeviceRanks ranks(t.device, launched);
  refuse_several_ranks(options, ranks);
  const JobContext job = program_job();
  std::optional<ModelFile> state = t.overwrite ? std::nullopt : state_of_run(t.output);
  const TrainedComet comet = metric_to_train(options, t, state, ranks.first());
  const CometConfig& config = comet.model->config();
  const bool has_reference = config.kind == CometKind::regression;
  const JudgmentCorpus corpus(read_judgments(*t.judgments, has_reference, job),
                              CometText(comet.vocabulary, comet.model->longest_sequence(), false),
                              has_reference);
  std::optional<Judgments> validation;
  if (t.valid_judgments) validation = read_judgments(*t.valid_judgments, has_reference, job);
  if (t.training.micro_batch_tokens == 0)
    t.training.micro_batch_tokens = std::min(t.training.batch_tokens, kMostMicroBatchTokens);
  if (t.dry_run) {
    write_output(fmt::format("{}# {} weights; {}\n", options.resolved(), comet.model->parameters().count(),
                             corpus.description()));
    return;
  }
  const std::optional<std::int64_t> goes_on_from =
      state ? std::optional(read_state(*state).counters.step) : std::nullopt;
  state.reset();  // the run replaces its file
  TrainingOutput output{.directory = t.output,
                        .overwrite = t.overwrite,
                        .config = options.resolved(),
                        .config_without_paths = options.resolved_without_paths(),
                        .warnings = {},
                        .remarks = {},
                        .begin_log = [](const std::string& path) { program_log().open_file(path); }};
  if (goes_on_from) output.remarks = changes_of_run(options, RunDirectory::config_path(t.output));
  const auto best = train_metric({t.training, model_settings(t), comet, ranks.first(), corpus,
                                  validation ? &*validation : nullptr, goes_on_from, job},
                                 output);
  log_metric_outcome(t, best, has_reference);
}

}  // namespace nmt
