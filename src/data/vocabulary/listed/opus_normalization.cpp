#include "data/vocabulary/listed/opus_normalization.h"

#include <unicode/uchar.h>
#include <unicode/utf8.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <utility>

namespace nmt {
namespace {

constexpr std::array<std::pair<char32_t, std::string_view>, 36> kMarks = {
    {{U'\u2019', "'"},  {U'\u201C', "\""}, {U'\u201D', "\""}, {U'\u2026', "..."}, {U'\u2236', ":"},
     {U'\u2501', "-"},  {U'\u3001', ","},  {U'\u3002', ". "}, {U'\u3008', "<"},   {U'\u3009', ">"},
     {U'\u300A', "\""}, {U'\u300B', "\""}, {U'\u300C', "\""}, {U'\u300D', "\""},  {U'\u3010', "["},
     {U'\u3011', "]"},  {U'\uFF01', "!"},  {U'\uFF05', "%"},  {U'\uFF08', "("},   {U'\uFF09', ")"},
     {U'\uFF0C', ","},  {U'\uFF0E', ". "}, {U'\uFF10', "0"},  {U'\uFF11', "\""},  {U'\uFF12', "2"},
     {U'\uFF13', "3"},  {U'\uFF14', "4"},  {U'\uFF15', "5"},  {U'\uFF16', "6"},   {U'\uFF17', "7"},
     {U'\uFF18', "8"},  {U'\uFF19', "9"},  {U'\uFF1A', ":"},  {U'\uFF1B', ";"},   {U'\uFF1F', "?"},
     {U'\uFF5E', "~"}}};
static_assert(std::ranges::is_sorted(kMarks));

/// Returns the replacement of a character, whose UTF-8 is `bytes`.
std::string_view normalized(char32_t character, std::string_view bytes) {
  if (const std::string_view mark = opus_mark(character); !mark.empty()) return mark;
  const bool is_other = (U_MASK(u_charType(static_cast<UChar32>(character))) & U_GC_C_MASK) != 0;
  return is_other ? " " : bytes;
}

}  // namespace

std::string_view opus_mark(char32_t character) {
  const auto* const mark =
      std::ranges::lower_bound(kMarks, character, {}, &std::pair<char32_t, std::string_view>::first);
  return mark != kMarks.end() && mark->first == character ? mark->second : std::string_view();
}

std::string opus_normalized(std::string_view text, std::vector<std::size_t>* places) {
  std::string result;
  result.reserve(text.size());
  const auto* bytes = reinterpret_cast<const std::uint8_t*>(text.data());
  for (std::size_t i = 0; i < text.size();) {
    const std::size_t begin = i;
    UChar32 character = 0;
    U8_NEXT_OR_FFFD(bytes, i, text.size(), character);
    for (const char c : normalized(static_cast<char32_t>(character), text.substr(begin, i - begin))) {
      if (c == ' ' && (result.empty() || result.back() == ' ')) continue;
      result += c;
      if (places != nullptr) places->push_back(begin);
    }
  }
  if (result.ends_with(' ')) result.pop_back();
  if (places == nullptr) return result;
  places->resize(result.size());
  places->push_back(text.size());
  return result;
}

}  // namespace nmt
