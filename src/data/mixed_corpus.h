// Several corpora as one: sentences drawn from each in a given proportion.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "data/corpus.h"

namespace nmt {

/// A mixture of corpora. A pass takes as many pairs as all of them have together, of each corpus the same
/// number in every pass, in proportion to the ratios, in an order drawn for each pass. Each corpus goes on
/// through passes of its own: all of its pairs come once, in a new order, before any comes again. So what
/// comes where is a function of seed, pass and place alone.
class MixedCorpus : public Corpus {
 public:
  /// A corpus, and its part of each pass.
  struct Part {
    const Corpus* corpus;
    std::int64_t draws;  // pairs of a pass
  };

  /// `corpora` must outlive this. `ratios`: one for each, all positive; none: by size, so that a pass has
  /// every pair once. Throws Error for an empty corpus, and for one whose ratio leaves it no pair of a pass.
  MixedCorpus(const std::vector<const Corpus*>& corpora, const std::vector<double>& ratios);

  /// "a.nmtc, b.nmtc".
  const std::string& name() const override { return name_; }
  std::int64_t size() const override { return size_; }
  /// Of contents and proportions.
  std::uint64_t fingerprint() const override;
  /// Of all parts, the longest.
  const Filter& filter() const override { return filter_; }
  std::int64_t longest() const override;
  /// "4000 pairs a pass: 3000 of the 1000 of 'a.nmtc', 1000 of the 3000 of 'b.nmtc'".
  std::string description() const override;
  std::vector<const Corpus*> parts() const override;
  /// Numbers of different passes through a corpus are different, so that the dropout masks of a pair that
  /// comes again in a batch are, too.
  std::vector<std::int64_t> order(std::uint64_t seed, std::int64_t epoch, std::int64_t begin,
                                  std::int64_t end) const override;
  /// Takes the numbers that order() gives, and all below size(): the pairs of one corpus after another.
  std::vector<Example> examples(std::span<const std::int64_t> numbers, std::uint64_t key, Dropped& dropped,
                                const std::atomic<bool>& stop) const override;

 private:
  /// A pair of a corpus.
  struct Pair {
    std::size_t part;
    std::int64_t number;
  };
  Pair pair(std::int64_t number) const;

  std::vector<Part> parts_;
  std::string name_;
  std::int64_t size_ = 0;
  Filter filter_;
};

}  // namespace nmt
