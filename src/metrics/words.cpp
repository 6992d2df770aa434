#include "metrics/words.h"

#include <algorithm>
#include <functional>
#include <utility>

#include "metrics/white_space.h"

namespace nmt {

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
    make_room();
    Slot& slot = find(word);
    if (slot.word.empty()) slot = {word, known_++};
    symbols.push_back(slot.number);
  }
  return symbols;
}

/// Keeps at least twice as many slots as words, a power of two.
void WordNumbers::make_room() {
  if (2 * (known_ + 1) <= slots_.size()) return;
  constexpr std::size_t kLeast = 128;
  const std::vector<Slot> before =
      std::exchange(slots_, std::vector<Slot>(std::max(kLeast, 2 * slots_.size())));
  for (const Slot& slot : before) {
    if (!slot.word.empty()) find(slot.word) = slot;
  }
}

WordNumbers::Slot& WordNumbers::find(std::string_view word) {
  const std::size_t last = slots_.size() - 1;
  std::size_t at = std::hash<std::string_view>()(word) & last;
  while (!slots_[at].word.empty() && slots_[at].word != word) at = (at + 1) & last;
  return slots_[at];
}

}  // namespace nmt
