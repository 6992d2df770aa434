#include "common/text/words.h"

#include <algorithm>

namespace nmt {

std::vector<std::string_view> words_in(std::string_view text) {
  std::vector<std::string_view> words;
  for (auto end = text.begin();;) {
    const auto begin = std::find_if_not(end, text.end(), separates_words);
    if (begin == text.end()) return words;
    end = std::find_if(begin, text.end(), separates_words);
    words.emplace_back(begin, end);
  }
}

std::vector<std::string_view> gaps_around(const std::vector<std::string_view>& words, std::string_view text) {
  std::vector<std::string_view> gaps;
  auto end = text.begin();
  for (const std::string_view word : words) {
    gaps.emplace_back(end, word.begin());
    end = word.end();
  }
  gaps.emplace_back(end, text.end());
  return gaps;
}

}  // namespace nmt
