// Transport: messages between processes, as a library for clusters carries them.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace nmt {

/// What one of several processes has to send and receive messages. All calls, those that make and destroy it
/// included, come from one thread, and all processes begin their exchanges in the same order.
class Transport {
 public:
  using Outgoing = std::span<const std::byte>;
  using Incoming = std::span<std::byte>;

  /// Where leave() was not called, others may still wait for this process: it is about to end.
  virtual ~Transport() = default;
  virtual int rank() const = 0;
  virtual int size() const = 0;
  /// Begins to send to[r] to rank r and to receive from[r] from it, for each rank but this one; both are of
  /// the same length on both sides, and where that is 0 nothing travels. The memory stays as it is until
  /// done(), and no other exchange begins before. Throws Error when the library reports one.
  virtual void begin(const std::vector<Outgoing>& to, const std::vector<Incoming>& from) = 0;
  /// Whether all of it has been sent and has come: asked again and again, which is what moves it.
  virtual bool done() = 0;
  /// Nobody will send anything any more, on any rank.
  virtual void leave() = 0;
};

}  // namespace nmt
