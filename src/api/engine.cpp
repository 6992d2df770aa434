#include "nmt/engine.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <future>
#include <iterator>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <shared_mutex>
#include <utility>

#include "common/error.h"
#include "common/process/resources.h"
#include "common/text/foreign_names.h"
#include "common/text/named.h"
#include "common/text/number.h"
#include "common/text/spelling.h"
#include "common/text/utf8.h"
#include "data/text/glossary.h"
#include "data/text/sentences.h"
#include "data/vocabulary/term_symbols.h"
#include "engine/asked_settings.h"
#include "engine/decoding_defaults.h"
#include "engine/models.h"
#include "engine/opened_metric.h"
#include "translate/scoring/alignment.h"
#include "translate/scoring/scorer.h"
#include "translate/search/setting_table.h"
#include "translate/service/minimum_risk.h"
#include "translate/service/paragraph.h"
#include "translate/service/source_context.h"
#include "translate/service/translation_service.h"

namespace nmt::v1 {
namespace {

constexpr int kUsualStreams = 2;
constexpr std::int64_t kScoredTokens = 2048;  // at a time
constexpr std::chrono::milliseconds kWait{100};

DeviceSettings device_settings(const EngineSettings& settings) {
  if (settings.threads < 0)
    throw UsageError("threads is {}: it must be at least 1, or 0 for all cores", settings.threads);
  const std::string_view native = foreign_value(settings.precision);  // "f16" for "float16"
  return {.device = settings.device,
          .precision = native.empty() ? settings.precision : std::string(native),
          .threads = settings.threads == 0 ? cores_available() : settings.threads,
          .streams = kUsualStreams};
}

/// Throws UsageError for a setting that is out of range.
void check(const SettingFacts& facts, double value) {
  const auto& [least, most] = facts.limits;
  if (value >= least && value <= most) return;
  throw UsageError("{} is {}: it must be from {} to {}", facts.name, value, least, most);
}

/// Checks settings, and converts them.
nmt::SamplingSettings checked(const SamplingSettings& settings) {
  nmt::SamplingSettings sampling;
  const auto take = [](const SettingFacts& facts, const auto& value, auto& target) {
    if constexpr (!std::is_same_v<decltype(target), bool&>) check(facts, static_cast<double>(value));
    target = value;
  };
  each_sampling_setting(take, settings, sampling);
  return sampling;
}

std::optional<MinimumRisk> minimum_risk_of(const SearchSettings& settings) {
  if (settings.mbr.empty()) return std::nullopt;
  return MinimumRisk{.utility = metric_utility(settings.mbr), .n_best = settings.n_best};
}

/// Returns the value with this name. Throws UsageError for an unknown name.
template <HasNames E>
E named(const char* setting, const std::string& name) {
  const std::optional<E> value = value_named<E>(name);
  if (!value) throw UsageError("{} is '{}': it must be one of {}", setting, name, join(names_of<E>(), ", "));
  return *value;
}

/// Reads the settings that were given, and remembers their names.
struct Given {
  std::set<std::string> names = {};

