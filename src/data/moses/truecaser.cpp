#include <unicode/locid.h>
#include <unicode/uchar.h>
#include <unicode/unistr.h>

#include <algorithm>
#include <array>

#include "common/error.h"
#include "common/text/lines.h"
#include "common/text/spelling.h"
#include "data/moses/scripts.h"

namespace nmt {
namespace {

/// Tracks where sentences begin.
class SentenceStarts {
 public:
  bool is_start() const { return is_start_; }
  void pass(std::string_view word) {
    static constexpr std::array<std::string_view, 4> kEnds = {".", ":", "?", "!"};
    static constexpr std::array<std::string_view, 8> kBeforeStart = {"(",      "[",      "\"",    "'",
                                                                     "&apos;", "&quot;", "&#91;", "&#93;"};
    if (std::ranges::find(kEnds, word) != kEnds.end()) {
      is_start_ = true;
    } else if (std::ranges::find(kBeforeStart, word) == kBeforeStart.end()) {
      is_start_ = false;
    }
  }

 private:
  bool is_start_ = true;
};

std::string lower(std::string_view word) {
  TracedText characters = traced(word);
  for (TracedCharacter& each : characters)
    each.value = static_cast<char32_t>(u_tolower(static_cast<UChar32>(each.value)));
  return utf8_of(characters);
}

/// Takes the text before the next white space.
std::string_view take_word(std::string_view& line) {
  constexpr std::string_view kSpaces = " \t\r";
  line.remove_prefix(std::min(line.find_first_not_of(kSpaces), line.size()));
  const std::string_view word = line.substr(0, line.find_first_of(kSpaces));
  line.remove_prefix(word.size());
  return word;
}

}  // namespace

Truecaser::Truecaser(std::string_view model) {
  for (int number = 1; !model.empty(); ++number) {
    std::string_view line = take_line(model);
    const std::string whole(line);
    const std::string usual(take_word(line));
    if (usual.empty()) continue;
    usual_[lower(usual)] = usual;
    known_.insert(usual);
    const auto take_count = [&] {
      const std::string_view count = take_word(line);
      if (count.empty() || (count.starts_with('(') && count.ends_with(')'))) return;
      throw Error("line {} of its truecasing model is not words with counts in brackets, {}", number,
                  quoted(whole));
    };
    take_count();
    for (std::string_view other = take_word(line); !other.empty(); other = take_word(line)) {
      known_.emplace(other);
      take_count();
    }
  }
}

void Truecaser::truecase(std::vector<MosesToken>& tokens) const {
  if (is_empty()) return;
  SentenceStarts starts;
  for (MosesToken& token : tokens) {
    const std::string word = token.text;
    if (const auto usual = usual_.find(lower(word)); usual != usual_.end()) {
      if (starts.is_start() || !known_.contains(word)) token.text = usual->second;
    }
    starts.pass(word);
  }
}

void detruecase(std::vector<std::string>& words) {
  SentenceStarts starts;
  for (std::string& word : words) {
    if (starts.is_start() && !word.empty()) {
      icu::UnicodeString text = icu::UnicodeString::fromUTF8(word);
      const std::int32_t first = text.moveIndex32(0, 1);
      icu::UnicodeString capital(text, 0, first);
      text.replace(0, first, capital.toUpper(icu::Locale::getRoot()));
      word.clear();
      text.toUTF8String(word);
    }
    starts.pass(word);
  }
}

}  // namespace nmt
