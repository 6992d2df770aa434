#include "metrics/shared_ngrams.h"

#include <algorithm>
#include <unordered_map>

namespace nmt {
namespace {

/// Returns each number of an ascending list once, with its count.
std::vector<std::pair<std::uint32_t, std::uint32_t>> counted(const std::vector<std::uint32_t>& numbers) {
  std::vector<std::pair<std::uint32_t, std::uint32_t>> counts;
  for (const std::uint32_t number : numbers) {
    if (counts.empty() || counts.back().first != number) counts.emplace_back(number, 0);
    ++counts.back().second;
  }
  return counts;
}

}  // namespace

SharedNgrams::SharedNgrams(std::span<const Symbols> sequences, std::size_t orders)
    : orders_(orders), counts_(sequences.size() * orders) {
  // An n-gram consists of one of the order below, by its number, and a symbol.
  std::vector<Symbols> prefixes;
  for (const Symbols& sequence : sequences) prefixes.emplace_back(sequence.size(), 0);
  for (std::size_t n = 1; n <= orders; ++n) {
    std::unordered_map<std::uint64_t, std::uint32_t> numbers;
    for (std::size_t s = 0; s < sequences.size(); ++s) {
      Symbols& ngrams = prefixes[s];
      ngrams.resize(ngrams_in(sequences[s].size(), n));
      for (std::size_t i = 0; i < ngrams.size(); ++i) {
        const std::uint64_t key = std::uint64_t{ngrams[i]} << 32U | sequences[s][i + n - 1];
        ngrams[i] = numbers.try_emplace(key, static_cast<std::uint32_t>(numbers.size())).first->second;
      }
      Symbols sorted = ngrams;
      std::ranges::sort(sorted);
      counts_[s * orders + n - 1] = counted(sorted);
    }
  }
}

std::vector<double> SharedNgrams::matches(std::size_t a, std::size_t b) const {
  std::vector<double> matches(orders_);
  for (std::size_t n = 0; n < orders_; ++n) {
    const Counts &left = counts_[a * orders_ + n], &right = counts_[b * orders_ + n];
    std::uint32_t sum = 0;
    for (auto l = left.begin(), r = right.begin(); l != left.end() && r != right.end();) {
      if (l->first == r->first) {
        sum += std::min((l++)->second, (r++)->second);
      } else {
        ++(l->first < r->first ? l : r);
      }
    }
    if (sum == 0) break;  // and therefore no longer one
    matches[n] = sum;
  }
  return matches;
}

}  // namespace nmt
