#include "data/augmentation/inline_marks.h"

#include <fmt/format.h>
#include <unicode/uchar.h>

#include <array>
#include <string>
#include <string_view>

#include "data/augmentation/noise_words.h"
#include "data/sentences/characters.h"

namespace nmt {
namespace {

constexpr std::int64_t kMostCopied = 3;  // noise words

template <std::size_t count>
std::string_view drawn(const std::array<std::string_view, count>& choices, Draws& draws) {
  return choices[static_cast<std::size_t>(draws.below(std::ssize(choices)))];
}

/// Returns the text between the punctuation at the beginning and at the end of a word; empty if it has no
/// letter or digit.
std::string_view core_of(std::string_view word) {
  const auto is_outside = [](sentences::Character character) {
    return character.is_there() && u_isalnum(character.value) == 0;
  };
  for (auto next = sentences::character_at(word, 0); is_outside(next);
       next = sentences::character_at(word, 0))
    word.remove_prefix(next.size);
  for (auto last = sentences::character_before(word, word.size()); is_outside(last);
       last = sentences::character_before(word, word.size()))
    word.remove_suffix(last.size);
  return word;
}

/// Replaces the core of a word.
void replace_core(std::string& word, std::string_view replacement) {
  const std::string_view core = core_of(word);
  const auto place = static_cast<std::size_t>(core.data() - word.data());
  word.replace(place, core.size(), replacement);
}

void tag(std::string& source, std::string& target, Draws& draws) {
  static constexpr auto kNames =
      std::to_array<std::string_view>({"a", "b", "i", "u", "s", "em", "strong", "span", "code", "sub", "sup",
                                       "q", "mark", "small", "g{}", "x{}", "{}"});
  const std::string name = fmt::format(fmt::runtime(drawn(kNames, draws)), 1 + draws.below(9));
  for (std::string* word : {&source, &target})
    replace_core(*word, fmt::format("<{0}>{1}</{0}>", name, core_of(*word)));
}

void replace_by_placeholder(std::string& source, std::string& target, Draws& draws) {
  static constexpr auto kForms = std::to_array<std::string_view>(
      {"%s", "%d", "%{}$s", "{{{}}}", "{{{{name{}}}}}", "${{value{}}}", "[[{}]]", "__{}__", "@{}", "${}"});
  const std::string placeholder = fmt::format(fmt::runtime(drawn(kForms, draws)), 1 + draws.below(9));
  for (std::string* word : {&source, &target}) replace_core(*word, placeholder);
}

void insert_copy(AlignedWords& pair, const WordAlignment::value_type& link, Draws& draws) {
  const std::vector<std::string> words = noise_words(kMostCopied, draws);
  const auto [source, target] = link;
  pair.insert(PairSide::source, source + 1, words);
  pair.insert(PairSide::target, target + 1, words);
  for (std::int64_t i = 0; i < std::ssize(words); ++i)
    pair.links.emplace_back(source + 1 + i, target + 1 + i);
}

}  // namespace

void mark(AlignedWords& pair, InlineMark what, double probability, Draws& draws) {
  WordAlignment links = pair.one_to_one();
  std::erase_if(links, [&](const auto& link) {
    const std::string_view source = core_of(pair.source[static_cast<std::size_t>(link.first)]),
                           target = core_of(pair.target[static_cast<std::size_t>(link.second)]);
    return source == target || source.empty() || target.empty();
  });
  // Insertions change the numbers of words in links that were not marked yet.
  std::int64_t next = draws.failures(probability);
  for (; next < std::ssize(links); next += 1 + draws.failures(probability)) {
    const WordAlignment::value_type link = links[static_cast<std::size_t>(next)];
    std::string& source = pair.source[static_cast<std::size_t>(link.first)];
    std::string& target = pair.target[static_cast<std::size_t>(link.second)];
    switch (what) {
      case InlineMark::tag:
        tag(source, target, draws);
        break;
      case InlineMark::placeholder:
        replace_by_placeholder(source, target, draws);
        break;
      case InlineMark::copy: {
        const std::int64_t before = std::ssize(pair.source);
        insert_copy(pair, link, draws);
        const std::int64_t added = std::ssize(pair.source) - before;
        for (auto& [source_word, target_word] : links) {
          source_word += source_word > link.first ? added : 0;
          target_word += target_word > link.second ? added : 0;
        }
        break;
      }
    }
  }
}

}  // namespace nmt
