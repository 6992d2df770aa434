#include "metrics/ngrams.h"

#include <algorithm>
#include <bit>

namespace nmt {

/// Twice as many slots as n-grams, a power of two.
NgramCounts::NgramCounts(std::span<const std::uint32_t> sequence, std::size_t orders) : orders_(orders) {
  const std::size_t slots = std::bit_ceil(std::max<std::size_t>(2 * orders * sequence.size(), 2));
  shift_ = 64 - static_cast<unsigned>(std::countr_zero(slots));
  slots_.resize(slots);
  std::vector<std::uint32_t> prefixes(sequence.size());
  for (std::size_t n = 1; n <= orders; ++n) {
    for (std::size_t i = 0; i < ngrams_in(sequence.size(), n); ++i) {
      const std::uint64_t key = key_of(prefixes[i], sequence[i + n - 1]);
      Slot& slot = slots_[find(key)];
      if (slot.ngram == 0) {
        slot = {key, static_cast<std::uint32_t>(counts_.size())};
        counts_.push_back(0);
      }
      ++counts_[slot.ngram];
      prefixes[i] = slot.ngram;
    }
    last_.push_back(static_cast<std::uint32_t>(counts_.size() - 1));
  }
}

std::size_t NgramCounts::find(std::uint64_t key) const {
  constexpr std::uint64_t kGoldenRatio = 0x9E3779B97F4A7C15U;
  std::size_t at = (key * kGoldenRatio) >> shift_;
  while (slots_[at].ngram != 0 && slots_[at].key != key) at = (at + 1) & (slots_.size() - 1);
  return at;
}

/// An n-gram that is not known is the beginning of no longer one that is.
std::vector<std::uint32_t> NgramCounts::counts_in(std::span<const std::uint32_t> other) const {
  struct Known {
    std::size_t begin;
    std::uint32_t ngram;
  };
  std::vector<std::uint32_t> counts(counts_.size());
  std::vector<Known> known(other.size());
  for (std::size_t i = 0; i < other.size(); ++i) known[i] = {i, 0};
  for (std::size_t n = 1; n <= orders_; ++n) {
    std::size_t kept = 0;
    for (const auto [begin, prefix] : known) {
      if (begin + n > other.size()) break;
      const std::uint32_t ngram = slots_[find(key_of(prefix, other[begin + n - 1]))].ngram;
      if (ngram == 0) continue;
      ++counts[ngram];
      known[kept++] = {begin, ngram};
    }
    known.resize(kept);
  }
  return counts;
}

std::vector<double> NgramCounts::matches(std::span<const std::uint32_t> allowed) const {
  std::vector<double> matches;
  for (std::size_t n = 1; n <= orders_; ++n) {
    std::size_t sum = 0;
    for (std::uint32_t ngram = last_[n - 1] + 1; ngram <= last_[n]; ++ngram) {
      sum += std::min(counts_[ngram], allowed[ngram]);
    }
    matches.push_back(static_cast<double>(sum));
  }
  return matches;
}

}  // namespace nmt
