// A client of a server on the same thread.
#pragma once

#include <arpa/inet.h>
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/socket.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <functional>
#include <string>
#include <utility>

#include "common/file_descriptor.h"

namespace nmt {

/// Serves until a condition is true; returns false if it does not become true in a long time.
template <class Server>
bool serve_until(Server& server, const std::function<bool()>& is_so) {
  for (int i = 0; i < 60000; ++i) {  // ten minutes, as sanitizers take long
    if (is_so()) return true;
    server.run_for(std::chrono::milliseconds(10));
  }
  return false;
}

class HttpClient {
 public:
  template <class Server>
  explicit HttpClient(Server& server, const std::string& said = "")
      : serve_until_([&server](const auto& is_so) { return serve_until(server, is_so); }),
        socket_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(static_cast<std::uint16_t>(server.port()));
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    EXPECT_EQ(::connect(socket_.get(), reinterpret_cast<sockaddr*>(&address), sizeof address), 0);
    ::fcntl(socket_.get(), F_SETFL, O_NONBLOCK);
    say(said);
  }

  void say(const std::string& text) const {
    std::size_t sent = 0;
    EXPECT_TRUE(serve_until_([&] {
      const ssize_t count = ::send(socket_.get(), text.data() + sent, text.size() - sent, MSG_NOSIGNAL);
      if (count > 0) sent += static_cast<std::size_t>(count);
      return sent == text.size() || (count < 0 && errno != EAGAIN);
    }));
  }
  /// Returns everything received until the connection is closed.
  std::string hear_all() {
    EXPECT_TRUE(serve_until_([this] { return listen(); }));
    return heard_;
  }
  /// Returns what was received once it contains `part`, and forgets it.
  std::string hear(const std::string& part) {
    EXPECT_TRUE(serve_until_([&] { return listen() || heard_.find(part) != std::string::npos; })) << heard_;
    return std::exchange(heard_, "");
  }
  /// Receives what has arrived; returns whether the connection is closed.
  bool listen() {
    std::array<char, 4096> bytes{};
    for (;;) {
      const ssize_t count = ::recv(socket_.get(), bytes.data(), bytes.size(), 0);
      if (count <= 0) return count == 0 || errno != EAGAIN;
      heard_.append(bytes.data(), static_cast<std::size_t>(count));
    }
  }
  /// Returns what was received and not forgotten.
  const std::string& heard() const { return heard_; }
  /// Shuts down the sending side, but continues to receive.
  void shut_down() const { EXPECT_EQ(::shutdown(socket_.get(), SHUT_WR), 0); }
  void leave() { socket_ = FileDescriptor(); }

 private:
  std::function<bool(const std::function<bool()>&)> serve_until_;
  FileDescriptor socket_;
  std::string heard_;
};

}  // namespace nmt
