#include "metrics/words.h"

#include <algorithm>
#include <functional>
#include <utility>

namespace nmt {
namespace {

/// Whether a byte ends U+2000-200A, 2028, 2029 or 202F after E2 80.
bool ends_general_punctuation_space(char byte) {
  const auto value = static_cast<unsigned char>(byte);
  return (value >= 0x80 && value <= 0x8A) || value == 0xA8 || value == 0xA9 || value == 0xAF;
}

}  // namespace

std::size_t rare_white_space_at(std::string_view text, std::size_t position) {
  const char first = text[position];
  if (first == ' ' || (first >= '\x09' && first <= '\x0D') || (first >= '\x1C' && first <= '\x1F')) return 1;
  if (first >= 0) return 0;
  const std::string_view rest = text.substr(position);
  if (rest.starts_with("\u0085") || rest.starts_with("\u00A0")) return 2;
  if (rest.size() >= 3 && rest.starts_with("\xE2\x80"))
    return ends_general_punctuation_space(rest[2]) ? 3 : 0;
  return rest.starts_with("\u1680") || rest.starts_with("\u205F") || rest.starts_with("\u3000") ? 3 : 0;
}

std::string_view strip_end(std::string_view text) {
  if (!text.empty() && text.back() > ' ' && text.back() <= '~') return text;
  std::size_t end = 0;
  for (std::size_t i = 0; i < text.size();) {
    const std::size_t blank = white_space_at(text, i);
    i += blank > 0 ? blank : 1;
    if (blank == 0) end = i;
  }
  return text.substr(0, end);
}

std::string_view strip(std::string_view text) {
  text = strip_end(text);
  for (std::size_t blank = 1; blank > 0 && !text.empty(); text.remove_prefix(blank)) {
    blank = white_space_at(text, 0);
  }
  return text;
}

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
