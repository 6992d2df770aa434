// nmt attention: shows the attention of a model, as a page of heat maps, a picture or data.
#include <algorithm>
#include <optional>
#include <set>

#include "backend/factory.h"
#include "cli/files/model_file.h"
#include "cli/files/output.h"
#include "cli/options/common_options.h"
#include "cli/options/model_options.h"
#include "cli/options/search_options.h"
#include "cli/options/value.h"
#include "cli/program.h"
#include "common/error.h"
#include "common/process/signals.h"
#include "common/text/number.h"
#include "data/text/pair_reader.h"
#include "data/text/text_parts.h"
#include "engine/decoding_defaults.h"
#include "insight/attention_output.h"
#include "translate/scoring/alignment.h"
#include "translate/scoring/scorer.h"
#include "translate/search/search.h"

namespace nmt {
namespace {

// Maximum number of weights of one pair, so that they and their text fit into the memory of a small machine.
constexpr std::int64_t kMostWeights = 1 << 25;
// More tokens would have too many weights in a single map.
constexpr std::int64_t kMostTokens = 1 << 13;
// Tokens of hypotheses whose coverage is computed at a time.
constexpr std::int64_t kCoverageTokens = 2048;
static_assert(kMostTokens * kMostTokens > kMostWeights);

struct AttentionSettings {
  std::string model, model_name, source, output = "-", lines = "1-20";
  std::optional<std::string> target, format, kind;
  VocabularyOptions vocabularies;
  ForeignFiles files;  // the vocabularies
  Languages languages;
  std::optional<int> layer, head;
  SearchSettings search;
  SentenceRules rules;
  DeviceSettings device;
  LogOptions log;

  LineRange range;
  bool takes_default_lines = true;
  std::set<std::string> given;  // see Options::given
};

void add_files(Options& options, AttentionSettings& settings) {
  options
      .add(
          "model,m", settings.model, "FILE",
          "model file or run directory. For a run directory, the best model is used, or the last if there is "
          "no best.")
      .required();
  add_model_vocabulary_options(options, settings.vocabularies);
  options
      .add("source", settings.source, "FILE", "source text. The file may be compressed (.gz, .xz or .zst).")
      .required();
  options.add("target", settings.target, "FILE",
              "translation of the source, line by line. Without it, the model translates the source.");
  add_language_options(options, settings.languages);
  options.add("output,o", settings.output, "FILE", "output file. It appears when it is complete.")
      .command_line_only()
      .writes();
  options
      .add("format", settings.format, "",
           "format of the output. html is a page of heat maps for any browser, svg and png are pictures, and "
           "json and tsv are data. png needs the program rsvg-convert (Debian: librsvg2-bin).")
      .choices(attention_formats())
      .default_text("by the extension of --output, or else html");
}

void add_selection(Options& options, AttentionSettings& settings) {
  options.add("lines", settings.lines, "N-M", "lines of the text to show, as first-last or one number")
      .default_text("1-20, or 1 in a picture");
  options
      .add("kind", settings.kind, "",
           "only this kind of attention. encoder and decoder are self-attention; cross is the attention of "
           "the decoder over the source.")
      .choices({"encoder", "decoder", "cross"})
      .default_text("all, or cross in a picture");
  options.add("layer", settings.layer, "N", "only this layer, counted from 1")
      .range(1, 1000)
      .default_text("all, or the last in a picture");
  options.add("head", settings.head, "N", "only this head, counted from 1")
      .range(1, 65535)
      .default_text("all");
}

/// Sets settings that follow from others.
void complete(const Options& options, AttentionSettings& settings) {
  settings.range = parse_line_range(settings.lines, options.origin("lines"));
  settings.takes_default_lines = !options.given("lines");
  settings.given = options.given();
  if (!settings.format) settings.format = format_by_name(settings.output, attention_formats());
  if (!is_attention_picture(*settings.format)) return;
  if (!settings.kind) settings.kind = name_of(AttentionKind::cross);
  if (settings.takes_default_lines) settings.range = {1, 1};
}

bool parse(const Arguments& arguments, AttentionSettings& settings) {
  Options options("nmt attention", "",
                  "Shows what each attention head of a model attends to in sentences and their translations.",
                  "nmt attention -m model.safetensors --source test.en --target test.de -o page.html");
  add_files(options, settings);
  add_selection(options, settings);
  add_setting(options, kBeam, settings.search.beam);
  add_device_options(options, settings.device, Work::inference);
  options.essential({"model", "source", "target", "output", "lines", "kind", "layer", "head", "beam"});
  if (!parse_with_log_options(options, arguments, settings.log)) return false;
  settings.files = vocabulary_files(options, settings.vocabularies);
  if (settings.target && options.given("beam")) {
    throw UsageError("{} exclude each other: nothing is translated; leave one out",
                     options.origins({"target", "beam"}));
  }
  complete(options, settings);
  return true;
}

/// The selected lines of a text, with their translations if there are any.
class ChosenLines {
 public:
  struct Line {
    std::int64_t number = 0;
    std::string source;
    std::optional<std::string> target;
  };

