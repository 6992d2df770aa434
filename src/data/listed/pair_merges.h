// Byte-pair encoding itself: which pairs of symbols are merged, and in which order.
#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

namespace nmt {

/// A symbol, and how many of those that were given it is made of.
struct MergedSymbol {
  int id = 0;
  std::size_t count = 1;
};

/// Merges pairs of symbols as Sennrich et al. (2016) do: of all pairs that are there, the one that was added
/// first, everywhere from left to right, and so on until none is left. Symbols are numbers from 0 on; a
/// negative one is merged with nothing.
class PairMerges {
 public:
  /// Adds a pair and what it becomes. The first of equal pairs counts.
  void add(int left, int right, int result);

  std::vector<MergedSymbol> merge(const std::vector<int>& symbols) const;

 private:
  friend class MergingSymbols;
  struct Merge {
    int rank = 0, result = 0;
  };
  /// nullptr where they are not merged.
  const Merge* find(int left, int right) const;
  static std::uint64_t key(int left, int right) {
    return std::uint64_t{static_cast<std::uint32_t>(left)} << 32 | static_cast<std::uint32_t>(right);
  }

  std::unordered_map<std::uint64_t, Merge> merges_;
};

}  // namespace nmt
