#include "data/text/sentences.h"

#include <unicode/brkiter.h>
#include <unicode/locid.h>
#include <unicode/uchar.h>
#include <unicode/uscript.h>
#include <unicode/utext.h>
#include <unicode/utf8.h>

#include <algorithm>
#include <cstdint>
#include <optional>
#include <utility>

#include "common/error.h"

namespace nmt {
namespace {

void check(UErrorCode status) {
  if (U_FAILURE(status) != 0)
    throw Error("cannot split text into sentences: ICU says {}", u_errorName(status));
}

/// Whose rules know abbreviations.
icu::Locale locale_of(const std::string& language) {
  icu::Locale locale = icu::Locale::createCanonical(language.c_str());
  UErrorCode status = U_ZERO_ERROR;
  locale.setKeywordValue("ss", "standard", status);
  check(status);
  return locale;
}

/// UTF-8 as ICU takes text.
class TextInUtf8 {
 public:
  explicit TextInUtf8(std::string_view text) {
    UErrorCode status = U_ZERO_ERROR;
    utext_openUTF8(&text_, text.data(), static_cast<std::int64_t>(text.size()), &status);
    check(status);
  }
  ~TextInUtf8() { utext_close(&text_); }
  TextInUtf8(const TextInUtf8&) = delete;
  TextInUtf8& operator=(const TextInUtf8&) = delete;

  UText* get() { return &text_; }

 private:
  UText text_ = UTEXT_INITIALIZER;
};

std::optional<UChar32> first_character(std::string_view text) {
  if (text.empty()) return std::nullopt;
  UChar32 character = 0;
  std::size_t i = 0;
  U8_NEXT_OR_FFFD(reinterpret_cast<const std::uint8_t*>(text.data()), i, text.size(), character);
  return character;
}

std::optional<UChar32> last_character(std::string_view text) {
  if (text.empty()) return std::nullopt;
  text.remove_prefix(text.size() - std::min<std::size_t>(text.size(), U8_MAX_LENGTH));
  UChar32 character = 0;
  auto i = static_cast<std::int32_t>(text.size());
  U8_PREV_OR_FFFD(reinterpret_cast<const std::uint8_t*>(text.data()), 0, i, character);
  return character;
}

/// A text without white space at its ends.
std::string_view without_white_space(std::string_view text) {
  const auto is_blank = [](std::optional<UChar32> c) { return c && u_isUWhiteSpace(*c) != 0; };
  const auto size = [](UChar32 c) { return static_cast<std::size_t>(U8_LENGTH(c)); };
  while (is_blank(first_character(text))) text.remove_prefix(size(*first_character(text)));
  while (is_blank(last_character(text))) text.remove_suffix(size(*last_character(text)));
  return text;
}

/// Whether a character is of a script without blanks between words.
bool stands_without_blanks(UChar32 character) {
  switch (u_getIntPropertyValue(character, UCHAR_EAST_ASIAN_WIDTH)) {
    case U_EA_FULLWIDTH:
    case U_EA_WIDE:
      return u_getIntPropertyValue(character, UCHAR_SCRIPT) != USCRIPT_HANGUL;
    default:
      return u_getIntPropertyValue(character, UCHAR_LINE_BREAK) == U_LB_COMPLEX_CONTEXT;
  }
}

}  // namespace

bool is_language_code(const std::string& code) {
  const icu::Locale locale = icu::Locale::createCanonical(code.c_str());
  const bool has_script = std::string_view(locale.getLanguage()).size() == 3 && *locale.getScript() != 0;
  return *locale.getISO3Language() != 0 || has_script;  // ICU does not know all of ISO 639-3
}

struct SentenceSplitter::Rules {
  std::unique_ptr<icu::BreakIterator> breaks;  // of no text
};

SentenceSplitter::SentenceSplitter(const std::string& language) {
  UErrorCode status = U_ZERO_ERROR;
  std::unique_ptr<icu::BreakIterator> breaks(
      icu::BreakIterator::createSentenceInstance(locale_of(language), status));
  check(status);
  rules_ = std::make_unique<const Rules>(Rules{std::move(breaks)});
}

SentenceSplitter::~SentenceSplitter() = default;

std::vector<std::string_view> SentenceSplitter::operator()(std::string_view text) const {
  const std::unique_ptr<icu::BreakIterator> sentences(rules_->breaks->clone());
  TextInUtf8 input(text);
  UErrorCode status = U_ZERO_ERROR;
  sentences->setText(input.get(), status);
  check(status);
  std::vector<std::string_view> found;
  std::int32_t begin = sentences->first();
  for (std::int32_t end = sentences->next(); end != icu::BreakIterator::DONE; end = sentences->next()) {
    const auto from = static_cast<std::size_t>(begin), to = static_cast<std::size_t>(end);
    const std::string_view sentence = without_white_space(text.substr(from, to - from));
    if (!sentence.empty()) found.push_back(sentence);
    begin = end;
  }
  return found;
}

std::string_view usual_gap(std::string_view before, std::string_view after) {
  const std::optional<UChar32> last = last_character(before), first = first_character(after);
  const bool has_blanks = last && first && !stands_without_blanks(*last) && !stands_without_blanks(*first);
  return has_blanks ? " " : "";
}

}  // namespace nmt