  explicit ChosenLines(const AttentionSettings& settings) : settings_(settings) {
    if (settings.target) {
      pairs_.emplace(settings.source, *settings.target, most_bytes(kMostTokens), program_job());
    } else {
      source_.emplace(settings.source, CarriageReturn::drop, most_bytes(kMostTokens), program_job());
    }
  }

  /// Returns the next line; none after the last one. Throws Error if the text has none of the selected lines,
  /// and after the last one if source and target have different numbers of lines.
  std::optional<Line> next() {
    const LineRange& range = settings_.range;
    Line line;
    while (number_ < range.last && read(line)) {
      line.number = ++number_;
      if (number_ >= range.first) return line;
    }
    if (number_ < range.first) {
      throw Error("'{}' has {}; --lines {} chooses none of them", name(), count_of(number_, "line"),
                  settings_.lines);
    }
    if (settings_.takes_default_lines && read(line)) {
      log_info("'{}': shown up to line {}; --lines chooses others, or more", name(), number_);
    }
    pairs_ ? pairs_->warn() : source_->warn();
    while (pairs_ && read(line)) continue;  // to compare the numbers of lines
    return std::nullopt;
  }

  const std::string& name() const { return pairs_ ? pairs_->source_name() : source_->name(); }

 private:
  bool read(Line& line) {
    if (source_) return source_->next(line.source);
    LinePair pair;
    if (!pairs_->next(pair)) return false;
    line.source = std::move(pair.source);
    line.target = std::move(pair.target);
    return true;
  }

  const AttentionSettings& settings_;
  std::optional<PairReader> pairs_;
  std::optional<TextReader> source_;
  std::int64_t number_ = 0;
};

/// Returns the selection of maps that the settings ask for. Throws UsageError if the model has none of them.
MapSelection selection_of(const AttentionSettings& settings, const SavedModel& model, Backend& backend,
                          std::int64_t& maps) {
  MapSelection selection;
  AttentionShape most;
  maps = 0;
  for (const AttentionKind kind : kAttentionKinds) {
    if (settings.kind && *settings.kind != name_of(kind)) continue;
    if (settings.kind) selection.kind = kind;
    const AttentionShape shape = attention_shape(*model.model, backend, model.special_tokens, kind);
    most = {std::max(most.layers, shape.layers), std::max(most.heads, shape.heads)};
    maps += std::int64_t{settings.layer ? 1 : shape.layers} * (settings.head ? 1 : shape.heads);
  }
  if (settings.kind && most.layers == 0)
    throw UsageError("--kind {}: the model has no attention of this kind; choose another", *settings.kind);
  const auto check = [&](const char* name, const std::optional<int>& number, int count) {
    if (number && *number > count) {
      throw UsageError("--{} {}: the model has {}{}", name, *number, count_of(count, name),
                       settings.kind ? " of this kind" : "");
    }
  };
  check("layer", settings.layer, most.layers);
  if (is_attention_picture(*settings.format)) selection.layer = most.layers - 1;
  check("head", settings.head, most.heads);
  if (settings.layer) selection.layer = *settings.layer - 1;
  if (settings.head) selection.head = *settings.head - 1;
  return selection;
}

/// Makes the maps of lines, one after another.
class Viewer {
 public:
  Viewer(const AttentionSettings& settings, const SavedModel& model, Worker& worker)
      : settings_(settings),
        model_(model),
        worker_(worker),
        selection_(selection_of(settings, model, worker.backend(), maps_)) {}

