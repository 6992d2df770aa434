#include "cli/commands/translate_options.h"

#include <functional>

#include "cli/files/model_file.h"
#include "cli/files/output.h"
#include "cli/options/shard.h"
#include "common/error.h"
#include "data/text/long_text.h"
#include "engine/json_request.h"

namespace nmt {
namespace {

void add_all_search_options(Options& options, TranslateSettings& settings) {
  ForbiddenTokens& forbidden = settings.forbidden;
  add_search_options(options, settings.translator.search);
  add_sampling_options(options, settings.sampling);
  options.flag("unk", forbidden.unknown_allowed, "translations may hold the unknown piece").group("search");
  options
      .add("forbid", forbidden.file, "FILE",
           "pieces of the target vocabulary that no translation holds, one a line, or several with spaces "
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
           "consider for each line only the target pieces that this list of nmt shortlist, or binary "
           "shortlist "
           "of Marian, has for its source; by default the list that the model comes with")
      .group("search");
  options
      .flag("no-shortlist", settings.no_shortlist,
            "consider all target pieces, whatever the model comes with")
      .group("search");
}

void add_choice_options(Options& options, TranslateSettings& settings) {
  add_setting(options, kMbr, settings.mbr).choices(utility_names()).group("search");
  options
      .add("oracle", settings.oracle, "",
           "of candidates, print those that are most like the line of --references by this metric; their "
           "scores are its values")
      .choices(utility_names())
      .needs({"references"}, "what to compare with; give --references")
      .group("search");
  options
      .add("references", settings.references, "FILE",
           "what --oracle compares with, a line for each line of the input")
      .needs({"oracle"}, "a metric; give --oracle")
      .group("search");
  add_setting(options, kCandidates, settings.candidates)
      .needs({"mbr", "oracle"}, "a metric that chooses among them; give --mbr or --oracle")
      .group("search");
  options
      .flag("replace-unknown", settings.replace_unknown,
            "replace unknown pieces by the text of the source that they are aligned to; by default as the "
            "model "
            "file says")
      .group("alignment");
  options
      .flag("markup", settings.markup,
            "texts are HTML or XML: translate the text between tags, and put these around the words that are "
            "aligned to those that they were around; code and what has translate=\"no\" stays as it is")
      .group("alignment");
  options.add("keep", settings.keep, "RULE", kKeepHelp).group("alignment");
}

void check_choice(const Options& options, const TranslateSettings& settings) {
  if (settings.markup && options.given("alignment")) {
    throw UsageError("{} exclude each other: tags are put around words as they are aligned; leave one out",
                     options.origins({"markup", "alignment"}));
  }
  if (!settings.keep.empty() && options.given("alignment")) {
    throw UsageError("{} exclude each other: words that are kept have no numbers of their own; leave one out",
                     options.origins({"keep", "alignment"}));
  }
  if (settings.candidates)
    check_candidates(asked_of(options, settings), settings.n_best.value_or(1), *settings.candidates);
  if (settings.mbr && settings.oracle) {
    throw UsageError("{} exclude each other: both choose among candidates; leave one out",
                     options.origins({"mbr", "oracle"}));
  }
  if (settings.replace_unknown && options.given("unk") && !settings.forbidden.unknown_allowed) {
    throw UsageError("{} exclude each other: without unknown pieces there are none to replace; leave one out",
                     options.origins({"replace-unknown", "unk"}));
  }
}

void check(const Options& options, const TranslateSettings& settings) {
  check_weights(options, settings.translator.weights, settings.models.size());
  for (const char* other : {"alternatives", "alignment", "prefix", "constraints", "oracle"}) {
    if (!settings.split.is_on() || !options.given(other)) continue;
    throw UsageError("{} exclude each other: it is of a line that is one sentence; leave one out",
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
  check_split(options, settings.split);
  if (settings.shortlist && settings.no_shortlist) {
    throw UsageError("{} exclude each other; leave one out", options.origins({"shortlist", "no-shortlist"}));
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

void add_format_options(Options& options, TranslateSettings& settings) {
  options
      .add("input-format", settings.input_format, "",
           "a line of input is a text; tsv: a text and, after a tab, what its translation begins with; "
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
      .range(kNBest.limits.least, kNBest.limits.most);
  options
      .add("n-best-format", settings.n_best_format, "",
           "marian: with the log-probability as a feature before the score, as rerankers take it: "
           "line number ||| text ||| F0= log-probability ||| score")
      .choices({"nmt", "marian"})
      .needs({"n-best"}, "an n-best list; give --n-best");
  add_setting(options, kDistinct, settings.distinct);
  add_setting(options, kAlternatives, settings.alternatives);
  options.flag("scores", settings.scores, "print the score and a tab before each translation");
  options.flag("flush", settings.flush, "answer each line before the next is read, as on a terminal");
}

}  // namespace

AskedSettings asked_of(const Options& options, const TranslateSettings& settings) {
  AskedSettings asked{.names = options.asked(), .called = std::bind_front(&Options::origin, &options)};
  if (!settings.sampling.is_on) asked.names.erase("sample");
  if (!settings.alternatives) asked.names.erase("alternatives");
  if (!settings.distinct) asked.names.erase("distinct");
  return asked;
}

void check_beam(const Options& options, const TranslateSettings& settings) {
  check_beam(asked_of(options, settings), settings.translator.search,
             settings.found() == settings.n_best ? "n_best" : "candidates", settings.found());
}

bool parse(Options& options, const Arguments& arguments, TranslateSettings& settings) {
  add_models_option(options, settings.models);
  add_model_vocabulary_options(options, settings.vocabularies);
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
          "them as they come")
      .command_line_only()
      .writes();
  add_shard_option(options, settings.shard);
  add_language_options(options, settings.languages);
  options
      .add("max-length", settings.translator.max_length, "N",
           "most tokens of a line, or with --split sentences of a sentence (default: 1024, and with "
           "--too-long "
           "split the --max-length of the model's training, if that is less)")
      .range(1, 1e9);
  options.add("too-long", settings.translator.too_long, "", kTooLongHelp);
  add_split_options(options, settings.split);
  add_format_options(options, settings);
  add_output_options(options, settings);
  add_all_search_options(options, settings);
  add_choice_options(options, settings);
  add_alignment_options(options, settings.alignment,
                        {"replace-unknown", "markup", "keep", "coverage-penalty"});
  options
      .add("batch-tokens", settings.translator.batch_tokens, "N",
           "most tokens of sources and of their hypotheses that each thread holds at a time, besides a line "
           "that alone has more; no effect on the result")
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
  settings.files = vocabulary_files(options, settings.vocabularies);
  check(options, settings);
  check_choice(options, settings);
  check(options, settings.alignment);
  SearchSettings search = settings.translator.search;
  search.n_best = settings.found(search);
  check_together(asked_of(options, settings), search);
  if (options.given("beam")) check_beam(options, settings);
  return true;
}

}  // namespace nmt
