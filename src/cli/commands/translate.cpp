// nmt translate: a line in, its translation out.
#include <unistd.h>

#include <algorithm>
#include <optional>

#include "cli/commands/command.h"
#include "cli/files/model_file.h"
#include "cli/files/output.h"
#include "cli/files/overwriting.h"
#include "cli/files/request_lines.h"
#include "cli/files/translation_lines.h"
#include "cli/marian/marian_source.h"
#include "cli/options/alignment_options.h"
#include "cli/options/common_options.h"
#include "cli/options/language_options.h"
#include "cli/options/search_options.h"
#include "cli/options/shard.h"
#include "cli/program.h"
#include "common/error.h"
#include "common/log/progress_line.h"
#include "common/process/interrupt.h"
#include "common/process/memory_usage.h"
#include "common/text/plural.h"
#include "data/text/long_text.h"
#include "engine/decoding_defaults.h"
#include "engine/forbidden_tokens.h"
#include "engine/json_request.h"
#include "engine/json_result.h"
#include "translate/search/search_limits.h"
#include "translate/search/shortlist.h"
#include "translate/service/translator.h"

namespace nmt {
namespace {

struct TranslateSettings {
  std::vector<std::string> models;
  std::string input = "-", output = "-", input_format = "text";
  Languages languages;
  std::optional<std::string> split, split_language;
  std::optional<int> n_best, candidates;
  std::optional<std::string> mbr;
  std::string n_best_format = "nmt", output_format = "text";
  bool scores = false, flush = false, distinct = false, alternatives = false, replace_unknown = false,
       markup = false;
  std::optional<std::string> shortlist, lm, prefixes, constraints, shard;
  double lm_weight = 0.2;
  ForbiddenTokens forbidden;
  SamplingOptions sampling;
  AlignmentOptions alignment;
  TranslatorSettings translator;
  DeviceSettings device;
  MarianSource marian;
  LogOptions log;

