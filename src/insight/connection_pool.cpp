#include "insight/connection_pool.h"

#include <sys/socket.h>

#include <algorithm>
#include <cerrno>
#include <string_view>
#include <utility>

namespace nmt {
namespace {

bool is_transient(int error) {
  return error == EAGAIN || error == EWOULDBLOCK || error == EINTR;
}

}  // namespace

void ConnectionPool::receive(Connection& connection, Time now) const {
  char bytes[4096];
  const ssize_t count = ::recv(connection.socket.get(), bytes, sizeof bytes, 0);
  if (count <= 0) {
    connection.done = count == 0 || !is_transient(errno);
    return;
  }
  connection.request.append(bytes, static_cast<std::size_t>(count));
  const std::size_t end = connection.request.find("\r\n\r\n");
  if (end != std::string::npos) {
    connection.answer = http_answer(std::string_view(connection.request).substr(0, end), documents_);
    connection.last = now;
  } else {
    connection.done = connection.request.size() > limits_.head_bytes;
  }
}

void ConnectionPool::send(Connection& connection, Time now) {
  const std::string& answer = connection.answer;
  while (connection.sent < answer.size()) {
    const ssize_t count = ::send(connection.socket.get(), answer.data() + connection.sent,
                                 answer.size() - connection.sent, MSG_NOSIGNAL);
    if (count < 0) {
      connection.done = !is_transient(errno);
      return;
    }
    connection.sent += static_cast<std::size_t>(count);
    connection.last = now;
  }
  connection.done = true;
}

void ConnectionPool::proceed(Connection& connection, Time now) const {
  if (connection.answer.empty()) receive(connection, now);
  if (!connection.answer.empty()) send(connection, now);
}

bool ConnectionPool::is_over(const Connection& connection, Time now) const {
  return connection.done ||
         now - connection.last > (connection.answer.empty() ? limits_.head : limits_.stall);
}

void ConnectionPool::add(FileDescriptor socket, Time now) {
  Connection connection{.socket = std::move(socket), .last = now, .request = {}, .answer = {}};
  proceed(connection, now);
  if (connection.done) return;
  if (connections_.size() >= limits_.connections) make_room();
  connections_.push_back(std::move(connection));
}

bool ConnectionPool::make_room() {
  const auto least = std::ranges::min_element(connections_, {}, [](const Connection& connection) {
    return std::pair(!connection.answer.empty(), connection.last);
  });
  if (least == connections_.end()) return false;
  connections_.erase(least);
  return true;
}

std::vector<pollfd> ConnectionPool::wishes() const {
  std::vector<pollfd> wishes;
  wishes.reserve(connections_.size() + 1);
  for (const Connection& connection : connections_) {
    const int events = connection.answer.empty() ? POLLIN : POLLOUT;
    wishes.push_back({.fd = connection.socket.get(), .events = static_cast<short>(events), .revents = 0});
  }
  return wishes;
}

void ConnectionPool::proceed(const std::vector<pollfd>& polled, Time now) {
  for (std::size_t i = 0; i < connections_.size(); ++i) {
    if (polled[i].revents != 0) proceed(connections_[i], now);
  }
  std::erase_if(connections_, [&](const Connection& connection) { return is_over(connection, now); });
}

}  // namespace nmt