  void operator()(const SettingFacts& facts, const auto& value, auto& target) {
    if (!value) return;
    check(facts, static_cast<double>(*value));
    target = *value;
    names.insert(facts.name);
  }
  template <HasNames E>
  void operator()(const SettingFacts& facts, const std::optional<std::string>& value, E& target) {
    if (!value) return;
    target = named<E>(facts.name, *value);
    names.insert(facts.name);
  }
};

bool has_constraints(const SearchSettings& settings) {
  return !settings.constraints.empty() || !settings.constraints_of_texts.empty();
}

/// Returns the settings that a call asks for; `names`: those of each_search_setting() that were given.
AskedSettings asked_of(const SearchSettings& settings, std::set<std::string> names) {
  if (settings.sampling) names.insert("sample");
  if (settings.alternatives) names.insert("alternatives");
  if (settings.context > 0) names.insert("context");
  if (settings.distinct) names.insert("distinct");
  if (!settings.mbr.empty()) names.insert("mbr");
  if (!settings.prefixes.empty()) names.insert("prefix");
  if (has_constraints(settings)) names.insert("constraints");
  if (settings.candidates) names.insert("candidates");
  if (!settings.avoid.empty() || !settings.avoid_of_texts.empty()) names.insert("avoid");
  const auto called = [](const std::string& name) {
    return name == "prefix" ? "`prefixes`" : '`' + name + '`';
  };
  return {.names = std::move(names), .called = called};
}

std::string repaired(std::string text) {
  repair_utf8(text);
  return text;
}

/// Returns the glossary of a call; null if it has no terms.
std::shared_ptr<const Glossary> glossary_of(const SearchSettings& settings) {
  if (settings.glossary.empty()) return nullptr;
  std::vector<nmt::Term> terms;
  terms.reserve(settings.glossary.size());
  for (const Term& term : settings.glossary) {
    terms.push_back({repaired(term.source), {}, term.matches_case, term.is_stem});
    for (const std::string& target : term.targets) terms.back().targets.push_back(repaired(target));
  }
  return std::make_shared<const Glossary>(std::move(terms), TermNames{"`glossary`"});
}

/// The search of a call.
struct CompleteSearch {
  std::shared_ptr<const nmt::SearchSettings> settings, of_terms;
  std::shared_ptr<const AllowedTokens> allowed;
  std::vector<std::string> notices;  // of defaults that were overridden
};

/// Adds the defaults of the model of this file for settings that were left out.
CompleteSearch complete(const SearchSettings& settings, const SavedModel& model, const std::string& path) {
  const Vocabulary& target = model.vocabularies.target;
  nmt::SearchSettings search;
  ForbiddenTokens forbidden{.phrases = settings.avoid};
  Given take;
  each_search_setting(take, settings, search);
  if (settings.unknown) {
    forbidden.unknown_allowed = *settings.unknown;
    take.names.insert("unk");
  }
  take_decoding_defaults(model, target, path, take.names, search, forbidden);
  auto allowed = std::make_shared<const AllowedTokens>(allowed_tokens(forbidden, model.shortlist, target));
  search.distinct = settings.distinct;
  search.alternatives = settings.alternatives;
  if (settings.sampling) search.sampling = checked(*settings.sampling);
  check(kNBest, settings.n_best);
  check(kContext, settings.context);
  if (settings.candidates) check(kCandidates, *settings.candidates);
  AskedSettings asked = asked_of(settings, take.names);
  const WantedTranslations wanted{
      .n_best = settings.n_best, .candidates = settings.candidates, .are_chosen = !settings.mbr.empty()};
  const nmt::SearchSettings before = search;
  std::vector<std::string> notices = settle(asked, wanted, has_constraints(settings), search);
  std::shared_ptr<const nmt::SearchSettings> of_terms;
  if (!settings.glossary.empty()) {
    of_terms = std::make_shared<const nmt::SearchSettings>(settle_for_terms(asked, wanted, before, notices));
    asked.names.insert("glossary");
    if (search.glossary_by == GlossaryBy::annotation) check_term_symbols(model.vocabularies.source);
  }
  if (model.special_tokens.target_reversed) check_right_to_left(asked, path);
  return {std::make_shared<const nmt::SearchSettings>(search), std::move(of_terms), std::move(allowed),
          std::move(notices)};
}

std::optional<FusedLanguageModel> language_model_of(const EngineSettings& settings) {
  if (settings.language_model.empty()) return std::nullopt;
  if (!(settings.language_model_weight > 0))
    throw UsageError("language_model_weight is {}: name a number above 0", settings.language_model_weight);
  return FusedLanguageModel{model_file(settings.language_model), settings.language_model_weight};
}

/// Returns weights for this number of models. Throws UsageError if they do not match or are not above 0.
const std::vector<double>& checked_weights(const std::vector<double>& weights, std::size_t models) {
  if (!weights.empty() && weights.size() != models)
    throw UsageError("the number of weights is {}, but that of models {}: give none, or one for each",
                     weights.size(), models);
  if (!std::ranges::all_of(weights, [](double weight) { return weight > 0 && std::isfinite(weight); }))
    throw UsageError("weights of models must be above 0");
  return weights;
}

/// Returns how to align for coverage penalties; none for language models, which do not translate.
std::optional<AlignmentSettings> alignment_for(const SavedModel& model) {
  return model.model->has_source() ? std::optional(AlignmentSettings()) : std::nullopt;
}

std::vector<TextPair> repaired(std::vector<TextPair> pairs) {
  for (TextPair& pair : pairs) {
    repair_utf8(pair.source);
    repair_utf8(pair.target);
  }
  return pairs;
}

/// Waits for a result, and calls `while_waiting` now and then meanwhile.
template <class Result>
Result awaited(std::future<Result>&& result, const std::function<void()>& while_waiting) {
  while (while_waiting && result.wait_for(kWait) != std::future_status::ready) while_waiting();
  return result.get();
}

/// Makes the splitter of texts into sentences; null if they are not split. Throws UsageError for conflicting
/// settings.
std::unique_ptr<const SentenceSplitter> splitter_of(const SearchSettings& settings,
                                                    const std::string& language) {
  if (!settings.split_language.empty() && !is_language_code(settings.split_language))
    throw UsageError("split_language '{}' is not a language code, such as en or deu_Latn",
                     settings.split_language);
  if (!settings.split_sentences) return nullptr;
  if (settings.alternatives || settings.align || !settings.prefixes.empty() || has_constraints(settings)) {
    throw UsageError(
        "alternatives, align, prefixes and constraints are for texts of one sentence: leave out these or "
        "split_sentences");
  }
  return std::make_unique<SentenceSplitter>(
      settings.split_language.empty() ? language : settings.split_language, settings.abbreviations);
}

template <typename T>
std::vector<T> joined(std::vector<T> some, std::vector<T> more) {
  std::ranges::move(more, std::back_inserter(some));
  return some;
}

/// A setting with a value for each text of a call. Throws UsageError if the number of values is wrong.
template <typename T>
class OfTexts {
 public:
  OfTexts(const char* name, const std::vector<T>& values, std::size_t texts) : values_(values) {
    if (!values.empty() && values.size() != texts)
      throw UsageError("the number of {} is {}, but that of texts {}: give none, or one for each", name,
                       values.size(), texts);
  }
  T operator[](std::size_t text) const { return values_.empty() ? T() : values_[text]; }

