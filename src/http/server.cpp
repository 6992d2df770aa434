#include "http/server.h"

#include <sys/socket.h>

#include <algorithm>
#include <boost/asio/ip/address.hpp>
#include <boost/asio/post.hpp>
#include <cerrno>
#include <vector>

#include "common/error.h"
#include "http/connection.h"
#include "http/hub.h"

namespace nmt {
namespace {

namespace asio = boost::asio;
using asio::ip::tcp;
using boost::system::error_code;

constexpr std::chrono::milliseconds kAcceptPause{100};

asio::ip::address address_of(const std::string& host) {
  if (host == "localhost") return asio::ip::address_v4::loopback();
  error_code error;
  const asio::ip::address address = asio::ip::make_address(host, error);
  if (error)
    throw UsageError("`host` '{}' is not an address; name one of this machine, such as 127.0.0.1 or ::",
                     host);
  return address;
}

/// Returns the endpoint that a socket listens on. Throws Error if it does not listen, or is not a TCP socket.
tcp::endpoint listening_endpoint(int socket) {
  tcp::endpoint endpoint;
  auto size = static_cast<socklen_t>(endpoint.capacity());
  int listens = 0;
  socklen_t listens_size = sizeof listens;
  const bool is_known = ::getsockname(socket, endpoint.data(), &size) == 0 &&
                        ::getsockopt(socket, SOL_SOCKET, SO_ACCEPTCONN, &listens, &listens_size) == 0;
  const int family = endpoint.data()->sa_family;
  if (!is_known || listens == 0 || (family != AF_INET && family != AF_INET6))
    throw Error(
        "the socket that was handed over does not listen for TCP, as ListenStream= of systemd with a port "
        "does");
  endpoint.resize(size);
  return endpoint;
}

/// Allows the port of a server that has just ended to be used again.
void listen(tcp::acceptor& acceptor, const tcp::endpoint& endpoint) {
  acceptor.open(endpoint.protocol());
  acceptor.set_option(tcp::acceptor::reuse_address(true));
  acceptor.bind(endpoint);
  acceptor.listen();
  acceptor.non_blocking(true);
}

}  // namespace

std::string listening_address(int socket) {
  return listening_endpoint(socket).address().to_string();
}

Connection::Connection(HttpHub& hub) : hub_(hub) {
  hub_.connections.insert(this);
  ++hub_.connection_count;
}

Connection::~Connection() {
  hub_.connections.erase(this);
  --hub_.connection_count;
  let_go();
}

bool Connection::hold(std::size_t bytes) {
  return hold(&HeldBytes::memory, bytes, limits().all_bodies_bytes);
}

bool Connection::hold_in_file(std::size_t bytes) {
  return hold(&HeldBytes::file, bytes, limits().all_files_bytes);
}

void Connection::let_go() {
  hold(0);
  hold_in_file(0);
}

bool Connection::hold(std::size_t HeldBytes::*kind, std::size_t bytes, std::size_t most) {
  std::size_t& held = hub_.held.*kind;
  held = held - held_.*kind + bytes;
  held_.*kind = bytes;
  if (bytes == 0) return true;
  while (held > most && hub_.make_room_for_body(*this, kind)) {
  }
  return held <= most;
}

const HttpLimits& Connection::limits() const {
  return hub_.settings.limits;
}

void Connection::watch(Socket& socket, const std::shared_ptr<Connection>& self) {
  socket.async_wait(Socket::wait_read, [this, &socket, self, watch = ++watches_](error_code error) {
    if (error || watch != watches_) return;
    char byte = 0;
    const ssize_t count = ::recv(socket.native_handle(), &byte, 1, MSG_PEEK | MSG_DONTWAIT);
    if (count > 0) return;  // the next request
    if (count < 0 && (errno == EAGAIN || errno == EINTR)) return this->watch(socket, self);
    if (count == 0 && probe()) return watch_for_reset(socket, self);
    close();
  });
}

void Connection::watch_for_reset(Socket& socket, const std::shared_ptr<Connection>& self) {
  socket.async_wait(Socket::wait_error, [this, self, watch = watches_](error_code error) {
    if (!error && watch == watches_) close();
  });
}

void Connection::stop_watching(Socket& socket) {
  ++watches_;
  error_code ignored;
  socket.cancel(ignored);
}

Connection* HttpHub::oldest(const std::function<bool(const Connection&)>& may_go) const {
  Connection* oldest = nullptr;
  for (Connection* connection : connections) {
    if (!connection->waits_since() || !may_go(*connection)) continue;
    if (oldest == nullptr || *connection->waits_since() < *oldest->waits_since()) oldest = connection;
  }
  return oldest;
}

bool HttpHub::make_room() const {
  Connection* const connection = oldest([](const Connection&) { return true; });
  if (connection != nullptr) connection->close();
  return connection != nullptr;
}

bool HttpHub::make_room_for_body(const Connection& receiver, std::size_t HeldBytes::*kind) const {
  Connection* const connection =
      oldest([&](const Connection& other) { return &other != &receiver && other.held_.*kind > 0; });
  if (connection != nullptr) connection->close();
  return connection != nullptr;
}

std::vector<std::shared_ptr<Connection>> HttpHub::all() const {
  std::vector<std::shared_ptr<Connection>> shared;
  shared.reserve(connections.size());
  for (Connection* connection : connections) shared.push_back(connection->shared_from_this());
  return shared;
}

void HttpHub::accept() {
  acceptor.async_accept([this](error_code error, tcp::socket socket) {
    if (is_draining || error == asio::error::operation_aborted) return;
    if (error) {  // if descriptors are exhausted, trying again at once does not help
      make_room();
      pause.expires_after(kAcceptPause);
      pause.async_wait([this](error_code stopped) {
        if (!stopped) accept();
      });
      return;
    }
    if (connections.size() < settings.limits.connections || make_room()) {
      socket.set_option(tcp::no_delay(true), error);
      HttpConnection::begin(*this, std::move(socket));
    }
    accept();
  });
}

std::weak_ptr<HttpExchange> HttpHub::begin(HttpRequest request,
                                           const std::shared_ptr<Connection>& connection) {
  const auto exchange =
      std::make_shared<HttpExchange>(std::move(request), ++exchanges, connection,
                                     [this](std::function<void()> f) { asio::post(io, std::move(f)); });
  settings.handle(exchange);
  return exchange;
}

HttpServer::HttpServer(HttpSettings settings) : hub_(std::make_unique<HttpHub>(std::move(settings))) {
  const HttpSettings& given = hub_->settings;
  if (given.socket) {
    hub_->acceptor.assign(listening_endpoint(*given.socket).protocol(), *given.socket);
    hub_->acceptor.non_blocking(true);
    hub_->accept();
    return;
  }
  const tcp::endpoint endpoint(address_of(given.host), static_cast<unsigned short>(given.port));
  try {
    listen(hub_->acceptor, endpoint);
  } catch (const boost::system::system_error& error) {
    throw Error("cannot listen on port {} of {}: {}", given.port, given.host,
                system_message(error.code().value(), "choose another with `port`, 0 for one that is free"));
  }
  hub_->accept();
}

HttpServer::~HttpServer() {
  drain();
  for (const auto& connection : hub_->all()) connection->close();
}

int HttpServer::port() const {
  return hub_->acceptor.local_endpoint().port();
}

void HttpServer::run_for(std::chrono::milliseconds time) {
  hub_->io.restart();
  hub_->io.run_for(time);
}

void HttpServer::post(std::function<void()> function) {
  asio::post(hub_->io, std::move(function));
}

void HttpServer::drain() {
  hub_->is_draining = true;
  error_code ignored;
  hub_->acceptor.close(ignored);
  for (const auto& connection : hub_->all()) {
    if (connection->waits_since()) connection->close();
  }
}

std::size_t HttpServer::connections() const {
  return hub_->connection_count;
}

bool HttpServer::is_busy() const {
  return !std::ranges::all_of(
      hub_->connections, [](const Connection* connection) { return connection->waits_since().has_value(); });
}

}  // namespace nmt
