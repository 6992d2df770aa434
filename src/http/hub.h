// State shared by the connections of a server.
#pragma once

#include <atomic>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/steady_timer.hpp>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "http/server.h"

namespace nmt {

using ServerTime = std::chrono::steady_clock::time_point;

/// Bytes of bodies.
struct HeldBytes {
  std::size_t memory = 0, file = 0;
};

/// A connection, registered with the server for its lifetime.
class Connection : public AnswerTaker, public std::enable_shared_from_this<Connection> {
 public:
  explicit Connection(HttpHub& hub);
  ~Connection() override;
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;

  /// Returns since when it has waited for a request, or for the rest of one; nothing while a request is being
  /// answered.
  virtual std::optional<ServerTime> waits_since() const = 0;
  /// Closes the connection, whatever its state.
  virtual void close() = 0;

 protected:
  HttpHub& hub() const { return hub_; }
  const HttpLimits& limits() const;

  /// Record how many bytes of a body the connection holds in memory, and in a file. If all bodies together
  /// take too many, closes other connections that still wait for the rest of theirs; returns false if that is
  /// not enough.
  bool hold(std::size_t bytes);
  bool hold_in_file(std::size_t bytes);
  /// Records that the connection holds no body.
  void let_go();

  using Socket = boost::asio::ip::tcp::socket;
  /// Closes the connection (`self`) when the client disconnects, until watching is stopped or the client
  /// sends something. Nothing else may be pending on the socket. A client that has only shut down its side
  /// looks the same at first; it is answered if probe() returns true.
  void watch(Socket& socket, const std::shared_ptr<Connection>& self);
  void stop_watching(Socket& socket);
  /// Sends something without meaning, to which the system of a disconnected client answers with a reset.
  /// Returns false if nothing can be sent, so that the client counts as disconnected.
  virtual bool probe() { return false; }

 private:
  /// Records bytes of a kind, of which all connections together may have `most`.
  bool hold(std::size_t HeldBytes::*kind, std::size_t bytes, std::size_t most);
  /// Closes the connection when the client's system resets it.
  void watch_for_reset(Socket& socket, const std::shared_ptr<Connection>& self);

  friend struct HttpHub;

  HttpHub& hub_;
  HeldBytes held_;             // of the body
  std::uint64_t watches_ = 0;  // incremented whenever watching starts or stops
};

struct HttpHub {
  explicit HttpHub(HttpSettings given) : settings(std::move(given)) {}

  void accept();
  std::vector<std::shared_ptr<Connection>> all() const;
  /// Returns the connection that has waited longest among those for which `may_go` is true; null: none.
  Connection* oldest(const std::function<bool(const Connection&)>& may_go) const;
  /// Closes the connection that has waited longest; returns false if none is waiting.
  bool make_room() const;
  /// Closes the connection other than `receiver` that has waited longest with a part of a body of this kind;
  /// returns false if there is none.
  bool make_room_for_body(const Connection& receiver, std::size_t HeldBytes::*kind) const;
  /// Passes a request to its handler, which may keep it longer than the returned pointer.
  std::weak_ptr<HttpExchange> begin(HttpRequest request, const std::shared_ptr<Connection>& connection);

  HttpSettings settings;
  bool is_draining = false;
  std::uint64_t exchanges = 0;  // so far
  HeldBytes held;               // of all bodies
  std::set<Connection*> connections;
  std::atomic<std::size_t> connection_count = 0;  // the size of the set, for other threads
  boost::asio::io_context io{1};  // destroyed before the members above, with everything pending
  boost::asio::ip::tcp::acceptor acceptor{io};
  boost::asio::steady_timer pause{io};
};

}  // namespace nmt
