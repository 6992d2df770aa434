// Judgments as batches are made of them.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "data/corpus.h"
#include "data/text/judgments.h"
#include "translate/quality/comet_text.h"

namespace nmt {

/// A judgment as ids, with the special tokens of CometText; without a reference if it was read without one.
struct EncodedJudgment {
  std::vector<int> source, translation, reference;
  double score = 0;
};

/// The pairs of a source and a translation. References and scores are found by the ids of examples.
class JudgmentCorpus final : public Corpus {
 public:
  /// `has_reference`: whether the judgments were read with references.
  JudgmentCorpus(const Judgments& judgments, const CometText& text, bool has_reference);
  /// Takes judgments that are encoded, without a name and a fingerprint.
  explicit JudgmentCorpus(std::vector<EncodedJudgment> judgments);

  const EncodedJudgment& operator[](std::int64_t id) const {
    return judgments_[static_cast<std::size_t>(id)];
  }

  const std::string& name() const override { return name_; }
  std::int64_t size() const override { return std::ssize(judgments_); }
  std::uint64_t fingerprint() const override { return fingerprint_; }
  const Filter& filter() const override { return filter_; }
  std::int64_t longest() const override { return filter_.max_length; }
  std::string description() const override;
  std::vector<Example> examples(std::span<const std::int64_t> numbers, std::uint64_t key, Dropped& dropped,
                                const std::atomic<bool>& stop) const override;

 private:
  std::string name_;
  std::uint64_t fingerprint_ = 0;
  Filter filter_{.max_length = 1};  // which drops nothing, as long texts are cut
  std::vector<EncodedJudgment> judgments_;
};

}  // namespace nmt
