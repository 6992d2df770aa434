#include "data/augmentation/letter_case.h"

#include <unicode/locid.h>
#include <unicode/uchar.h>
#include <unicode/unistr.h>

#include <algorithm>

namespace nmt {
namespace {

/// Replaces a word by what `change` makes of it, unless it is a tag. White space never appears or disappears.
template <class Change>
void rewrite(std::string& word, Change change) {
  if (is_tag(word)) return;
  icu::UnicodeString text = icu::UnicodeString::fromUTF8(word);
  change(text);
  word.clear();
  text.toUTF8String(word);
}

}  // namespace

void write_in_capitals(AlignedWords& pair) {
  for (auto* side : {&pair.source, &pair.target}) {
    for (std::string& word : *side)
      rewrite(word, [](icu::UnicodeString& text) { text.toUpper(icu::Locale::getRoot()); });
  }
}

void write_as_title(AlignedWords& pair) {
  const auto capitalize = [](icu::UnicodeString& text) {
    for (std::int32_t i = 0; i < text.length(); i = text.moveIndex32(i, 1)) {
      const UChar32 letter = text.char32At(i);
      if (u_isalpha(letter) == 0) continue;
      const icu::UnicodeString title(u_totitle(letter));
      text.replace(i, U16_LENGTH(letter), title);
      return;
    }
  };
  for (auto* side : {&pair.source, &pair.target}) {
    for (std::string& word : *side) rewrite(word, capitalize);
  }
}

void write_in_small_letters(AlignedWords& pair) {
  for (std::string& word : pair.source)
    rewrite(word, [](icu::UnicodeString& text) { text.toLower(icu::Locale::getRoot()); });
}

}  // namespace nmt
