// SIGINT and SIGTERM as a request to finish cleanly.
#pragma once

#include <exception>

namespace nmt {

/// Work was ended by a signal after everything was saved: exit code 128 + signal.
class Interrupted : public std::exception {
 public:
  explicit Interrupted(int signal) : signal_(signal) {}
  int signal() const { return signal_; }
  const char* what() const noexcept override { return "interrupted"; }

 private:
  int signal_;
};

/// While it lives, the first SIGINT or SIGTERM is only remembered; a second one ends the process as usual.
class InterruptGuard {
 public:
  InterruptGuard();
  ~InterruptGuard();
  InterruptGuard(const InterruptGuard&) = delete;
  InterruptGuard& operator=(const InterruptGuard&) = delete;

  /// The signal that came, or 0.
  static int pending();
  /// Throws Interrupted when a signal came.
  static void check();
};

}  // namespace nmt
