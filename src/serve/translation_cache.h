// A cache of translated sentences.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "serve/recent_values.h"
#include "translate/service/translation_request.h"

namespace nmt {

/// The most recent translations of a model. The least recently used ones are dropped first. Thread-safe.
class TranslationCache {
 public:
  /// Keeps at most `capacity` sentences; 0: none.
  explicit TranslationCache(std::size_t capacity) : results_(capacity) {}

  /// Returns a digest of all settings on which the translation of a sentence depends, besides its text: the
  /// fields that take_request() reads. The settings themselves may have many long phrases. Returns nothing if
  /// translations are not cached: samples, choices by minimum Bayes risk, sentences with their own markup.
  std::optional<std::string> settings_of(const TranslationRequest& sentence) const;
  /// Returns the key of a text with these settings; nothing for a text longer than kMostBytes.
  static std::optional<std::string> key_of(const std::string& settings, std::string_view text);

  /// The maximum size, in bytes, of texts and of results that are cached.
  static constexpr std::size_t kMostBytes = 1 << 16;

  /// Returns the result with this key, if it is cached.
  std::optional<TranslationResult> find(const std::string& key) { return results_.find(key); }
  /// Adds a result, unless it is a failure or larger than kMostBytes.
  void put(const std::string& key, const TranslationResult& result);

 private:
  RecentValues<TranslationResult> results_;
};

}  // namespace nmt
