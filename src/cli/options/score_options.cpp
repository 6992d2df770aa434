#include "cli/options/score_options.h"

#include "translate/search/search_limits.h"

namespace nmt {

void add_score_options(Options& options, double& length_penalty, LengthNormalization& length_normalization,
                       double& word_penalty, const std::string& group) {
  options
      .add("length-penalty", length_penalty, "A",
           "length penalty; scores are log-probabilities divided by ((5 + length) / 6)^A, where EOS counts; "
           "0: plain log-probabilities")
      .range(kLengthPenaltyLimits.least, kLengthPenaltyLimits.most)
      .group(group);
  options
      .add("length-normalization", length_normalization, "",
           "formula of the length penalty; wu: as in --length-penalty; power: divide by length^A, as Marian, "
           "Hugging Face transformers and CTranslate2 do; eole: divide by (1 + length)^A, as eole does")
      .group(group);
  options
      .add("word-penalty", word_penalty, "W",
           "penalty on the log-probability per token, EOS included; a negative value favors longer "
           "translations")
      .range(kWordPenaltyLimits.least, kWordPenaltyLimits.most)
      .group(group);
}

}  // namespace nmt
