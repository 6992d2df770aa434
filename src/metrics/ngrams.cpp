#include "metrics/ngrams.h"

#include <algorithm>
#include <bit>
#include <optional>
#include <unordered_map>
#include <utility>

namespace nmt {
namespace {

/// Identifies an n-gram by its first place in a sequence, and finds it by its first n - 1 symbols, which are
/// an n-gram of the order below, and its last symbol. Works order by order, in the memory for one order.
class Ngrams {
 public:
  explicit Ngrams(const Symbols& sequence)
      : sequence_(sequence),
        shift_(64 - static_cast<unsigned>(std::countr_zero(slots_for(sequence)))),
        slots_(slots_for(sequence)),
        prefixes_(sequence.size()),
        ngrams_(sequence.size()) {}

  /// Moves to the next order; returns the count of each n-gram by its place.
  const std::vector<std::uint32_t>& next_order() {
    std::swap(prefixes_, ngrams_);
    std::ranges::fill(slots_, kNone);
    counts_.assign(sequence_.size(), 0);
    const std::size_t count = ngrams_in(sequence_.size(), ++order_);
    for (std::size_t i = 0; i < count; ++i) {
      std::uint32_t& slot = slots_[find(prefixes_[i], sequence_[i + order_ - 1])];
      if (slot == kNone) slot = static_cast<std::uint32_t>(i);
      ++counts_[slot];
      ngrams_[i] = slot;
    }
    return counts_;
  }

  /// Returns the n-gram of this order; none if the sequence does not contain it.
  std::optional<std::uint32_t> ngram(std::uint32_t prefix, std::uint32_t symbol) const {
    const std::uint32_t found = slots_[find(prefix, symbol)];
    return found == kNone ? std::nullopt : std::optional(found);
  }

 private:
  static constexpr std::uint32_t kNone = 0xFFFFFFFF;

  /// Returns a power of two of at least twice the number of symbols.
  static std::size_t slots_for(const Symbols& sequence) {
    return std::bit_ceil(std::max<std::size_t>(2 * sequence.size(), 2));
  }

  /// Returns the slot of an n-gram, or the free slot for it.
  std::size_t find(std::uint32_t prefix, std::uint32_t symbol) const {
    constexpr std::uint64_t kGoldenRatio = 0x9E3779B97F4A7C15U;
    std::size_t at = ((std::uint64_t{prefix} << 32U | symbol) * kGoldenRatio) >> shift_;
    while (slots_[at] != kNone &&
           (prefixes_[slots_[at]] != prefix || sequence_[slots_[at] + order_ - 1] != symbol)) {
      at = (at + 1) & (slots_.size() - 1);
    }
    return at;
  }

  const Symbols& sequence_;
  std::size_t order_ = 0;
  unsigned shift_;                                // of a 64-bit product, to get the index of a slot
  std::vector<std::uint32_t> slots_;              // a hash table with linear probing, of places
  std::vector<std::uint32_t> prefixes_, ngrams_;  // by place, of the order below and of this one
  std::vector<std::uint32_t> counts_;
};

/// The places of a reference that begin n-grams which the sequence contains too. A place that begins no such
/// n-gram begins no longer one.
class KnownNgrams {
 public:
  explicit KnownNgrams(const Symbols& reference) : reference_(reference), places_(reference.size()) {
    for (std::size_t i = 0; i < reference.size(); ++i) places_[i] = {static_cast<std::uint32_t>(i), 0};
  }

  /// Moves to the next order; adds to `counts` how often the reference contains each n-gram.
  void next_order(const Ngrams& ngrams, std::vector<std::uint32_t>& counts) {
    ++order_;
    std::size_t kept = 0;
    for (const auto [begin, prefix] : places_) {
      if (begin + order_ > reference_.size()) break;
      const std::optional<std::uint32_t> ngram = ngrams.ngram(prefix, reference_[begin + order_ - 1]);
      if (!ngram) continue;
      ++counts[*ngram];
      places_[kept++] = {begin, *ngram};
    }
    places_.resize(kept);
  }

 private:
  struct Place {
    std::uint32_t begin, ngram;
  };

  const Symbols& reference_;
  std::size_t order_ = 0;
  std::vector<Place> places_;
};

}  // namespace

std::vector<double> ngram_matches(const Symbols& sequence, std::span<const Symbols> references,
                                  std::size_t orders) {
  Ngrams ngrams(sequence);
  std::vector<KnownNgrams> known(references.begin(), references.end());
  std::vector<std::uint32_t> allowed(sequence.size()), counts;
  std::vector<double> matches;
  for (std::size_t n = 1; n <= orders; ++n) {
    const std::vector<std::uint32_t>& own = ngrams.next_order();
    std::ranges::fill(allowed, 0);
    for (KnownNgrams& reference : known) {
      counts.assign(sequence.size(), 0);
      reference.next_order(ngrams, counts);
      std::ranges::transform(allowed, counts, allowed.begin(), [](auto a, auto b) { return std::max(a, b); });
    }
    std::size_t sum = 0;
    for (std::size_t i = 0; i < own.size(); ++i) sum += std::min(own[i], allowed[i]);
    matches.push_back(static_cast<double>(sum));
  }
  return matches;
}

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
