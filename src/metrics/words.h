// The words of a segment.
#pragma once

#include <string_view>
#include <unordered_map>
#include <vector>

#include "metrics/ngrams.h"

namespace nmt::metrics {

/// The words of `text`, between white space (see white_space.h).
std::vector<std::string_view> words_of(std::string_view text);

/// Numbers for words: equal words have equal numbers. The words that it has seen must outlive it.
class WordNumbers {
 public:
  Symbols operator()(const std::vector<std::string_view>& words);

 private:
  std::unordered_map<std::string_view, std::uint32_t> numbers_;
};

}  // namespace nmt::metrics
