// Translations as JSON objects.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>

#include "translate/service/translation_request.h"

namespace nmt {

/// The parts of a result besides texts and scores.
struct JsonForm {
  bool is_n_best = false;                       // all translations, not only the best
  bool has_tokens = false;                      // see TranslationRequest::score_tokens
  std::optional<AlignmentForm> alignment = {};  // none: no alignments
};

/// Makes the result of a request: `text`, `score` and `log_probability` of the best translation. With
/// has_tokens, it also has `tokens` and `words` and, for each of them, `token_log_probabilities` and
/// `word_log_probabilities`, which are empty if the translation is. Alternatives have `alternative`, the
/// token that distinguishes them, and `alternative_log_probability`. `alignment` has pairs of a source and a
/// target word or, if it is soft, for each target word and EOS the weights of all source words and of EOS.
/// `terms` lists the terms of a glossary that the text has: `source`, `targets`, and `met`, whether one of
/// these is in the translation. If sentences were judged, `quality` is the mean of their estimates, and
/// `sentences` has `source`, `text` and `quality` of each. `n_best` has these fields for all translations.
/// `truncated` is true if the end of the text was not translated, and `notices` lists defaults that the
/// request has overridden; otherwise both are left out. A failed request has only `error`, the message.
/// Numbers have six digits after the point.
nlohmann::ordered_json json_of(const TranslationResult& result, const JsonForm& form);

/// Returns an object in one line, without a line end. Invalid UTF-8 becomes U+FFFD.
std::string json_line(const nlohmann::ordered_json& object);

/// Returns the message of a failure, with settings between backticks.
std::string message_of(const std::exception_ptr& failure);

}  // namespace nmt
