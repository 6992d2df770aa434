#include "data/augmentation/inline_marks.h"

#include <fmt/format.h>

#include <array>
#include <span>
#include <string>
#include <string_view>

#include "data/augmentation/noise_words.h"
#include "data/augmentation/term_annotation.h"
#include "data/augmentation/word_core.h"

namespace nmt {
namespace {

constexpr std::int64_t kMostCopied = 3;  // noise words

template <std::size_t count>
std::string_view drawn(const std::array<std::string_view, count>& choices, Draws& draws) {
  return choices[static_cast<std::size_t>(draws.below(std::ssize(choices)))];
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

void mark(AlignedWords& pair, InlineMark what, double probability, Draws& draws,
          const std::vector<std::string>& others) {
  WordAlignment links = pair.one_to_one();
  std::erase_if(links, [&](const auto& link) {
    const std::string_view source = core_of(pair.source[static_cast<std::size_t>(link.first)]),
                           target = core_of(pair.target[static_cast<std::size_t>(link.second)]);
    return source == target || source.empty() || target.empty() ||
           (what == InlineMark::term && !(may_be_term(source) && may_be_term(target)));
  });
  std::int64_t next = draws.failures(probability);
  for (; next < std::ssize(links); next += 1 + draws.failures(probability)) {
    const WordAlignment::value_type link = links[static_cast<std::size_t>(next)];
    std::string& source = pair.source[static_cast<std::size_t>(link.first)];
    std::string& target = pair.target[static_cast<std::size_t>(link.second)];
    const std::int64_t sources = std::ssize(pair.source), targets = std::ssize(pair.target);
    switch (what) {
      case InlineMark::tag:
        tag(source, target, draws);
        break;
      case InlineMark::placeholder:
        replace_by_placeholder(source, target, draws);
        break;
      case InlineMark::copy:
        insert_copy(pair, link, draws);
        break;
      case InlineMark::term:
        next +=
            annotate_term(pair, std::span(links).subspan(static_cast<std::size_t>(next)), others, draws) - 1;
        break;
    }
    // Insertions change the numbers of words in links that were not marked yet.
    for (auto& [source_word, target_word] : links) {
      source_word += source_word > link.first ? std::ssize(pair.source) - sources : 0;
      target_word += target_word > link.second ? std::ssize(pair.target) - targets : 0;
    }
  }
}

}  // namespace nmt
