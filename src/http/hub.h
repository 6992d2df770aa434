// What the connections of a server have in common.
#pragma once

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/steady_timer.hpp>
#include <chrono>
#include <cstdint>
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

  using Socket = boost::asio::ip::tcp::socket;
  /// Closes the connection, which `self` is, when the client goes away; until it is stopped, or the client
  /// sends something. Nothing else is pending on the socket.
  void watch(Socket& socket, const std::shared_ptr<Connection>& self);
  void stop_watching(Socket& socket);

 private:
  HttpHub& hub_;
  std::uint64_t watches_ = 0;  // a number for each that began or ended
};

struct HttpHub {
  explicit HttpHub(HttpSettings given) : settings(std::move(given)) {}

  void accept();
  std::vector<std::shared_ptr<Connection>> all() const;
  /// Closes the connection that has waited for the longest time; false where none waits.
  bool make_room() const;
  /// Gives a request to whoever answers it, who may keep it longer than what this returns does.
  std::weak_ptr<HttpExchange> begin(HttpRequest request, const std::shared_ptr<Connection>& connection);

  HttpSettings settings;
  bool is_draining = false;
  std::uint64_t exchanges = 0;  // so far
  std::set<Connection*> connections;
  boost::asio::io_context io{1};  // gone before them, with all that is pending
  boost::asio::ip::tcp::acceptor acceptor{io};
  boost::asio::steady_timer pause{io};
};

}  // namespace nmt
