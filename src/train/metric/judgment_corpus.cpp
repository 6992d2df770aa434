#include "train/metric/judgment_corpus.h"

#include <algorithm>
#include <utility>

#include "common/text/number.h"

namespace nmt {

namespace {

std::vector<EncodedJudgment> encoded(const Judgments& judgments, const CometText& text, bool has_reference) {
  const auto ids = [&](const std::string& line) { return CometText::ids(text.tokens(line)); };
  std::vector<EncodedJudgment> all;
  for (const RatedText& each : judgments.texts) {
    all.push_back({.source = ids(each.source),
                   .translation = ids(each.translation),
                   .reference = has_reference ? ids(each.reference) : std::vector<int>(),
                   .score = each.score});
  }
  return all;
}

}  // namespace

JudgmentCorpus::JudgmentCorpus(const Judgments& judgments, const CometText& text, bool has_reference)
    : JudgmentCorpus(encoded(judgments, text, has_reference)) {
  name_ = judgments.name;
  fingerprint_ = judgments.fingerprint;
}

JudgmentCorpus::JudgmentCorpus(std::vector<EncodedJudgment> judgments) : judgments_(std::move(judgments)) {
  for (const EncodedJudgment& each : judgments_) {
    for (const auto* ids : {&each.source, &each.translation, &each.reference})
      filter_.max_length = std::max(filter_.max_length, std::ssize(*ids));
  }
}

std::string JudgmentCorpus::description() const {
  return count_of(size(), "judgment");
}

std::vector<Example> JudgmentCorpus::examples(std::span<const std::int64_t> numbers, std::uint64_t /*key*/,
                                              Dropped& /*dropped*/, const std::atomic<bool>& stop) const {
  std::vector<Example> examples;
  for (const std::int64_t number : numbers) {
    if (stop) break;
    const EncodedJudgment& judgment = (*this)[number];
    examples.push_back({.id = number, .source = judgment.source, .target = judgment.translation});
  }
  return examples;
}

}  // namespace nmt
