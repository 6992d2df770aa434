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
  bool has_tokens = false;                      // see TranslationRequest::score_tokens
  std::optional<AlignmentForm> alignment = {};  // none: their alignments are not told
};

/// The result of a request: `text`, `score` and `log_probability` of the best translation. With has_tokens
/// also `tokens` and `words` and, of each, `token_log_probabilities` and `word_log_probabilities`, which are
/// empty where the translation is. Alternatives have `alternative`, the token by which they differ, and
/// `alternative_log_probability`. `alignment` has pairs of a source and a target word, or, where it is soft,
/// for each target word and the end the weights of all source words and of the end. `n_best` has the same of
/// all translations. `truncated` is true where the end of the text was not translated, and `notices` has
/// lines about defaults that gave way to what the request asked for; else they are left out. A request that
/// failed has `error` alone, the message. Numbers have six digits after the point.
nlohmann::ordered_json json_of(const TranslationResult& result, const JsonForm& form);

/// An object in one line, without a line end. Damaged UTF-8 becomes U+FFFD.
std::string json_line(const nlohmann::ordered_json& object);

/// Why a request failed, with settings between backticks.
std::string message_of(const std::exception_ptr& failure);

}  // namespace nmt
