// Raw parallel text as a corpus: encoded anew each time it is read.
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
  /// Judged by the bytes of lines: a token stands for one at least, but for one that SentencePiece puts in
  /// front. Text that normalization makes longer is not foreseen.
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
