// Several corpora as one, mixed in given proportions.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "data/corpus.h"

namespace nmt {

/// A mixture of corpora. A pass has as many pairs as all corpora together. The number of pairs from each
/// corpus is proportional to its ratio and the same in every pass; the order is drawn for each pass. Each
/// corpus has its own passes: all of its pairs occur once, in a new order, before any occurs again. So each
/// place is a function of seed, pass and place alone.
class MixedCorpus : public Corpus {
 public:
  /// A corpus and its share of each pass.
  struct Part {
    const Corpus* corpus;
    std::int64_t draws;  // pairs per pass
  };

  /// `corpora` must outlive this object. `ratios`: one positive number per corpus; empty: by size, so that a
  /// pass has every pair once. Throws Error for an empty corpus, and for one whose ratio gives it no pair per
  /// pass.
  MixedCorpus(const std::vector<const Corpus*>& corpora, const std::vector<double>& ratios);

  /// Returns the names of the corpora: "a.nmtc, b.nmtc".
  const std::string& name() const override { return name_; }
  std::int64_t size() const override { return size_; }
  /// Returns a checksum of contents and proportions.
  std::uint64_t fingerprint() const override;
  /// Returns the filter of the parts with the greatest length.
  const Filter& filter() const override { return filter_; }
  std::int64_t longest() const override;
  /// Describes the mixture: "4000 pairs a pass: 3000 of the 1000 of 'a.nmtc', 1000 of the 3000 of 'b.nmtc'".
  std::string description() const override;
  std::vector<const Corpus*> parts() const override;
  /// Returns the number of pairs of corpus `part` per pass.
  std::int64_t draws(std::size_t part) const { return parts_.at(part).draws; }
  /// Returns numbers that differ between passes through a corpus, so that a pair that occurs twice in a batch
  /// has different dropout masks.
  std::vector<std::int64_t> order(std::uint64_t seed, std::int64_t epoch, std::int64_t begin,
                                  std::int64_t end) const override;
  /// Below size(), numbers are the pairs of one corpus after another.
  std::vector<Example> examples(std::span<const std::int64_t> numbers, std::uint64_t key, Dropped& dropped,
                                const std::atomic<bool>& stop) const override;

 private:
  /// A pair of a corpus, and its pass through the corpus.
  struct Pair {
    std::size_t part;
    std::int64_t number;  // of the pair, and size() of the corpus for each pass before
  };
  Pair pair(std::int64_t number) const;

  std::vector<Part> parts_;
  std::string name_;
  std::int64_t size_ = 0;
  Filter filter_;
};

}  // namespace nmt
