#include "cli/commands/translate_options.h"

#include <functional>

#include "cli/files/model_file.h"
#include "cli/files/output.h"
#include "cli/options/shard.h"
#include "common/error.h"
#include "data/text/text_parts.h"
#include "engine/json_request.h"
#include "engine/opened_metric.h"

namespace nmt {
namespace {

void add_all_search_options(Options& options, TranslateSettings& settings) {
  ForbiddenTokens& forbidden = settings.forbidden;
  add_search_options(options, settings.translation.search);
  add_sampling_options(options, settings.sampling);
  options.flag("unk", forbidden.unknown_allowed, "allow the unknown piece in translations").group("search");
  options
      .add("forbid", forbidden.file, "FILE",
           "file of target pieces that no translation may contain. Each line has one piece, or a sequence of "
           "pieces separated by spaces.")
      .group("search");
  options
      .add("avoid", forbidden.phrase_file, "FILE",
           "file of words and phrases that no translation may contain, one per line. Their segmentation does "
           "not matter.")
      .group("search");
  options
      .add("prefix", settings.prefixes, "FILE",
           "file of prefixes that translations start with, one for each input line. An empty line means no "
           "prefix.")
      .group("search");
  options
      .add("constraints", settings.constraints, "FILE",
           "file of words and phrases that translations must contain, one line for each input line. Tabs "
           "separate phrases, and | separates alternatives.")
      .group("search");
  options
      .add("glossary", settings.glossary, "FILE",
           "file of terms with the translations that they must have in sentences where they occur. A line "
           "has a "
           "term, a tab, its translation and, optionally after another tab, flags: case if its case matters, "
           "prefix if letters may follow. | separates alternatives, and an empty translation keeps the term.")
      .group("search");
  options
      .add("shortlist", settings.shortlist, "FILE",
           "lexical shortlist to which the target pieces of each sentence are limited, for speed. It comes "
           "from nmt shortlist, or is a binary shortlist of Marian. The default is the list that comes with "
           "the model.")
      .group("search");
  options
      .flag("no-shortlist", settings.no_shortlist,
            "consider all target pieces, even if the model comes with a shortlist")
      .group("search");
}

void add_choice_options(Options& options, TranslateSettings& settings) {
  std::vector<std::string> metrics = utility_names();
  const std::vector<std::string>& of_models = model_metric_names();
  metrics.insert(metrics.end(), of_models.begin(), of_models.end());
  add_setting(options, kMbr, settings.mbr).choices(metrics).group("search");
  options
      .add("mbr-exact", settings.mbr_exact, "K",
           "with --mbr comet, compare all candidates with their mean first, and only the best K with all "
           "others. "
           "It takes much less time for hundreds of candidates.")
      .range(0, kMostHypotheses)
      .needs({"mbr"}, "a metric; give --mbr comet")
      .only_where([&settings] { return settings.mbr == kCometName; }, "--mbr comet")
      .group("search");
  options
      .add("oracle", settings.oracle, "",
           "choose the candidates most similar to the line of --references by this metric. Scores become "
           "values of the metric.")
      .choices(metrics)
      .needs({"references"}, "what to compare with; give --references")
      .group("search");
  options.add("references", settings.references, "FILE", "references for --oracle, one for each input line")
      .needs({"oracle"}, "a metric; give --oracle")
      .group("search");
  options
      .add("comet", settings.metric_models.comet, "MODEL",
           "COMET model for --mbr comet and --oracle comet: the folder of a checkpoint, or a file made from "
           "it by nmt convert")
      .needs({"mbr", "oracle"}, "a choice by it; give --mbr comet or --oracle comet")
      .group("search");
  options
      .add("metricx", settings.metric_models.metricx, "MODEL",
           "MetricX model for --mbr metricx and --oracle metricx: its folder, or a file made from it by nmt "
           "convert. It judges by quality, which is 1 - score / 25.")
      .needs({"mbr", "oracle"}, "a choice by it; give --mbr metricx or --oracle metricx")
      .group("search");
  options
      .add("rerank-by", settings.rerank_by, "MODEL",
           "choose the candidates of the best quality by this model that reads no references, such as "
           "CometKiwi or MetricX-24. Scores become its estimates: the scores of a COMET model, and 1 - score "
           "/ "
           "25 of a MetricX model.")
      .group("search");
  add_setting(options, kCandidates, settings.candidates)
      .needs({"mbr", "oracle", "rerank-by"},
             "something that chooses among them; give --mbr, --oracle or --rerank-by")
      .group("search");
  options
      .flag("replace-unknown", settings.replace_unknown,
            "replace unknown pieces by the source text that they are aligned to. By default, the model file "
            "decides.")
      .group("alignment");
  options
      .flag("markup", settings.markup,
            "translate HTML or XML. Tags are put around the words that are aligned to the words they "
            "enclosed. Code and elements with translate=\"no\" are kept unchanged.")
      .group("alignment");
  options.add("keep", settings.keep, "RULE", kKeepHelp).group("alignment");
}

void check_choice(const Options& options, const TranslateSettings& settings) {
  if (settings.markup && options.given("alignment")) {
    throw UsageError("{} exclude each other: tags are placed by the alignment of words; leave one out",
                     options.origins({"markup", "alignment"}));
  }
  if (!settings.keep.empty() && options.given("alignment")) {
    throw UsageError("{} exclude each other: kept words have no numbers; leave one out",
                     options.origins({"keep", "alignment"}));
  }
  for (const auto& [one, other] :
       {std::pair("mbr", "oracle"), std::pair("mbr", "rerank-by"), std::pair("oracle", "rerank-by")}) {
    if (options.given(one) && options.given(other)) {
      throw UsageError("{} exclude each other: both choose among candidates; leave one out",
                       options.origins({one, other}));
    }
  }
  const auto models = settings.metric_models.given();
  for (const auto& [name, metric] : {std::pair("mbr", settings.mbr), std::pair("oracle", settings.oracle)}) {
    if (!metric) continue;
    if (needs_model(*metric) && !models.contains(*metric))
      throw UsageError("{0} {1} needs a model; name it with --{1}", options.origin(name), *metric);
    for (const auto& [other, model] : models) {
      if (other == *metric) continue;
      throw UsageError("{} is not for {} {}; leave one out", options.origin(other), options.origin(name),
                       *metric);
    }
  }
  if (settings.replace_unknown && options.given("unk") && !settings.forbidden.unknown_allowed) {
    throw UsageError("{} exclude each other: --no-unk leaves no unknown pieces to replace; leave one out",
                     options.origins({"replace-unknown", "unk"}));
  }
}

void check(const Options& options, const TranslateSettings& settings) {
  check_weights(options, settings.translation.weights, settings.models.size());
  for (const char* other : {"alternatives", "alignment", "prefix", "constraints", "oracle"}) {
    if (!settings.split.is_on() || !options.given(other)) continue;
    throw UsageError("{1} exclude each other: --{0} is for lines of one sentence; leave one out", other,
                     options.origins({"split", other}));
  }
  if (settings.lines.context > 0 && settings.shard) {
    throw UsageError(
        "{} exclude each other: the first lines of a shard would lack their context; leave one out",
        options.origins({"context", "shard"}));
  }
  if (settings.prefixes && settings.input_format != "text") {
    throw UsageError("{} exclude each other: each line of {} has its own prefix; leave one out",
                     options.origins({"prefix", "input-format"}), settings.input_format);
  }
  if (settings.constraints && settings.input_format == "jsonl") {
    throw UsageError("{} exclude each other: each line of jsonl has its own constraints; leave one out",
                     options.origins({"constraints", "input-format"}));
  }
  for (const char* other : {"scores", "n-best-format"}) {
    if (!settings.writes_json() || !options.given(other)) continue;
    throw UsageError("{} exclude each other: jsonl has scores anyway; leave one out",
                     options.origins({"output-format", other}));
  }
  check_split(options, settings.split);
  if (settings.shortlist && settings.no_shortlist) {
    throw UsageError("{} exclude each other; leave one out", options.origins({"shortlist", "no-shortlist"}));
  }
  if (settings.n_best && settings.scores) {
    throw UsageError("{} exclude each other: n-best lists have scores anyway; leave one out",
                     options.origins({"n-best", "scores"}));
  }
  if (settings.flush && !Output::streams(settings.output)) {
    throw UsageError("{} exclude each other: the file appears at the end; leave one out",
                     options.origins({"flush", "output"}));
  }
}

/// Refuses a document as input whose lines are no text, and warns about one with formatting.
void check_input_is_text(const TranslateSettings& settings) {
  if (settings.input_format != "text" || settings.markup) return;
  const DocumentFormat* const format = document_format_of(settings.input);
  if (format == nullptr || format->name == "text") return;
  if (format->is_zip)
    throw UsageError("--input '{0}' is for lines of text; translate a document by --document '{0}'",
                     settings.input);
  log_warning("'{0}' is translated line by line; --document '{0}' keeps the formatting of a document",
              settings.input);
}

/// Checks what goes with documents, and sets their defaults.
void complete_documents(const Options& options, TranslateSettings& settings) {
  if (!settings.document.is_on()) return check_input_is_text(settings);
  const std::string document = settings.document.path ? "document" : "document-format";
  for (const char* other :
       {"input", "input-format", "output-format", "n-best", "n-best-format", "scores", "flush", "markup",
        "alignment", "alternatives", "prefix", "constraints", "oracle", "shard"}) {
    if (!options.given(other)) continue;
    throw UsageError("{} exclude each other: it is for lines of text; leave one out",
                     options.origins({document, other}));
  }
  if (!options.given("split")) settings.split.into = "sentences";
  if (settings.keep.empty()) settings.keep = {kUsualKeepRules};
}

void add_document_options(Options& options, TranslateSettings& settings) {
  DocumentOptions& document = settings.document;
  options
      .add("document", document.path, "FILE",
           "document to translate, or a folder of documents, whose sub-folders are kept. Only texts change; "
           "formatting stays on the aligned words. By default, texts are split into sentences, and URLs, "
           "e-mail addresses and placeholders are kept.")
      .group("documents");
  options
      .add("document-format", document.format, "",
           "format of the document. By default, the extension of its name tells the format. Without "
           "--document, the document is read from standard input.")
      .choices(document_format_names())
      .group("documents");
  options
      .add("document-encoding", document.encoding, "NAME",
           "encoding of a document that is a text, such as windows-1252. The default is the one that the "
           "document declares, or UTF-8. The translation has the same.")
      .needs({"document", "document-format"}, "a document; give --document")
      .group("documents");
  options
      .add("document-keys", document.keys, "KEYS",
           "keys whose texts are translated in JSON and YAML, separated by commas. * stands for any key: "
           "title, "
           "menu.*. The default is all keys.")
      .needs({"document", "document-format"}, "a document; give --document")
      .group("documents");
  options
      .add(
          "document-output", document.output_format, "",
          "what to write instead of the document. tmx is a translation memory of its texts, also if the name "
          "of the output ends in .tmx.")
      .choices({"tmx"})
      .needs({"document", "document-format"}, "a document; give --document")
      .group("documents");
}

void add_format_options(Options& options, TranslateSettings& settings) {
  options
      .add("input-format", settings.input_format, "",
           "format of input lines. text is plain text. tsv has a text, a tab, and the prefix of its "
           "translation. jsonl has objects with a text and settings, such as {\"text\": ..., \"beam\": 2}.")
      .choices({"text", "tsv", "jsonl"});
  options
      .add("output-format", settings.output_format, "",
           "format of output lines. jsonl has an object per line with the translation, its scores, tokens "
           "and words with log-probabilities, the alignment and the n-best list, or with an error.")
      .choices({"text", "jsonl"});
}

void add_output_options(Options& options, TranslateSettings& settings) {
  options
      .add("n-best", settings.n_best, "N",
           "print the N best translations of each line, or N samples. Each has the form: line number from 0 "
           "||| text ||| score.")
      .range(kNBest.limits.least, kNBest.limits.most);
  options
      .add("n-best-format", settings.n_best_format, "",
           "format of n-best lists. marian adds the log-probability as a feature for rerankers: line number "
           "||| text ||| F0= log-probability ||| score.")
      .choices({"nmt", "marian"})
      .needs({"n-best"}, "an n-best list; give --n-best");
  add_setting(options, kDistinct, settings.translation.search.distinct)
      .needs({"n-best", "mbr", "oracle", "rerank-by"}, "several translations; give --n-best");
  add_setting(options, kAlternatives, settings.translation.search.alternatives);
  options.flag("scores", settings.scores, "print the score and a tab before each translation");
  options.flag("flush", settings.flush,
               "print each translation before reading the next line, as on a terminal");
}

}  // namespace

AskedSettings asked_of(const Options& options, const TranslateSettings& settings) {
  AskedSettings asked{.names = options.asked(), .called = std::bind_front(&Options::origin, &options)};
  if (!settings.sampling.is_on) asked.names.erase("sample");
  if (settings.lines.context == 0) asked.names.erase("context");
  if (!settings.translation.search.alternatives) asked.names.erase("alternatives");
  if (!settings.translation.search.distinct) asked.names.erase("distinct");
  asked.names.erase("glossary");  // see settle_for_terms()
  return asked;
}

bool parse(Options& options, const Arguments& arguments, TranslateSettings& settings) {
  add_models_option(options, settings.models).required();
  add_model_vocabulary_options(options, settings.vocabularies);
  add_weights_option(options, settings.translation.weights);
  options.add("lm", settings.lm, "FILE",
              "language model whose log-probabilities are added to those of the models (shallow fusion). It "
              "must have the same target vocabulary.");
  options.add("lm-weight", settings.lm_weight, "W", "weight of the language model")
      .range(1e-6, 1e6)
      .needs({"lm"}, "a language model; give --lm");
  options.add("input,i", settings.input, "FILE",
              "text to translate. The file may be compressed (.gz, .xz or .zst).");
  options
      .add("output,o", settings.output, "FILE",
           "file for translations. Until it is complete, finished lines are in FILE.partial. The file is "
           "compressed if its name ends in .gz, .xz or .zst. A pipe or terminal gets translations as soon as "
           "they are ready.")
      .command_line_only()
      .writes();
  add_document_options(options, settings);
  add_shard_option(options, settings.shard);
  add_language_options(options, settings.languages);
  options
      .add("max-length", settings.translation.max_length, "N",
           "maximum tokens per line, or with --split sentences per sentence. The default is 1024, or with "
           "--too-long split the --max-length of the model's training if that is less.")
      .range(1, 1e9);
  options.add("too-long", settings.lines.too_long, "", kTooLongHelp);
  add_setting(options, kContext, settings.lines.context);
  add_split_options(options, settings.split);
  add_format_options(options, settings);
  add_output_options(options, settings);
  add_all_search_options(options, settings);
  add_choice_options(options, settings);
  add_alignment_options(options, settings.alignment,
                        {"replace-unknown", "markup", "keep", "coverage-penalty"});
  options
      .add("batch-tokens", settings.translation.batch_tokens, "N",
           "maximum tokens of sources and hypotheses that each thread translates at a time. A longer line is "
           "translated alone. It does not change results.")
      .range(1, 1e9)
      .group("computing");
  add_device_options(options, settings.device, Work::inference);
  add_streams_option(options, settings.device);
  add_marian_options(options, settings.marian, MarianProgram::translate);
  options.essential({"model", "input", "output", "document", "target-language", "n-best", "scores", "beam",
                     "length-penalty", "forbid", "shortlist", "alignment", "batch-tokens", "threads",
                     "device", "precision"});
  if (!parse_with_log_options(options, arguments, settings.log)) return false;
  warn_of_left_out(settings.marian);
  settings.files = vocabulary_files(options, settings.vocabularies);
  complete_documents(options, settings);
  check(options, settings);
  check_choice(options, settings);
  check(options, settings.alignment);
  return true;
}

}  // namespace nmt
