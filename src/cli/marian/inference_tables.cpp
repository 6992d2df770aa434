// Marian's options for translating and scoring.
#include "cli/marian/conversion.h"

namespace nmt {
namespace {

/// Marian takes alignments from the first head of the last layer.
void convert_alignment(MarianConversion& to) {
  for (const std::string& form : to.texts("alignment")) {
    to.give("alignment", form);
    to.give("alignment-head", "1");
  }
}

/// Whether a configuration names a Marian model and its vocabularies, and so stands for all of them.
bool stands_for_model(const MarianConversion& to, const std::string& option) {
  const std::vector<std::string> paths = to.paths(option);
  const std::string file = to.file_with(option);
  const bool is_of_marian = paths.size() == 1 && (paths[0].ends_with(".npz") || paths[0].ends_with(".bin"));
  return is_of_marian && file.ends_with(".yml") && file == to.file_with("vocabs");
}

void convert_model(MarianConversion& to) {
  const std::string& option = to.option().name;
  if (stands_for_model(to, option)) return to.give("model", to.file_with(option));
  const std::vector<std::string> paths = to.paths(option);
  if (!paths.empty()) to.give("model", paths);
}

/// A Marian model comes with the shortlist of its configuration.
void convert_shortlist(MarianConversion& to) {
  if (to.paths("shortlist").empty() || to.is_overridden({"no-shortlist"})) return;
  const bool comes_with_model =
      stands_for_model(to, "models") && to.file_with("shortlist") == to.file_with("models");
  if (!comes_with_model) to.give("shortlist", to.paths("shortlist")[0]);
}

void convert_weights(MarianConversion& to) {
  const std::vector<std::string> weights = to.texts("weights");
  if (!weights.empty()) to.give("weights", weights);
}

void convert_input(MarianConversion& to) {
  const std::vector<std::string> paths = to.paths("input");
  if (paths.size() > 1) return to.refuse("one file");
  to.give("input", paths);
}

/// The beginning of a translation is the last field of a line.
void convert_fields(MarianConversion& to) {
  if (!to.is_on("tsv")) return;
  if (to.is_on("force-decode")) return to.give("input-format", "tsv");
  to.leave_out();  // a line with one field is a text
}

void convert_forced(MarianConversion& to) {
  if (to.is_on("force-decode") && !to.is_on("tsv")) to.refuse("in a file of its own, or with tsv");
}

void convert_output(MarianConversion& to) {
  to.give("output", to.paths("output"));
}

void convert_beam(MarianConversion& to) {
  to.give("beam", to.text("beam-size"));
  to.imply("beam-rules", "marian");
  if (!to.is_on("n-best")) return;
  to.give("n-best", to.text("beam-size"));
  to.give("n-best-format", "marian");
}

/// Marian divides by length^A.
void convert_normalize(MarianConversion& to) {
  to.give("length-penalty", to.text("normalize"));
  to.give("length-normalization", "power");
}

/// Marian counts EOS as a source token, so the factor is also the extra length.
void convert_max_length_factor(MarianConversion& to) {
  to.give("max-length-factor", to.text("max-length-factor"));
  to.give("max-length-extra", to.text("max-length-factor"));
}

void convert_unknown(MarianConversion& to) {
  to.give("unk", to.is_on("allow-unk") ? "true" : "false");
}

/// The token with the highest logit is the most probable one, but sums of logits are not sums of
/// log-probabilities.
void convert_skipped_cost(MarianConversion& to) {
  if (to.is_on("skip-cost") && to.number("beam-size") != 1) to.refuse("scores are log-probabilities");
}

/// Converts the text to score: a text, or a source with the n-best list of its translations.
void convert_scored_sets(MarianConversion& to) {
  if (to.is_overridden(to.option().settings)) return;
  const std::vector<std::string> paths = to.paths("train-sets");
  if (!are_of_two_sides(to, paths)) return;
  if (paths.size() == 1) return to.give("tsv", paths[0]);
  to.give("source", paths[0]);
  to.give(to.is_on("n-best") ? "n-best" : "target", paths[1]);
  if (to.is_on("n-best")) to.give("feature", to.text("n-best-feature"));
}

/// Marian's summary line differs: its cross-entropy is per sentence.
void convert_summary(MarianConversion& to) {
  const std::string figure = to.text("summary");
  if (figure == "perplexity") return to.give("summary", figure);
  if (figure == "ce-mean-words") return to.give("summary", "cross-entropy");
  if (!figure.empty()) to.refuse("only ce-mean-words and perplexity are supported");
}

}  // namespace

const MarianOptions& marian_inference_options() {
  static const MarianOptions table = {
      elsewhere("vocabs"),
      needed("ignore-model-config", "false"),
      max_length_option("1000"),
      with_implicit("1", converted("alignment", "", {"alignment", "alignment-head"}, convert_alignment)),
      idle("seed", "0"),
      elsewhere("mini-batch"),
      elsewhere("mini-batch-words", {"batch-tokens"}),
      elsewhere("maxi-batch"),
      elsewhere("maxi-batch-sort"),
      idle("optimize", "false"),
      part("gemm-type", "float32", {"precision"}),
      part("gemm-precision", "float32", {"precision"}),
      needed("quantize-range", "0"),
      elsewhere("max-length-break"),
      elsewhere("bergamot-mode"),
      elsewhere("ssplit-mode"),
      elsewhere("ssplit-prefix-file"),
      idle("cache-size", "0")};
  return table;
}

const MarianOptions& marian_translation_options() {
  static const MarianOptions table = {
      converted("models", "", {"model"}, convert_model),
      converted("weights", "", {"weights"}, convert_weights),
      idle("model-mmap", "false"),
      needed("encryption-key-path", ""),
      converted("input", "stdin", {"input"}, convert_input),
      converted("output", "stdout", {"output"}, convert_output),
      converted("tsv", "false", {"input-format"}, convert_fields),
      idle("tsv-fields", "0"),
      part("quiet-translation", "false", {"quiet"}),
      converted("beam-size", "12", {"beam", "beam-rules"}, convert_beam),
      part("n-best", "false", {"n-best", "n-best-format"}),
      with_implicit(
          "1", converted("normalize", "0", {"length-penalty", "length-normalization"}, convert_normalize)),
      same("word-penalty", "0", "word-penalty"),
      converted("max-length-factor", "3", {"max-length-factor", "max-length-extra"},
                convert_max_length_factor),
      converted("allow-unk", "false", {"unk"}, convert_unknown),
      converted("max-length-crop", "false", {"too-long"},
                [](MarianConversion& to) {
                  if (to.is_on("max-length-crop")) to.give("too-long", "truncate");
                }),
      idle("allow-special", "false"),
      needed("word-scores", "false", {"output-format"}),
      converted("force-decode", "false", {"prefix", "input-format"}, convert_forced),
      needed("no-spm-encode", "false"),
      needed("no-spm-decode", "false"),
      needed("output-sampling", "", {"sample", "temperature", "top-k"}),
      needed("output-approx-knn", "", {"shortlist"}),
      converted("skip-cost", "false", {}, convert_skipped_cost),
      converted("shortlist", "", {"shortlist", "no-shortlist"}, convert_shortlist),
      idle("stat-freq", "0")};
  return table;
}

const MarianOptions& marian_scoring_options() {
  static const MarianOptions table = {
      converted("model", "model.npz", {"model"}, convert_model),
      elsewhere("no-reload"),
      elsewhere("max-length-crop"),
      converted("train-sets", "", {"source", "target", "tsv", "n-best"}, convert_scored_sets),
      part("tsv", "false", {"tsv"}),
      tsv_fields_option(),
      needed("output", "stdout"),
      idle("quiet-translation", "false"),
      part("n-best", "false", {"n-best"}),
      part("n-best-feature", "Score", {"feature"}),
      with_implicit(
          "1", converted("normalize", "0", {"length-penalty", "length-normalization"}, convert_normalize)),
      with_implicit("cross-entropy", converted("summary", "", {"summary"}, convert_summary)),
      same_switch("word-scores", "per-token")};
  return table;
}

}  // namespace nmt
