// The service manager, such as systemd, that has started a program.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <string_view>

namespace nmt {

/// Reports the state of the program by datagrams to the socket named in the environment (sd_notify(3)).
/// Without such a socket, does nothing.
class ServiceManager {
 public:
  /// Reads NOTIFY_SOCKET, WATCHDOG_USEC and WATCHDOG_PID.
  ServiceManager();

  /// Sends a state: "READY=1", "STOPPING=1".
  void tell(std::string_view state) const;
  /// Sends a watchdog message if it is due. Call it repeatedly; it sends twice as often as the manager
  /// requires.
  void keep_alive();

 private:
  std::string socket_;
  std::optional<std::chrono::microseconds> watchdog_;
  std::chrono::steady_clock::time_point next_;
};

/// Returns the socket on which the service manager listens for this program (socket activation,
/// sd_listen_fds(3)); it is not inherited by programs that this one runs. Nothing if there is none. Throws
/// Error if there are several.
std::optional<int> activation_socket();

}  // namespace nmt
