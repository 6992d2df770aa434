#include "data/vocabulary/listed/pair_merges.h"

#include <functional>
#include <queue>
#include <utility>

namespace nmt {

/// The symbols of a word in a linked list while they are merged.
class MergingSymbols {
 public:
  MergingSymbols(const PairMerges& merges, const std::vector<int>& symbols) : merges_(merges) {
    for (std::size_t i = 0; i < symbols.size(); ++i)
      symbols_.push_back({symbols[i], 1, i - 1, i + 1 == symbols.size() ? kNone : i + 1});
    for (std::size_t i = 0; i < symbols.size(); ++i) add_pair(i);
  }

  std::vector<MergedSymbol> merge_all() {
    while (!pairs_.empty()) merge_best();
    std::vector<MergedSymbol> merged;
    for (std::size_t i = symbols_.empty() ? kNone : 0; i != kNone; i = symbols_[i].next)
      merged.push_back({symbols_[i].id, symbols_[i].count});
    return merged;
  }

 private:
  struct Symbol {
    int id = 0;
    std::size_t count = 1, previous = 0, next = 0;
    bool is_gone = false;
  };
  static constexpr std::size_t kNone = static_cast<std::size_t>(-1);

  const PairMerges::Merge* merge_at(std::size_t left) const {
    if (left == kNone || symbols_[left].is_gone || symbols_[left].next == kNone) return nullptr;
    return merges_.find(symbols_[left].id, symbols_[symbols_[left].next].id);
  }
  void add_pair(std::size_t left) {
    if (const PairMerges::Merge* merge = merge_at(left)) pairs_.emplace(merge->rank, left);
  }

  /// Merges all occurrences of the first pair before the pairs that result.
  void merge_best() {
    const int rank = pairs_.top().first;
    std::vector<std::size_t> merged;
    for (; !pairs_.empty() && pairs_.top().first == rank; pairs_.pop()) {
      const std::size_t left = pairs_.top().second;
      const PairMerges::Merge* merge = merge_at(left);
      // Another merge has taken one of the two since, or the entry is a duplicate.
      if (merge == nullptr || merge->rank != rank) continue;
      merge_with_next(left, merge->result);
      merged.push_back(left);
    }
    for (const std::size_t left : merged) {
      if (symbols_[left].is_gone) continue;
      add_pair(symbols_[left].previous);
      add_pair(left);
    }
  }

  void merge_with_next(std::size_t left, int result) {
    const std::size_t right = symbols_[left].next;
    symbols_[left].id = result;
    symbols_[left].count += symbols_[right].count;
    symbols_[left].next = symbols_[right].next;
    symbols_[right].is_gone = true;
    if (symbols_[left].next != kNone) symbols_[symbols_[left].next].previous = left;
  }

  const PairMerges& merges_;
  std::vector<Symbol> symbols_;
  // Pairs by rank, then place. Outdated entries stay in it.
  std::priority_queue<std::pair<int, std::size_t>, std::vector<std::pair<int, std::size_t>>, std::greater<>>
      pairs_;
};

void PairMerges::add(int left, int right, int result) {
  merges_.try_emplace(key(left, right), Merge{static_cast<int>(merges_.size()), result});
}

const PairMerges::Merge* PairMerges::find(int left, int right) const {
  const auto found = left < 0 || right < 0 ? merges_.end() : merges_.find(key(left, right));
  return found == merges_.end() ? nullptr : &found->second;
}

std::vector<MergedSymbol> PairMerges::merge(const std::vector<int>& symbols) const {
  return MergingSymbols(*this, symbols).merge_all();
}

}  // namespace nmt
