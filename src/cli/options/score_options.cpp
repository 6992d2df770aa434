#include "cli/options/score_options.h"

#include "translate/search/search_limits.h"

namespace nmt {

void add_score_options(Options& options, double& length_penalty, LengthNormalization& length_normalization,
                       double& word_penalty, const std::string& group) {
  options
      .add("length-penalty", length_penalty, "A",
           "scores are log-probabilities over ((5 + length) / 6)^A, where the end counts; 0: the "
           "log-probabilities themselves")
      .range(kLengthPenaltyLimits.least, kLengthPenaltyLimits.most)
      .group(group);
  options
      .add("length-normalization", length_normalization, "",
           "wu: as --length-penalty says; power: over length^A, as Marian, Hugging Face transformers and "
           "CTranslate2 do; eole: over (1 + length)^A, as eole does")
      .group(group);
  options
      .add("word-penalty", word_penalty, "W",
           "taken from the log-probabilities for each token and the end; below 0, translations become longer")
      .range(kWordPenaltyLimits.least, kWordPenaltyLimits.most)
      .group(group);
}

}  // namespace nmt
