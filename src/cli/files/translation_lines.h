// The output lines of `nmt translate`.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "translate/service/translation_request.h"

namespace nmt {

/// Settings of writing translations.
struct TranslationLines {
  bool is_json = false;      // one JSON object per line; see json_of()
  bool is_n_best = false;    // print all translations, not only the best
  bool has_scores = false;   // before each translation
  bool has_feature = false;  // in n-best lists: print the log-probability, as Moses' tuners expect it
  std::optional<std::string> alignment;  // value of --alignment
};

/// Returns the output lines for line `number` of the input, counted from 0. A failed result is accepted only
/// for JSON.
std::string lines_of(const TranslationResult& result, std::int64_t number, const TranslationLines& form);

}  // namespace nmt
