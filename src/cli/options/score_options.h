// Options for computing scores from log-probabilities.
#pragma once

#include <string>

#include "cli/options/options.h"
#include "translate/search/score_formula.h"

namespace nmt {

/// Adds `--length-penalty`, `--length-normalization` and `--word-penalty` under this heading of --help; see
/// ScoreFormula.
void add_score_options(Options& options, double& length_penalty, LengthNormalization& length_normalization,
                       double& word_penalty, const std::string& group);

}  // namespace nmt
