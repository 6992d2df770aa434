#include "data/vocabulary/listed/subword_codes.h"

#include <unicode/utf8.h>

#include <algorithm>
#include <cstdint>
#include <utility>

#include "common/error.h"
#include "common/text/lines.h"
#include "common/text/spelling.h"

namespace nmt {
namespace {

constexpr std::string_view kEndOfWord = "</w>";

std::string_view take_code(std::string_view& codes) {
  std::string_view line = take_line(codes);
  while (line.ends_with('\r') || line.ends_with(' ')) line.remove_suffix(1);
  line.remove_prefix(std::min(line.find_first_not_of(' '), line.size()));
  return line;
}

/// Returns the starts of the characters of a word, and its end.
std::vector<std::size_t> begins_of_characters(std::string_view word) {
  std::vector<std::size_t> begins = {0};
  const auto* bytes = reinterpret_cast<const std::uint8_t*>(word.data());
  for (std::size_t i = 0; i < word.size(); begins.push_back(i)) U8_FWD_1(bytes, i, word.size());
  return begins;
}

}  // namespace

SubwordCodes::SubwordCodes(std::string_view codes) {
  constexpr std::string_view kVersion = "#version:";
  int number = 1;
  if (codes.starts_with(kVersion)) {
    std::string version(take_code(codes));
    version.erase(0, std::min(version.find_first_not_of(' ', kVersion.size()), version.size()));
    if (version != "0.1" && version != "0.2")
      throw Error("its codes are of version {}, but only 0.1 and 0.2 of subword-nmt are known",
                  quoted(version));
    has_final_symbol_ = version == "0.1";
    ++number;
  }
  for (; !codes.empty(); ++number) {
    const std::string_view line = take_code(codes);
    if (line.empty() && codes.find_first_not_of("\r\n") == codes.npos) break;
    const std::size_t space = line.find(' ');
    if (space == line.npos || line.find(' ', space + 1) != line.npos)
      throw Error("line {} of its codes is not two symbols with a space between, {}", number,
                  quoted(std::string(line)));
    const std::string left(line.substr(0, space)), right(line.substr(space + 1));
    merges_.add(symbol(left), symbol(right), symbol(left + right));
  }
  if (symbols_.empty()) throw Error("it has no codes");
}

int SubwordCodes::symbol(std::string text) {
  return symbols_.try_emplace(std::move(text), static_cast<int>(symbols_.size())).first->second;
}

int SubwordCodes::find(const std::string& text) const {
  const auto found = symbols_.find(text);
  return found == symbols_.end() ? -1 : found->second;
}

std::vector<std::string_view> SubwordCodes::divide(std::string_view word) const {
  const std::vector<std::size_t> begins = begins_of_characters(word);
  if (begins.size() <= 2) return {word};  // one character
  std::vector<int> symbols;
  for (std::size_t i = 0; i + 1 < begins.size(); ++i) {
    std::string character(word.substr(begins[i], begins[i + 1] - begins[i]));
    if (i + 2 == begins.size() && !has_final_symbol_) character += kEndOfWord;
    symbols.push_back(find(character));
  }
  if (has_final_symbol_) symbols.push_back(find(std::string(kEndOfWord)));
  std::vector<std::string_view> parts;
  std::size_t character = 0;
  for (const MergedSymbol& merged : merges_.merge(symbols)) {
    const std::size_t end = std::min(character + merged.count, begins.size() - 1);
    if (end > character) parts.push_back(word.substr(begins[character], begins[end] - begins[character]));
    character = end;
  }
  return parts;
}

}  // namespace nmt
