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
  const std::size_t count = std::min(context.most, texts_.size());
  context.sentences.assign(texts_.end() - static_cast<std::ptrdiff_t>(count), texts_.end());
  add(text);
}

void EarlierTexts::add(const std::string& text) {
  if (words_in(text).empty()) return texts_.clear();
  texts_.push_back(text);
  if (texts_.size() > kMostContext) texts_.pop_front();
}

int separator_of(const Vocabulary& vocabulary) {
  if (const std::optional<int> begin = vocabulary.begin()) return *begin;
  throw UsageError("the vocabulary has no BOS, which separates sentences; leave out `context`");
}

}  // namespace nmt
