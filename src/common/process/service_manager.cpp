#include "common/process/service_manager.h"

#include <fcntl.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>

#include "common/error.h"
#include "common/file_descriptor.h"
#include "common/text/number.h"

namespace nmt {
namespace {

std::string variable(const char* name) {
  const char* const value = std::getenv(name);
  return value == nullptr ? "" : value;
}

}  // namespace

ServiceManager::ServiceManager() : socket_(variable("NOTIFY_SOCKET")) {
  const std::string pid = variable("WATCHDOG_PID");
  const auto period = number_of<std::int64_t>(variable("WATCHDOG_USEC"));
  if (period && *period > 0 && (pid.empty() || number_of<pid_t>(pid) == ::getpid()))
    watchdog_ = std::chrono::microseconds(*period);
}

void ServiceManager::tell(std::string_view state) const {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  if (socket_.empty() || socket_.size() >= sizeof address.sun_path) return;
  std::memcpy(address.sun_path, socket_.data(), socket_.size());
  if (address.sun_path[0] == '@') address.sun_path[0] = '\0';  // abstract namespace
  const FileDescriptor file(::socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0));
  const auto size = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + socket_.size());
  // A failure is ignored: a manager that does not listen misses the notice that it asked for.
  ::sendto(file.get(), state.data(), state.size(), MSG_NOSIGNAL, reinterpret_cast<const sockaddr*>(&address),
           size);
}

void ServiceManager::keep_alive() {
  const auto now = std::chrono::steady_clock::now();
  if (!watchdog_ || now < next_) return;
  tell("WATCHDOG=1");
  next_ = now + *watchdog_ / 2;
}

std::optional<int> activation_socket() {
  constexpr int kFirst = 3;  // SD_LISTEN_FDS_START
  const auto count = number_of<int>(variable("LISTEN_FDS"));
  if (!count || *count < 1 || number_of<pid_t>(variable("LISTEN_PID")) != ::getpid()) return std::nullopt;
  if (*count > 1)
    throw Error("the service manager listens on {} sockets (LISTEN_FDS), but one is served; name one",
                *count);
  ::fcntl(kFirst, F_SETFD, FD_CLOEXEC);
  return kFirst;
}

}  // namespace nmt
