#include "metrics/tokenizer_intl.h"

#include <functional>

#include "metrics/spacing.h"
#include "metrics/unicode.h"

namespace nmt {

std::string tokenize_intl(std::string_view line) {
  const auto is_no_number = std::not_fn(is_number);
  std::u32string text = code_points(line);
  text = space_pairs<char32_t>(text, is_no_number, is_punctuation, Apart::second);
  text = space_pairs<char32_t>(text, is_punctuation, is_no_number, Apart::first);
  text = space_each<char32_t>(text, is_symbol);
  return utf8(text);
}

}  // namespace nmt
