#include "translate/service/source_context.h"

#include <algorithm>
#include <iterator>
#include <numeric>

#include "common/error.h"
#include "data/text/context.h"

namespace nmt {

void check_separators(const Vocabularies& vocabularies) {
  separator_of(vocabularies.source);
  separator_of(vocabularies.target);
}

SourceContext source_context(const TranslationRequest& request, const std::vector<int>& source,
                             const LengthLimit& limit) {
  SourceContext context;
  const bool is_of_whole = !request.prefix.empty() || !request.constraints.empty() ||
                           request.search->alternatives || request.search->min_length > 0;
  if (request.context.sentences.empty() || is_of_whole) return context;
  const Vocabulary& vocabulary = request.vocabularies->source;
  try {
    check_separators(*request.vocabularies);
  } catch (const UsageError& error) {
    throw SentenceError("{}", error.what());
  }
  std::int64_t left = limit.most_in_one_part() - std::ssize(source);
  const std::vector<std::string>& sentences = request.context.sentences;
  for (auto sentence = sentences.rbegin(); sentence != sentences.rend(); ++sentence) {
    if (limit.beginning_of(*sentence).size() < sentence->size()) break;
    std::vector<int> tokens = vocabulary.encode(*sentence);
    tokens.push_back(separator_of(vocabulary));
    left -= std::ssize(tokens);
    if (left < 0) break;
    context.tokens.insert(context.tokens.begin(), tokens.begin(), tokens.end());
    ++context.sentences;
  }
  return context;
}

std::optional<Hypothesis> of_last_sentence(const Hypothesis& hypothesis, std::int64_t sentences,
                                           std::int32_t separator) {
  const std::vector<std::int32_t>& ids = hypothesis.ids;
  if (std::ranges::count(ids, separator) != sentences || ids.back() == separator) return std::nullopt;
  const auto begin = std::find(ids.rbegin(), ids.rend(), separator).base() - ids.begin();
  Hypothesis last{.score = hypothesis.score,
                  .ids = {ids.begin() + begin, ids.end()},
                  .token_log_probabilities = {hypothesis.token_log_probabilities.begin() + begin,
                                              hypothesis.token_log_probabilities.end()}};
  last.log_probability =
      std::accumulate(last.token_log_probabilities.begin(), last.token_log_probabilities.end(), 0.0);
  return last;
}

}  // namespace nmt
