// nmt shortlist: finds the target pieces that may translate each source piece.
#include "nn/saved/shortlist.h"

#include <numeric>

#include "cli/commands/scored_text.h"
#include "cli/files/model_file.h"
#include "cli/options/common_options.h"
#include "cli/options/corpus_options.h"
#include "cli/options/model_options.h"
#include "cli/options/search_options.h"
#include "cli/program.h"
#include "common/error.h"
#include "common/io/atomic_file.h"
#include "common/log/progress_line.h"
#include "common/process/signals.h"
#include "common/text/number.h"
#include "foreign/marian/marian_shortlist.h"
#include "translate/scoring/shortlist_counts.h"

namespace nmt {
namespace {

struct ShortlistSettings {
  std::string model, output;
  VocabularyOptions vocabularies;
  ForeignFiles files;  // the vocabularies
  std::optional<std::string> marian;
  bool has_limits = false;  // whether --best or --frequent is given
  TextOptions text;
  Languages languages;
  std::size_t best = 50, frequent = 100;
  AlignmentSettings alignment;
  std::int64_t max_length = kUsualMaxLength;
  std::int64_t batch_tokens = 2048;
  DeviceSettings device;
  LogOptions log;
};

void check(const Options& options, const ShortlistSettings& settings) {
  if (!settings.marian) return check(options, settings.text);
  for (const char* other :
       {"source", "target", "tsv", "alignment-layer", "alignment-head", "max-length", "batch-tokens"}) {
    if (!options.given(other)) continue;
    throw UsageError("{} exclude each other: a shortlist of Marian is not built from text; leave one out",
                     options.origins({"from-marian", other}));
  }
}

bool parse(const Arguments& arguments, ShortlistSettings& settings) {
  Options options(
      "nmt shortlist", "",
      "Builds a lexical shortlist, with which nmt translate is faster (--shortlist). For each source piece, "
      "it has the target pieces that attend to it when the model reads translated text.",
      "nmt shortlist -m model.safetensors --source train.en --target train.de -o en-de.shortlist");
  constexpr double kMany = 1e9;
  options
      .add("model,m", settings.model, "FILE",
           "model file or run directory. For a run directory, the best model is used.")
      .required();
  add_model_vocabulary_options(options, settings.vocabularies);
  options.add("output,o", settings.output, "FILE", "shortlist to write. - is standard output.")
      .required()
      .command_line_only()
      .writes();
  add_text_options(options, settings.text, "options");
  options.add("from-marian", settings.marian, "FILE",
              "lexical table or binary shortlist of Marian to convert, instead of reading text. The model "
              "must come from Marian.");
  add_language_options(options, settings.languages);
  options.add("best", settings.best, "N", "number of most frequent target pieces to keep per source piece")
      .range(1, kMany);
  options
      .add("frequent", settings.frequent, "N",
           "number of most frequent target pieces that every sentence may use")
      .range(1, kMany);
  add_attention_choice(options, settings.alignment);
  options
      .add("max-length", settings.max_length, "N",
           "maximum tokens per side. Longer sides are truncated, with a warning.")
      .range(1, kMany);
  options
      .add("batch-tokens", settings.batch_tokens, "N",
           "maximum padded tokens per side to read at a time. It does not change the result.")
      .range(1, kMany)
      .group("computing");
  add_device_options(options, settings.device, Work::inference);
  options.essential(
      {"model", "output", "source", "target", "tsv", "from-marian", "best", "frequent", "threads", "device"});
  if (!parse_with_log_options(options, arguments, settings.log)) return false;
  settings.files = vocabulary_files(options, settings.vocabularies);
  settings.has_limits = options.given("best") || options.given("frequent");
  check(options, settings);
  return true;
}

/// Treats every piece as a word.
Words each_alone(std::size_t pieces) {
  Words words{std::vector<std::int64_t>(pieces), static_cast<std::int64_t>(pieces)};
  std::iota(words.of_piece.begin(), words.of_piece.end(), 0);
  return words;
}

void count(ScoredText& text, const ShortlistSettings& settings, const Aligner& aligner, Worker& worker,
           ShortlistCounts& counts) {
  ProgressLine progress(program_log(), "aligning", "pair");
  std::int64_t pairs = 0;
  for (auto chunk = text.next_chunk(); !chunk.examples.empty(); chunk = text.next_chunk()) {
    InterruptGuard::check();
    std::vector<AlignedPair> aligned;
    aligned.reserve(chunk.examples.size());
    for (Example& example : chunk.examples) {
      const Words source = each_alone(example.source.size()), target = each_alone(example.target.size());
      aligned.push_back({std::move(example), source, target});
    }
    const auto alignments = aligner.align(worker, aligned, settings.batch_tokens);
    for (std::size_t i = 0; i < aligned.size(); ++i) {
      counts.add(aligned[i].ids.source, aligned[i].ids.target, alignments[i]);
    }
    progress.show(pairs += std::ssize(aligned), text.part_read());
  }
  if (pairs == 0) throw Error("'{}' contains no pairs to build a shortlist from", text.name());
}

/// Builds the shortlist from the model's alignments of the pairs of a text.
Shortlist counted(PairReader reader, const ShortlistSettings& settings, Models& models) {
  const SavedModel& model = models.first();
  const Aligner aligner(model, models.device(), settings.alignment);
  ScoredText text(std::move(reader), model.vocabularies, {settings.max_length, models.ensemble()});
  ShortlistCounts counts(model.vocabularies);
  count(text, settings, aligner, models.workers().whole(), counts);
  return counts.shortlist(settings.best, settings.frequent);
}

Shortlist converted(const ShortlistSettings& settings, const Vocabularies& vocabularies) {
  MarianShortlist marian = read_marian_shortlist(*settings.marian, vocabularies,
                                                 {.best = settings.best, .frequent = settings.frequent});
  if (marian.has_limits && settings.has_limits) {
    throw UsageError("'{}' is a binary shortlist, whose limits are fixed: leave out --best and --frequent",
                     *settings.marian);
  }
  if (marian.unknown > 0) {
    log_warning("'{}': {} left out, whose pieces the model does not have", *settings.marian,
                count_of(marian.unknown, "line"));
  }
  return std::move(marian.shortlist);
}

}  // namespace

int run_shortlist(const Arguments& arguments) {
  ShortlistSettings settings;
  if (!parse(arguments, settings)) return 0;
  settings.model = chosen_model(settings.model);
  AtomicFile output(settings.output, *program_job().stop);
  std::optional<PairReader> reader;  // opened before the model, which takes longer
  if (!settings.marian) reader = open_text(settings.text, settings.max_length);
  Models models =
      open_models({settings.model}, settings.device, settings.languages, {.files = settings.files});
  refuse_language_model(models.first(), settings.model);
  const Vocabularies& vocabularies = models.vocabularies();
  const Shortlist shortlist =
      reader ? counted(std::move(*reader), settings, models) : converted(settings, vocabularies);
  output.write(text_of(shortlist, vocabularies));
  output.commit();
  log_info("'{}': for {}, of {}", settings.output, count_of(vocabularies.source.size(), "source piece"),
           count_of(vocabularies.target.size(), "target piece"));
  return 0;
}

}  // namespace nmt
