// Translations as JSON objects.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>

#include "translate/service/translation_request.h"

namespace nmt {

/// What is told of translations besides their texts and scores.
struct JsonForm {
  bool is_n_best = false;                       // all of them, not the best alone
  std::optional<AlignmentForm> alignment = {};  // none: their alignments are not told
};

/// What came of a request: `text`, `score` and `log_probability` of the best translation; where the request
/// asked for them (score_tokens), `tokens` and `words` and, of each, `token_log_probabilities` and
/// `word_log_probabilities`; of alternatives, `alternative`, the token
/// by which it differs, and `alternative_log_probability`; `alignment`, pairs of a source and a target word,
/// or, where it is soft, for each target word and the end the weights of all source words and of the end; and
/// in an n-best list `n_best`, the same of all translations. A request that failed has `error` alone, the
/// message. Numbers have six digits behind the point.
nlohmann::ordered_json json_of(const TranslationResult& result, const JsonForm& form);

/// An object in one line, without a line end. Damaged UTF-8 becomes U+FFFD.
std::string json_line(const nlohmann::ordered_json& object);

/// Why a request failed, with settings between backticks.
std::string message_of(const std::exception_ptr& failure);

}  // namespace nmt
