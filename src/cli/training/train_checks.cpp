// Rejects settings of nmt train that contradict each other.
#include <algorithm>

#include "cli/training/train_options.h"
#include "common/error.h"
#include "train/run/checkpoints.h"

namespace nmt {
namespace {

/// Checks the files of a metric.
void check_judgments(const Options& options, const TrainOptions& t) {
  if (!t.judgments) {
    throw UsageError("{} {} is a metric, which learns from judgments; give --judgments FILE",
                     options.origin("preset"), t.preset);
  }
  if (t.model.at("type") != "comet") {
    throw UsageError("{} trains a metric; give --preset comet-small, or comet-qe-small",
                     options.origin("judgments"));
  }
  const auto& [both, source, target] = t.vocabularies;
  if (t.text.given() || t.valid.source || t.valid.target || t.valid.tsv || source || target) {
    throw UsageError(
        "{} is all that a metric learns from, besides --valid-judgments and --vocab; leave out {}",
        options.origin("judgments"),
        options.origins({"source", "target", "tsv", "valid-source", "valid-target", "valid-tsv",
                         "source-vocab", "target-vocab"}));
  }
  if (!both)
    throw UsageError("a metric needs a vocabulary; give --vocab FILE, such as one made by nmt vocab");
  if (t.training.best_by != "loss" && !is_correlation(t.training.best_by)) {
    throw UsageError("{} {}: a metric is not measured by that; choose kendall, pearson or loss",
                     options.origin("best-by"), t.training.best_by);
  }
}

/// Checks that text and vocabularies are named once.
void check_corpus(const Options& options, const TrainOptions& t) {
  const bool is_packed = !t.train.empty();
  if (is_packed && t.text.given()) {
    throw UsageError("{0} is the corpus; leave out {1}, or {0}", options.origin("train"),
                     options.origins({"source", "target", "tsv"}));
  }
  if (is_packed && t.training.sampling_alpha > 0) {
    throw UsageError("{} draws new segmentations, but those of {} are fixed; train on text, or leave it out",
                     options.origin("sampling-alpha"), options.origin("train"));
  }
  const auto has_ratio = [](const MixedFile& file) { return file.ratio.has_value(); };
  if (std::ranges::any_of(t.train, has_ratio) && !std::ranges::all_of(t.train, has_ratio)) {
    throw UsageError(
        "{}: some corpora have a ratio and some have none; give one to each (FILE.nmtc:1), or none",
        options.origin("train"));
  }
  const std::string curriculum = options.origins({"stages", "opustrainer-config"});
  if (!curriculum.empty()) {
    // The configuration of a run that has none of them lists no packed corpora.
    const std::string others = is_packed ? options.origins({"train", "source", "target", "tsv"})
                                         : options.origins({"source", "target", "tsv"});
    if (t.stages && t.opustrainer_config)
      throw UsageError("{} exclude each other; leave one out", curriculum);
    if (is_packed || t.text.given()) throw UsageError("{} names the texts; leave out {}", curriculum, others);
    if (!t.augment.empty())
      throw UsageError("{} has noise of its own; leave out {}", curriculum, options.origin("augment"));
  } else if (!is_packed && !t.text.given()) {
    throw UsageError(
        "text is needed: --source FILE and --target FILE, --tsv FILE, or packed by nmt batch, --train "
        "FILE.nmtc");
  }
  if (!is_packed && curriculum.empty()) check(options, t.text, TargetAlone::accepted);
  check(options, t.filter);
  if (t.vocabularies.given()) check(options, t.vocabularies);
  if (t.from_weights && t.vocabularies.given()) {
    throw UsageError("{} brings its own vocabularies; leave out {}", options.origin("from-weights"),
                     options.origins({"vocab", "source-vocab", "target-vocab"}));
  }
  if (!is_packed && !t.from_weights) check(options, t.vocabularies);
}

/// Rejects settings that contradict each other.
void check_training(const Options& options, const TrainOptions& t) {
  const TrainingSettings& s = t.training;
  if (s.schedule != "noam" && !options.given("learning-rate")) {
    throw UsageError("{} {} needs --learning-rate, the highest rate (5e-4, for instance)",
                     options.origin("schedule"), s.schedule);
  }
  if (s.optimizer == "adafactor" && s.adafactor_scale && !options.given("learning-rate")) {
    throw UsageError(
        "{} adafactor multiplies rates by the magnitude of the weights, and so needs --learning-rate (such "
        "as 1e-2 with --schedule inverse-sqrt); or give --no-adafactor-scale, with which the rates of Adam "
        "fit",
        options.origin("optimizer"));
  }
  if ((s.schedule == "linear" || s.schedule == "cosine") && s.steps == 0) {
    throw UsageError("{} {} needs --steps, where its rate ends", options.origin("schedule"), s.schedule);
  }
  if (s.lora && !t.from_weights) {
    throw UsageError("{} fine-tunes a model; give --from-weights, or leave it out", options.origin("lora"));
  }
  if (s.lora && s.quantization_aware) {
    throw UsageError("{} and {} exclude each other; leave one out", options.origin("lora"),
                     options.origin("quantization-aware"));
  }
  if (s.dropout.layer > 0 && s.guided_alignment_weight > 0) {
    throw UsageError("{} leaves out layers, among them the one whose attention {} trains; leave one out",
                     options.origin("layer-drop"), options.origin("guided-alignment-weight"));
  }
  if (s.r_drop > 0 && s.simcut > 0) {
    throw UsageError("{} and {} exclude each other; leave one out", options.origin("r-drop"),
                     options.origin("simcut"));
  }
  if (s.risk.needs_model() && s.risk.model.empty())
    throw UsageError("{} {} needs a model; name it with --risk-model", options.origin("risk"), s.risk.metric);
  for (const auto& [name, weight] : {std::pair("guided-alignment-weight", s.guided_alignment_weight),
                                     std::pair("r-drop", s.r_drop), std::pair("simcut", s.simcut)}) {
    if (!s.risk.is_wanted() || weight == 0) continue;
    throw UsageError("{} {} replaces the usual loss; leave out {}", options.origin("risk"), s.risk.metric,
                     options.origin(name));
  }
}

}  // namespace

void check_train_options(const Options& options, const TrainOptions& t) {
  check_training(options, t);
  if (trains_metric(t)) return check_judgments(options, t);
  if (is_correlation(t.training.best_by)) {
    throw UsageError("{} {} measures metrics; choose perplexity, chrf or another figure of translations",
                     options.origin("best-by"), t.training.best_by);
  }
  check_report_options(options, t.training);
  if (t.valid.tsv && (t.valid.source || t.valid.target)) {
    throw UsageError("{0} contains both sides; leave out {1}, or {0}", options.origin("valid-tsv"),
                     options.origins({"valid-source", "valid-target"}));
  }
  if (t.valid.source && !t.valid.target) {
    throw UsageError(
        "--valid-source and --valid-target are needed together, but only {} is given; give both or none, or "
        "for both sides in one file --valid-tsv",
        options.origin("valid-source"));
  }
  check_corpus(options, t);
}

}  // namespace nmt