  /// How many translations the search has to find.
  int found() const { return std::max(n_best.value_or(1), candidates.value_or(1)); }
  bool writes_json() const { return output_format == "jsonl"; }
};

void add_all_search_options(Options& options, TranslateSettings& settings) {
  ForbiddenTokens& forbidden = settings.forbidden;
  add_search_options(options, settings.translator.search);
  add_sampling_options(options, settings.sampling);
  options.flag("unk", forbidden.unknown_allowed, "translations may hold the unknown piece").group("search");
  options
      .add("forbid", forbidden.file, "FILE",
           "pieces of the target vocabulary that no translation holds, one a line, or several with blanks "
           "between them that do not follow on each other")
      .group("search");
  options
      .add("avoid", forbidden.phrase_file, "FILE",
           "words and phrases that no translation holds, one a line, however they are divided into pieces")
      .group("search");
  options
      .add("prefix", settings.prefixes, "FILE",
           "what translations begin with, a line for each line of the input; an empty line: as the search "
           "finds")
      .group("search");
  options
      .add("constraints", settings.constraints, "FILE",
           "words and phrases that must occur, a line for each line of the input, with tabs between them, "
           "and | between alternatives")
      .group("search");
  options
      .add("shortlist", settings.shortlist, "FILE",
           "consider for each line only the target pieces that this list of nmt shortlist has for its source")
      .group("search");
}

void add_split_options(Options& options, TranslateSettings& settings) {
  options
      .add("split", settings.split, "",
           "translate the sentences of a line one by one, as models that have learned from sentences like it")
      .choices({"sentences"});
  options
      .add("split-language", settings.split_language, "CODE",
           "language of the text, in which abbreviations end no sentence (en); by default that of "
           "--source-language")
      .needs({"split"}, "--split sentences");
}

void add_choice_options(Options& options, TranslateSettings& settings) {
  options
      .add("mbr", settings.mbr, "",
           "of candidates, print those that are most like all of them by this metric (minimum Bayes risk); "
           "their scores are its means")
      .choices(utility_names())
      .group("search");
  options
      .add("candidates", settings.candidates, "N",
           "the N best that are found, or samples; by default as many as the beam is wide, or 32 samples")
      .range(kNBestLimits.least, kNBestLimits.most)
      .needs({"mbr"}, "a choice among them; give --mbr")
      .group("search");
  options
      .flag("replace-unknown", settings.replace_unknown,
            "in the place of unknown pieces, print the text of the source that they are aligned to")
      .group("alignment");
  options
      .flag("markup", settings.markup,
            "texts are HTML or XML: translate the text between tags, and put these around the words that are "
            "aligned to those that they were around")
      .group("alignment");
}

void check_choice(const Options& options, const TranslateSettings& settings) {
  if (settings.markup && options.given("alignment")) {
    throw UsageError("{} exclude each other: tags are put around words as they are aligned; leave one out",
                     options.origins({"markup", "alignment"}));
  }
  if (settings.candidates && settings.n_best.value_or(1) > *settings.candidates) {
    throw UsageError("{} {} are chosen among as many, but {} is {}; ask for more", options.origin("n-best"),
                     *settings.n_best, options.origin("candidates"), *settings.candidates);
  }
  if (settings.mbr && settings.alternatives) {
    throw UsageError("{} exclude each other: alternatives are all printed; leave one out",
                     options.origins({"mbr", "alternatives"}));
  }
  if (settings.replace_unknown && options.given("unk") && !settings.forbidden.unknown_allowed) {
    throw UsageError("{} exclude each other: without unknown pieces there are none to replace; leave one out",
                     options.origins({"replace-unknown", "unk"}));
  }
}

void check(const Options& options, const TranslateSettings& settings) {
  check_weights(options, settings.translator.weights, settings.models.size());
  for (const char* other : {"n-best", "alignment", "prefix", "constraints"}) {
    if (!settings.split || !options.given(other)) continue;
    throw UsageError("{} exclude each other: a line of several sentences has one translation; leave one out",
                     options.origins({"split", other}));
  }
  if (settings.prefixes && settings.input_format != "text") {
    throw UsageError("{} exclude each other: lines of {} have prefixes of their own; leave one out",
                     options.origins({"prefix", "input-format"}), settings.input_format);
  }
  if (settings.constraints && settings.input_format == "jsonl") {
    throw UsageError("{} exclude each other: lines of jsonl have constraints of their own; leave one out",
                     options.origins({"constraints", "input-format"}));
  }
  for (const char* other : {"scores", "n-best-format"}) {
    if (!settings.writes_json() || !options.given(other)) continue;
    throw UsageError("{} exclude each other: lines of jsonl have scores; leave one out",
                     options.origins({"output-format", other}));
  }
  if (settings.split_language && !is_language_code(*settings.split_language)) {
    throw UsageError("{} '{}' is no code of a language, such as en or deu_Latn",
                     options.origin("split-language"), *settings.split_language);
  }
  if (settings.n_best && settings.scores) {
    throw UsageError("{} exclude each other: n-best lists have scores; leave one out",
                     options.origins({"n-best", "scores"}));
  }
  if (settings.flush && !Output::streams(settings.output)) {
    throw UsageError("{} exclude each other: the file appears at the end; leave one out",
                     options.origins({"flush", "output"}));
  }
}

void check_beam(const Options& options, const TranslateSettings& settings) {
  if (settings.sampling.is_on || settings.alternatives || settings.found() <= settings.translator.search.beam)
    return;
  throw UsageError("{} {} needs a beam as wide, but {} is {}; widen it",
                   options.origin(settings.found() == settings.n_best ? "n-best" : "candidates"),
                   settings.found(), options.origin("beam"), settings.translator.search.beam);
}

void add_format_options(Options& options, TranslateSettings& settings) {
  options
      .add("input-format", settings.input_format, "",
           "a line of input is a text; tsv: a text and, behind a tab, what its translation begins with; "
           "jsonl: an object with a text and settings of its own, {\"text\": ..., \"beam\": ...}")
      .choices({"text", "tsv", "jsonl"});
  options
      .add("output-format", settings.output_format, "",
           "jsonl: print for each line an object with its translation, scores, tokens and words with their "
           "log-probabilities, alignment and n-best list, or an error")
      .choices({"text", "jsonl"});
}

void add_output_options(Options& options, TranslateSettings& settings) {
  options
      .add("n-best", settings.n_best, "N",
           "print the N best translations of each line, or N samples, as: line number from 0 ||| text ||| "
           "score")
      .range(1, 1000);
  options
      .add("n-best-format", settings.n_best_format, "",
           "marian: with the log-probability as a feature before the score, as rerankers take it: "
           "line number ||| text ||| F0= log-probability ||| score")
      .choices({"nmt", "marian"})
      .needs({"n-best"}, "an n-best list; give --n-best");
  options.flag("distinct", settings.distinct, "no two of an n-best list read the same")
      .needs({"n-best"}, "an n-best list; give --n-best");
  options
      .flag("alternatives", settings.alternatives,
            "the translations of an n-best list go on, behind the --prefix, with the N most probable tokens; "
            "each is the best one that does")
      .needs({"n-best"}, "how many; give --n-best");
  options.flag("scores", settings.scores, "print the score and a tab before each translation");
  options.flag("flush", settings.flush, "answer each line before the next is read, as on a terminal");
}

bool parse(Options& options, const Arguments& arguments, TranslateSettings& settings) {
  add_models_option(options, settings.models);
  add_weights_option(options, settings.translator.weights);
  options.add(
      "lm", settings.lm, "FILE",
      "language model with the target vocabulary, whose log-probabilities of each next token are added "
      "to those of the models (shallow fusion)");
  options.add("lm-weight", settings.lm_weight, "W", "what they are multiplied by")
      .range(1e-6, 1e6)
      .needs({"lm"}, "a language model; give --lm");
  options.add("input,i", settings.input, "FILE", "text to translate; .gz, .xz and .zst are read as well");
  options
      .add(
          "output,o", settings.output, "FILE",
          "where translations go: a file appears when it is complete, packed where its name ends in .gz, .xz "
          "or .zst; where work ends early, lines that are done are in FILE.partial; a pipe or terminal gets "
          "them "
          "as they come")
      .command_line_only()
      .writes();
  add_shard_option(options, settings.shard);
  add_language_options(options, settings.languages);
  options
      .add("max-length", settings.translator.max_length, "N",
           "most tokens of a line: the rest is truncated, with a warning")
      .range(1, 1e9);
  add_split_options(options, settings);
  add_format_options(options, settings);
  add_output_options(options, settings);
  add_all_search_options(options, settings);
  add_choice_options(options, settings);
  add_alignment_options(options, settings.alignment, {"replace-unknown", "markup", "coverage-penalty"});
  options
      .add("batch-tokens", settings.translator.batch_tokens, "N",
           "most tokens of sources and of their hypotheses that each thread holds at a time, unless a line "
           "alone has more; no effect on the result")
      .range(1, 1e9)
      .group("computing");
  add_device_options(options, settings.device, Work::inference);
  add_streams_option(options, settings.device);
  add_marian_options(options, settings.marian, MarianProgram::translate);
  options.essential({"model", "input", "output", "target-language", "n-best", "scores", "beam",
                     "length-penalty", "forbid", "shortlist", "alignment", "batch-tokens", "threads",
                     "device", "precision"});
  if (!parse_with_log_options(options, arguments, settings.log)) return false;
  warn_of_left_out(settings.marian);
  check(options, settings);
  check_choice(options, settings);
  check(options, settings.alignment);
  check(options, settings.sampling);
  if (options.given("beam")) check_beam(options, settings);
  return true;
}

/// Whether somebody may wait for the translation of a line before typing the next one.
bool answers_at_once(const TranslateSettings& settings) {
  const bool is_conversation = settings.input == "-" && settings.output == "-" &&
                               ::isatty(STDIN_FILENO) == 1 && ::isatty(STDOUT_FILENO) == 1;
  return settings.flush || is_conversation;
}

/// What is read of a line: it is cut, unless it is split.
std::optional<std::size_t> most_bytes_of_line(const TranslateSettings& settings) {
  if (settings.input_format != "text" || settings.markup) return kLongestRequest;
  if (settings.split) return std::nullopt;
  return most_bytes(settings.translator.max_length);
}

/// Names the files of the models. None of what is read may be written over.
void resolve_models(TranslateSettings& settings) {
  for (std::string& path : settings.models) {
    path = chosen_model(path);
    refuse_overwriting({"--output", settings.output}, {{"--model", path}});
  }
  if (settings.lm) {
    settings.lm = chosen_model(*settings.lm);
    refuse_overwriting({"--output", settings.output}, {{"--lm", *settings.lm}});
  }
  if (settings.shortlist)
    refuse_overwriting({"--output", settings.output}, {{"--shortlist", *settings.shortlist}});
  if (settings.prefixes)
    refuse_overwriting({"--output", settings.output}, {{"--prefix", *settings.prefixes}});
  if (settings.constraints)
    refuse_overwriting({"--output", settings.output}, {{"--constraints", *settings.constraints}});
}

/// A file with a line for each line of the input; null: there is none.
std::unique_ptr<TextReader> beside_input(const std::optional<std::string>& file,
                                         const TranslateSettings& settings) {
  if (!file) return nullptr;
  return std::make_unique<TextReader>(*file, CarriageReturn::drop, most_bytes_of_line(settings),
                                      program_job());
}

/// Leaves of all that is read the lines of the shard.
void restrict_to_shard(const TranslateSettings& settings, const std::vector<TextReader*>& readers) {
  if (!settings.shard) return;
  std::vector<std::string> files = {settings.input};
  for (const auto& beside : {settings.prefixes, settings.constraints}) {
    if (beside) files.push_back(*beside);
  }
  const LineRange lines = shard_of_files(*settings.shard, files);
  for (TextReader* reader : readers) {
    if (reader != nullptr) reader->restrict_to(lines.first, lines.last);
  }
}

/// Reads the shortlist, if there is one.
std::shared_ptr<const Shortlist> shortlist_for(const Vocabularies& vocabularies,
                                               const TranslateSettings& settings) {
  if (!settings.shortlist) return nullptr;
  return std::make_shared<Shortlist>(read_shortlist(*settings.shortlist, vocabularies, program_job()));
}

Models open(const TranslateSettings& settings) {
  std::optional<FusedLanguageModel> language_model;
  if (settings.lm) language_model = {.file = *settings.lm, .weight = settings.lm_weight};
  return open_models(settings.models, settings.device, settings.languages, settings.translator.weights,
                     settings.shortlist ? OutputRows::selected : OutputRows::all, language_model);
}

/// Settings of the search that come from the models.
void complete(TranslateSettings& settings, const Options& options, const Models& models) {
  SearchSettings& search = settings.translator.search;
  take_decoding_defaults(models.first(), settings.models[0], options.given(), search, settings.forbidden);
  check_beam(options, settings);
  for (const char* name : {"prefix", "constraints", "avoid", "alternatives"}) {
    if (!options.given(name) || !models.first().special_tokens.right_to_left) continue;
    throw UsageError("{} needs models from left to right, but '{}' goes from right to left; leave it out",
                     options.origin(name), settings.models[0]);
  }
  search.distinct = settings.distinct;
  search.alternatives = settings.alternatives;
  if (settings.sampling.is_on) search.sampling = settings.sampling.settings;
  search.n_best = settings.mbr ? settings.candidates.value_or(usual_candidates(search)) : settings.found();
  search.check_strategy(settings.constraints.has_value());
  take_forbidden(settings.forbidden, models.vocabularies().target, search, program_job());
  search.shortlist = shortlist_for(models.vocabularies(), settings);
}

TranslationLines lines_for(const TranslateSettings& settings) {
  return {.is_json = settings.writes_json(),
          .is_n_best = settings.n_best.has_value(),
          .has_scores = settings.scores,
          .has_feature = settings.n_best_format == "marian",
          .alignment = settings.alignment.form};
}

/// How lines become requests.
void complete_requests(TranslateSettings& settings, bool is_right_to_left) {
  const bool is_sentence = !settings.split;
  RequestLines lines{.format = settings.input_format,
                     .may_have_prefix = is_sentence && !is_right_to_left,
                     .may_have_n_best = is_sentence && (settings.writes_json() || settings.n_best),
                     .may_replace_unknown = settings.forbidden.unknown_allowed,
                     .align = settings.alignment.form.has_value(),
                     .score_tokens = settings.writes_json(),
                     .replace_unknown = settings.replace_unknown,
                     .has_markup = settings.markup};
  if (settings.mbr)
    lines.minimum_risk = {.utility = utility_metric(*settings.mbr), .n_best = settings.n_best.value_or(1)};
  const bool may_need_alignment = settings.alignment.form || settings.replace_unknown || settings.markup ||
                                  settings.translator.search.coverage_penalty > 0 ||
                                  settings.input_format == "jsonl";
  if (may_need_alignment) settings.translator.alignment = settings.alignment.settings;
  settings.translator.read_request = request_reader(lines);
  settings.translator.tells_failures = settings.writes_json();
}

/// Lines that were not translated.
class FailedLines {
 public:
  void note(std::int64_t line, const std::exception_ptr& failure) {
    if (count_++ == 0) first_ = fmt::format("line {}: {}", line, message_of(failure));
  }
  void warn() const {
    if (count_ > 0) log_warning("{} failed; {}", count_of(count_, "line"), first_);
  }

