#include "metrics/words.h"

#include "metrics/white_space.h"

namespace nmt::metrics {

std::vector<std::string_view> words_of(std::string_view text) {
  std::vector<std::string_view> words;
  std::size_t begin = 0;
  const auto end_word = [&](std::size_t end) {
    if (end > begin) words.push_back(text.substr(begin, end - begin));
  };
  for (std::size_t i = 0; i < text.size();) {
    const std::size_t blank = white_space_at(text, i);
    if (blank > 0) {
      end_word(i);
      begin = i + blank;
    }
    i += blank > 0 ? blank : 1;
  }
  end_word(text.size());
  return words;
}

Symbols WordNumbers::operator()(const std::vector<std::string_view>& words) {
  Symbols symbols;
  symbols.reserve(words.size());
  for (const std::string_view word : words) {
    symbols.push_back(numbers_.try_emplace(word, static_cast<std::uint32_t>(numbers_.size())).first->second);
  }
  return symbols;
}

}  // namespace nmt::metrics
