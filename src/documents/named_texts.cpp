#include "documents/named_texts.h"

#include <algorithm>

#include "common/error.h"
#include "common/text/spelling.h"
#include "documents/lines.h"

namespace nmt {

void NamedTexts::add(std::string_view text) {
  constexpr std::size_t kMostNamedBytes = std::size_t{16} << 20;
  if (text.empty()) return;
  if (texts_.insert(folded_words(text)).second) bytes_ += text.size();
  if (bytes_ > kMostNamedBytes)
    throw Error("cannot translate '{}': its formulas and filters have more than {} MiB of texts; divide it",
                document_, kMostNamedBytes >> 20);
}

void NamedTexts::add_formula(std::string_view formula) {
  for (std::size_t at = formula.find('"'); at < formula.size(); at = formula.find('"', at)) {
    std::string text;
    for (++at; at < formula.size(); ++at) {
      if (formula[at] == '"' && formula.substr(at, 2) != "\"\"") break;
      if (formula[at] == '"') ++at;
      text += formula[at];
    }
    at = std::min(at + 1, formula.size());
    add(text);
    for (const std::string& item : split_at_commas(text)) add(item);
  }
}

bool NamedTexts::contains(std::string_view text) const {
  return texts_.contains(folded_words(text));
}

}  // namespace nmt
