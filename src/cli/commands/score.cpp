// nmt score: prints the log-probability of given translations.
#include <unistd.h>

#include <cmath>
#include <functional>
#include <numeric>
#include <optional>

#include "cli/commands/rescoring.h"
#include "cli/commands/scored_text.h"
#include "cli/files/model_file.h"
#include "cli/marian/marian_config.h"
#include "cli/options/common_options.h"
#include "cli/options/corpus_options.h"
#include "cli/options/model_options.h"
#include "cli/options/search_options.h"
#include "cli/options/shard.h"
#include "cli/program.h"
#include "common/error.h"
#include "common/io/byte_source.h"
#include "common/log/progress_line.h"
#include "common/process/signals.h"
#include "common/text/spelling.h"
#include "data/text/text_parts.h"
#include "translate/scoring/scorer.h"

namespace nmt {
namespace {

struct ScoreSettings {
  std::vector<std::string> models;
  std::vector<double> weights;  // of the models
  VocabularyOptions vocabularies;
  ForeignFiles files;  // the vocabularies
  TextOptions text;
  Languages languages;
  std::optional<std::string> n_best, summary;
  std::optional<std::string> shard;
  std::string feature = "Score";
  RescoringOptions rescoring;
  bool per_token = false;
  ScoreFormula formula;
  AlignmentOptions alignment;
  std::int64_t max_length = kUsualMaxLength;
  std::int64_t batch_tokens = 2048;
  DeviceSettings device;
  MarianSource marian;
  LogOptions log;
};

void add_text_options(Options& options, ScoreSettings& settings) {
  add_text_options(options, settings.text, "options", TargetAlone::accepted);
  options.add("n-best", settings.n_best, "FILE",
              "n-best list whose translations are scored instead of a target. Its lines are index ||| text "
              "||| ..., in ascending order of the index of the source line, from 0. The list is printed with "
              "the score as a feature.");
  options.add("feature", settings.feature, "NAME", "name of the score in the list")
      .needs({"n-best"}, "an n-best list; give --n-best");
  add_rescoring_options(options, settings.rescoring);
  add_shard_option(options, settings.shard);
}

void check(const Options& options, const ScoreSettings& settings) {
  if (settings.models.empty() && !(settings.n_best && settings.rescoring.has_feature()))
    throw UsageError(
        "--model is required; give --model FILE, or a model that adds another feature to --n-best");
  if (settings.models.empty() && options.given("feature"))
    throw UsageError("{} is the name of the score of a model; give --model FILE", options.origin("feature"));
  check_weights(options, settings.weights, settings.models.size());
  if (settings.n_best && (settings.text.target || settings.text.tsv)) {
    throw UsageError("{} and {} exclude each other: the list has the translations; leave one out",
                     options.origins({"target", "tsv"}), options.origin("n-best"));
  }
  if (settings.n_best && !settings.text.source)
    throw UsageError("{} needs --source, the text that was translated", options.origin("n-best"));
  if (!settings.n_best) check(options, settings.text, TargetAlone::accepted);
  int kinds = 0;
  for (const char* kind : {"per-token", "summary", "n-best"}) kinds += options.given(kind) ? 1 : 0;
  if (kinds > 1) {
    throw UsageError("{} exclude each other; leave one out",
                     options.origins({"per-token", "summary", "n-best"}));
  }
  for (const char* other : {"summary", "n-best"}) {
    if (settings.alignment.form && options.given(other)) {
      throw UsageError("{} exclude each other; leave one out", options.origins({"alignment", other}));
    }
  }
  if (settings.summary && (settings.formula.length_penalty != 0 || settings.formula.word_penalty != 0)) {
    throw UsageError("{} exclude each other: a summary is about tokens; leave one out",
                     options.origins({"summary", "length-penalty", "word-penalty"}));
  }
  for (const char* other : {"summary", "n-best"}) {
    if (!settings.shard || !options.given(other)) continue;
    throw UsageError("{} exclude each other: a shard has one line of output for each pair; leave one out",
                     options.origins({"shard", other}));
  }
  check(options, settings.rescoring);
  if (settings.feature.empty() || settings.feature.find_first_of(" \t|=") != std::string::npos) {
    throw UsageError("{} '{}': a name has no spaces, tabs, bars or equals signs", options.origin("feature"),
                     settings.feature);
  }
}

bool parse(const Arguments& arguments, ScoreSettings& settings) {
  Options options("nmt score", "", "Prints the natural log-probability of each translation, EOS included.",
                  "nmt score -m model.safetensors --source test.en --target test.de");
  options.writes_standard_output();
  add_models_option(options, settings.models);  // which rescoring by other models does not need
  add_model_vocabulary_options(options, settings.vocabularies);
  add_weights_option(options, settings.weights);
  add_text_options(options, settings);
  add_language_options(options, settings.languages);
  options
      .add("max-length", settings.max_length, "N",
           "maximum tokens per side. Longer sides are truncated, with a warning.")
      .range(1, 1e9);
  options.flag("per-token", settings.per_token,
               "print the score, a tab, and the log-probability of each token and of EOS");
  add_score_options(options, settings.formula);
  options
      .add("summary", settings.summary, "",
           "print a figure for the whole text instead: the number of tokens (EOS included), the "
           "cross-entropy in nats per token, or the perplexity. all prints every figure on a line with its "
           "name, a tab and the value.")
      .choices({"tokens", "cross-entropy", "perplexity", "all"});
  add_alignment_options(options, settings.alignment);
  options
      .add("batch-tokens", settings.batch_tokens, "N",
           "maximum padded tokens per side that all threads together score at a time. It does not change the "
           "result.")
      .range(1, 1e9)
      .group("computing");
  add_device_options(options, settings.device, Work::inference);
  add_streams_option(options, settings.device);
  add_marian_options(options, settings.marian, MarianProgram::score);
  options.essential({"model", "source", "target", "tsv", "target-language", "n-best", "per-token",
                     "length-penalty", "summary", "alignment", "threads", "device", "precision"});
  if (!parse_with_log_options(options, arguments, settings.log)) return false;
  warn_of_left_out(settings.marian);
  settings.files = vocabulary_files(options, settings.vocabularies);
  check(options, settings);
  check(options, settings.alignment);
  return true;
}

/// Sums up figures of all translations added.
class Summary {
 public:
  void add(const std::vector<double>& tokens) {
    log_probability_ = std::accumulate(tokens.begin(), tokens.end(), log_probability_);
    tokens_ += std::ssize(tokens);
  }
  bool empty() const { return tokens_ == 0; }

