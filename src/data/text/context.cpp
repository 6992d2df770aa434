#include "data/text/context.h"

#include <algorithm>
#include <utility>

#include "common/error.h"
#include "common/text/words.h"

namespace nmt {

void Context::add(std::string sentence) {
  if (words_in(sentence).empty()) return sentences.clear();
  sentences.push_back(std::move(sentence));
  const std::size_t too_many = sentences.size() - std::min(sentences.size(), most);
  sentences.erase(sentences.begin(), sentences.begin() + static_cast<std::ptrdiff_t>(too_many));
}

void EarlierTexts::give(Context& context, const std::string& text) {
  const std::vector<std::string>& all = texts_.sentences;
  const std::size_t count = std::min(context.most, all.size());
  context.sentences.assign(all.end() - static_cast<std::ptrdiff_t>(count), all.end());
  add(text);
}

int separator_of(const Vocabulary& vocabulary) {
  if (const std::optional<int> begin = vocabulary.begin()) return *begin;
  throw UsageError("the vocabulary has no BOS, which separates sentences; leave out `context`");
}

}  // namespace nmt
