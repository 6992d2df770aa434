#include "data/batches/example_order.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <iterator>
#include <numeric>
#include <span>

#include "common/philox.h"

namespace nmt {
namespace {

/// Returns the tokens of the longer side, including EOS, which an example takes from the budget.
std::int64_t longer_side(const Example& example) {
  return std::max(std::ssize(example.source), std::ssize(example.target)) + 1;
}

/// Whether the ratio source / target, including EOS, is smaller for a than for b.
bool has_relatively_shorter_source(const Example& a, const Example& b) {
  return (std::ssize(a.source) + 1) * (std::ssize(b.target) + 1) <
         (std::ssize(b.source) + 1) * (std::ssize(a.target) + 1);
}

void sort_by_longer_side(std::span<Example> examples, bool descending) {
  std::stable_sort(examples.begin(), examples.end(), [descending](const Example& a, const Example& b) {
    return descending ? longer_side(a) > longer_side(b) : longer_side(a) < longer_side(b);
  });
}

/// Returns the number of strips. Many strips make lengths uneven within a batch, few strips the ratios. A
/// quarter of the square root of the number of batches is near the optimum for captions and for mixed text,
/// for budgets of 4,000 to 25,000.
std::int64_t number_of_strips(std::int64_t total, std::int64_t budget) {
  const double batches = static_cast<double>(total) / static_cast<double>(budget);
  return std::max<std::int64_t>(1, std::llround(std::sqrt(batches) / 4));
}

}  // namespace

std::vector<std::size_t> longest_first(const std::vector<std::int64_t>& lengths) {
  std::vector<std::size_t> places(lengths.size());
  std::iota(places.begin(), places.end(), std::size_t{0});
  std::ranges::stable_sort(places, std::ranges::greater(), [&](std::size_t i) { return lengths[i]; });
  return places;
}

/// Sorting by one side leaves the other uneven. So examples are first divided into strips of similar ratio of
/// lengths; then each strip is sorted by length, up and down in turn, so that a batch may span two strips.
void sort_by_lengths(std::vector<Example>& examples, std::int64_t budget) {
  std::int64_t total = 0;
  for (const Example& example : examples) total += longer_side(example);
  const std::int64_t strips = number_of_strips(total, budget);

  std::stable_sort(examples.begin(), examples.end(), has_relatively_shorter_source);
  auto end = examples.begin();
  std::int64_t covered = 0;
  for (std::int64_t strip = 0; strip < strips; ++strip) {
    const auto begin = end;
    while (end != examples.end() && covered * strips < total * (strip + 1)) covered += longer_side(*end++);
    sort_by_longer_side({begin, end}, strip % 2 == 1);
  }
}

Permutation::Permutation(std::int64_t size, std::uint64_t seed, std::uint64_t epoch)
    : size_(static_cast<std::uint64_t>(size)), seed_(seed), epoch_(epoch) {
  while ((std::uint64_t{1} << (2 * half_bits_)) < size_) ++half_bits_;
}

std::uint64_t Permutation::scramble(std::uint64_t x) const {
  const std::uint64_t mask = (std::uint64_t{1} << half_bits_) - 1;
  std::uint64_t left = x >> half_bits_, right = x & mask;
  for (std::uint32_t round = 0; round < 4; ++round) {
    const auto words =
        philox4x32({static_cast<std::uint32_t>(right), static_cast<std::uint32_t>(epoch_),
                    static_cast<std::uint32_t>(epoch_ >> 32), round},
                   {static_cast<std::uint32_t>(seed_), static_cast<std::uint32_t>(seed_ >> 32)});
    const std::uint64_t next = left ^ (words[0] & mask);
    left = right;
    right = next;
  }
  return left << half_bits_ | right;
}

std::int64_t Permutation::operator()(std::int64_t i) const {
  auto x = static_cast<std::uint64_t>(i);
  do {
    x = scramble(x);
  } while (x >= size_);
  return static_cast<std::int64_t>(x);
}

Pools::Pools(std::int64_t pairs, std::int64_t first, std::int64_t largest) {
  std::int64_t begin = 0;
  begins_.push_back(begin);
  for (std::int64_t size = first; size < largest && pairs - begin > 2 * size; size *= 2) {
    begins_.push_back(begin += size);
  }
  const std::int64_t rest = pairs - begin, count = (rest + largest - 1) / largest;
  for (std::int64_t i = 1; i <= count; ++i) {
    begins_.push_back(begin + rest / count * i + rest % count * i / count);
  }
}

}  // namespace nmt