 private:
  const std::vector<T>& values_;
};

ScoredPart as_public(const nmt::ScoredPart& part) {
  return {part.text, part.log_probability};
}

std::vector<ScoredPart> as_public(const std::vector<nmt::ScoredPart>& parts) {
  std::vector<ScoredPart> converted;
  converted.reserve(parts.size());
  for (const nmt::ScoredPart& part : parts) converted.push_back(nmt::v1::as_public(part));
  return converted;
}

std::vector<FoundTerm> as_public(const std::vector<nmt::FoundTerm>& terms) {
  std::vector<FoundTerm> converted;
  converted.reserve(terms.size());
  for (const auto& [source, targets, is_met] : terms) converted.push_back({source, targets, is_met});
  return converted;
}

std::vector<JudgedSentence> as_public(std::vector<nmt::JudgedSentence>& sentences) {
  std::vector<JudgedSentence> converted;
  converted.reserve(sentences.size());
  for (auto& [source, translation, quality] : sentences)
    converted.push_back({std::move(source), std::move(translation), quality});
  return converted;
}

/// Returns the mean of the estimates; none if there are no sentences.
std::optional<double> mean_quality(const std::vector<JudgedSentence>& sentences) {
  if (sentences.empty()) return std::nullopt;
  double sum = 0;
  for (const JudgedSentence& sentence : sentences) sum += sentence.quality;
  return sum / static_cast<double>(sentences.size());
}

Alignment as_public(nmt::Alignment& alignment) {
  return {static_cast<std::size_t>(alignment.source_words), static_cast<std::size_t>(alignment.target_words),
          std::move(alignment.weights)};
}

std::vector<std::string> files_of(const std::vector<std::string>& models) {
  if (models.empty()) throw UsageError("no model is given: name at least one");
  std::vector<std::string> files;
  files.reserve(models.size());
  for (const std::string& path : models) files.push_back(model_file(path));
  return files;
}

}  // namespace

/// Collects warnings until they are requested.
class WarningList : public Log {
 public:
  void line(LogLevel level, std::string_view text) override {
    if (level != LogLevel::warning) return;
    const std::lock_guard lock(mutex_);
    warnings_.emplace_back(text);
  }
  std::vector<std::string> take() {
    const std::lock_guard lock(mutex_);
    return std::exchange(warnings_, {});
  }

