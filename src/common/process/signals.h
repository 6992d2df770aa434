// Signals that interrupt a program, make it reload, or end it at once.
#pragma once

#include <span>

#include "common/job_context.h"

namespace nmt {

/// Returns the signals that ask a process to stop: those of people and service managers (SIGINT, SIGTERM,
/// SIGHUP, SIGQUIT), and the warnings that batch systems and the kernel send before they kill (SIGUSR1,
/// SIGUSR2, SIGXCPU, SIGVTALRM, SIGPROF, SIGPWR).
std::span<const int> end_signals();

/// During its lifetime, the first of end_signals() is only recorded, so that work ends by itself when it
/// checks stop_request(). If the work has not ended half a second later, deep in a matrix product or a
/// library, the signal ends the process, and so does a second signal; temporary files are removed
/// (TemporaryName). A warning never counts as the second signal, as SIGXCPU comes every second, and after a
/// warning SIGTERM counts as the first. Signals that are ignored (nohup) or have another handler when the
/// process begins keep that. Create one at a time, in main.
class InterruptGuard {
 public:
  InterruptGuard();
  ~InterruptGuard();
  InterruptGuard(const InterruptGuard&) = delete;
  InterruptGuard& operator=(const InterruptGuard&) = delete;

  /// Returns the signal that arrived, or 0.
  static int pending();
  /// Throws Interrupted if a signal arrived.
  static void check();
  /// Returns how often the process continued after it was stopped (Ctrl-Z).
  static int continued();
  /// Acts as if this signal arrived, unless one has already; when it really arrives, it does not count as a
  /// second one. For signals that other processes of the same work report, on any thread.
  static void request(int signal);

  /// Returns the signals as a StopRequest for work; without an InterruptGuard, it never requests to stop.
  static StopRequest& stop_request();
};

/// During its lifetime, SIGUSR1 asks the work to save and continue (StopRequest::save_requests()) instead of
/// stopping. Create one at a time, in main, while there is an InterruptGuard.
class SaveSignal {
 public:
  SaveSignal();
  ~SaveSignal();
  SaveSignal(const SaveSignal&) = delete;
  SaveSignal& operator=(const SaveSignal&) = delete;
};

/// During its lifetime, SIGHUP is counted and has no other effect, even if it was ignored; its former effect
/// is restored afterwards. Create one at a time, in main.
class ReloadSignal {
 public:
  ReloadSignal();
  ~ReloadSignal();
  ReloadSignal(const ReloadSignal&) = delete;
  ReloadSignal& operator=(const ReloadSignal&) = delete;

  /// Whether the signal has arrived since the last call.
  bool take();
};

/// Ends the process at once, whatever its threads are doing, and removes its temporary files. Safe in signal
/// handlers.
[[noreturn]] void end_at_once(int code);

}  // namespace nmt
