#include "metrics/tokenizer.h"

#include <fmt/ranges.h>

#include "common/error.h"
#include "metrics/spacing.h"
#include "metrics/tokenizer_13a.h"
#include "metrics/tokenizer_intl.h"
#include "metrics/tokenizer_zh.h"
#include "metrics/unicode.h"

namespace nmt {
namespace {

std::string tokenize_char(std::string_view line) {
  return utf8(space_each<char32_t>(code_points(line), [](char32_t) { return true; }));
}

std::string tokenize_none(std::string_view line) {
  return std::string(line);
}

struct NamedTokenizer {
  const char* name;
  Tokenizer tokenizer;
};

constexpr NamedTokenizer kTokenizers[] = {{"13a", tokenize_13a},
                                          {"intl", tokenize_intl},
                                          {"char", tokenize_char},
                                          {"zh", tokenize_zh},
                                          {"none", tokenize_none}};

}  // namespace

std::vector<std::string> tokenizer_names() {
  std::vector<std::string> names;
  for (const NamedTokenizer& entry : kTokenizers) names.emplace_back(entry.name);
  return names;
}

Tokenizer find_tokenizer(std::string_view name) {
  for (const NamedTokenizer& entry : kTokenizers) {
    if (name == entry.name) return entry.tokenizer;
  }
  throw UsageError("unknown tokenizer '{}'; choose from {}", name, fmt::join(tokenizer_names(), ", "));
}

}  // namespace nmt