 private:
  std::mutex mutex_;
  std::vector<std::string> warnings_;
};

/// Estimates the quality of translations. One call at a time uses the model.
class Judge {
 public:
  explicit Judge(std::shared_ptr<const QualityMetric> metric) : metric_(std::move(metric)) {}

  /// Sets the quality of all sentences, and calls `while_waiting`, which may throw, now and then meanwhile.
  void judge(std::vector<TranslationResult>& results, const std::function<void()>& while_waiting) {
    std::vector<nmt::JudgedSentence*> sentences;
    std::vector<JudgedTexts> texts;
    for (TranslationResult& result : results) {
      for (nmt::Translation& translation : result.translations) {
        for (nmt::JudgedSentence& sentence : translation.sentences) {
          sentences.push_back(&sentence);
          texts.push_back({sentence.translation, sentence.source, {}});
        }
      }
    }
    const std::vector<double> estimates = estimated(texts, while_waiting);
    for (std::size_t i = 0; i < sentences.size(); ++i) sentences[i]->quality = estimates[i];
  }

 private:
  std::vector<double> estimated(const std::vector<JudgedTexts>& texts,
                                const std::function<void()>& while_waiting) {
    std::atomic<bool> is_given_up = false;
    auto estimates = std::async(std::launch::async, [&] {
      const std::lock_guard lock(mutex_);
      return metric_->estimate(texts, [&is_given_up](std::size_t) {
        if (is_given_up) throw Error("the caller does not wait for the estimates");
      });
    });
    try {
      return awaited(std::move(estimates), while_waiting);
    } catch (...) {
      is_given_up = true;
      throw;
    }
  }

  std::shared_ptr<const QualityMetric> metric_;
  std::mutex mutex_;
};

struct Engine::Opened {
  Opened(const std::vector<std::string>& paths, const EngineSettings& settings)
      : files(files_of(paths)),
        language(settings.source_language),
        models(opened(files, settings)),
        judge(judge_of(settings)),
        service(models.all(), models.workers(),
                {.weights = models.weights(), .alignment = alignment_for(models.first()), .log = &warnings}) {
    const std::vector<const SavedModel*> all = models.all();
    for (std::size_t i = 0; i < files.size(); ++i)
      warn_of_short_vocabularies(all[i]->vocabularies, files[i], warnings);
  }

  static nmt::Models opened(const std::vector<std::string>& files, const EngineSettings& settings) {
    nmt::Models models(files, device_settings(settings),
                       {.weights = checked_weights(settings.weights, files.size()),
                        .shortlist = settings.no_shortlist ? ShortlistUse::none : ShortlistUse::of_model,
                        .language_model = language_model_of(settings)});
    models.use_languages({settings.source_language, settings.target_language});
    return models;
  }

  /// Returns null if the settings name no model that judges.
  static std::unique_ptr<Judge> judge_of(const EngineSettings& settings) {
    if (settings.quality_model.empty()) return nullptr;
    return std::make_unique<Judge>(OpenedMetric::estimator(
        std::make_shared<const OpenedMetric>(settings.quality_model, device_settings(settings))));
  }

