#include <algorithm>
#include <iterator>
#include <map>
#include <optional>

#include "cli/marian/conversion.h"
#include "common/text/spelling.h"
#include "train/run/checkpoints.h"

namespace nmt {
namespace {

/// Marian filters only by length. Without train-sets, tsv reads standard input.
void convert_train_sets(MarianConversion& to) {
  if (to.is_overridden({"train"})) return;
  to.give("max-ratio", "0");
  to.give("drop-identical", "false");
  std::vector<std::string> paths = to.paths("train-sets");
  if (paths.empty() && to.is_on("tsv")) paths = {"-"};
  const std::vector<std::string> texts = {"source", "target", "tsv", "stages", "opustrainer-config"};
  if (to.is_overridden(texts) || !are_of_two_sides(to, paths)) return;
  if (paths.size() == 1) return to.give("tsv", paths[0]);
  to.give("source", paths[0]);
  to.give("target", paths[1]);
}

/// Whether the configuration or the command line names one file of columns as the text.
bool has_columns(const MarianConversion& to) {
  return to.is_on("tsv") || to.is_overridden({"tsv"});
}

/// Returns the column that an option names, from 0; none if it names a file, or nothing.
std::optional<std::size_t> column_of(const MarianConversion& to, const std::string& option) {
  const std::string text = to.text(option);
  const bool is_number = !text.empty() && text.find_first_not_of("0123456789") == std::string::npos;
  if (!is_number || text.size() > 2) return std::nullopt;
  return std::stoul(text);
}

/// Gives the columns of the text if some are alignments or weights. The remaining ones are source and target.
void give_columns(MarianConversion& to) {
  std::map<std::size_t, std::string> annotations;
  if (const auto column = column_of(to, "guided-alignment")) annotations[*column] = "alignment";
  if (const auto column = column_of(to, "data-weighting")) annotations[*column] = "weights";
  std::vector<std::string> columns, sides = {"target", "source"};
  for (std::size_t i = 0; i < 2 + annotations.size(); ++i) {
    const auto annotation = annotations.find(i);
    if (annotation == annotations.end() && sides.empty()) return to.refuse("columns are counted from 0");
    columns.push_back(annotation == annotations.end() ? sides.back() : annotation->second);
    if (annotation == annotations.end()) sides.pop_back();
  }
  to.give("tsv-columns", join(columns, ","));
}

/// Converts the fields of the text: a source, a target, and their annotations.
void convert_fields_of_text(MarianConversion& to) {
  const int annotations =
      (column_of(to, "guided-alignment") ? 1 : 0) + (column_of(to, "data-weighting") ? 1 : 0);
  if (to.number("tsv-fields") > 2 + annotations) to.refuse("a source, a target, alignments and weights");
}

/// Gives alignments or weights, which are a file or a column of the text.
void give_annotation(MarianConversion& to, const std::string& setting) {
  if (to.is_overridden({"train", "stages", "opustrainer-config", "tsv-columns", setting})) return;
  const std::string& option = to.option().name;
  if (!column_of(to, option)) return to.give(setting, to.paths(option));
  if (!has_columns(to)) {
    return to.refuse(
        fmt::format("a column of a file of tab-separated values; give --tsv, or --{} FILE", setting));
  }
  give_columns(to);
}

/// Marian's alignments count pieces, not words.
void convert_alignment_of_text(MarianConversion& to) {
  const std::string alignment = to.text("guided-alignment");
  if (alignment.empty() || alignment == "none") return;
  if (to.text("guided-alignment-cost") != "ce") to.refuse("guided-alignment-cost", "the cost is ce");
  to.give_from("guided-alignment-weight", "guided-alignment-weight", to.text("guided-alignment-weight"));
  if (to.is_overridden({"train", "stages", "opustrainer-config"})) return;
  to.give("alignment-units", "pieces");
  give_annotation(to, "alignment");
}

/// Marian's word weights apply to pieces.
void convert_weights_of_text(MarianConversion& to) {
  if (to.text("data-weighting").empty()) return;
  if (to.text("data-weighting-type") == "word" && !to.is_overridden({"train", "weights"}))
    return to.refuse("data-weighting-type", "weights of pieces; give --weights, of words");
  give_annotation(to, "weights");
}

/// A pretrained model brings its vocabularies.
void convert_vocabs(MarianConversion& to) {
  const std::vector<std::string> paths = to.paths("vocabs");
  const bool are_needed = to.texts("pretrained-model").empty() && !to.is_overridden({"from-weights"});
  if (paths.empty() || !are_needed || to.is_overridden(to.option().settings)) return;
  if (paths.size() != 2) return to.refuse("one for each of two sides");
  if (paths[0] == paths[1]) return to.give("vocab", paths[0]);
  to.give("source-vocab", paths[0]);
  to.give("target-vocab", paths[1]);
}

void convert_pretrained_model(MarianConversion& to) {
  for (const std::string& path : to.paths("pretrained-model")) to.give("from-weights", path);
}

/// Fixing the embeddings of one side fixes shared embeddings.
void convert_fixed_embeddings(MarianConversion& to) {
  std::vector<std::string> sides;
  const bool are_one = to.is_on("tied-embeddings-all") || to.is_on("tied-embeddings-src");
  if (to.is_on("embedding-fix-src")) sides.push_back(are_one ? "embedding" : "source_embedding");
  if (to.is_on("embedding-fix-trg")) sides.push_back(are_one ? "embedding" : "target_embedding");
  if (!sides.empty()) to.give("freeze", sides);
}

/// Marian has one sampling parameter per vocabulary.
void convert_sampling(MarianConversion& to) {
  const std::vector<std::string> alphas = to.texts("sentencepiece-alphas");
  for (const std::string& alpha : alphas) {
    if (alpha != alphas[0]) return to.refuse("both sides have the same");
  }
  to.give("sampling-alpha", alphas.empty() ? "0" : alphas[0]);
}

/// Marian changes every Nth line; augmentation changes a share of the pairs, drawn at random.
void convert_letter_case(MarianConversion& to) {
  std::vector<std::string> rates;
  const auto add = [&](const std::string& option, const std::string& modifier) {
    if (const double every = to.number(option); every > 0)
      rates.push_back(fmt::format("{}={:.4g}", modifier, 1 / every));
  };
  add("all-caps-every", "upper");
  add("english-title-case-every", "title");
  if (!rates.empty()) to.give("augment", rates);
}

/// A limit of 0 means none; `after` is the newer option.
void convert_after(MarianConversion& to) {
  const Interval after = to.interval("after");
  to.give_from("after-epochs", "epochs", to.text("after-epochs"));
  to.give_from("after-batches", "steps", to.text("after-batches"));
  if (after.amount == 0) return;
  if (after.unit == Interval::Unit::epochs) to.give("epochs", fmt::format("{:g}", after.amount));
  if (after.unit == Interval::Unit::updates) to.give("steps", fmt::format("{:.0f}", after.amount));
  if (after.unit == Interval::Unit::tokens) to.give("stop-after", format_interval(after));
}

void convert_seed(MarianConversion& to) {
  if (to.number("seed") != 0) to.give("seed", to.text("seed"));  // 0: random
}

void convert_log_frequency(MarianConversion& to) {
  to.give("log-every", format_interval(to.interval("disp-freq")));
}

void convert_save_frequency(MarianConversion& to) {
  to.give("save-every", format_interval(to.interval("save-freq")));
}

void convert_overwrite(MarianConversion& to) {
  to.give("keep-last", to.is_on("overwrite") ? "1" : "0");
}

void convert_cost_type(MarianConversion& to) {
  if (to.is_given() && to.text("cost-type") != "ce-mean-words") to.leave_out();
}

void convert_batch_words(MarianConversion& to) {
  if (to.number("mini-batch-words") > 0) to.give("batch-tokens", to.text("mini-batch-words"));
}

/// The option counts sentences; together with other limits of a batch, it is the maximum.
void convert_mini_batch(MarianConversion& to) {
  if (!to.is_changed()) return;
  const bool is_limited_otherwise = to.number("mini-batch-words") > 0 || to.is_on("mini-batch-fit");
  if (!is_limited_otherwise) return to.refuse("batches are of tokens: give --batch-tokens");
  to.leave_out();
}

/// Pairs and batches are always shuffled, which covers Marian's shuffling of batches.
void convert_shuffle(MarianConversion& to) {
  const std::string what = to.text("shuffle");
  if (what == "batches") return to.note("shuffle", "pairs are shuffled in every pass, and batches, too");
  if (what != "data") to.refuse("text is shuffled in every pass");
}

/// Converts the betas and epsilon of Adam, and weight decay.
void convert_optimizer_parameters(MarianConversion& to) {
  const std::vector<std::string> given = to.texts("optimizer-params");
  std::vector<std::string> parameters = {"0.9", "0.999", "1e-08", "0"};
  const std::size_t count = std::min(given.size(), parameters.size());
  if (given.size() > count) to.refuse("Adam has four");
  std::copy_n(given.begin(), count, parameters.begin());
  to.give("adam-beta1", parameters[0]);
  to.give("adam-beta2", parameters[1]);
  to.give("adam-epsilon", parameters[2]);
  to.give("weight-decay", parameters[3]);
}

/// Whether there is a validation text; without one, other options have no effect.
bool validates(const MarianConversion& to) {
  return !to.texts("valid-sets").empty() || to.is_overridden({"valid-source", "valid-tsv"});
}

/// Returns the updates that an option counts. Other units are refused; the option then counts as left out.
double updates_of(MarianConversion& to, const std::string& option) {
  const Interval span = to.interval(option);
  if (span.amount == 0 || span.unit == Interval::Unit::updates) return span.amount;
  to.refuse(option, "in updates");
  return 0;
}

/// Returns the update after which rates fall; 0 if they do not, or fall as the command line says.
double decay_start_of(MarianConversion& to) {
  const std::string option = "lr-decay-inv-sqrt", schedule = dashed(to.overriding("schedule"));
  if (!schedule.empty() && schedule != "inverse-sqrt") return 0;
  const double start = updates_of(to, option);
  const std::vector<std::string> decay = to.texts(option);
  if (start > 0 && decay.size() > 1 && decay[1] != decay[0])
    to.refuse(option, "with one number: rates fall as sqrt(A / step) after update A");
  return start;
}

/// Both schedules rise to the rate, and fall as sqrt(A / step) after update A.
void convert_learning_rate(MarianConversion& to) {
  const double warmup = updates_of(to, "lr-warmup"), decay_start = decay_start_of(to);
  to.give("learning-rate", to.text("learn-rate"));
  to.give_from("lr-warmup", "warmup", fmt::format("{:.0f}", warmup));
  if (decay_start == 0) return to.give("schedule", "constant");
  to.give_from("lr-decay-inv-sqrt", "schedule", "inverse-sqrt");
  if (decay_start != warmup)
    to.give_from("lr-decay-inv-sqrt", "decay-start", fmt::format("{:.0f}", decay_start));
}

/// Of the strategies of Marian, nmt has the decay after stalled validations.
void convert_decay(MarianConversion& to) {
  if (to.number("lr-decay") == 0) return;
  if (to.text("lr-decay-strategy") != "stalled") return to.refuse("with the strategy stalled");
  if (!validates(to)) return;
  for (const char* option : {"lr-decay-reset-optimizer", "lr-decay-repeat-warmup"})
    if (to.is_on(option)) to.refuse(option, "only the rate changes");
  to.give("stalled-decay", to.text("lr-decay"));
  to.give_from("lr-decay-start", "stalled-patience", to.text("lr-decay-start"));
}

/// Marian gives the weight of the new value, nmt the decay.
void convert_smoothing(MarianConversion& to) {
  const double weight = to.number("exponential-smoothing");
  if (weight < 0 || weight > 1) {
    to.fail("exponential-smoothing",
            "expected a number from 0 to 1, got " + quoted(to.text("exponential-smoothing")));
  }
  to.give("ema", fmt::format("{}", weight > 0 ? 1 - weight : 0));
}

MarianOptions data_options() {
  return {
      converted("train-sets", "", {"source", "target", "tsv", "max-ratio", "drop-identical"},
                convert_train_sets),
      part("tsv", "false", {"tsv"}),
      converted("tsv-fields", "0", {"tsv-columns"}, convert_fields_of_text),
      converted("vocabs", "", {"vocab", "source-vocab", "target-vocab"}, convert_vocabs),
      converted("sentencepiece-alphas", "", {"sampling-alpha"}, convert_sampling),
      idle("sentencepiece-options", ""),
      idle("sentencepiece-max-lines", "2000000"),
      needed("no-spm-encode", "false"),
      max_length_option("50"),
      needed("max-length-crop", "false"),
      converted("shuffle", "data", {}, convert_shuffle),
      needed("no-shuffle", "false"),
      idle("no-restore-corpus", "false"),
      idle("tempdir", "/tmp"),
      idle("sqlite", ""),
      idle("sqlite-drop", "false"),
      idle("shuffle-in-ram", "false"),
      converted("all-caps-every", "0", {"augment"}, convert_letter_case),
      part("english-title-case-every", "0", {"augment"}),
      converted("data-weighting", "", {"weights", "tsv-columns", "train"}, convert_weights_of_text),
      part("data-weighting-type", "sentence", {"weights", "train"}),
      converted("guided-alignment", "none", {"alignment", "tsv-columns", "train"}, convert_alignment_of_text),
      part("guided-alignment-cost", "ce", {"guided-alignment-weight"}),
      part("guided-alignment-weight", "0.1", {"guided-alignment-weight"}),
      needed("embedding-vectors", ""),
      idle("embedding-normalization", "false"),
      converted("embedding-fix-src", "false", {"freeze"}, convert_fixed_embeddings),
      part("embedding-fix-trg", "false", {"freeze"})};
}

MarianOptions run_options() {
  return {elsewhere("model", {"output"}),
          converted("pretrained-model", "", {"from-weights"}, convert_pretrained_model),
          needed("ignore-model-config", "false"),
          needed("no-reload", "false", {"overwrite"}),
          needed("no-optimizer-reload", "false", {"from-weights"}),
          elsewhere("task"),
          converted("seed", "0", {"seed"}, convert_seed),
          elsewhere("sigterm"),
          idle("quiet-translation", "false"),
          converted("after", "0e", {"epochs", "steps", "stop-after"}, convert_after),
          part("after-epochs", "0", {"epochs"}),
          part("after-batches", "0", {"steps"}),
          converted("disp-freq", "1000u", {"log-every"}, convert_log_frequency),
          idle("disp-first", "0"),
          idle("disp-label-counts", "true"),
          idle("lr-report", "false"),
          converted("save-freq", "10000u", {"save-every"}, convert_save_frequency),
          converted("overwrite", "false", {"keep-last"}, convert_overwrite),
          idle("overwrite-checkpoint", "true"),
          needed("logical-epoch", "1e 0")};
}

MarianOptions batch_options() {
  return {converted("mini-batch-words", "0", {"batch-tokens"}, convert_batch_words),
          converted("mini-batch", "64", {"batch-tokens"}, convert_mini_batch),
          idle("mini-batch-fit", "false", {"micro-batch-tokens"}),
          idle("mini-batch-fit-step", "10", {"micro-batch-tokens"}),
          same_switch("gradient-checkpointing", "activation-checkpointing"),
          idle("maxi-batch", "100"),
          idle("maxi-batch-sort", "trg"),
          needed("mini-batch-words-ref", "0"),
          needed("mini-batch-warmup", "0"),
          needed("mini-batch-track-lr", "false"),
          idle("mini-batch-round-up", "true"),
          same("optimizer-delay", "1", "delay"),
          elsewhere("sync-sgd"),
          idle("no-nccl", "false"),
          idle("sharding", "global", {"shard-optimizer"}),
          idle("sync-freq", "200u")};
}

MarianOptions learning_options() {
  return {converted("cost-type", "ce-sum", {}, convert_cost_type),
          idle("multi-loss-type", "sum"),
          needed("unlikelihood-loss", "false"),
          needed("optimizer", "adam"),
          converted("optimizer-params", "", {"adam-beta1", "adam-beta2", "adam-epsilon", "weight-decay"},
                    convert_optimizer_parameters),
          converted("learn-rate", "0.0001", {"schedule", "learning-rate", "warmup", "decay-start"},
                    convert_learning_rate),
          part("lr-warmup", "0", {"warmup"}),
          part("lr-decay-inv-sqrt", "0", {"decay-start"}),
          needed("lr-warmup-start-rate", "0"),
          needed("lr-warmup-cycle", "false"),
          needed("lr-warmup-at-reload", "false"),
          converted("lr-decay", "0", {"stalled-decay", "stalled-patience"}, convert_decay),
          part("lr-decay-strategy", "epoch+stalled", {"stalled-decay"}),
          part("lr-decay-start", "10 1", {"stalled-patience"}),
          idle("lr-decay-freq", "50000"),
          part("lr-decay-reset-optimizer", "false", {"stalled-decay"}),
          part("lr-decay-repeat-warmup", "false", {"stalled-decay"}),
          same("label-smoothing", "0", "label-smoothing"),
          idle("factor-weight", "1"),
          same("clip-norm", "1", "clip-norm"),
          with_implicit("1e-4", converted("exponential-smoothing", "0", {"ema"}, convert_smoothing)),
          needed("exponential-smoothing-replace-freq", "0"),
          needed("dropout-src", "0"),
          needed("dropout-trg", "0"),
          needed("train-embedder-rank", "")};
}

MarianOptions dropout_options() {
  return of_types({"transformer"}, {same("transformer-dropout", "0", "dropout"),
                                    same("transformer-dropout-attention", "0", "attention-dropout"),
                                    same("transformer-dropout-ffn", "0", "activation-dropout")});
}

MarianOptions number_options() {
  return {idle("cost-scaling", ""),
          idle("throw-on-divergence", ""),
          idle("custom-fallbacks", ""),
          idle("fp16-fallback-to-fp32", "false"),
          idle("gradient-norm-average-window", "100"),
          needed("dynamic-gradient-scaling", ""),
          idle("check-gradient-nan", "false"),
          idle("normalize-gradient", "false"),
          idle("normalize-gradient-by-ratio", "false"),
          needed("quantize-bits", "0", {"quantization-aware"}),
          idle("quantize-optimization-steps", "0"),
          idle("quantize-log-based", "false"),
          idle("quantize-biases", "false")};
}

}  // namespace

const MarianOptions& marian_training_options() {
  static const MarianOptions table = [] {
    MarianOptions all = data_options();
    for (const MarianOptions& more :
         {run_options(), batch_options(), learning_options(), dropout_options(), number_options()}) {
      all.insert(all.end(), more.begin(), more.end());
    }
    return all;
  }();
  return table;
}

namespace {

/// Returns the figure that ranks models as Marian's metric does; empty if there is none.
std::string figure_of(const std::string& metric) {
  static const std::map<std::string, std::string> figures = {
      {"cross-entropy", "perplexity"}, {"ce-mean-words", "perplexity"},
      {"perplexity", "perplexity"},    {"bleu", "bleu"},
      {"bleu-detok", "bleu"},          {"chrf", "chrf"},
      {"translation", kCommandFigure}};
  const auto found = figures.find(metric);
  return found == figures.end() ? "" : found->second;
}

void convert_valid_sets(MarianConversion& to) {
  const std::vector<std::string> paths = to.paths("valid-sets");
  if (to.is_overridden(to.option().settings) || !are_of_two_sides(to, paths)) return;
  if (paths.size() == 1) return to.give("valid-tsv", paths[0]);
  to.give("valid-source", paths[0]);
  to.give("valid-target", paths[1]);
}

void convert_valid_frequency(MarianConversion& to) {
  if (!validates(to)) return;
  to.give("valid-every", format_interval(to.interval("valid-freq")));
}

/// Whether a command measures translations, which makes Marian's metric "translation" a figure.
bool has_command(const MarianConversion& to) {
  return !to.text("valid-script-path").empty() || to.is_overridden({"valid-command"});
}

/// Returns the figures of the metrics, in order. Metrics without one are refused.
std::vector<std::string> figures_of(MarianConversion& to) {
  std::vector<std::string> figures;
  for (const std::string& metric : to.texts("valid-metrics")) {
    const std::string figure = figure_of(metric);
    if (figure.empty()) {
      to.refuse("there is no " + metric);
    } else if (figure == kCommandFigure && !has_command(to)) {
      to.refuse(metric + " has no script; give --valid-command");
    } else {
      figures.push_back(figure);
    }
  }
  return figures;
}

/// The first metric decides when to stop. Translations are made if a metric needs them; their BLEU is always
/// logged.
void convert_metrics(MarianConversion& to) {
  if (!validates(to)) return;
  const std::vector<std::string> figures = figures_of(to);
  if (figures.empty()) return;
  const bool has_translations =
      std::ranges::any_of(figures, [](const std::string& figure) { return figure != "perplexity"; });
  if (has_translations) {
    to.give_from("beam-size", "valid-beam", to.text("beam-size"));
  } else {
    to.give("valid-beam", "0");
  }
  if (std::ranges::count(figures, "chrf") > 0) to.give("valid-metrics", "chrf");
  to.give("best-by", figures.front());
}

/// Marian also runs `SCRIPT ARGUMENTS FILE` in the shell as written.
void convert_script(MarianConversion& to) {
  std::vector<std::string> words = to.paths("valid-script-path");
  if (words.empty()) return;
  if (!validates(to) || std::ranges::count(to.texts("valid-metrics"), "translation") == 0)
    return to.leave_out();
  std::ranges::move(to.paths("valid-script-args"), std::back_inserter(words));
  to.give("valid-command", join(words, " "));
}

void convert_early_stopping(MarianConversion& to) {
  if (!validates(to)) return;
  const bool is_first = to.text("early-stopping-on") == "first" || to.texts("valid-metrics").size() < 2;
  if (!is_first) to.refuse("early-stopping-on", "the first of valid-metrics decides alone");
  to.give("early-stopping", to.text("early-stopping"));
}

/// Validation texts are limited like training texts.
void convert_length_of_validation(MarianConversion& to) {
  if (!validates(to) || !to.is_given() || to.number("valid-max-length") == to.number("max-length")) return;
  to.note("valid-max-length", fmt::format("validation pairs are limited by max-length, which is {}, as "
                                          "training pairs are",
                                          to.text("max-length")));
}

void convert_keep_best(MarianConversion& to) {
  if (!validates(to)) return;
  to.give("keep-best", to.is_on("keep-best") ? "1" : "0");
}

}  // namespace

const MarianOptions& marian_validation_options() {
  static const MarianOptions table = {
      converted("valid-sets", "", {"valid-source", "valid-target", "valid-tsv"}, convert_valid_sets),
      converted("valid-freq", "10000u", {"valid-every"}, convert_valid_frequency),
      converted("valid-metrics", "cross-entropy", {"valid-metrics", "best-by", "valid-beam"},
                convert_metrics),
      converted("early-stopping", "10", {"early-stopping"}, convert_early_stopping),
      part("early-stopping-on", "first", {"best-by"}),
      needed("early-stopping-epsilon", "0"),
      idle("valid-reset-stalled", "false"),
      idle("valid-reset-all", "false"),
      part("beam-size", "12", {"valid-beam"}),
      idle("normalize", "0"),
      idle("max-length-factor", "3"),
      idle("word-penalty", "0"),
      idle("allow-unk", "false"),
      idle("n-best", "false"),
      idle("word-scores", "false"),
      idle("valid-mini-batch", "32"),
      converted("valid-max-length", "1000", {}, convert_length_of_validation),
      converted("valid-script-path", "", {"valid-command"}, convert_script),
      part("valid-script-args", "", {"valid-command"}),
      idle("valid-translation-output", ""),
      converted("keep-best", "false", {"keep-best"}, convert_keep_best),
      idle("valid-log", ""),
      idle("quiet-validation", "false")};
  return table;
}

}  // namespace nmt
