// SIGINT, SIGTERM and SIGHUP as a request to end, which is answered within a second whatever the work.
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

/// While it lives, the first of these signals is only remembered, so that the work ends by itself where it
/// calls check(). A process that has not ended half a second later, deep in a matrix product or in a library,
/// is ended by the signal after all, and so is one that gets a second signal; temporary files go with it
/// (TemporaryName). A signal that was ignored when the process began, as under nohup, stays so. One at a
/// time, in main.
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
  /// How often the process went on after it had been stopped (Ctrl-Z).
  static int continued();
  /// As if this signal came, unless one has; it may come once yet, which then is not a second one. For what
  /// hears of signals to other processes of the same work, on any thread.
  static void request(int signal);
};

/// Work that is brought to its end first, such as an update that is yet to be saved: while one lives, the
/// half second does not begin.
class Unhurried {
 public:
  Unhurried();
  ~Unhurried();
  Unhurried(const Unhurried&) = delete;
  Unhurried& operator=(const Unhurried&) = delete;
};

/// Work that is given up in its middle, since nothing but itself is lost with it: the gradients of an update.
/// One at a time.
class Abandonable {
 public:
  Abandonable();
  ~Abandonable();
  Abandonable(const Abandonable&) = delete;
  Abandonable& operator=(const Abandonable&) = delete;

  /// Throws Interrupted when a signal came and one lives. For whatever takes long, on any thread.
  static void check();
};

/// What is written to stderr the moment the first signal comes, while one lives, to tell what happens now.
class InterruptNotice {
 public:
  /// `text` has its line end and lives as long as the process; nullptr: nothing.
  explicit InterruptNotice(const char* text);
  ~InterruptNotice();
  InterruptNotice(const InterruptNotice&) = delete;
  InterruptNotice& operator=(const InterruptNotice&) = delete;

 private:
  const char* before_;
};

}  // namespace nmt