  /// Returns the token ids of pairs, which are UTF-8, truncated to the maximum length of the models,
  /// with a warning.
  std::vector<Example> examples(const std::vector<TextPair>& pairs) {
    const Vocabularies& vocabularies = models.vocabularies();
    const LengthLimit limit(kUsualMaxLength, models.ensemble());
    const auto ids = [&](const Vocabulary& vocabulary, const std::string& text, InputCheck& check) {
      const std::string_view beginning = limit.beginning_of(text);
      std::vector<int> encoded = vocabulary.encode(beginning);
      check.note(vocabulary, beginning, encoded);
      return encoded;
    };
    std::vector<Example> examples;
    std::int64_t truncated = 0, first_truncated = 0;
    examples.reserve(pairs.size());
    for (const TextPair& pair : pairs) {
      examples.push_back({std::ssize(examples) + 1,
                          ids(vocabularies.source, pair.source, service.input_check()),
                          ids(vocabularies.target, pair.target, target_check)});
      const bool is_beginning = limit.beginning_of(pair.source).size() < pair.source.size() ||
                                limit.beginning_of(pair.target).size() < pair.target.size();
      if (limit.truncate(examples.back(), is_beginning) && truncated++ == 0)
        first_truncated = std::ssize(examples);
    }
    if (truncated > 0) {
      warnings.warning("{} truncated to the first {}, beginning with pair {}", count_of(truncated, "pair"),
                       count_of(limit.most(), "token"), first_truncated);
    }
    return examples;
  }

