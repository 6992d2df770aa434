#include "metrics/unicode.h"

#include <unicode/bytestream.h>
#include <unicode/casemap.h>
#include <unicode/uchar.h>
#include <unicode/utf16.h>
#include <unicode/utf8.h>

#include <algorithm>

#include "common/error.h"

namespace nmt {
namespace {

bool is_in(char32_t character, std::uint32_t categories) {
  return (U_MASK(u_charType(static_cast<UChar32>(character))) & categories) != 0;
}

bool is_ascii(std::string_view text) {
  return std::ranges::none_of(text, [](char c) { return static_cast<unsigned char>(c) >= 0x80; });
}

}  // namespace

std::u32string code_points(std::string_view text) {
  std::u32string points;
  points.reserve(text.size());
  const auto* bytes = reinterpret_cast<const std::uint8_t*>(text.data());
  for (std::size_t i = 0; i < text.size();) {
    UChar32 point = 0;
    U8_NEXT_OR_FFFD(bytes, i, text.size(), point);
    points += static_cast<char32_t>(point);
  }
  return points;
}

std::string utf8(std::u32string_view text) {
  std::string bytes;
  bytes.reserve(text.size());
  for (const char32_t character : text) {
    char sequence[U8_MAX_LENGTH];
    std::size_t length = 0;
    U8_APPEND_UNSAFE(sequence, length, static_cast<UChar32>(character));
    bytes.append(sequence, length);
  }
  return bytes;
}

std::string to_lower(std::string_view text) {
  std::string lower;
  if (is_ascii(text)) {
    lower = text;
    for (char& c : lower) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
    return lower;
  }
  icu::StringByteSink<std::string> sink(&lower, static_cast<std::int32_t>(text.size()));
  UErrorCode error = U_ZERO_ERROR;
  icu::CaseMap::utf8ToLower("", 0, {text.data(), static_cast<std::int32_t>(text.size())}, sink, nullptr,
                            error);
  if (U_FAILURE(error) != 0) throw Error("cannot write a text in lower case: {}", u_errorName(error));
  return lower;
}

bool is_punctuation(char32_t character) {
  return is_in(character, U_GC_P_MASK);
}

bool is_symbol(char32_t character) {
  return is_in(character, U_GC_S_MASK);
}

bool is_number(char32_t character) {
  return is_in(character, U_GC_N_MASK);
}

}  // namespace nmt
