#include "foreign/fast_bpe.h"

#include <algorithm>
#include <array>
#include <vector>

#include "common/text/lines.h"
#include "common/text/words.h"

namespace nmt {

std::string subword_nmt_codes(std::string_view fast_bpe) {
  std::string codes = "#version: 0.2\n";
  while (!fast_bpe.empty()) {
    const std::vector<std::string_view> fields = words_in(take_line(fast_bpe));
    if (fields.size() >= 2) codes.append(fields[0]).append(" ").append(fields[1]).append("\n");
  }
  return codes;
}

bool are_fast_bpe_codes(std::string_view codes) {
  return !codes.starts_with("#version") && codes.find(" </w>") == codes.npos;
}

void mark_continuing_parts(WordList& words) {
  constexpr std::array<std::string_view, 4> kSpecial = {"<s>", "<pad>", "</s>", "<unk>"};
  constexpr std::string_view kEndOfWord = "</w>";
  for (std::string& word : words) {
    if (word.empty() || std::ranges::find(kSpecial, word) != kSpecial.end()) continue;
    if (word.ends_with(kEndOfWord)) {
      word.erase(word.size() - kEndOfWord.size());
    } else {
      word += "@@";
    }
  }
}

}  // namespace nmt
