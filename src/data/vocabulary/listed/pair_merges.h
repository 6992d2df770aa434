// Byte-pair encoding: the pairs of symbols to merge and their order.
#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

namespace nmt {

/// A symbol, and the number of input symbols that it is made of.
struct MergedSymbol {
  int id = 0;
  std::size_t count = 1;
};

/// Merges pairs of symbols as Sennrich et al. (2016) do: repeatedly merges, from left to right, all
/// occurrences of the pair that was added first among those present, until none is left. Symbols are numbers
/// from 0; a negative symbol is never merged.
class PairMerges {
 public:
  /// Adds a pair and its result. The first of equal pairs counts.
  void add(int left, int right, int result);

  std::vector<MergedSymbol> merge(const std::vector<int>& symbols) const;

 private:
  friend class MergingSymbols;
  struct Merge {
    int rank = 0, result = 0;
  };
  /// Returns the merge of two symbols; null if there is none.
  const Merge* find(int left, int right) const;
  static std::uint64_t key(int left, int right) {
    return std::uint64_t{static_cast<std::uint32_t>(left)} << 32 | static_cast<std::uint32_t>(right);
  }

  std::unordered_map<std::uint64_t, Merge> merges_;
};

}  // namespace nmt
