// Parallel text as a corpus that is encoded again each time it is read.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "data/augmentation/augmentation.h"
#include "data/corpus.h"
#include "data/text/parallel_text.h"

namespace nmt {

class TextCorpus : public Corpus {
 public:
  /// The text may serve several corpora. Augmentation that needs alignments needs text that has them.
  TextCorpus(std::shared_ptr<const ParallelText> text, Encoding encoding, const Augmentation& augmentation);
  TextCorpus(ParallelText text, Encoding encoding, const Augmentation& augmentation = Augmentation())
      : TextCorpus(std::make_shared<const ParallelText>(std::move(text)), std::move(encoding), augmentation) {
  }

  const std::string& name() const override { return text_->source().name(); }
  std::int64_t size() const override { return text_->size(); }
  std::uint64_t fingerprint() const override { return text_->fingerprint(); }
  const Filter& filter() const override { return encoding_.filter; }
  /// Estimates the longest side from the bytes of lines: each token takes at least one byte, except for one
  /// that SentencePiece puts in front. Does not account for normalization that makes text longer. With
  /// augmentation of text, returns the limit of the filter.
  std::int64_t longest() const override;
  std::vector<Example> examples(std::span<const std::int64_t> numbers, std::uint64_t key, Dropped& dropped,
                                const std::atomic<bool>& stop) const override;

 private:
  std::vector<Example> encode(std::span<const std::int64_t> numbers, std::uint64_t key, int threads,
                              Dropped& dropped, const std::atomic<bool>& stop) const;
  /// Changes an example of a number, unless it stays as it is, or the filter would drop the change.
  void change(std::int64_t number, std::uint64_t key, Example& example) const;

  std::shared_ptr<const ParallelText> text_;
  Encoding encoding_;
  Augmentation augmentation_;
  AugmentedEncoding augmented_encoding_;
};

}  // namespace nmt
