// Raw parallel text as a corpus that is encoded anew each time it is read.
#pragma once

#include "data/corpus.h"
#include "data/text/parallel_text.h"

namespace nmt {

class TextCorpus : public Corpus {
 public:
  TextCorpus(ParallelText text, Encoding encoding) : text_(std::move(text)), encoding_(std::move(encoding)) {}

  const std::string& name() const override { return text_.source().name(); }
  std::int64_t size() const override { return text_.size(); }
  std::uint64_t fingerprint() const override { return text_.fingerprint(); }
  const Filter& filter() const override { return encoding_.filter; }
  /// Estimates the longest side from the bytes of lines: each token takes at least one byte, except for one
  /// that SentencePiece puts in front. Does not account for normalization that makes text longer.
  std::int64_t longest() const override;
  std::vector<Example> examples(std::span<const std::int64_t> numbers, std::uint64_t key, Dropped& dropped,
                                const std::atomic<bool>& stop) const override;

 private:
  std::vector<Example> encode(std::span<const std::int64_t> numbers, Dropped& dropped,
                              const std::atomic<bool>& stop) const;

  ParallelText text_;
  Encoding encoding_;
};

}  // namespace nmt
