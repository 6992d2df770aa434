// nmt translate: translates lines of text.
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <optional>

#include "cli/commands/translate_options.h"
#include "cli/files/model_file.h"
#include "cli/files/output.h"
#include "cli/files/translation_lines.h"
#include "cli/options/shard.h"
#include "cli/program.h"
#include "common/error.h"
#include "common/log/progress_line.h"
#include "common/process/resources.h"
#include "common/process/signals.h"
#include "common/text/number.h"
#include "common/text/spelling.h"
#include "data/text/markup_lines.h"
#include "data/text/text_parts.h"
#include "data/vocabulary/term_symbols.h"
#include "documents/tmx.h"
#include "engine/decoding_defaults.h"
#include "engine/document_translator.h"
#include "engine/json_request.h"
#include "engine/json_result.h"
#include "engine/opened_metric.h"
#include "foreign/open.h"
#include "nn/saved/vocabularies.h"
#include "translate/service/source_context.h"

namespace nmt {
namespace {

/// Whether somebody may wait for the translation of a line before typing the next one.
bool answers_at_once(const TranslateSettings& settings) {
  const bool is_conversation = settings.input == "-" && settings.output == "-" &&
                               ::isatty(STDIN_FILENO) == 1 && ::isatty(STDOUT_FILENO) == 1;
  return settings.flush || is_conversation;
}

/// Returns the maximum bytes to read of a line; none: no limit, as long lines are divided.
std::optional<std::size_t> most_bytes_of_line(const TranslateSettings& settings) {
  if (settings.input_format != "text" || settings.markup) return kLongestRequest;
  if (settings.split.is_on() || settings.lines.too_long == TooLong::split) return std::nullopt;
  return most_bytes(settings.translation.max_length.value_or(kUsualMaxLength));
}

/// Replaces the given paths by the files of the models.
void resolve_models(TranslateSettings& settings) {
  for (std::string& path : settings.models) path = chosen_model(path);
  if (settings.lm) settings.lm = chosen_model(*settings.lm);
}

/// Opens the files that have a line for each line of the input.
std::vector<std::unique_ptr<TextReader>> open_beside(TranslateSettings& settings) {
  std::vector<std::unique_ptr<TextReader>> readers;
  for (const BesideOption& option : kBesideOptions) {
    if (const auto& file = settings.*option.file) {
      readers.push_back(std::make_unique<TextReader>(*file, CarriageReturn::drop,
                                                     most_bytes_of_line(settings), program_job()));
      settings.lines.beside.push_back({readers.back().get(), option.take});
    }
  }
  return readers;
}

/// Restricts all readers to the lines of the shard.
void restrict_to_shard(const TranslateSettings& settings, TextReader& input) {
  if (!settings.shard) return;
  std::vector<std::string> files = {settings.input};
  for (const BesideOption& option : kBesideOptions) {
    if (const auto& file = settings.*option.file) files.push_back(*file);
  }
  const LineRange lines = shard_of_files(*settings.shard, files);
  input.restrict_to(lines.first, lines.last);
  for (const FileBeside& beside : settings.lines.beside) beside.file->restrict_to(lines.first, lines.last);
}

ShortlistUse shortlist_use(const TranslateSettings& settings) {
  if (settings.shortlist) return ShortlistUse::other;
  return settings.no_shortlist ? ShortlistUse::none : ShortlistUse::of_model;
}

/// `languages_may_be_unknown`: to models without language tokens.
Models open(const TranslateSettings& settings, bool languages_may_be_unknown) {
  std::optional<FusedLanguageModel> language_model;
  if (settings.lm) language_model = {.file = *settings.lm, .weight = settings.lm_weight};
  Models models = open_models(settings.models, settings.device,
                              {.weights = settings.translation.weights,
                               .shortlist = shortlist_use(settings),
                               .language_model = std::move(language_model),
                               .files = settings.files});
  const bool are_ignored = languages_may_be_unknown && known_languages(models.vocabularies()).empty();
  models.use_languages(are_ignored ? Languages() : settings.languages);
  return models;
}

std::shared_ptr<const Shortlist> shortlist_for(const TranslateSettings& settings, const Models& models) {
  if (!settings.shortlist) return models.first().shortlist;
  return std::make_shared<const Shortlist>(
      open_shortlist(*settings.shortlist, models.vocabularies(), program_job()));
}

/// Completes the search settings from the models.
void complete(TranslateSettings& settings, const Options& options, const Models& models) {
  SearchSettings& search = settings.translation.search;
  take_decoding_defaults(models.first(), models.vocabularies().target, settings.models[0], options.given(),
                         search, settings.forbidden);
  if (settings.sampling.is_on) search.sampling = settings.sampling.settings;
  AskedSettings asked = asked_of(options, settings);
  const SearchSettings before = search;
  std::vector<std::string> notices =
      settle(asked, settings.wanted(), settings.constraints.has_value(), search);
  if (settings.glossary) {
    settings.search_of_terms =
        std::make_shared<const SearchSettings>(settle_for_terms(asked, settings.wanted(), before, notices));
    asked.names.insert("glossary");
    if (search.glossary_by == GlossaryBy::annotation) check_term_symbols(models.vocabularies().source);
  }
  for (const std::string& notice : notices) log_info("{}", notice);
  if (models.first().special_tokens.target_reversed) check_right_to_left(asked, settings.models[0]);
  if (settings.lines.context > 0) check_separators(models.vocabularies());
  if (!options.given("replace-unknown") && settings.forbidden.unknown_allowed)
    settings.replace_unknown = replaces_unknown(models.first(), settings.models[0]).value_or(false);
  settings.translation.allowed = allowed_tokens(settings.forbidden, shortlist_for(settings, models),
                                                models.vocabularies().target, program_job());
}

TranslationLines lines_for(const TranslateSettings& settings) {
  return {.is_json = settings.writes_json(),
          .is_n_best = settings.n_best.has_value(),
          .has_scores = settings.scores,
          .has_feature = settings.n_best_format == "marian",
          .alignment = settings.alignment.form};
}

/// Returns the utility by which candidates are chosen.
std::shared_ptr<const Utility> utility_for(const TranslateSettings& settings) {
  const auto open_metric = [&](const std::string& path) {
    return std::make_shared<const OpenedMetric>(path, settings.device);
  };
  if (settings.rerank_by) return OpenedMetric::quality(open_metric(*settings.rerank_by));
  const std::string& metric = settings.mbr ? *settings.mbr : *settings.oracle;
  if (!needs_model(metric)) return metric_utility(metric);
  const auto opened = open_metric(settings.metric_models.given().at(metric));
  opened->require(metric);
  return OpenedMetric::utility(opened, settings.mbr_exact);
}

/// Sets how lines become requests. `markup_lines`: of a text with markup.
void complete_requests(TranslateSettings& settings, bool is_right_to_left,
                       std::shared_ptr<MarkupLines> markup_lines) {
  const bool is_sentence = !settings.split.is_on();
  RequestLines lines{.format = settings.input_format,
                     .may_have_prefix = is_sentence && !is_right_to_left,
                     .are_left_to_right = !is_right_to_left,
                     .may_have_n_best = settings.writes_json() || settings.n_best,
                     .may_have_context = !settings.shard,
                     .align = settings.alignment.form.has_value(),
                     .score_tokens = settings.writes_json(),
                     .replace_unknown = settings.replace_unknown,
                     .has_markup = settings.markup,
                     .markup_lines = std::move(markup_lines),
                     .keep = nullptr,
                     .glossary = settings.terms,
                     .search_of_terms = settings.search_of_terms};
  if (!settings.keep.empty()) lines.keep = std::make_shared<const KeepRules>(settings.keep);
  if (settings.wanted().are_chosen)
    lines.minimum_risk = {.utility = utility_for(settings),
                          .n_best = settings.n_best.value_or(1),
                          .candidates = settings.candidates};
  const bool may_need_alignment = settings.alignment.form || settings.replace_unknown || settings.markup ||
                                  !settings.keep.empty() || settings.document.is_on() ||
                                  settings.translation.search.counts_coverage() ||
                                  settings.input_format == "jsonl";
  if (may_need_alignment) settings.translation.alignment = settings.alignment.settings;
  settings.lines.read_request = request_reader(lines);
  settings.lines.tells_failures = settings.writes_json();
}

/// Counts lines that were not translated.
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

void log_summary(const Translator::Counts& counts, std::string_view noun, bool has_glossary) {
  if (counts.terms > 0) {
    log_info("terms: {} of {} in the translations", counts.met_terms, counts.terms);
  } else if (has_glossary) {
    log_info("no term of the glossary occurs in the text");
  }
  log_info("{}, {} source and {} in {:.2f} s: {:.0f} target tokens/s", count_of(counts.lines, noun),
           counts.source_tokens, count_of(counts.target_tokens, "target token"), counts.seconds,
           static_cast<double>(counts.target_tokens) / std::max(counts.seconds, 1e-9));
  log_verbose("{} MiB of memory were used at most", peak_resident_bytes() >> 20);
}

/// Reports the markup that the text leaves open; `before`: the number of lines before the text in the file.
void check_end(const MarkupLines& markup, const TextReader& input, std::int64_t before) {
  const std::optional<MarkupLines::Unfinished> open = markup.unfinished();
  if (!open) return;
  const std::string what = fmt::format("'{}', line {}: {} is not closed", input.name(), before + open->line,
                                       quoted(open->beginning));
  if (!open->is_element) throw Error("{}; end it with '{}'", what, open->ending);
  log_warning("{}, and all lines after it were kept as they are; end it with '{}'", what, open->ending);
}

void translate(Translator& translator, TextReader& input, Output& output, const TranslateSettings& settings,
               const MarkupLines* markup) {
  const TranslationLines form = lines_for(settings);
  const std::int64_t before = input.line_number();
  std::int64_t number = before;
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
  // Translations on the terminal would mix with a status line.
  const bool is_seen = Output::streams(settings.output) && ::isatty(STDOUT_FILENO) == 1;
  translator.translate(input, write, is_seen ? ProgressReport() : show);
  if (markup != nullptr) check_end(*markup, input, before);
  output.commit();
  failed.warn();
  log_summary(translator.counts(), "line", settings.glossary.has_value());
}

/// Opens the models, and completes the settings from them. `markup_lines`: see complete_requests();
/// `languages_may_be_unknown`: see open().
Models prepare(TranslateSettings& settings, const Options& options, std::shared_ptr<MarkupLines> markup_lines,
               bool languages_may_be_unknown = false) {
  if (settings.glossary) settings.terms = read_glossary(*settings.glossary, program_job());
  Models models = open(settings, languages_may_be_unknown);
  refuse_language_model(models.first(), settings.models[0]);
  settings.translation.weights = models.weights();
  complete(settings, options, models);
  complete_requests(settings, models.first().special_tokens.target_reversed, std::move(markup_lines));
  return models;
}

void translate_lines(TranslateSettings& settings, const Options& options) {
  Output output(settings.output);
  TextReader input(settings.input, CarriageReturn::drop,  // may wait for a writer
                   most_bytes_of_line(settings), program_job());
  const std::vector<std::unique_ptr<TextReader>> beside = open_beside(settings);
  restrict_to_shard(settings, input);
  // Texts in JSON are complete.
  const auto markup =
      settings.markup && settings.input_format != "jsonl" ? std::make_shared<MarkupLines>() : nullptr;
  Models models = prepare(settings, options, markup);
  Translator translator(models.all(), models.workers(), settings.translation, settings.lines);
  translate(translator, input, output, settings, markup.get());
}

/// Translates documents. Their texts are requests of a service.
void translate_documents(TranslateSettings& settings, const Options& options) {
  const DocumentFiles files(settings.document, settings.output, options.files_read());
  Models models = prepare(settings, options, nullptr, files.are_tmx());
  TranslationService service(models.all(), models.workers(), settings.translation);
  TranslationRequest like{.text = {},
                          .search = std::make_shared<const SearchSettings>(settings.translation.search)};
  settings.lines.read_request("", like);
  like.too_long = settings.lines.too_long;
  like.context.most = settings.lines.context;
  DocumentTranslator translator(service, std::move(like), settings.lines.splitter);
  ProgressLine progress(program_log(), "translating", "text");
  const auto begin = std::chrono::steady_clock::now();
  files.translate([&](const DocumentInput& source, const DocumentFormat& format, bool as_tmx,
                      const std::function<void(std::string_view)>& write) {
    bool has_texts = false;
    const auto submit = [&](std::vector<DocumentText> texts) {
      has_texts = true;
      InterruptGuard::check();
      progress.show(translator.counts().texts.lines, std::nullopt);
      return translator.submit(std::move(texts));
    };
    translator.begin();
    if (as_tmx) {
      translate_to_tmx(source, format, submit, write, settings.languages.source, settings.languages.target);
    } else {
      translate_document(source, format, submit, write);
    }
    if (format.has_keys && settings.document.keys && !has_texts)
      log_warning("'{}' has no text with the keys '{}' of --document-keys", source.name,
                  *settings.document.keys);
  });
  DocumentTranslator::Counts counts = translator.counts();
  for (const std::string& notice : counts.notices) log_info("{}", notice);
  if (counts.truncated > 0)
    log_warning("{} too long and truncated",
                counts.truncated == 1 ? "1 text was" : count_of(counts.truncated, "text") + " were");
  const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - begin;
  counts.texts.seconds = seconds.count();
  log_summary(counts.texts, "text", settings.glossary.has_value());
}

}  // namespace

int run_translate(const Arguments& arguments) {
  TranslateSettings settings;
  Options options("nmt translate", "-m MODEL < source > target", "Translates text line by line.",
                  "nmt translate -m model.safetensors < test.en > test.de");
  if (!parse(options, arguments, settings)) return 0;
  resolve_models(settings);
  if (answers_at_once(settings)) settings.lines.chunk_lines = 1;
  settings.translation.before_step = InterruptGuard::check;
  settings.translation.log = &program_log();
  if (settings.split.is_on()) {
    settings.lines.splitter =
        std::make_shared<SentenceSplitter>(settings.split.language.value_or(settings.languages.source),
                                           settings.split.abbreviations.value_or(""));
  }
  if (settings.document.is_on()) {
    translate_documents(settings, options);
  } else {
    translate_lines(settings, options);
  }
  return 0;
}

}  // namespace nmt
