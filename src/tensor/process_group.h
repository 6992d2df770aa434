// ProcessGroup: what the ranks of a data-parallel run tell one another, whatever device each has.
#pragma once

#include <cstddef>
#include <exception>
#include <functional>
#include <span>
#include <vector>

namespace nmt {

/// What a collective call throws when a rank that it would wait for has ended.
class RankEnded : public std::exception {
 public:
  const char* what() const noexcept override { return "another rank has ended"; }
};

/// One of `size` ranks, which send messages to each other; no device is waited for. Collective calls are made
/// by all of them in the same order.
class ProcessGroup {
 public:
  virtual ~ProcessGroup() = default;
  /// Which one this is, from 0. Rank 0 decides what all of them do.
  virtual int rank() const = 0;
  virtual int size() const = 0;
  /// message := that of rank 0; of one length everywhere.
  virtual void broadcast(std::span<std::byte> message) = 0;
  /// On rank 0: what all ranks have given, one after the other in their order, each of a length of its own;
  /// on the others nothing.
  virtual std::vector<std::byte> gather(std::span<const std::byte> message) = 0;
  /// Returns when all ranks of this process have called it, or throws RankEnded. Nothing to wait for where
  /// there is one.
  virtual void meet_in_process() {}
  /// When a rank has failed, for which others may wait, calls `abort`, on the thread of any of them. An empty
  /// one takes it back.
  virtual void when_failed(const std::function<void()>& /*abort*/) {}
};

}  // namespace nmt
