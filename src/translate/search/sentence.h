// A sentence of a search.
#pragma once

#include <algorithm>
#include <cstdint>
#include <exception>
#include <iterator>
#include <memory>
#include <vector>

#include "translate/search/strategy.h"

namespace nmt {

/// A sentence to translate, with the settings and rules of its search.
struct SearchRequest {
  std::int64_t id = 0;
  std::vector<int> source;
  std::shared_ptr<const SearchSettings> settings;
  std::int64_t line = 0;  // makes samples of equal sentences differ
  std::shared_ptr<const SentenceRules> rules = std::make_shared<const SentenceRules>();

  /// Returns the maximum number of tokens of the translation, without EOS: that of the settings, but at least
  /// the number of first tokens.
  std::int64_t longest_translation() const {
    return std::max(settings->longest_translation(std::ssize(source)), std::ssize(rules->first_tokens));
  }
};

/// A sentence that is being searched.
struct Sentence {
  SearchRequest request;
  std::unique_ptr<SearchStrategy> strategy;
  std::int64_t too_little = 0;             // cache rows that did not suffice at an earlier start
  std::int64_t steps = 0, steps_left = 0;  // taken; that can still be taken at most
  std::int32_t source_begin = 0, source_rows = 0;
  std::int32_t rows = 1;            // of hypotheses
  std::int32_t held = 0;            // cache rows at the last read
  std::int32_t number = -1;         // in the step before; -1: the sentence is new
  std::int32_t list = -1;           // its list of candidates; -1: none was made
  bool is_large = false;            // has capacity of its own; see Admission
  bool is_cancelled = false;        // leaves as soon as all steps are read
  std::exception_ptr failure = {};  // why the search cannot continue
};

}  // namespace nmt
