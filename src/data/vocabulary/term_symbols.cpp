#include "data/vocabulary/term_symbols.h"

#include <algorithm>
#include <string>

#include "common/error.h"

namespace nmt {

void check_term_symbols(const Vocabulary& source) {
  const auto missing = std::ranges::find_if_not(kTermSymbols, [&](std::string_view symbol) {
    return source.find(std::string(kSpaceMark).append(symbol)).has_value();
  });
  if (missing == kTermSymbols.end()) return;
  throw UsageError(
      "translations of terms in sources need the symbols {}, {} and {}, but the source vocabulary lacks {}; "
      "make it by `nmt vocab --terms`",
      kTermBegin, kTermTranslation, kTermEnd, *missing);
}

}  // namespace nmt
