#include "insight/local_server.h"

#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>

#include <cerrno>
#include <chrono>
#include <cstring>
#include <utility>
#include <vector>

#include "common/error.h"
#include "common/process/interrupt.h"

namespace nmt {
namespace {

constexpr int kPollMilliseconds = 200;  // less than a signal leaves

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
        "cannot listen on port {} of 127.0.0.1: {}; choose another with `port`, 0 for one that is free", port,
        std::strerror(errno));
  }
  port_ = ntohs(address.sin_port);
}

bool LocalServer::accept(ConnectionPool& connections) const {
  FileDescriptor socket(::accept4(listener_.get(), nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC));
  if (socket) {
    connections.add(std::move(socket), std::chrono::steady_clock::now());
    return true;
  }
  const bool lacks_descriptors = errno == EMFILE || errno == ENFILE || errno == ENOBUFS || errno == ENOMEM;
  return !lacks_descriptors || connections.make_room();
}

void LocalServer::serve(const DocumentSource& documents) const {
  ConnectionPool connections(documents);
  bool can_accept = true;
  for (;;) {
    InterruptGuard::check();
    std::vector<pollfd> polled = connections.wishes();
    // Without a descriptor to spare, one that waits would end the poll at once, again and again.
    const int wish = can_accept ? POLLIN : 0;
    polled.push_back({.fd = listener_.get(), .events = static_cast<short>(wish), .revents = 0});
    if (::poll(polled.data(), polled.size(), kPollMilliseconds) < 0) continue;
    connections.proceed(polled, std::chrono::steady_clock::now());
    can_accept = polled.back().revents == 0 || accept(connections);
  }
}

}  // namespace nmt
