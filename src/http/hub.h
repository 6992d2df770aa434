// What the connections of a server have in common.
#pragma once

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

/// A connection as its server sees it, which it is on the list of as long as it lives.
class Connection : public AnswerTaker, public std::enable_shared_from_this<Connection> {
 public:
  explicit Connection(HttpHub& hub);
  ~Connection() override;
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;

  /// Since when it has waited for a request, or for the rest of one; nothing while it is answered.
  virtual std::optional<ServerTime> waits_since() const = 0;
  /// Closes it, whatever it does.
  virtual void close() = 0;

 protected:
  HttpHub& hub() const { return hub_; }
  const HttpLimits& limits() const;

  /// Says how many bytes of a body the connection keeps. Closes others that still wait for the rest of theirs
  /// where all bodies together take too much; false where that does not suffice.
  bool hold(std::size_t bytes);

  using Socket = boost::asio::ip::tcp::socket;
  /// Closes the connection, which `self` is, when the client goes away; until it is stopped, or the client
  /// sends something. Nothing else is pending on the socket. A client that has only shut down its side, which
  /// looks the same at first, is answered, where probe() says so.
  void watch(Socket& socket, const std::shared_ptr<Connection>& self);
  void stop_watching(Socket& socket);
  /// Sends something that has no meaning to the client, whose system answers with a reset if it is gone.
  /// False: nothing can be sent, so that the client counts as gone.
  virtual bool probe() { return false; }

 private:
  /// Closes the connection when the client's system resets it.
  void watch_for_reset(Socket& socket, const std::shared_ptr<Connection>& self);

  friend struct HttpHub;

  HttpHub& hub_;
  std::size_t held_ = 0;       // bytes of a body
  std::uint64_t watches_ = 0;  // a number for each that began or ended
};

struct HttpHub {
  explicit HttpHub(HttpSettings given) : settings(std::move(given)) {}

  void accept();
  std::vector<std::shared_ptr<Connection>> all() const;
  /// The connection that has waited for the longest time of those for which `may_go` is true; null: none.
  Connection* oldest(const std::function<bool(const Connection&)>& may_go) const;
  /// Closes the connection that has waited for the longest time; false where none waits.
  bool make_room() const;
  /// Closes the connection that has waited for the longest time of all but `receiver` that have a part of a
  /// body. False: there is none.
  bool make_room_for_body(const Connection& receiver) const;
  /// Gives a request to whoever answers it, who may keep it longer than what this returns does.
  std::weak_ptr<HttpExchange> begin(HttpRequest request, const std::shared_ptr<Connection>& connection);

  HttpSettings settings;
  bool is_draining = false;
  std::uint64_t exchanges = 0;  // so far
  std::size_t held = 0;         // bytes of all bodies
  std::set<Connection*> connections;
  boost::asio::io_context io{1};  // gone before them, with all that is pending
  boost::asio::ip::tcp::acceptor acceptor{io};
  boost::asio::steady_timer pause{io};
};

}  // namespace nmt
