// The connections of a server, none of which can keep the others waiting.
#pragma once

#include <poll.h>

#include <chrono>
#include <cstddef>
#include <string>
#include <vector>

#include "common/io/file_descriptor.h"
#include "insight/http_answer.h"

namespace nmt {

struct ConnectionLimits {
  std::size_t connections = 64;
  std::size_t head_bytes = 1 << 14;
  std::chrono::milliseconds head{5'000};    // until the whole head of a request is there
  std::chrono::milliseconds stall{10'000};  // without a byte of the answer being taken
};

/// Each connection reads the head of one request, writes the answer, and is closed; so is one that breaks a
/// limit. Nothing here waits, and time is what the caller says it is.
class ConnectionPool {
 public:
  using Time = std::chrono::steady_clock::time_point;

  explicit ConnectionPool(DocumentSource documents, const ConnectionLimits& limits = {})
      : documents_(std::move(documents)), limits_(limits) {}

  /// Takes a socket that does not block, and answers what it has sent already. Where there is no room, room
  /// is made first.
  void add(FileDescriptor socket, Time now);
  /// Closes the connection that is the least loss: of those whose request is incomplete the oldest, or else
  /// the one that has taken nothing of its answer for the longest time. False when there is none.
  bool make_room();
  /// What poll() is to wait for, one entry a connection.
  std::vector<pollfd> wishes() const;
  /// Goes on with the connections for which something happened, `polled` being the answer to wishes(), and
  /// closes those that are done or late.
  void proceed(const std::vector<pollfd>& polled, Time now);

  std::size_t size() const { return connections_.size(); }

 private:
  struct Connection {
    FileDescriptor socket;
    Time last;  // when it was accepted, or, while it is answered, last took something
    std::string request, answer;
    std::size_t sent = 0;
    bool done = false;
  };

  void proceed(Connection& connection, Time now) const;
  void receive(Connection& connection, Time now) const;
  static void send(Connection& connection, Time now);
  bool is_over(const Connection& connection, Time now) const;

  DocumentSource documents_;
  ConnectionLimits limits_;
  std::vector<Connection> connections_;  // in the order of arrival
};

}  // namespace nmt