  std::vector<std::string> files;
  std::string language;  // of texts, if set
  WarningList warnings;
  InputCheck target_check{Side::target};
  nmt::Models models;
  std::unique_ptr<Judge> judge;
  TranslationService service;
  std::shared_mutex device;  // shared by translations, exclusive for everything else
};

std::string version() {
  return NMT_VERSION;
}

Engine::Engine(const std::vector<std::string>& models, const EngineSettings& settings)
    : opened_(std::make_unique<Opened>(models, settings)) {}
Engine::~Engine() = default;
Engine::Engine(Engine&&) noexcept = default;
Engine& Engine::operator=(Engine&&) noexcept = default;

std::vector<std::vector<Translation>> Engine::translate(const std::vector<std::string>& texts,
                                                        const SearchSettings& settings,
                                                        const std::function<void()>& while_waiting) {
  refuse_language_model(opened_->models.first(), opened_->files[0]);
  if (settings.quality && !opened_->judge)
    throw UsageError("`quality` needs a model that judges translations; name it as `quality_model`");
  const CompleteSearch search = complete(settings, opened_->models.first(), opened_->files[0]);
  const std::optional<MinimumRisk> minimum_risk = minimum_risk_of(settings);
  const bool replace_unknown = settings.replace_unknown.value_or(
      settings.unknown != false &&
      replaces_unknown(opened_->models.first(), opened_->files[0]).value_or(false));
  if (replace_unknown && settings.unknown == false)
    throw UsageError("replace_unknown needs unknown pieces, but `unknown` is false: leave one out");
  const auto keep = settings.keep.empty() ? nullptr : std::make_shared<const KeepRules>(settings.keep);
  const std::shared_ptr<const Glossary> glossary = glossary_of(settings);
  const OfTexts prefixes("prefixes", settings.prefixes, texts.size());
  const OfTexts constraints("constraints_of_texts", settings.constraints_of_texts, texts.size());
  const OfTexts avoid("avoid_of_texts", settings.avoid_of_texts, texts.size());
  const std::unique_ptr<const SentenceSplitter> splitter = splitter_of(settings, opened_->language);
  const TooLong too_long = named<TooLong>("too_long", settings.too_long);
  if (settings.context > 0) check_separators(opened_->models.vocabularies());
  EarlierTexts earlier;
  for (const std::string& text : settings.earlier_texts) earlier.add(repaired(text));
  std::vector<TranslationRequest> requests;
  requests.reserve(texts.size());
  const std::int64_t first_place = settings.sampling ? settings.sampling->first_place : 0;
  for (const std::string& text : texts) {
    const std::size_t place = requests.size();
    requests.push_back({.text = repaired(text),
                        .search = search.settings,
                        .allowed = search.allowed,
                        .align = settings.align,
                        .score_tokens = settings.score_tokens,
                        .judged = settings.quality,
                        .context = {.most = static_cast<std::size_t>(settings.context)},
                        .minimum_risk = minimum_risk,
                        .replace_unknown = replace_unknown,
                        .has_markup = settings.markup,
                        .keep = keep,
                        .prefix = repaired(prefixes[place]),
                        .constraints = joined(settings.constraints, constraints[place]),
                        .glossary = glossary,
                        .search_of_terms = search.of_terms,
                        .avoid = shared_phrases(avoid[place]),
                        .too_long = too_long,
                        .line = first_place + static_cast<std::int64_t>(place)});
    set_apart(requests.back());
    earlier.give(requests.back().context, requests.back().text);
  }
  // Shared with the callbacks, so that the promises live until the last callback has returned.
  const auto promises = std::make_shared<std::vector<std::promise<TranslationResult>>>(texts.size());
  std::shared_lock lock(opened_->device);
  const std::vector<std::uint64_t> ids = submit_texts(opened_->service, std::move(requests), splitter.get(),
                                                      [promises](std::size_t text, TranslationResult result) {
                                                        (*promises)[text].set_value(std::move(result));
                                                      });
  std::vector<TranslationResult> results;
  results.reserve(texts.size());
  try {
    if (while_waiting) while_waiting();
    for (auto& promise : *promises) results.push_back(awaited(promise.get_future(), while_waiting));
  } catch (...) {
    for (const std::uint64_t id : ids) opened_->service.cancel(id);
    throw;
  }
  lock.unlock();  // the judge has a device of its own
  if (settings.quality) opened_->judge->judge(results, while_waiting);
  std::vector<std::vector<Translation>> translations;
  translations.reserve(texts.size());
  for (TranslationResult& result : results) {
    if (result.failure) std::rethrow_exception(result.failure);
    auto& list = translations.emplace_back();
    result.notices.insert(result.notices.begin(), search.notices.begin(), search.notices.end());
    for (auto& each : result.translations) {
      list.push_back({std::move(each.text),
                      each.score,
                      each.log_probability,
                      as_public(each.tokens),
                      as_public(each.words),
                      {},
                      each.missing,
                      as_public(each.terms),
                      {},
                      result.truncated_from.has_value(),
                      result.notices,
                      as_public(each.sentences)});
      list.back().quality = mean_quality(list.back().sentences);
      if (each.alternative) list.back().alternative = as_public(*each.alternative);
      if (settings.align) list.back().alignment = as_public(each.alignment);
    }
  }
  return translations;
}

std::vector<std::string> Engine::take_warnings() {
  opened_->service.input_check().warn(opened_->warnings);  // for texts that the service has not reached yet
  opened_->target_check.warn(opened_->warnings);
  return opened_->warnings.take();
}

std::vector<std::vector<double>> Engine::score(const std::vector<TextPair>& pairs) {
  const std::unique_lock lock(opened_->device);
  const std::vector<Example> examples = opened_->examples(repaired(pairs));
  auto scores = Scorer(opened_->models.ensemble(), opened_->models.workers(), kScoredTokens)(examples);
  if (scores.size() < examples.size()) {
    throw Error("not enough memory for pair {}; close other programs, or shorten or drop it",
                scores.size() + 1);
  }
  return scores;
}

std::vector<Alignment> Engine::align(const std::vector<TextPair>& pairs) {
  refuse_language_model(opened_->models.first(), opened_->files[0]);
  const std::unique_lock lock(opened_->device);
  const Vocabularies& vocabularies = opened_->models.vocabularies();
  std::vector<AlignedPair> aligned;
  aligned.reserve(pairs.size());
  const std::vector<TextPair> texts = repaired(pairs);
  for (Example& example : opened_->examples(texts)) {
    const TextPair& pair = texts[aligned.size()];
    Words source = words_of(vocabularies.source, pair.source, example.source);
    Words target = words_of(vocabularies.target, pair.target, example.target);
    aligned.push_back({std::move(example), std::move(source), std::move(target)});
  }
  const Aligner& aligner = *opened_->service.aligner();
  std::vector<Alignment> alignments;
  alignments.reserve(pairs.size());
  for (nmt::Alignment& each : aligner.align(opened_->models.workers().whole(), aligned, kScoredTokens)) {
    alignments.push_back(as_public(each));
  }
  return alignments;
}

}  // namespace nmt::v1
