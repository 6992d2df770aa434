// A terminal in place of a standard stream, and the text that it shows.
#pragma once

#include <fcntl.h>
#include <poll.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>

#include <array>
#include <cstdlib>
#include <stdexcept>
#include <string>

namespace nmt {

/// During its lifetime, the stream (standard error) is a terminal, and TERM and NO_COLOR have neutral values.
class Terminal {
 public:
  explicit Terminal(unsigned short columns, int stream = STDERR_FILENO)
      : stream_(stream), screen_(::posix_openpt(O_RDWR | O_NOCTTY)) {
    if (::grantpt(screen_) != 0 || ::unlockpt(screen_) != 0) throw std::runtime_error("no pseudo-terminal");
    const int line = ::open(::ptsname(screen_), O_RDWR | O_NOCTTY);
    termios modes{};
    ::tcgetattr(line, &modes);
    modes.c_oflag &= ~static_cast<tcflag_t>(OPOST);  // keeps a line end one character
    ::tcsetattr(line, TCSANOW, &modes);
    ::dup2(line, stream_);
    ::close(line);
    resize(columns);
    ::setenv("TERM", "xterm", 1);
    ::unsetenv("NO_COLOR");
  }
  ~Terminal() {
    ::dup2(saved_, stream_);
    ::close(saved_);
    ::close(screen_);
  }
  Terminal(const Terminal&) = delete;
  Terminal& operator=(const Terminal&) = delete;

  void resize(unsigned short columns) const {
    winsize size{};
    size.ws_row = 24;
    size.ws_col = columns;
    ::ioctl(screen_, TIOCSWINSZ, &size);
  }

  /// Returns what was written since the last call.
  std::string read() const {
    std::string text;
    std::array<char, 4096> buffer{};
    for (pollfd ready{screen_, POLLIN, 0}; ::poll(&ready, 1, 0) > 0;) {
      const ssize_t count = ::read(screen_, buffer.data(), buffer.size());
      if (count <= 0) break;
      text.append(buffer.data(), static_cast<std::size_t>(count));
    }
    return text;
  }

 private:
  int stream_, screen_;
  int saved_ = ::dup(stream_);
};

}  // namespace nmt
