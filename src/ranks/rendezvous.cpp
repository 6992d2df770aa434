#include "ranks/rendezvous.h"

#include <arpa/inet.h>
#include <ifaddrs.h>
#include <net/if.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <random>
#include <sstream>

#include "common/error.h"

namespace nmt {
namespace {

using Clock = std::chrono::steady_clock;

constexpr auto kTimeout = std::chrono::seconds(30);
constexpr int kAnswerMilliseconds = 3000;  // time until an address counts as unreachable

/// The first message on a connection, which is sent back as the answer.
struct Greeting {
  std::array<char, 32> number;
  std::int32_t rank;

  bool operator==(const Greeting&) const = default;
};

int milliseconds_until(Clock::time_point end) {
  const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(end - Clock::now()).count();
  return static_cast<int>(std::max<std::int64_t>(left, 0));
}

/// Whether `file` becomes readable or writable within this time.
bool becomes_ready(int file, short events, int milliseconds) {
  pollfd waiting{file, events, 0};
  int count = 0;
  do count = ::poll(&waiting, 1, milliseconds);
  while (count < 0 && errno == EINTR);
  return count > 0;
}

sockaddr_in socket_address(in_addr address, int port) {
  sockaddr_in out{};
  out.sin_family = AF_INET;
  out.sin_addr = address;
  out.sin_port = htons(static_cast<std::uint16_t>(port));
  return out;
}

/// Returns 128 random bits as hexadecimal digits.
std::string random_number() {
  std::random_device device;
  std::string digits;
  while (digits.size() < std::tuple_size_v<decltype(Greeting::number)>)
    digits += fmt::format("{:08x}", device());
  return digits;
}

/// Returns the addresses of all interfaces that are up, loopback addresses last.
std::vector<std::string> addresses_of_machine() {
  ifaddrs* interfaces = nullptr;
  if (::getifaddrs(&interfaces) != 0) return {};
  std::vector<std::string> addresses, own;
  for (const ifaddrs* i = interfaces; i != nullptr; i = i->ifa_next) {
    if (i->ifa_addr == nullptr || i->ifa_addr->sa_family != AF_INET || (i->ifa_flags & IFF_UP) == 0) continue;
    std::array<char, INET_ADDRSTRLEN> text{};
    const auto* address = reinterpret_cast<const sockaddr_in*>(i->ifa_addr);
    ::inet_ntop(AF_INET, &address->sin_addr, text.data(), text.size());
    ((i->ifa_flags & IFF_LOOPBACK) != 0 ? own : addresses).emplace_back(text.data());
  }
  ::freeifaddrs(interfaces);
  addresses.insert(addresses.end(), own.begin(), own.end());
  return addresses;
}

/// Connects to an address; -1, with the reason in errno, if nobody answers.
FileDescriptor connect_to(const sockaddr_in& address) {
  FileDescriptor file(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  if (!file) return {};
  if (::connect(file.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0) {
    if (errno != EINPROGRESS) return {};
    if (!becomes_ready(file.get(), POLLOUT, kAnswerMilliseconds)) {
      errno = ETIMEDOUT;
      return {};
    }
    int error = 0;
    socklen_t size = sizeof error;
    ::getsockopt(file.get(), SOL_SOCKET, SO_ERROR, &error, &size);
    if (error != 0) {
      errno = error;
      return {};
    }
  }
  return file;
}

bool send(int file, const Greeting& greeting) {
  return ::send(file, &greeting, sizeof greeting, MSG_NOSIGNAL) == sizeof greeting;
}

/// Receives a greeting; false if it does not arrive completely before `end`.
bool receive(int file, Greeting& greeting, Clock::time_point end) {
  auto* to = reinterpret_cast<char*>(&greeting);
  for (std::size_t got = 0; got < sizeof greeting;) {
    if (!becomes_ready(file, POLLIN, std::min(milliseconds_until(end), kAnswerMilliseconds))) return false;
    const ssize_t count = ::recv(file, to + got, sizeof greeting - got, 0);
    if (count <= 0) return false;
    got += static_cast<std::size_t>(count);
  }
  return true;
}

}  // namespace

Rendezvous::Rendezvous()
    : listener_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)), number_(random_number()) {
  sockaddr_in any = socket_address({htonl(INADDR_ANY)}, 0);
  socklen_t size = sizeof any;
  auto* const address = reinterpret_cast<sockaddr*>(&any);
  if (!listener_ || ::bind(listener_.get(), address, size) != 0 ||
      ::listen(listener_.get(), SOMAXCONN) != 0 || ::getsockname(listener_.get(), address, &size) != 0)
    throw Error("rank 0 cannot wait for the other ranks: {}", system_message(errno));
  port_ = ntohs(any.sin_port);
}

std::string Rendezvous::address() const {
  std::string text = fmt::format("{} {}", number_, port_);
  for (const std::string& address : addresses_of_machine()) text += " " + address;
  return text;
}

std::vector<FileDescriptor> Rendezvous::accept(const std::vector<std::string>& names) {
  std::vector<FileDescriptor> connections(names.size());
  const Clock::time_point end = Clock::now() + kTimeout;
  for (std::size_t missing = names.size() - 1; missing > 0;) {
    if (!becomes_ready(listener_.get(), POLLIN, milliseconds_until(end))) {
      std::size_t rank = 1;
      while (connections[rank]) ++rank;
      throw Error("{} cannot reach {} over TCP, at port {} there: does a firewall stand between them?",
                  names[rank], names[0], port_);
    }
    FileDescriptor file(::accept4(listener_.get(), nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK));
    Greeting greeting{};
    if (!file || !receive(file.get(), greeting, end)) continue;
    const std::string_view number(greeting.number.data(), greeting.number.size());
    const auto rank = static_cast<std::size_t>(greeting.rank);
    const bool is_known = number == number_ && rank > 0 && rank < names.size() && !connections[rank];
    if (!is_known || !send(file.get(), greeting)) continue;
    connections[rank] = std::move(file);
    --missing;
  }
  return connections;
}

FileDescriptor connect_to_rendezvous(const std::string& address, int rank) {
  std::istringstream text(address);
  std::string number, host, reason = "none of its addresses is known";
  int port = 0;
  text >> number >> port;
  Greeting greeting{.number = {}, .rank = rank};
  number.copy(greeting.number.data(), greeting.number.size());
  while (text >> host) {
    in_addr parsed{};
    if (::inet_pton(AF_INET, host.c_str(), &parsed) != 1) continue;
    FileDescriptor file = connect_to(socket_address(parsed, port));
    Greeting answer{};
    if (file && send(file.get(), greeting) && receive(file.get(), answer, Clock::now() + kTimeout) &&
        answer == greeting)
      return file;
    reason = fmt::format("{}, port {}: {}", host, port, system_message(errno));
  }
  throw Error("rank {} cannot reach rank 0 over TCP: {}; does a firewall stand between them?", rank, reason);
}

}  // namespace nmt
