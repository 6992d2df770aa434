#include "data/vocabulary/listed/fsmt_normalization.h"

#include <unicode/bytestream.h>
#include <unicode/casemap.h>
#include <unicode/edits.h>
#include <unicode/uchar.h>

#include <cstddef>
#include <cstdint>
#include <utility>

#include "data/moses/scripts.h"
#include "data/vocabulary/listed/opus_normalization.h"

namespace nmt {
namespace {

/// Returns the characters of a text in lower case.
TracedText traced_lower(std::string_view text) {
  std::string lower;
  icu::StringByteSink<std::string> sink(&lower, static_cast<std::int32_t>(text.size()));
  icu::Edits edits;
  UErrorCode status = U_ZERO_ERROR;
  icu::CaseMap::utf8ToLower("", 0, {text.data(), static_cast<std::int32_t>(text.size())}, sink, &edits,
                            status);
  TracedText characters = traced(lower);
  icu::Edits::Iterator places = edits.getFineIterator();
  for (TracedCharacter& each : characters) {
    const auto place = static_cast<std::int32_t>(each.place);
    if (places.findDestinationIndex(place, status) != 0) {
      const std::int32_t inside = places.hasChange() ? 0 : place - places.destinationIndex();
      each.place = static_cast<std::size_t>(places.sourceIndex() + inside);
    }
  }
  return characters;
}

/// Replaces marks and digits. Unlike in the scripts of OPUS-MT, a full-width one becomes a one, and white
/// space after a full stop is removed.
TracedText with_ascii_marks(const TracedText& text) {
  return rewritten(text, [](TracedView rest, TracedText& result) -> std::size_t {
    const char32_t character = rest[0].value;
    const std::string_view mark = character == U'\uFF11' ? "1" : opus_mark(character);
    if (mark.empty()) return 0;
    for (const char each : mark) result.push_back({static_cast<char32_t>(each), rest[0].place});
    std::size_t taken = 1;
    while (mark == ". " && taken < rest.size() && is_space(rest[taken].value)) ++taken;
    return taken;
  });
}

bool is_other(const TracedCharacter& character) {
  return (U_MASK(u_charType(static_cast<UChar32>(character.value))) & U_GC_C_MASK) != 0;
}

}  // namespace

TracedText fsmt_normalized(std::string_view text, const std::string& language, bool lowers) {
  TracedText characters = with_ascii_marks(lowers ? traced_lower(text) : traced(text));
  characters = with_normal_punctuation(std::move(characters), language, PunctuationProgram::sacremoses);
  std::erase_if(characters, is_other);
  return characters;
}

}  // namespace nmt
