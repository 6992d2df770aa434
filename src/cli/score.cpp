// nmt score: how probable a model finds given translations.
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <exception>
#include <numeric>
#include <optional>

#include "backend/factory.h"
#include "cli/command.h"
#include "cli/common_options.h"
#include "cli/model_file.h"
#include "cli/standard_output.h"
#include "common/error.h"
#include "common/progress_line.h"
#include "data/pair_reader.h"
#include "nn/saved_model.h"
#include "translate/scorer.h"

namespace nmt::cli {
namespace {

/// Enough pairs for batches of like length, few enough to stay in memory.
constexpr std::size_t chunk_pairs = 8192;

struct Settings {
  std::string model, source, target;
  std::optional<std::string> summary;
  bool per_token = false;
  std::int64_t batch_tokens = 2048;
  DeviceSettings device;
  LogOptions log;
};

bool parse(const Arguments& arguments, Settings& settings) {
  Options options("nmt score", "",
                  "Prints the natural log-probability of each translation, its end included.",
                  "nmt score -m model.safetensors --source test.en --target test.de");
  options
      .add("model,m", settings.model, "FILE",
           "model file, or a run directory, whose best or else last model is taken")
      .required();
  options.add("source", settings.source, "FILE", "text; .gz, .xz and .zst are read as well").required();
  options.add("target", settings.target, "FILE", "its translation, line by line").required();
  options.flag("per-token", settings.per_token,
               "print the sum, a tab, and the log-probability of each token and of the end");
  options
      .add("summary", settings.summary, "", "print one figure for the whole text instead: perplexity a token")
      .choices({"perplexity"});
  options
      .add("batch-tokens", settings.batch_tokens, "N",
           "most tokens of a side, padding included, that are scored together; no effect on the result")
      .range(1, 1e9)
      .group("computing");
  add_device_options(options, settings.device);
  add_log_options(options, settings.log);
  if (!options.parse(arguments)) return false;
  apply(options, settings.log);
  if (settings.per_token && settings.summary) {
    throw UsageError("{} exclude each other; leave one out", options.origins({"per-token", "summary"}));
  }
  if (settings.source == "-" && settings.target == "-") {
    throw UsageError("{} cannot both be standard input; name a file for one",
                     options.origins({"source", "target"}));
  }
  return true;
}

/// The pairs of a text as ids.
class ExampleReader {
 public:
  ExampleReader(const Settings& settings, const SavedModel& model)
      : model_(model), text_(settings.source, settings.target) {}

  /// How much of the text has been read; see ByteSource.
  std::optional<double> part_read() const { return text_.part_read(); }
  /// The next pairs, none at the end. Throws Error when one side ends before the other, and for a pair that
  /// is longer than the model's positions, once the pairs before it were returned.
  std::vector<Example> next_chunk() {
    if (failure_) std::rethrow_exception(failure_);
    std::vector<Example> pairs;
    try {
      for (LinePair lines; pairs.size() < chunk_pairs && text_.next(lines);) {
        Example pair{.id = ++line_,
                     .source = model_.vocabularies.source.encode(lines.source),
                     .target = model_.vocabularies.target.encode(lines.target)};
        check_length(pair);
        pairs.push_back(std::move(pair));
      }
    } catch (const Error&) {
      if (pairs.empty()) throw;
      failure_ = std::current_exception();
    }
    return pairs;
  }

 private:
  void check_length(const Example& pair) const {
    const auto tokens = static_cast<std::int64_t>(std::max(pair.source.size(), pair.target.size())) + 1;
    const auto limit = model_.model->max_positions();
    if (limit && tokens > *limit) {
      throw Error("line {} has {} tokens with the end mark, but the model takes {}; shorten or drop the pair",
                  pair.id, tokens, *limit);
    }
  }

  const SavedModel& model_;
  PairReader text_;
  std::int64_t line_ = 0;
  std::exception_ptr failure_;
};

double sum(const std::vector<double>& tokens) {
  return std::accumulate(tokens.begin(), tokens.end(), 0.0);
}

std::string format(const std::vector<double>& tokens, bool per_token) {
  std::string line = fmt::format("{:.6f}", sum(tokens));
  if (per_token) line += fmt::format("\t{:.6f}", fmt::join(tokens, " "));
  return line + '\n';
}

/// Perplexity of what has been added.
class Perplexity {
 public:
  void add(const std::vector<double>& tokens) {
    log_probability_ += sum(tokens);
    tokens_ += static_cast<double>(tokens.size());
  }
  double value() const { return std::exp(-log_probability_ / tokens_); }
  bool empty() const { return tokens_ == 0; }

 private:
  double log_probability_ = 0, tokens_ = 0;
};

[[noreturn]] void fail_for_memory(const Example& pair) {
  throw Error("line {}: its {} and {} tokens take more memory than there is; shorten or drop the pair",
              pair.id, pair.source.size(), pair.target.size());
}

void score_text(const Settings& settings, const SavedModel& model, Backend& backend) {
  Arena arena(backend);
  ExampleReader reader(settings, model);
  Perplexity perplexity;
  ProgressLine progress("scoring", "line");
  // Where scores appear on a terminal, a status would be in their way.
  const bool is_seen = !settings.summary && ::isatty(STDOUT_FILENO) == 1;
  std::optional<double> begin = reader.part_read();
  for (auto pairs = reader.next_chunk(); !pairs.empty(); pairs = reader.next_chunk()) {
    const std::optional<double> end = reader.part_read();
    ChunkProgress chunk(pairs.front().id - 1, pairs.size(), begin, end,
                        [&](std::int64_t lines, std::optional<double> part) { progress.show(lines, part); });
    begin = end;
    const auto scores = score_in_batches(*model.model, backend, arena, pairs, model.marks,
                                         settings.batch_tokens, [&](std::size_t pairs_more) {
                                           if (!is_seen) chunk.add(pairs_more);
                                         });
    std::string lines;
    for (const std::vector<double>& tokens : scores) {
      perplexity.add(tokens);
      if (!settings.summary) lines += format(tokens, settings.per_token);
    }
    write_output(lines);
    if (scores.size() < pairs.size()) fail_for_memory(pairs[scores.size()]);
  }
  if (!settings.summary) return;
  if (perplexity.empty()) throw Error("'{}' has no lines, so there is no perplexity", settings.source);
  write_output(fmt::format("{:.6f}\n", perplexity.value()));
}

}  // namespace

int run_score(const Arguments& arguments) {
  Settings settings;
  if (!parse(arguments, settings)) return 0;
  const auto backend = open_backend(settings.device);
  score_text(settings, open_model(model_file(settings.model), *backend), *backend);
  return 0;
}

}  // namespace nmt::cli
