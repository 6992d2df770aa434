#include "cli/marian/conversion.h"
#include "cli/options/value.h"
#include "common/text/spelling.h"

namespace nmt {
namespace {

void convert_log(MarianConversion& to) {
  for (const std::string& path : to.paths("log")) to.give("log-file", path);
}

/// Converts all quiet levels to --quiet, and debugging levels to --verbose.
void convert_log_level(MarianConversion& to) {
  const std::string level = to.text("log-level");
  const bool is_quiet = to.is_on("quiet") || to.is_on("quiet-translation");
  if (level == "trace" || level == "debug") to.give("verbose", is_quiet ? "false" : "true");
  if (is_quiet || level.starts_with("warn") || level.starts_with("err") || level == "critical" ||
      level == "off") {
    to.give("quiet", "true");
  }
}

/// Converts the numbers of GPUs, or the threads of the CPU; without either, uses what is available.
void convert_devices(MarianConversion& to) {
  if (to.number("cpu-threads") > 0) {
    to.give_from("cpu-threads", "device", "cpu");
    to.give_from("cpu-threads", "threads", to.text("cpu-threads"));
  } else if (to.is_given()) {
    to.give("device", "cuda:" + join(to.texts("devices"), ","));
  } else {
    constexpr double kMost = 1024;
    const double count = to.number("num-devices");
    if (count > kMost) to.fail("num-devices", fmt::format("expected at most {}", kMost));
    std::string first = "cuda:0";
    for (int gpu = 1; gpu < count; ++gpu) first += fmt::format(",{}", gpu);
    if (count > 1) to.give_from("num-devices", "device", first);
  }
}

/// The first of Marian's types is the type for computing.
void convert_precision(MarianConversion& to) {
  const std::string type = to.is_on("fp16") ? "float16" : to.text("precision");
  const std::string gemm = to.text("gemm-type");
  const bool is_int8 = gemm.starts_with("packed8") || gemm.starts_with("intgemm8") ||
                       to.text("gemm-precision").starts_with("int8");
  if (is_int8) {
    to.give("precision", "int8");
  } else if (type == "float16" && to.is_on_cpu()) {
    if (!to.is_overridden({"precision"}))
      to.note(to.is_on("fp16") ? "fp16" : "precision",
              "f16 is for GPUs; the CPU computes in f32, or as --precision says");
  } else if (type == "float16") {
    to.give("precision", "f16");
  } else if (type != "float32") {
    to.refuse("types are float32 and float16");
  } else if (to.is_given()) {
    to.give("precision", "f32");
  }
}

}  // namespace

const MarianOptions& marian_general_options() {
  static const MarianOptions table = {
      elsewhere("help"),
      elsewhere("version"),
      elsewhere("authors"),
      elsewhere("cite"),
      elsewhere("build-info"),
      elsewhere("config", {"marian-config"}),
      elsewhere("dump-config"),
      elsewhere("workspace"),
      converted("log", "", {"log-file"}, convert_log),
      converted("log-level", "info", {"quiet", "verbose"}, convert_log_level),
      idle("log-time-zone", ""),
      part("quiet", "false", {"quiet"}),
      idle("check-nan", "false"),
      needed("interpolate-env-vars", "false"),
      elsewhere("relative-paths"),
      converted("devices", "0", {"device"}, convert_devices),
      part("num-devices", "0", {"device"}),
      part("cpu-threads", "0", {"device", "threads"}),
      converted("precision", "float32 float32", {"precision"}, convert_precision),
      part("fp16", "false", {"precision"}),
      idle("data-threads", "8")};
  return table;
}

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

/// Whether translations are drawn at random. With a beam, Marian does not draw from the distribution of the
/// model.
bool is_sampled(const MarianConversion& to) {
  const std::string method = to.text("output-sampling");
  return !method.empty() && method != "0" && to.number("beam-size") == 1;
}

/// A method of sampling: the setting for its first value, which is missing for `full`, and Marian's default.
struct SamplingMethod {
  const char* name;
  const char* setting = nullptr;
  const char* fallback = nullptr;
  bool sees_temperature = false;  // in nmt; Marian applies the temperature after all methods
};

const SamplingMethod& sampling_method(const MarianConversion& to) {
  static constexpr SamplingMethod kMethods[] = {{"full"},
                                                {"1"},
                                                {"topk", "top-k", "10"},
                                                {"nucleus", "top-p", "0.9", true},
                                                {"epsilon", "epsilon", "0.02", true}};
  const std::string name = to.text("output-sampling");
  for (const SamplingMethod& method : kMethods)
    if (method.name == name) return method;
  to.fail("output-sampling", "expected full, topk, nucleus or epsilon, got " + quoted(name));
}

/// Converts a method with its values: `full T`, `topk K T`, `nucleus P T` or `epsilon P T`.
void convert_output_sampling(MarianConversion& to) {
  const std::vector<std::string> values = to.texts("output-sampling");
  if (values.empty() || values[0] == "0") return;
  if (!is_sampled(to)) return to.refuse("give --sample, or set beam-size to 1");
  const SamplingMethod& method = sampling_method(to);
  to.give("sample", "true");
  std::size_t next = 1;
  const auto value = [&](const char* fallback) { return next < values.size() ? values[next++] : fallback; };
  if (method.setting != nullptr) to.give(method.setting, value(method.fallback));
  const std::string temperature = value("1");
  double number = 0;
  if (ValueType<double>::read(temperature, number) == Reading::good && number == 1) return;
  if (method.sees_temperature) to.refuse("Marian chooses the tokens before it applies the temperature");
  to.give("temperature", temperature);
}

void convert_beam(MarianConversion& to) {
  if (!is_sampled(to)) {
    to.give("beam", to.text("beam-size"));
    to.imply("beam-rules", "marian");
  }
  if (!to.is_on("n-best")) return;
  to.give("n-best", to.text("beam-size"));
  to.give("n-best-format", "marian");
}

/// Marian divides by length^A.
void convert_normalize(MarianConversion& to) {
  if (is_sampled(to)) return;
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
      converted("word-penalty", "0", {"word-penalty"},
                [](MarianConversion& to) {
                  if (!is_sampled(to)) to.give("word-penalty", to.text("word-penalty"));
                }),
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
      with_implicit("full",
                    converted("output-sampling", "", {"sample", "temperature", "top-k", "top-p", "epsilon"},
                              convert_output_sampling)),
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
