#include "foreign/fast_bpe.h"

#include <algorithm>
#include <array>
#include <vector>

#include "common/error.h"
#include "common/text/lines.h"
#include "common/text/spelling.h"
#include "common/text/words.h"

namespace nmt {

std::string subword_nmt_codes(std::string_view fast_bpe) {
  std::string codes = "#version: 0.2\n";
  std::size_t width = 0;  // fields of each line: two symbols, perhaps with their count
  for (int number = 1; !fast_bpe.empty(); ++number) {
    const std::string_view line = take_line(fast_bpe);
    const std::vector<std::string_view> fields = words_in(line);
    if (fields.empty() || fields[0] == "#version:") continue;
    if (width == 0) width = fields.size();
    if (fields.size() < 2 || fields.size() != width)
      throw Error("line {} of its codes is not like the others, {}", number, quoted(std::string(line)));
    codes.append(fields[0]).append(" ").append(fields[1]).append("\n");
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
