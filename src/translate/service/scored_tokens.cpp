#include "translate/service/scored_tokens.h"

#include "data/vocabulary/words.h"

namespace nmt {
namespace {

std::string trimmed(std::string text) {
  text.erase(0, text.find_first_not_of(' '));
  text.erase(text.find_last_not_of(' ') + 1);
  return text;
}

}  // namespace

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

std::vector<ScoredPart> scored_words(const Vocabulary& target, const Hypothesis& hypothesis) {
  const Words words = words_of(target, hypothesis.ids);
  std::vector<ScoredPart> scored(static_cast<std::size_t>(words.count));
  std::vector<std::vector<int>> ids(scored.size());
  for (std::size_t i = 0; i < hypothesis.ids.size(); ++i) {
    const auto word = static_cast<std::size_t>(words.of_piece[i]);
    if (word >= scored.size()) continue;
    ids[word].push_back(hypothesis.ids[i]);
    scored[word].log_probability += hypothesis.token_log_probabilities[i];
  }
  for (std::size_t word = 0; word < scored.size(); ++word)
    scored[word].text = trimmed(target.decode(ids[word]));
  return scored;
}

}  // namespace nmt
