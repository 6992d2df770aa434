// The service manager that has started a program, as systemd does.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <string_view>

namespace nmt {

/// Tells it how the program is, by datagrams to the socket that the environment names (sd_notify(3)). Where
/// it names none, nothing is told to anybody.
class ServiceManager {
 public:
  /// Reads NOTIFY_SOCKET, WATCHDOG_USEC and WATCHDOG_PID.
  ServiceManager();

  /// `state`: "READY=1", "STOPPING=1".
  void tell(std::string_view state) const;
  /// Says that the program is alive, where that is due: called again and again, it says so twice as often as
  /// the manager asks for.
  void keep_alive();

 private:
  std::string socket_;
  std::optional<std::chrono::microseconds> watchdog_;
  std::chrono::steady_clock::time_point next_;
};

/// The socket that it listens on for this program (socket activation, sd_listen_fds(3)), which is closed in
/// programs that this one calls; nothing where it has none. Throws Error where it has several.
std::optional<int> activation_socket();

}  // namespace nmt
