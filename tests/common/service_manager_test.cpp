#include "common/process/service_manager.h"

#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <array>
#include <cstdlib>
#include <cstring>

#include "common/error.h"
#include "common/file_descriptor.h"
#include "common/temporary_folder.h"

namespace nmt {
namespace {

/// Sets variables of the environment during its lifetime.
class Environment {
 public:
  Environment(const std::string& socket, const std::string& watchdog) {
    ::setenv("NOTIFY_SOCKET", socket.c_str(), 1);
    ::setenv("WATCHDOG_USEC", watchdog.c_str(), 1);
  }
  ~Environment() {
    ::unsetenv("NOTIFY_SOCKET");
    ::unsetenv("WATCHDOG_USEC");
  }
  Environment(const Environment&) = delete;
  Environment& operator=(const Environment&) = delete;
};

TEST(ServiceManager, HearsHowTheProgramIs) {
  const TemporaryFolder folder;
  const std::string path = folder / "socket";
  const FileDescriptor socket(::socket(AF_UNIX, SOCK_DGRAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  ASSERT_LT(path.size(), sizeof address.sun_path);
  std::memcpy(address.sun_path, path.data(), path.size());
  ASSERT_EQ(::bind(socket.get(), reinterpret_cast<sockaddr*>(&address), sizeof address), 0);
  const auto heard = [&socket] {
    std::array<char, 100> text{};
    const ssize_t count = ::recv(socket.get(), text.data(), text.size(), 0);
    return std::string(text.data(), count < 0 ? 0 : static_cast<std::size_t>(count));
  };
  const Environment environment(path, "1000000000");
  ServiceManager manager;
  manager.tell("READY=1");
  EXPECT_EQ(heard(), "READY=1");
  manager.keep_alive();
  EXPECT_EQ(heard(), "WATCHDOG=1");
  manager.keep_alive();
  EXPECT_EQ(heard(), "") << "too early";
}

TEST(ServiceManager, HandsASocketOver) {
  EXPECT_EQ(activation_socket(), std::nullopt);
  ::setenv("LISTEN_FDS", "1", 1);
  ::setenv("LISTEN_PID", "1", 1);
  EXPECT_EQ(activation_socket(), std::nullopt) << "that of another process";
  ::setenv("LISTEN_PID", std::to_string(::getpid()).c_str(), 1);
  EXPECT_EQ(activation_socket(), 3);
  ::setenv("LISTEN_FDS", "2", 1);
  EXPECT_THROW(activation_socket(), Error);
  ::unsetenv("LISTEN_FDS");
  ::unsetenv("LISTEN_PID");
}

}  // namespace
}  // namespace nmt