  /// Returns the figures that --summary requests, as lines.
  std::string text(const std::string& figure) const {
    const double cross_entropy = -log_probability_ / static_cast<double>(tokens_);
    if (figure == "tokens") return fmt::format("{}\n", tokens_);
    if (figure == "cross-entropy") return fmt::format("{:.6f}\n", cross_entropy);
    if (figure == "perplexity") return fmt::format("{:.6f}\n", std::exp(cross_entropy));
    return fmt::format("tokens\t{}\ncross-entropy\t{:.6f}\nperplexity\t{:.6f}\n", tokens_, cross_entropy,
                       std::exp(cross_entropy));
  }

 private:
  double log_probability_ = 0;
  std::int64_t tokens_ = 0;
};

/// Returns the output line for one translation.
std::string format(const std::vector<double>& tokens, const ScoreSettings& settings) {
  const double total = total_score(tokens, settings.formula);
  if (!settings.per_token) return fmt::format("{:.6f}", total);
  return fmt::format("{:.6f}\t{:.6f}", total, fmt::join(tokens, " "));
}

/// Computes word alignments of scored pairs.
class AlignedText {
 public:
  AlignedText(const ScoreSettings& settings, const SavedModel& model, Worker& worker)
      : settings_(settings),
        vocabularies_(model.vocabularies),
        worker_(worker),
        aligner_(model, worker.backend(), settings.alignment.settings) {}

  /// Returns the text after the scores of the first `count` pairs of a chunk.
  std::vector<std::string> fields(const ScoredChunk& chunk, std::size_t count) {
    std::vector<AlignedPair> pairs;
    pairs.reserve(count);
    for (std::size_t i = 0; i < count; ++i) {
      const Example& ids = chunk.examples[i];
      pairs.push_back({ids, words_of(vocabularies_.source, chunk.lines[i].source, ids.source),
                       words_of(vocabularies_.target, chunk.lines[i].target, ids.target)});
    }
    std::vector<std::string> fields;
    fields.reserve(count);
    for (const Alignment& alignment : aligner_.align(worker_, pairs, settings_.batch_tokens)) {
      fields.push_back(" ||| " + format(alignment, *settings_.alignment.form));
    }
    return fields;
  }

