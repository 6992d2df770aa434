// Communication among the ranks of a data-parallel run: tensors, messages, sums.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "tensor/tensor.h"

namespace nmt {

/// The exception of a collective call that would wait for a rank that has ended.
class RankEnded : public std::exception {
 public:
  const char* what() const noexcept override { return "another rank has ended"; }
};

/// One of `size` ranks, which send messages to each other without waiting for any device. All ranks make
/// collective calls in the same order.
class ProcessGroup {
 public:
  virtual ~ProcessGroup() = default;
  /// Returns the number of this rank, from 0. Rank 0 decides what all ranks do.
  virtual int rank() const = 0;
  virtual int size() const = 0;
  /// Replaces `message` by that of rank 0; its length is equal on all ranks.
  virtual void broadcast(std::span<std::byte> message) = 0;
  /// On rank 0, returns the messages of all ranks, concatenated in their order; lengths may differ. On other
  /// ranks, returns nothing.
  virtual std::vector<std::byte> gather(std::span<const std::byte> message) = 0;
  /// Returns when all ranks of this process have called this, or throws RankEnded. Does nothing if the
  /// process has one rank.
  virtual void meet_in_process() {}
  /// Registers a function that is called, on any rank's thread, when a rank fails while others may wait for
  /// it. An empty function unregisters it.
  virtual void when_failed(const std::function<void()>& /*abort*/) {}
};

/// Elements [begin, begin + size) of a buffer.
struct Part {
  std::int64_t begin = 0, size = 0;

  bool operator==(const Part&) const = default;
};

/// Parts begin at multiples of this number of elements, so that each is on its own cache line, whatever its
/// type.
inline constexpr std::int64_t kPartAlignment = 64;

/// Returns the part of a buffer of `elements` elements that belongs to a rank. All parts have equal size, a
/// multiple of kPartAlignment, except at the end of the buffer. If `elements` is a multiple of ranks *
/// kPartAlignment, all parts are equal.
constexpr Part part_of(std::int64_t elements, int rank, int ranks) {
  const std::int64_t each = (elements + ranks - 1) / ranks;
  const std::int64_t size = (each + kPartAlignment - 1) / kPartAlignment * kPartAlignment;
  const std::int64_t begin = std::min(rank * size, elements);
  return {begin, std::min(size, elements - begin)};
}

/// One of `size` ranks, each of which has a device and the same weights, and computes a part of every update.
///
/// Operations on a tensor x, which is contiguous, are asynchronous. They start after the work requested from
/// the device so far and after earlier calls, and x must not be accessed before finish(). All ranks pass
/// tensors of equal size and type.
class Communicator : public ProcessGroup {
 public:
  /// Replaces x by the sum over all ranks, equal bit by bit on all ranks. x is f32 or f64.
  virtual void all_reduce(const Tensor& x) = 0;
  /// Replaces the rank's own part of x (part_of its size) by the sum of that part over all ranks; the rest of
  /// x becomes undefined. x is f32 or f64. Elements are sent in type `travel`, which is the type of x or
  /// bf16. In bf16, the elements of each rank are rounded once and widened before they are added; between
  /// GPUs, NCCL adds in bf16 and rounds every partial sum.
  virtual void reduce_scatter(const Tensor& x, DType travel) = 0;
  /// Collects the own parts of all ranks in x. x is of any type.
  virtual void all_gather(const Tensor& x) = 0;
  /// Makes the results visible to work that is requested from the device afterwards; the host need not wait.
  virtual void finish() {}
};

/// A single rank.
class SingleRank final : public Communicator {
 public:
  int rank() const override { return 0; }
  int size() const override { return 1; }
  void all_reduce(const Tensor&) override {}
  void reduce_scatter(const Tensor&, DType) override {}  // nothing to exchange
  void all_gather(const Tensor&) override {}
  void broadcast(std::span<std::byte>) override {}
  std::vector<std::byte> gather(std::span<const std::byte> message) override {
    return {message.begin(), message.end()};
  }
};

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

/// Adds up, in the order of ranks, the `size` elements of each rank at `terms`. Calls use(sums, first) for
/// some sums at a time, of which `first` is the number of the first element. arrived(element) converts an
/// element to T. `use` may write to the memory of the terms.
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

/// Returns the message of each rank, in the order of the ranks. All ranks call this together.
std::vector<std::string> all_gather_text(ProcessGroup& group, std::string_view message);

/// Calls work(communicator) for each of `size` ranks at the same time, rank 0 on this thread, and returns
/// when all have ended. Tensors must be in host memory; operations are done at once, and sums are added in
/// the order of the ranks. If one rank throws, ranks that wait for it get RankEnded; the exception is
/// rethrown here.
void run_ranks(int size, const std::function<void(Communicator&)>& work);

}  // namespace nmt
