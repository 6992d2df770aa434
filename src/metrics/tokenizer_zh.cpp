#include "metrics/tokenizer_zh.h"

#include <algorithm>

#include "metrics/spacing.h"
#include "metrics/tokenizer_13a.h"
#include "metrics/unicode.h"
#include "metrics/white_space.h"

namespace nmt {
namespace {

struct Range {
  char32_t first, last;
};

// The characters that sacrebleu treats as Chinese. Its two ranges beyond the basic plane actually denote
// others within it, so that general punctuation is Chinese and Extension B is not.
constexpr Range kChinese[] = {{0x2001, 0x2A6D}, {0x2E80, 0x2FDF}, {0x2FF0, 0x303F}, {0x3100, 0x312F},
                              {0x31A0, 0x31EF}, {0x3200, 0x4DB5}, {0x4E00, 0x9FBB}, {0xF900, 0xFA2D},
                              {0xFA30, 0xFA6A}, {0xFA70, 0xFAD9}, {0xFE10, 0xFE1F}, {0xFE30, 0xFE4F},
                              {0xFF00, 0xFFEF}};

bool is_chinese(char32_t character) {
  return std::ranges::any_of(
      kChinese, [=](const Range& range) { return range.first <= character && character <= range.last; });
}

}  // namespace

/// Unlike in 13a, the first and the last character have no neighbor: the stop of "5." is not separated.
std::string tokenize_zh(std::string_view line) {
  return space_western(utf8(space_each<char32_t>(code_points(strip(line)), is_chinese)));
}

}  // namespace nmt
