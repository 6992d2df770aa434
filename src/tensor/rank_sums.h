// Sums over ranks, whose order of additions does not depend on how the ranks are connected.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <span>
#include <type_traits>
#include <vector>

namespace nmt {

/// Converts an element to the type in which it is sent to another rank.
template <class Travel, class T>
Travel departed(T x) {
  if constexpr (std::is_same_v<T, Travel>)
    return x;
  else
    return Travel(static_cast<float>(x));
}
/// Converts a received element back to type T.
template <class T, class Travel>
T arrived(Travel x) {
  if constexpr (std::is_same_v<T, Travel>)
    return x;
  else
    return static_cast<T>(static_cast<float>(x));
}

/// Adds up, in the order of ranks, the `size` elements of each rank at `terms`, and calls use(sums, first)
/// for some sums at a time, beginning with element `first`. arrived(element) returns the T as which an
/// element counts. `use` may write to the memory of the terms.
template <class T, class Element, class Arrived, class Use>
void sum_over_ranks(const std::vector<const Element*>& terms, std::size_t size, const Arrived& arrived,
                    const Use& use) {
  constexpr std::size_t kBlock = 1024;  // elements that stay in the cache
  std::array<T, kBlock> sums;
  for (std::size_t first = 0; first < size; first += kBlock) {
    const std::size_t count = std::min(kBlock, size - first);
    std::transform(terms[0] + first, terms[0] + first + count, sums.begin(), arrived);
    for (std::size_t rank = 1; rank < terms.size(); ++rank) {
      const Element* const x = terms[rank] + first;
      for (std::size_t i = 0; i < count; ++i) sums[i] += arrived(x[i]);
    }
    use(std::span<const T>(sums.data(), count), first);
  }
}

}  // namespace nmt
