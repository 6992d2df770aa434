#include "serve/translation_cache.h"

#include <nlohmann/json.hpp>

#include "serve/clients/sha256.h"
#include "translate/search/setting_table.h"

namespace nmt {
namespace {

using nlohmann::json;

/// Collects settings as a list of their values.
class SettingValues {
 public:
  template <class T>
  void operator()(const SettingFacts& /*facts*/, const T& value) {
    if constexpr (HasNames<T>) {
      values_.push_back(name_of(value));
    } else {
      values_.push_back(json(value));
    }
  }
  template <class T>
  void operator()(const SettingFacts& /*facts*/, const std::optional<T>& value) {
    values_.push_back(value ? json(*value) : json());
  }
  json take() { return std::move(values_); }

 private:
  json values_ = json::array();
};

std::size_t memory_of(const std::vector<ScoredPart>& parts) {
  std::size_t bytes = 0;
  for (const ScoredPart& part : parts) bytes += sizeof part + part.text.size();
  return bytes;
}

/// Returns the memory, in bytes, that a result takes.
std::size_t memory_of(const TranslationResult& result) {
  std::size_t bytes = 0;
  for (const Translation& translation : result.translations) {
    bytes += sizeof translation + translation.text.size() +
             translation.alignment.weights.size() * sizeof(double) +
             translation.sources.size() * sizeof(std::int64_t) + memory_of(translation.tokens) +
             memory_of(translation.words);
    for (const FoundTerm& term : translation.terms) {
      bytes += sizeof term + term.source.size();
      for (const std::string& target : term.targets) bytes += sizeof target + target.size();
    }
  }
  return bytes;
}

}  // namespace

std::optional<std::string> TranslationCache::settings_of(const TranslationRequest& sentence) const {
  if (results_.capacity() == 0 || sentence.search->sampling || sentence.minimum_risk || sentence.markup)
    return std::nullopt;
  const SearchSettings& search = *sentence.search;
  SettingValues settings;
  each_search_setting(settings, search);
  json terms = json::array();
  for (const FoundTerm& term : sentence.terms) terms.push_back({term.source, term.targets});
  for (const TermAnnotation& annotation : sentence.annotations)
    terms.push_back({annotation.begin, annotation.end, annotation.translation});
  SettingValues settings_of_terms;
  if (!sentence.terms.empty() && sentence.search_of_terms)
    each_search_setting(settings_of_terms, *sentence.search_of_terms);
  const json avoid = sentence.avoid ? json(*sentence.avoid) : json();
  const Sha256 digest =
      sha256_of(json{sentence.prefix, sentence.constraints, terms, settings_of_terms.take(), avoid,
                     sentence.context.sentences, sentence.align, sentence.align_words, sentence.score_tokens,
                     sentence.replace_unknown, name_of(sentence.too_long), search.n_best, search.distinct,
                     search.alternatives, settings.take()}
                    .dump(-1, ' ', false, json::error_handler_t::replace));
  return std::string(digest.begin(), digest.end());
}

std::optional<std::string> TranslationCache::key_of(const std::string& settings, std::string_view text) {
  if (text.size() > kMostBytes) return std::nullopt;
  return settings + std::string(text);
}

void TranslationCache::put(const std::string& key, const TranslationResult& result) {
  if (!result.failure && memory_of(result) <= kMostBytes) results_.put(key, result);
}

}  // namespace nmt