 private:
  const ScoreSettings& settings_;
  const Vocabularies& vocabularies_;
  Worker& worker_;
  Aligner aligner_;
};

/// Adds features to an n-best list and ranks it.
class RescoredList {
 public:
  /// `scorer`: that of the models of the command, if there are any; must outlive this object.
  RescoredList(const ScoreSettings& settings, Scorer* scorer)
      : settings_(settings),
        features_(list_features(settings.rescoring, {.device = settings.device,
                                                     .languages = settings.languages,
                                                     .formula = settings.formula,
                                                     .max_length = settings.max_length,
                                                     .batch_tokens = settings.batch_tokens})) {
    for (const auto& feature : features_) {
      if (feature->name() == settings.feature)
        throw UsageError("`feature` {} is the name of another feature of this command; choose another one",
                         settings.feature);
    }
    if (scorer != nullptr) {
      features_.insert(features_.begin(),
                       std::make_unique<MainScore>(settings.feature, settings.formula, *scorer));
    }
    if (settings.rescoring.rerank) reranker_.emplace(*settings.rescoring.rerank == "best");
  }

  /// Returns output lines for the first entries of a chunk, as many as all models have scored. `scored` is
  /// called with the numbers of entries that the first model has scored.
  std::vector<std::string> lines(const ScoredChunk& chunk, const Scorer::Scored& scored) {
    std::size_t count = chunk.examples.size();
    std::vector<std::vector<double>> values;
    for (const auto& feature : features_) {
      const Scorer::Scored check = [](std::size_t) { InterruptGuard::check(); };
      values.push_back((*feature)(chunk, count, values.empty() ? scored : check));
      count = values.back().size();
    }
    std::vector<std::string> lines;
    for (std::size_t i = 0; i < count; ++i) {
      double sum = 0;
      const std::int64_t line = chunk.examples[i].id;
      NBestEntry entry = chunk.entries[i];
      for (std::size_t f = 0; f < features_.size(); ++f) {
        entry = with_feature(line, entry, features_[f]->name(), values[f][i]);
        sum += features_[f]->weight() * values[f][i];
      }
      lines.push_back(reranker_ ? reranker_->add(std::move(entry), sum) : entry.line() + '\n');
    }
    return lines;
  }
  /// Returns the last output lines.
  std::string finish() { return reranker_ ? reranker_->finish() : ""; }

 private:
  NBestEntry with_feature(std::int64_t line, const NBestEntry& entry, const std::string& name,
                          double value) const {
    try {
      return NBestEntry(entry.with_feature(name, value));
    } catch (const Error& error) {
      throw Error("'{}', line {}: {}{}", display_name(*settings_.n_best), line, error.what(),
                  name == settings_.feature ? ", or set `feature` to another name" : "");
    }
  }

