// A sentence of a search.
#pragma once

#include <cstdint>
#include <exception>
#include <memory>
#include <vector>

#include "translate/search/strategy.h"

namespace nmt {

/// A sentence to be translated, and how.
struct SearchRequest {
  std::int64_t id = 0;
  std::vector<int> source;
  std::shared_ptr<const SearchSettings> settings;
  std::int64_t line = 0;  // samples of equal sentences differ by it
};

/// A sentence under way.
struct Sentence {
  SearchRequest request;
  std::unique_ptr<SearchStrategy> strategy;
  std::int64_t too_little = 0;             // rows of the cache that did not suffice when it began before
  std::int64_t steps = 0, steps_left = 0;  // that it has taken; that it can still take at most
  std::int32_t source_begin = 0, source_rows = 0;
  std::int32_t rows = 1;            // of hypotheses
  std::int32_t held = 0;            // rows of the cache, as they were read last
  std::int32_t number = -1;         // among those of the step before; -1: it begins
  std::int32_t list = -1;           // of candidates; -1: none was made for it
  bool is_large = false;            // and has capacity of its own; see Admission
  bool is_cancelled = false;        // and leaves as soon as all steps are read
  std::exception_ptr failure = {};  // why it cannot go on
};

}  // namespace nmt
