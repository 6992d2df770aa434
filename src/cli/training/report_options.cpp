#include <algorithm>

#include "cli/options/metric_list.h"
#include "cli/training/train_options.h"
#include "common/error.h"
#include "common/text/spelling.h"
#include "metrics/metric.h"
#include "train/run/checkpoints.h"

namespace nmt {
namespace {

/// Checks that each metric that needs a model has one, and the other way round.
void check_valid_models(const Options& options, const TrainingSettings& s) {
  const auto models = s.valid_models.given();
  for (const std::string& metric : model_metric_names()) {
    const bool is_measured = s.best_by == metric || std::ranges::count(s.valid_metrics, metric) > 0;
    if (is_measured && !models.contains(metric)) {
      throw UsageError("{0} {1} needs a model; name it with --valid-{1}",
                       options.origin(s.best_by == metric ? "best-by" : "valid-metrics"), metric);
    }
    if (!is_measured && models.contains(metric)) {
      throw UsageError("{0} is a model for the metric {1}; add --valid-metrics {1} or --best-by {1}",
                       options.origin("valid-" + metric), metric);
    }
  }
}

}  // namespace

void add_report_options(Options& options, TrainingSettings& s) {
  const std::vector<std::string> text = {"valid-target", "valid-tsv"};
  const char* const validation =
      "a validation text; give --valid-source and --valid-target, or --valid-tsv, for a language model "
      "--valid-target alone, or for a metric --valid-judgments";
  const std::vector<std::string> data = {"valid-target", "valid-tsv", "valid-judgments"};
  const char* const repeated = "validations during training; set --valid-every above 0";
  const char* const group =
      "reports and checkpoints (intervals: 500 or 500u updates, 1e epochs, 90s seconds, 10m minutes, 8h "
      "hours, "
      "2Mt target tokens)";
  options.add("log-every", s.log_every, "INTERVAL", "interval between lines of the log and of metrics.jsonl")
      .group(group);
  options
      .add("tensorboard", s.tensorboard, "DIR",
           "also write metrics, settings and some translations for TensorBoard")
      .group(group);
  options
      .add("valid-every", s.valid_every, "INTERVAL",
           "interval between validations. There is another one at the end; with 0, it is the only one.")
      .group(group)
      .needs(data, validation);
  options
      .add("valid-beam", s.valid_beam, "N",
           "beam width for translating the validation text. Metrics score these translations. 0 leaves out "
           "the translations.")
      .range(0, 1000)
      .group(group)
      .needs(text, validation);
  add_metric_list(options, "valid-metrics", s.valid_metrics,
                  "metrics of the validation translations besides BLEU", model_metric_names())
      .group(group)
      .needs(text, validation);
  const auto add_model = [&](const char* name, std::string& model, const char* help) {
    options.add(name, model, "MODEL", help)
        .idle_where([&model] { return model.empty(); }, "it is empty")
        .group(group)
        .needs(text, validation);
  };
  add_model("valid-comet", s.valid_models.comet,
            "COMET model of the metric comet in --valid-metrics and --best-by. It stays in memory.");
  add_model("valid-metricx", s.valid_models.metricx,
            "MetricX model of the metric metricx in --valid-metrics and --best-by. It stays in memory.");
  options
      .add("valid-command", s.valid_command, "CMD",
           "shell command that scores each validation. It gets the file with the translations as its last "
           "argument and prints a number, which becomes the figure 'command'. Higher is better.")
      .local()
      .group(group)
      .needs(text, validation);
  options
      .add("valid-timeout", s.valid_timeout, "TIME",
           "time limit of --valid-command, such as 90s, 10m or 2h. 0 means no limit.")
      .local()
      .group(group)
      .only_where([&s] { return !s.valid_command.empty(); }, "a command; give --valid-command");
  options.add("best-by", s.best_by, "", "validation figure that selects the best model")
      .choices(validation_figures())
      .default_text("chrf, perplexity without translations, or kendall for a metric")
      .group(group)
      .needs(data, validation);
  options
      .add("early-stopping", s.early_stopping, "N",
           "stop after N validations without improvement (early stopping). 0 never stops early.")
      .range(0, 1e15)
      .group(group)
      .needs(data, validation)
      .only_where([&s] { return s.valid_every.amount > 0 || s.early_stopping == 0; }, repeated);
  options
      .add("stalled-decay", s.stalled_decay, "X",
           "multiply the learning rate by X, such as 0.5, whenever another --stalled-patience validations in "
           "a row are without improvement. 1 leaves the rate as it is.")
      .range(1e-6, 1)
      .group(group)
      .needs(data, validation)
      .only_where([&s] { return s.valid_every.amount > 0 || s.stalled_decay == 1; }, repeated);
  options
      .add("stalled-patience", s.stalled_patience, "N",
           "validations without improvement after which --stalled-decay lowers the learning rate")
      .range(1, 1e15)
      .only_where([&s] { return s.stalled_decay < 1; }, "a rate that falls; give --stalled-decay")
      .group(group);
  options
      .add("save-every", s.save_every, "INTERVAL",
           "interval between checkpoints. There is another one at the end; with 0, it is the only one.")
      .group(group);
  options.add("keep-last", s.keep_last, "N", "number of newest checkpoints to keep. 0 keeps all.")
      .range(0, 1e9)
      .group(group);
  options
      .add("keep-best", s.keep_best, "N",
           "number of best checkpoints by validation to keep in addition. With 0 there is no "
           "best.safetensors either.")
      .range(0, 1e9)
      .group(group)
      .needs(data, validation);
}

void check_report_options(const Options& options, const TrainingSettings& s) {
  if (s.best_by == kCommandFigure && s.valid_command.empty()) {
    throw UsageError("{} {} needs --valid-command, which prints that figure", options.origin("best-by"),
                     s.best_by);
  }
  check_valid_models(options, s);
  if (s.valid_beam > 0) return;
  const auto refuse = [&options](const char* name, const std::string& value, const char* otherwise = "") {
    throw UsageError("{} {} needs translations of the validation text; set {} above 0{}",
                     options.origin(name), value, options.origin("valid-beam"), otherwise);
  };
  if (is_metric(s.best_by)) refuse("best-by", s.best_by, ", or --best-by to perplexity");
  if (!s.valid_metrics.empty()) refuse("valid-metrics", join(s.valid_metrics, ","));
  if (!s.valid_command.empty()) refuse("valid-command", quoted(s.valid_command));
}

}  // namespace nmt
