#include "data/augmentation/term_annotation.h"

#include <algorithm>
#include <string>
#include <vector>

#include "data/augmentation/word_core.h"
#include "data/sentences/characters.h"
#include "data/text/word_characters.h"
#include "data/vocabulary/term_symbols.h"

namespace nmt {
namespace {

constexpr double kReplaced = 0.3;   // share of the single words whose translation is any other word
constexpr double kInflected = 0.5;  // share of the other translations with other endings than the target
constexpr std::int64_t kMostLetters = 3, kShortestStem = 3;  // of an ending; characters before it

std::string_view word_at(const std::vector<std::string>& words, std::int64_t place) {
  return words[static_cast<std::size_t>(place)];
}

/// Whether no punctuation is between a word and the one before it.
bool adjoins(const std::vector<std::string>& words, std::int64_t place) {
  const std::string_view before = word_at(words, place - 1), word = word_at(words, place);
  return before.ends_with(core_of(before)) && word.starts_with(core_of(word));
}

std::int64_t words_of_term(const AlignedWords& pair, std::span<const WordAlignment::value_type> links,
                           Draws& draws) {
  // Most terms are single words.
  const std::int64_t most = std::max<std::int64_t>(draws.below(5) - 1, 1);
  const auto [source, target] = links.front();
  std::int64_t count = 1;
  while (count < std::min(most, std::ssize(links)) &&
         links[static_cast<std::size_t>(count)] ==
             WordAlignment::value_type(source + count, target + count) &&
         adjoins(pair.source, source + count) && adjoins(pair.target, target + count))
    ++count;
  return count;
}

/// Replaces a target word, without the punctuation around it, by any of `others` that may be a term. Returns
/// whether there was one.
bool replace_target(std::string& word, const std::vector<std::string>& others, Draws& draws) {
  const std::string_view other = core_of(word_at(others, draws.below(std::ssize(others)))),
                         core = core_of(word);
  if (!may_be_term(other)) return false;
  word.replace(static_cast<std::size_t>(core.data() - word.data()), core.size(), other);
  return true;
}

/// Returns where the ending of a word begins, which has at most this number of characters.
std::size_t place_of_ending(std::string_view word, std::int64_t most) {
  const std::int64_t characters =
      std::ranges::count_if(word, [](char byte) { return (byte & 0xC0) != 0x80; });
  std::size_t place = word.size();
  for (std::int64_t i = 0; i < std::min(most, characters - kShortestStem); ++i)
    place -= sentences::character_before(word, place).size;
  return place;
}

/// Returns a word with another ending, which may be that of one of `others`.
std::string with_other_ending(std::string_view word, const std::vector<std::string>& others, Draws& draws) {
  std::string inflected(word.substr(0, place_of_ending(word, 1 + draws.below(kMostLetters))));
  if (!draws.chance(0.5)) return inflected;
  const std::string_view other = core_of(word_at(others, draws.below(std::ssize(others))));
  return inflected.append(other.substr(place_of_ending(other, 1 + draws.below(kMostLetters))));
}

}  // namespace

bool may_be_term(std::string_view word) {
  std::string_view rest = core_of(word);
  if (rest.empty()) return false;
  for (auto next = sentences::character_at(rest, 0); next.is_there();
       next = sentences::character_at(rest, 0)) {
    if (!is_word_character(next.value) && !sentences::is_dash(next.value) &&
        !sentences::is_apostrophe(next.value))
      return false;
    rest.remove_prefix(next.size);
  }
  return true;
}

std::int64_t annotate_term(AlignedWords& pair, std::span<const WordAlignment::value_type> links,
                           const std::vector<std::string>& others, Draws& draws) {
  const std::int64_t count = words_of_term(pair, links, draws);
  const auto [source, target] = links.front();
  const bool is_replaced = draws.chance(kReplaced) && count == 1 && !others.empty() &&
                           replace_target(pair.target[static_cast<std::size_t>(target)], others, draws);
  const bool is_inflected = !is_replaced && draws.chance(kInflected);
  std::string& first = pair.source[static_cast<std::size_t>(source)];
  std::string& last = pair.source[static_cast<std::size_t>(source + count - 1)];
  const std::string_view core = core_of(last);
  const auto end = static_cast<std::size_t>(core.data() + core.size() - last.data());
  std::vector<std::string> after = {std::string(kTermTranslation)};
  for (std::int64_t i = 0; i < count; ++i) {
    const std::string_view word = core_of(word_at(pair.target, target + i));
    after.push_back(is_inflected ? with_other_ending(word, pair.target, draws) : std::string(word));
  }
  after.push_back(std::string(kTermEnd).append(last, end));
  last.resize(end);
  const std::size_t begin = first.find(core_of(first));
  std::vector<std::string> before = {std::string(kTermBegin)};
  if (begin > 0) before.insert(before.begin(), first.substr(0, begin));
  first.erase(0, begin);
  pair.insert(PairSide::source, source + count, after);
  pair.insert(PairSide::source, source, before);
  return count;
}

}  // namespace nmt
