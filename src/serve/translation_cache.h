// Translations of sentences that were asked for before.
#pragma once

#include <cstddef>
#include <list>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "translate/service/translation_request.h"

namespace nmt {

/// The last translations by one model, of which the least recently used ones go first. For any thread.
class TranslationCache {
 public:
  /// Of so many sentences at most; 0: none.
  explicit TranslationCache(std::size_t capacity) : capacity_(capacity) {}

  /// All that the translation of a sentence depends on besides its text: what take_request() reads, as a
  /// digest, since a request may have many long phrases. Nothing where translations are not kept: samples,
  /// choices by minimum Bayes risk, sentences with markup of their own.
  std::optional<std::string> settings_of(const TranslationRequest& sentence) const;
  /// The key of a text that is translated with such settings; nothing for one of more than kMostBytes.
  static std::optional<std::string> key_of(const std::string& settings, std::string_view text);

  /// Bytes of the longest text, and of the largest result, that are kept.
  static constexpr std::size_t kMostBytes = 1 << 16;

  std::optional<TranslationResult> find(const std::string& key);
  /// Keeps a result, unless it is a failure or has more than kMostBytes.
  void put(const std::string& key, const TranslationResult& result);

 private:
  using Entries = std::list<std::pair<std::string, TranslationResult>>;

  std::size_t capacity_;
  std::mutex mutex_;
  Entries entries_;                                                 // the most recently used one first
  std::unordered_map<std::string_view, Entries::iterator> places_;  // by the keys that entries have
};

}  // namespace nmt
