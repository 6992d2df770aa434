#include "translate/service/translation.h"

#include "common/text/words.h"

namespace nmt {

std::vector<ScoredPart> scored_tokens(const Vocabulary& target, const Hypothesis& hypothesis) {
  std::vector<std::string> pieces = target.pieces(hypothesis.ids);
  const std::vector<double>& log_probabilities = hypothesis.token_log_probabilities;
  if (pieces.size() < log_probabilities.size()) pieces.push_back(target.piece(target.end()));
  std::vector<ScoredPart> tokens;
  tokens.reserve(pieces.size());
  for (std::size_t i = 0; i < pieces.size(); ++i)
    tokens.push_back({std::move(pieces[i]), log_probabilities[i]});
  return tokens;
}

std::vector<ScoredPart> scored_words(std::string_view text, const Words& words,
                                     const Hypothesis& hypothesis) {
  std::vector<ScoredPart> scored;
  for (const std::string_view word : words_in(text)) scored.push_back({std::string(word), 0});
  for (std::size_t i = 0; i < words.of_piece.size(); ++i) {
    const auto word = static_cast<std::size_t>(words.of_piece[i]);
    if (word < scored.size()) scored[word].log_probability += hypothesis.token_log_probabilities[i];
  }
  return scored;
}

}  // namespace nmt
