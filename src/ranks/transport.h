// Transport: messages between processes, carried by a cluster library such as MPI, and the interface of
// the library libnmt_mpi.so.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace nmt {

/// Sends and receives messages for one of several processes. All calls, including construction and
/// destruction, come from one thread, and all processes begin their exchanges in the same order.
class Transport {
 public:
  using Outgoing = std::span<const std::byte>;
  using Incoming = std::span<std::byte>;

  /// If leave() was not called, other processes may still wait for this one, which is about to end.
  virtual ~Transport() = default;
  virtual int rank() const = 0;
  virtual int size() const = 0;
  /// Begins to send to[r] to rank r and to receive from[r] from it, for each rank except this one. Lengths
  /// agree on both sides; nothing is sent if the length is 0. The memory must stay valid until done() returns
  /// true, and no other exchange may begin before that. Throws Error if the library reports one.
  virtual void begin(const std::vector<Outgoing>& to, const std::vector<Incoming>& from) = 0;
  /// Whether everything has been sent and received. Must be called repeatedly, which drives the exchange.
  virtual bool done() = 0;
  /// Declares that no rank will send anything any more.
  virtual void leave() = 0;
};

/// const char[]: the build id of the library, NMT_BUILD_ID.
constexpr const char* kMpiBuild = "nmt_mpi_build";

/// Joins the processes that a launcher has started together with this one, in MPI_COMM_WORLD. Throws Error if
/// MPI fails.
using JoinMpiRanks = Transport* (*)();
constexpr const char* kJoinMpiRanks = "nmt_join_mpi_ranks";

}  // namespace nmt
