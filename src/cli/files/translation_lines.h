// The lines that `nmt translate` writes.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "translate/service/translation_request.h"

namespace nmt {

/// How translations are written.
struct TranslationLines {
  bool is_json = false;                  // an object in each line; see json_of()
  bool is_n_best = false;                // all of them, not the best alone
  bool has_scores = false;               // before each translation
  bool has_feature = false;              // in n-best lists: the log-probability, as Moses' tuners take it
  std::optional<std::string> alignment;  // what --alignment asks for
};

/// The lines of what came of line `number` of the input, counted from 0. Only in JSON it may have failed.
std::string lines_of(const TranslationResult& result, std::int64_t number, const TranslationLines& form);

}  // namespace nmt
