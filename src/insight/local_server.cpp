#include "insight/local_server.h"

#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>

#include <cerrno>
#include <chrono>
#include <cstring>
#include <string>
#include <vector>

#include "common/error.h"
#include "common/interrupt.h"

namespace nmt {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::size_t kLongestHead = 1 << 14;
constexpr std::size_t kMostConnections = 64;
constexpr std::chrono::seconds kPatience{10};
constexpr int kPollMilliseconds = 200;  // less than a signal leaves

/// A browser's connection: it reads one request, writes the answer, and is done.
class Connection {
 public:
  explicit Connection(FileDescriptor socket) : socket_(std::move(socket)) {}

  pollfd wish() const {
    return {
        .fd = socket_.get(), .events = static_cast<short>(answer_.empty() ? POLLIN : POLLOUT), .revents = 0};
  }
  bool is_done() const { return done_ || Clock::now() > end_; }

  /// Goes on as far as it can without waiting.
  void proceed(const DocumentSource& documents) {
    if (answer_.empty()) receive(documents);
    if (!answer_.empty()) send();
  }

 private:
  void receive(const DocumentSource& documents) {
    char bytes[4096];
    const ssize_t count = ::recv(socket_.get(), bytes, sizeof bytes, 0);
    if (count <= 0) {
      done_ = count == 0 || !is_transient();
      return;
    }
    request_.append(bytes, static_cast<std::size_t>(count));
    const std::size_t end = request_.find("\r\n\r\n");
    if (end != std::string::npos) {
      answer_ = http_answer(std::string_view(request_).substr(0, end), documents);
    } else {
      done_ = request_.size() > kLongestHead;
    }
  }

  void send() {
    while (sent_ < answer_.size()) {
      const ssize_t count =
          ::send(socket_.get(), answer_.data() + sent_, answer_.size() - sent_, MSG_NOSIGNAL);
      if (count < 0) {
        done_ = !is_transient();
        return;
      }
      sent_ += static_cast<std::size_t>(count);
    }
    done_ = true;
  }

  static bool is_transient() { return errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR; }

  FileDescriptor socket_;
  std::string request_, answer_;
  std::size_t sent_ = 0;
  bool done_ = false;
  Clock::time_point end_ = Clock::now() + kPatience;
};

sockaddr_in loopback(int port) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(static_cast<std::uint16_t>(port));
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  return address;
}

}  // namespace

LocalServer::LocalServer(int port)
    : listener_(::socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0)) {
  sockaddr_in address = loopback(port);
  auto* const generic = reinterpret_cast<sockaddr*>(&address);
  socklen_t size = sizeof address;
  const int yes = 1;  // a port whose last server has just ended can be taken again
  if (::setsockopt(listener_.get(), SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes) != 0 ||
      ::bind(listener_.get(), generic, size) != 0 || ::listen(listener_.get(), SOMAXCONN) != 0 ||
      ::getsockname(listener_.get(), generic, &size) != 0) {
    throw Error(
        "cannot listen on port {} of 127.0.0.1: {}; choose another with --port, 0 for one that is free", port,
        std::strerror(errno));
  }
  port_ = ntohs(address.sin_port);
}

void LocalServer::serve(const DocumentSource& documents) const {
  std::vector<Connection> connections;
  for (;;) {
    InterruptGuard::check();
    std::erase_if(connections, [](const Connection& connection) { return connection.is_done(); });
    std::vector<pollfd> wishes;
    wishes.reserve(connections.size() + 1);
    for (const Connection& connection : connections) wishes.push_back(connection.wish());
    const bool has_room = connections.size() < kMostConnections;
    wishes.push_back(
        {.fd = listener_.get(), .events = static_cast<short>(has_room ? POLLIN : 0), .revents = 0});
    if (::poll(wishes.data(), wishes.size(), kPollMilliseconds) <= 0) continue;
    for (std::size_t i = 0; i < connections.size(); ++i) {
      if (wishes[i].revents != 0) connections[i].proceed(documents);
    }
    if (wishes.back().revents == 0) continue;
    FileDescriptor socket(::accept4(listener_.get(), nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC));
    if (socket) connections.emplace_back(std::move(socket));
  }
}

}  // namespace nmt
