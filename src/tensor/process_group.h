// ProcessGroup: messages among the ranks of a data-parallel run, independent of their devices.
#pragma once

#include <cstddef>
#include <exception>
#include <functional>
#include <span>
#include <vector>

namespace nmt {

/// Thrown by a collective call if a rank for which it would wait has ended.
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
  /// Registers `abort`, which is called, on any rank's thread, when a rank has failed for which others may
  /// wait. An empty function unregisters it.
  virtual void when_failed(const std::function<void()>& /*abort*/) {}
};

}  // namespace nmt
