#include "documents/archives/named_texts.h"

#include <algorithm>
#include <boost/algorithm/string/replace.hpp>

#include "common/error.h"
#include "common/text/spelling.h"
#include "data/text/white_space.h"
#include "documents/content.h"
#include "documents/lines.h"

namespace nmt {
namespace {

constexpr std::string_view kWildcards = "*?~";

/// Whether a text matches a pattern of spreadsheets: "*" stands for any characters, "?" for one, and "~"
/// before one of these for the character itself.
bool matches(std::string_view pattern, std::string_view text) {
  const auto after_character = [text](std::size_t place) {
    do ++place;
    while (place < text.size() && (static_cast<unsigned char>(text[place]) & 0xC0U) == 0x80U);
    return place;
  };
  std::size_t i = 0, place = 0;
  std::size_t star = pattern.npos, resumed = 0;  // the last "*", and where the text after it may begin
  while (place < text.size()) {
    const std::string_view rest = pattern.substr(i);
    const bool is_escaped =
        rest.starts_with('~') && rest.size() > 1 && kWildcards.find(rest[1]) != kWildcards.npos;
    if (rest.starts_with('*')) {
      star = i++;
      resumed = place;
    } else if (rest.starts_with('?')) {
      ++i;
      place = after_character(place);
    } else if (rest.substr(is_escaped ? 1 : 0).starts_with(text[place])) {
      i += is_escaped ? 2 : 1;
      ++place;
    } else if (star != pattern.npos) {
      i = star + 1;
      place = resumed = after_character(resumed);
    } else {
      return false;
    }
  }
  return pattern.find_first_not_of('*', i) == pattern.npos;
}

}  // namespace

void NamedTexts::add(std::string_view text) {
  constexpr std::size_t kMostNamedBytes = std::size_t{16} << 20;
  if (text.empty()) return;
  if (texts_.insert(folded_words(text)).second) bytes_ += text.size();
  if (bytes_ > kMostNamedBytes)
    throw Error("cannot translate '{}': its formulas and filters have more than {} MiB of texts; divide it",
                document_, kMostNamedBytes >> 20);
}

void NamedTexts::add_condition(std::string_view text) {
  constexpr std::size_t kMostPatterns = 1000;
  add(text);
  for (const std::string_view sign : {"<>", "<=", ">=", "=", "<", ">"}) {
    if (!text.starts_with(sign)) continue;
    text.remove_prefix(sign.size());
    add(text);
    break;
  }
  const std::string pattern = boost::algorithm::replace_all_copy(std::string(text), ".*", "*");
  if (pattern.find_first_of(kWildcards) == pattern.npos || !has_letters(pattern)) return;
  patterns_.insert(folded_words(pattern));
  if (patterns_.size() > kMostPatterns)
    throw Error(
        "cannot translate '{}': its formulas and filters have more than {} texts with wildcards; divide it",
        document_, kMostPatterns);
}

void NamedTexts::add_formula(std::string_view formula) {
  std::string joined;
  std::size_t texts = 0, after = 0;
  const auto end_joined = [&] {
    if (texts > 1) add_condition(joined);
    joined.clear();
    texts = 0;
  };
  for (std::size_t at = formula.find('"'); at < formula.size(); at = formula.find('"', at)) {
    if (without_outer_space(formula.substr(after, at - after)) != "&") end_joined();
    std::string text;
    for (++at; at < formula.size(); ++at) {
      if (formula[at] == '"' && formula.substr(at, 2) != "\"\"") break;
      if (formula[at] == '"') ++at;
      text += formula[at];
    }
    after = at = std::min(at + 1, formula.size());
    add_condition(text);
    for (const std::string& item : split_at_commas(text)) add(item);
    joined += text;
    ++texts;
  }
  end_joined();
}

bool NamedTexts::contains(std::string_view text) const {
  const std::string folded = folded_words(text);
  return texts_.contains(folded) ||
         std::ranges::any_of(patterns_, [&](const std::string& pattern) { return matches(pattern, folded); });
}

}  // namespace nmt