  const ScoreSettings& settings_;
  std::vector<std::unique_ptr<ListFeature>> features_;
  std::optional<Reranker> reranker_;
};

[[noreturn]] void fail_for_memory(const Example& pair) {
  if (pair.source.empty() && pair.target.empty())
    throw Error("line {}: it takes more memory than there is; shorten or drop the pair", pair.id);
  if (std::max(pair.source.size(), pair.target.size()) <= kUsualMaxLength) {
    throw Error(
        "line {}: not enough memory for its {} and {} tokens; close other programs, or lower `batch_tokens`",
        pair.id, pair.source.size(), pair.target.size());
  }
  throw Error("line {}: its {} and {} tokens take more memory than there is; shorten or drop the pair",
              pair.id, pair.source.size(), pair.target.size());
}

/// Takes the pairs of a text in chunks: `take` scores them, calls `scored` with numbers of scored pairs, and
/// returns the number of pairs for which there was enough memory.
using TakeChunk = std::function<std::size_t(const ScoredChunk& chunk, const Scorer::Scored& scored)>;

void each_chunk(const ScoreSettings& settings, ScoredText& text, const TakeChunk& take) {
  ProgressLine progress(program_log(), "scoring", "line");
  // Scores on the terminal would mix with a status line.
  const bool is_seen = !settings.summary && ::isatty(STDOUT_FILENO) == 1;
  std::optional<double> begin = text.part_read();
  for (auto chunk = text.next_chunk(); !chunk.examples.empty(); chunk = text.next_chunk()) {
    const std::optional<double> end = text.part_read();
    ChunkProgress done(chunk.examples.front().id - 1, chunk.examples.size(), begin, end,
                       [&](std::int64_t lines, std::optional<double> part) { progress.show(lines, part); });
    begin = end;
    const std::size_t taken = take(chunk, [&](std::size_t more) {
      InterruptGuard::check();
      if (!is_seen) done.add(more);
    });
    if (taken < chunk.examples.size()) fail_for_memory(chunk.examples[taken]);
  }
}

void write_summary(const Summary& summary, const ScoreSettings& settings, const ScoredText& text) {
  if (summary.empty()) throw Error("'{}' has no lines, so there is nothing to sum up", text.name());
  write_output(summary.text(*settings.summary));
}

/// Prints the scores of pairs, or sums them up.
void score_pairs(const ScoreSettings& settings, ScoredText& text, Scorer& score, Models& models) {
  Summary summary;
  std::optional<AlignedText> aligned;
  if (settings.alignment.form) aligned.emplace(settings, models.first(), models.workers().whole());
  each_chunk(settings, text, [&](const ScoredChunk& chunk, const Scorer::Scored& scored) {
    const auto scores = score(chunk.examples, scored);
    if (settings.summary) {
      for (const std::vector<double>& tokens : scores) summary.add(tokens);
      return scores.size();
    }
    std::vector<std::string> alignments(scores.size()), lines;
    if (aligned) alignments = aligned->fields(chunk, scores.size());
    for (std::size_t i = 0; i < scores.size(); ++i)
      lines.push_back(format(scores[i], settings) + alignments[i] + '\n');
    write_output(join(lines, ""));
    return scores.size();
  });
  if (settings.summary) write_summary(summary, settings, text);
}

/// Prints an n-best list with features. `score`: null if the command has no models of its own.
void rescore_list(const ScoreSettings& settings, ScoredText& text, Scorer* score) {
  RescoredList list(settings, score);
  each_chunk(settings, text, [&](const ScoredChunk& chunk, const Scorer::Scored& scored) {
    const std::vector<std::string> lines = list.lines(chunk, scored);
    write_output(join(lines, ""));
    return lines.size();
  });
  write_output(list.finish());
}

/// Checks the sides of the text: translation models score pairs, a language model scores targets.
void check_sides(const ScoreSettings& settings, const SavedModel& model) {
  const auto& [source, target] = settings.languages;
  if (!model.model->has_source() && !source.empty()) {
    throw UsageError("'{}' is a language model, which has no source; leave out --source-language",
                     settings.models[0]);
  }
  if (!model.model->has_source() && !target.empty() && !model.vocabularies.target.tells_languages()) {
    throw UsageError("'{}' is a language model that takes no language; leave out --target-language",
                     settings.models[0]);
  }
  if (settings.n_best || model.model->has_source() != settings.text.is_target_alone()) return;
  if (model.model->has_source())
    throw UsageError("'{}' is a translation model, which scores pairs; give --source in addition to --target",
                     settings.models[0]);
  throw UsageError("'{}' is a language model, which scores targets; leave out --source and --tsv",
                   settings.models[0]);
}

std::vector<std::string> files_of(const TextOptions& text) {
  std::vector<std::string> files;
  for (const auto& file : {text.source, text.target, text.tsv}) {
    if (file) files.push_back(*file);
  }
  return files;
}

ScoredText::Reader open_text(const ScoreSettings& settings) {
  if (!settings.n_best) {
    PairReader pairs = open_text(settings.text, settings.max_length);
    if (settings.shard) {
      const LineRange lines = shard_of_files(*settings.shard, files_of(settings.text));
      pairs.restrict_to(lines.first, lines.last);
    }
    return pairs;
  }
  return NBestReader(*settings.text.source, *settings.n_best, most_bytes(settings.max_length), program_job());
}

}  // namespace

int run_score(const Arguments& arguments) {
  ScoreSettings settings;
  if (!parse(arguments, settings)) return 0;
  for (std::string& path : settings.models) path = chosen_model(path);
  ScoredText::Reader reader = open_text(settings);  // may wait for a writer
  if (settings.models.empty()) {
    ScoredText text(std::move(reader));
    rescore_list(settings, text, nullptr);
    return 0;
  }
  Models models = open_models(settings.models, settings.device, settings.languages,
                              {.weights = settings.weights, .files = settings.files});
  check_sides(settings, models.first());
  const Ensemble ensemble = models.ensemble();
  ScoredText text(std::move(reader), models.vocabularies(), {settings.max_length, ensemble});
  Scorer scorer(ensemble, models.workers(), settings.batch_tokens);
  if (settings.n_best) {
    rescore_list(settings, text, &scorer);
  } else {
    score_pairs(settings, text, scorer, models);
  }
  return 0;
}

}  // namespace nmt
