// nmt batch: packs parallel text into a corpus, and describes packed corpora.
#include <filesystem>
#include <sstream>

#include "cli/commands/facts.h"
#include "cli/files/output.h"
#include "cli/options/common_options.h"
#include "cli/options/corpus_options.h"
#include "cli/options/model_options.h"
#include "cli/program.h"
#include "common/error.h"
#include "common/io/atomic_file.h"
#include "common/io/folder.h"
#include "common/process/resources.h"
#include "common/process/signals.h"
#include "common/text/number.h"
#include "common/text/spelling.h"
#include "data/packed/packing.h"
#include "data/text/context.h"
#include "data/vocabulary/vocabulary_trainer.h"
#include "engine/opened_metric.h"

namespace nmt {
namespace {

struct BatchSettings {
  std::vector<std::string> shown;  // the corpus to show, if any
  TextOptions text;
  VocabularyOptions vocabularies;
  Languages languages;
  std::optional<std::string> source_tag, output;
  std::int64_t batch_tokens = 25000;
  Filter filter = kTextFilter;
  PackingSettings packing;
  bool overwrite = false, dry_run = false;
  std::optional<std::string> quality_model;
  LogOptions log;
};

void add_filters(Options& options, BatchSettings& settings) {
  const char* const group = "filters (besides pairs with an empty side)";
  add_filter_options(options, settings.filter, group);
  const auto add = [&](PairFilter filter) -> Option& {
    return add_filter_option(options, row_of(filter), settings.filter, group);
  };
  add(PairFilter::duplicate);
  add(PairFilter::near_duplicate);
  const char* const model = "a model that judges pairs; give --quality-model";
  options
      .add(
          "quality-model", settings.quality_model, "MODEL",
          "model without references, such as CometKiwi or MetricX-24, that judges the pairs that no other "
          "filter drops. The distribution of their quality is reported: the scores of a COMET model, and 1 - "
          "score / 25 of a MetricX model.")
      .group(group);
  add(PairFilter::quality).needs({"quality-model"}, model);
  options
      .flag("quality-weights", settings.packing.quality.weighs,
            "weight the loss of each pair by its quality by that model; values below 0 count as 0, "
            "so some must be above 0")
      .needs({"quality-model"}, model)
      .group(group);
}

/// Rejects options of packing if a file is shown.
void check_shown(const Options& options, const std::string& shown) {
  std::vector<std::string> others;
  for (const Option& option : options.table()) {
    const OptionFacts& facts = option.facts();
    const bool is_of_any = facts.group == kGeneralGroup || facts.name == "threads";
    if (!is_of_any && facts.name != "batch-tokens") others.push_back(facts.name);
  }
  const std::string given = options.origins(others);
  if (!given.empty()) throw UsageError("'{}' is shown, so nothing is packed; leave out {}", shown, given);
}

void check(const Options& options, const BatchSettings& settings) {
  if (!settings.shown.empty()) return check_shown(options, settings.shown.front());
  check(options, settings.text, TargetAlone::accepted);
  check(options, settings.vocabularies);
  check(options, settings.filter);
  if (settings.text.is_target_alone()) {
    const std::string about_sources = options.origins({"source-tag", "source-vocab", "source-language"});
    if (!about_sources.empty())
      throw UsageError("{} is given without --source; leave out {}", options.origin("target"), about_sources);
  }
  if (settings.packing.context > 0 && settings.text.is_target_alone())
    throw UsageError("{} is about translations; give --source", options.origin("context"));
  if (settings.quality_model && settings.text.is_target_alone())
    throw UsageError("{} judges translations; give --source", options.origin("quality-model"));
  if (settings.packing.quality.weighs && settings.text.has_weights())
    throw UsageError("{} exclude each other: both give weights; leave one out",
                     options.origins({"quality-weights", "weights"}));
  if (!settings.output && !settings.dry_run)
    throw UsageError("--output is required: the packed corpus to write; or --dry-run, to write nothing");
}

bool parse(const Arguments& arguments, BatchSettings& settings) {
  Options options("nmt batch", "[FILE.nmtc]",
                  "Packs parallel text, or the targets of a language model, into one file for nmt train. "
                  "If only a packed file is given, checks and describes it.",
                  "nmt batch --source train.en --target train.de.xz --vocab shared.spm -o train.nmtc");
  options.positional(settings.shown, "FILE.nmtc", "packed corpus to check and describe", 0, 1);
  options.writes_standard_output([&settings] { return !settings.shown.empty() || settings.dry_run; });
  add_text_options(options, settings.text, "options", TargetAlone::accepted);
  add_vocabulary_options(options, settings.vocabularies, "options");
  add_language_options(options, settings.languages);
  options.add("source-tag", settings.source_tag, "PIECE",
              "piece of the source vocabulary to put before each source. The model can then distinguish this "
              "text, such as back-translations marked with <BT>, from other text. nmt vocab --user-symbols "
              "makes the piece.");
  add_annotation_options(options, settings.text, "options");
  options
      .add("context", settings.packing.context, "N",
           "join each pair with up to N pairs before it, so that the model learns to use them: nmt translate "
           "--context. A line that is empty on both sides separates documents. --max-length applies to what "
           "was joined, too.")
      .range(0, kMostContext);
  options.add("output,o", settings.output, "FILE", "packed corpus to write. - is standard output.")
      .command_line_only()
      .writes();
  options
      .flag("overwrite", settings.overwrite,
            "replace a file that is not a packed corpus. A packed corpus is always replaced.")
      .command_line_only();
  options
      .flag("dry-run", settings.dry_run,
            "print what each filter would drop, without writing the packed corpus")
      .command_line_only();
  options
      .add("examples", settings.packing.examples, "N",
           "number of dropped pairs to print of each filter, with the value that the filter measured")
      .range(0, 1e6)
      .command_line_only()
      .needs({"dry-run"}, "a run that only counts; give --dry-run");
  options
      .add("batch-tokens", settings.batch_tokens, "N",
           "report the batches that this many padded tokens per side would give. It does not change the "
           "packed corpus.")
      .range(1, 1e9);
  add_filters(options, settings);
  settings.packing.threads = cores_available();
  settings.packing.job = program_job();
  options
      .add("threads", settings.packing.threads, "N", "threads to encode with. They do not change the result.")
      .range(1, 1024)
      .default_text("cores available");
  options.essential({"source", "target", "tsv", "vocab", "source-vocab", "target-vocab", "output",
                     "max-length", "max-ratio", "languages", "drop-duplicates", "dry-run"});
  if (!parse_with_log_options(options, arguments, settings.log)) return false;
  check(options, settings);
  return true;
}

void show(const BatchSettings& settings) {
  const PackedCorpus corpus(settings.shown.front());
  corpus.verify();
  write_output(corpus_report(corpus, settings.batch_tokens));
}

/// Returns the id of --source-tag, if it is given.
std::optional<int> source_tag(const BatchSettings& settings, const Vocabulary& vocabulary) {
  if (!settings.source_tag) return std::nullopt;
  for (const char* type : {"unigram", "word"}) {
    if (const auto id = vocabulary.find(piece_of_symbol(*settings.source_tag, type))) return id;
  }
  throw UsageError(
      "--source-tag: {} is not a piece of the source vocabulary; nmt vocab --user-symbols makes it one",
      quoted(*settings.source_tag));
}

/// Opens the model that judges pairs, if there is one.
void open_quality_model(BatchSettings& settings) {
  if (!settings.quality_model) return;
  const auto metric = OpenedMetric::estimator(std::make_shared<const OpenedMetric>(
      *settings.quality_model, DeviceSettings{.threads = settings.packing.threads}));
  settings.packing.quality.judge = [metric](const std::vector<LinePair>& pairs) {
    std::vector<JudgedTexts> texts;
    for (const LinePair& pair : pairs) texts.push_back({pair.target, pair.source, {}});
    return metric->estimate(texts, [](std::size_t) { InterruptGuard::check(); });
  };
}

/// Throws Error if the output would replace another file than a packed corpus.
void check_replaced(const BatchSettings& settings) {
  const std::string& output = *settings.output;
  if (settings.overwrite || AtomicFile::is_stream(output) || !is_file(output)) return;
  if (std::filesystem::file_size(output) == 0 || PackedFile::is_one(output)) return;
  throw Error("'{}' is not a packed corpus; name another file, or replace it by `overwrite`", output);
}

/// Returns a text with \x1b for the control characters that a terminal would obey.
std::string with_escaped_controls(const std::string& text) {
  std::string escaped;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    escaped += byte < 0x20 || byte == 0x7F ? fmt::format("\\x{:02x}", byte) : std::string(1, c);
  }
  return escaped;
}

/// Returns what a run without output found: the number of pairs, what each filter dropped, and examples.
std::string dry_run_report(const PackingResult& result, const Filter& filter) {
  const std::int64_t read = result.kept + result.dropped.total();
  const std::vector<FilterCount> counts = filter_counts(result.dropped, filter);
  std::string text = fmt::format("{} of {} would be packed\n\n", count_of(result.kept, "pair"), read) +
                     filter_report(counts, read);
  for (const FilterCount& count : counts) {
    std::string examples;
    for (const auto& [drop, number, lines] : result.examples) {
      if (drop.filter != count.filter) continue;
      const std::string value = drop.value ? fmt::format(": {:.4g}", *drop.value) : "";
      examples += fmt::format("line {}{}\n", number, value);
      if (filter.has_source) examples += fmt::format("  {}\n", with_escaped_controls(lines.source));
      examples += fmt::format("  {}\n", with_escaped_controls(lines.target));
    }
    if (!examples.empty()) text += fmt::format("\n{}\n{}", name_in_report(count.filter), examples);
  }
  return text;
}

void pack_text(const BatchSettings& settings) {
  if (!settings.dry_run) {
    check_binary_output(*settings.output, "a packed corpus", "nmtc");
    check_replaced(settings);
  }
  const auto [both, usual] = load_vocabularies(settings.vocabularies);
  const Languages languages = settings.languages.or_else(usual);
  const Vocabularies vocabularies = settings.text.is_target_alone()
                                        ? target_in_language(both, {.source = "", .target = languages.target})
                                        : in_languages(both, languages);
  PairReader text = open_text(settings.text, settings.filter.max_length);
  Filter filter = settings.filter;
  filter.has_source = text.has_source();
  const Encoding encoding{.source = vocabularies.source,
                          .target = vocabularies.target,
                          .filter = filter,
                          .source_tag = source_tag(settings, vocabularies.source),
                          .has_alignment = settings.text.has_alignment(),
                          .has_weights = settings.text.has_weights(),
                          .alignment_unit = settings.text.alignment_unit};
  if (settings.dry_run)
    return write_output(dry_run_report(pack(text, encoding, settings.packing, std::nullopt), filter));
  const Dropped dropped = pack(text, encoding, settings.packing, *settings.output).dropped;
  if (settings.log.quiet) return;
  if (AtomicFile::is_stream(*settings.output)) {  // a stream cannot be read again
    const std::string reasons = description(dropped, filter);
    log_info("dropped: {}", reasons.empty() ? "none" : reasons);
    return;
  }
  std::istringstream report(corpus_report(PackedCorpus(*settings.output), settings.batch_tokens));
  for (std::string line; std::getline(report, line);) log_info("{}", line);
}

}  // namespace

int run_batch(const Arguments& arguments) {
  BatchSettings settings;
  if (!parse(arguments, settings)) return 0;
  if (settings.shown.empty()) {
    open_quality_model(settings);
    pack_text(settings);
  } else {
    show(settings);
  }
  return 0;
}

}  // namespace nmt