 private:
  std::int64_t count_ = 0;
  std::string first_;
};

void log_summary(const Translator::Counts& counts) {
  log_info("{}, {} source and {} target tokens in {:.2f} s: {:.0f} target tokens/s",
           count_of(counts.lines, "line"), counts.source_tokens, counts.target_tokens, counts.seconds,
           static_cast<double>(counts.target_tokens) / std::max(counts.seconds, 1e-9));
  log_verbose("{} MiB of memory were used at most", peak_resident_bytes() >> 20);
}

void translate(Translator& translator, TextReader& input, Output& output, const TranslateSettings& settings) {
  const TranslationLines form = lines_for(settings);
  std::int64_t number = input.line_number();
  FailedLines failed;
  const auto write = [&](const std::vector<TranslationResult>& chunk) {
    std::string text;
    for (const TranslationResult& result : chunk) {
      text += lines_of(result, number++, form);
      if (result.failure) failed.note(number, result.failure);
    }
    output.write_lines(text);
  };
  ProgressLine progress(program_log(), "translating", "line");
  const auto show = [&progress](std::int64_t lines, std::optional<double> part) {
    progress.show(lines, part);
  };
  // Where translations appear on a terminal, a status would be in their way.
  const bool is_seen = Output::streams(settings.output) && ::isatty(STDOUT_FILENO) == 1;
  translator.translate(input, write, is_seen ? ProgressReport() : show);
  output.commit();
  failed.warn();
  log_summary(translator.counts());
}

}  // namespace

int run_translate(const Arguments& arguments) {
  TranslateSettings settings;
  Options options("nmt translate", "< source > target", "Translates text line by line.",
                  "nmt translate -m model.safetensors < test.en > test.de");
  if (!parse(options, arguments, settings)) return 0;
  resolve_models(settings);
  if (answers_at_once(settings)) settings.translator.chunk_lines = 1;
  settings.translator.before_step = InterruptGuard::check;
  settings.translator.log = &program_log();
  if (settings.split) {
    settings.translator.splitter =
        std::make_shared<SentenceSplitter>(settings.split_language.value_or(settings.languages.source));
  }
  Output output(settings.output);
  TextReader input(settings.input, CarriageReturn::drop,  // which may wait for somebody to write
                   most_bytes_of_line(settings), program_job());
  const std::unique_ptr<TextReader> prefixes = beside_input(settings.prefixes, settings),
                                    constraints = beside_input(settings.constraints, settings);
  settings.translator.prefixes = prefixes.get();
  settings.translator.constraints = constraints.get();
  restrict_to_shard(settings, {&input, prefixes.get(), constraints.get()});
  Models models = open(settings);
  refuse_language_model(models.first(), settings.models[0]);
  settings.translator.weights = models.weights();
  complete(settings, options, models);
  complete_requests(settings, models.first().special_tokens.right_to_left);
  Translator translator(models.all(), models.workers(), settings.translator);
  translate(translator, input, output, settings);
  return 0;
}

}  // namespace nmt