  PairAttention look(const ChosenLines::Line& line, const std::string& text_name) {
    if (std::max(line.source.size(), line.target.value_or("").size()) > most_bytes(kMostTokens)) {
      throw Error("'{}', line {} has more than {} KiB; shorten or leave it out", text_name, line.number,
                  most_bytes(kMostTokens) >> 10);
    }
    Example example{
        .id = line.number, .source = model_.vocabularies.source.encode(line.source), .target = {}};
    if (line.target) example.target = model_.vocabularies.target.encode(*line.target);
    check_length(example, text_name);
    if (!line.target) translate(example);
    return {.line = line.number,
            .tokens = line.target ? tokenize(model_, line.source, *line.target)
                                  : tokenize(model_, line.source, example.target),
            .maps = attention_maps(model_, worker_, example, selection_),
            .source_text = line.source,
            .target_text = line.target ? *line.target : model_.vocabularies.target.decode(example.target),
            .log_probabilities = log_probabilities(example)};
  }

 private:
  void check_length(const Example& pair, const std::string& text_name) const {
    const std::int64_t tokens =
        std::max(model_.special_tokens.source_rows(std::ssize(pair.source)), std::ssize(pair.target) + 1);
    const auto limit = model_.model->max_positions();
    if (limit && tokens > *limit) {
      throw Error(
          "'{}', line {} has {} tokens, special tokens included, but the model takes at most {}; shorten or "
          "leave it out",
          text_name, pair.id, tokens, *limit);
    }
    if (tokens * tokens > kMostWeights / std::max<std::int64_t>(maps_, 1)) {
      throw Error(
          "'{}', line {} has {} tokens, too many for {} maps; shorten it, or choose --kind, --layer or "
          "--head",
          text_name, pair.id, tokens, maps_);
    }
  }

  /// Returns the log-probabilities of the target tokens in the order in which the model writes them, as in
  /// tokens and maps.
  std::vector<double> log_probabilities(const Example& pair) const {
    std::vector<double> tokens = score(*model_.model, worker_, {pair}, model_.special_tokens)[0];
    if (model_.special_tokens.target_reversed) std::reverse(tokens.begin(), tokens.end() - 1);
    return tokens;
  }

  void translate(Example& example) {
    if (example.source.empty()) return;  // an empty line stays one
    const Ensemble alone = {{model_.model.get(), model_.special_tokens}};
    auto found =
        search(alone, worker_, {example}, settings_.search, settings_.rules, [] { InterruptGuard::check(); });
    if (settings_.search.counts_coverage()) {
      const Aligner aligner(model_, worker_.backend(), {});
      add_coverage(aligner, worker_, example.source, settings_.search, kCoverageTokens, found.front());
    }
    example.target = found.front().front().ids;
  }

  const AttentionSettings& settings_;
  const SavedModel& model_;
  Worker& worker_;
  std::int64_t maps_ = 0;  // of each pair
  MapSelection selection_;
};

/// Takes the settings and rules of the search from the model.
void complete(AttentionSettings& settings, const SavedModel& model) {
  const Vocabulary& target = model.vocabularies.target;
  ForbiddenTokens forbidden;
  take_decoding_defaults(model, target, settings.model, settings.given, settings.search, forbidden);
  settings.rules = {.allowed = allowed_tokens(forbidden, model.shortlist, target),
                    .first_tokens = target.first_tokens()};
}

void show(const AttentionSettings& settings, ChosenLines& lines, Viewer& viewer, Output& output) {
  const auto writer = make_attention_writer(*settings.format, settings.model_name, *program_job().stop);
  while (const auto line = lines.next()) {
    InterruptGuard::check();
    output.write(writer->pair(viewer.look(*line, lines.name())));
  }
  output.write(writer->end());
  output.commit();
}

}  // namespace

int run_attention(const Arguments& arguments) {
  AttentionSettings settings;
  if (!parse(arguments, settings)) return 0;
  settings.model_name = name_of_model(settings.model);
  settings.model = chosen_model(settings.model);
  Output output(settings.output);
  ChosenLines lines(settings);
  Models models = open_models({settings.model}, settings.device, settings.languages,
                              {.shortlist = ShortlistUse::of_model, .files = settings.files});
  refuse_language_model(models.first(), settings.model);
  complete(settings, models.first());
  Viewer viewer(settings, models.first(), models.workers().whole());
  show(settings, lines, viewer, output);
  return 0;
}

}  // namespace nmt
