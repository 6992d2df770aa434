// Errors in a translation, from the tags of its tokens.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "translate/quality/comet_text.h"
#include "translate/quality/quality_metric.h"

namespace nmt {

/// Returns the probabilities of tags from their logits [tokens, tags] (softmax), in double precision.
std::vector<double> tag_probabilities(std::span<const float> logits, std::size_t tags);

/// Returns the errors of a translation as unbabel-comet finds them. `probabilities`: [tokens, tags], where
/// tag 0 is no error and the others are `severities`. A run of tokens whose most probable tags are errors is
/// one error with the severity of its first token. A run at the end of the tokens, which include </s>, does
/// not count.
std::vector<ErrorSpan> error_spans(const CometText& text, std::string_view translation,
                                   const std::vector<CometToken>& tokens,
                                   std::span<const double> probabilities,
                                   const std::vector<std::string>& severities);

/// Returns the score of errors by MQM: (25 - min(25, penalties)) / 25, where a minor error counts 1, a major
/// one 5 and a critical one 10.
double mqm_score(const std::vector<ErrorSpan>& errors);

}  // namespace nmt
