// Signals as requests to end, which are answered within a second whatever the work, or to save. For programs:
// a library leaves signals alone.
#pragma once

#include <span>

#include "common/process/stop_request.h"

namespace nmt {

/// The signals that ask a process to end: those of people and service managers (SIGINT, SIGTERM, SIGHUP,
/// SIGQUIT), and the warnings that batch systems and the kernel give before they kill (SIGUSR1, SIGUSR2,
/// SIGXCPU, SIGVTALRM, SIGPROF, SIGPWR).
std::span<const int> end_signals();

/// While it lives, the first of the end_signals() is only remembered, so that the work ends by itself where
/// it looks at stop_request(). The signal ends a process after all that has not ended half a second later,
/// deep in a matrix product or in a library, and so does a second signal; temporary files are removed
/// (TemporaryName). Warnings are patient: a warning is never the second signal, for SIGXCPU comes every
/// second, and after a warning SIGTERM is the first. A signal that is ignored (nohup) or has another handler
/// when the process begins keeps that. One at a time, in main.
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
  /// As if this signal came, unless one has come; it may come once yet, which then is not a second one. For
  /// what hears of signals to other processes of the same work, on any thread.
  static void request(int signal);

  /// These signals as work asks for them; while nobody has an InterruptGuard, it never ends.
  static StopRequest& stop_request();
};

/// While it lives, SIGUSR1 asks the work to save and go on (StopRequest::save_requests()), and not to end.
/// One at a time, in main, while there is an InterruptGuard.
class SaveSignal {
 public:
  SaveSignal();
  ~SaveSignal();
  SaveSignal(const SaveSignal&) = delete;
  SaveSignal& operator=(const SaveSignal&) = delete;
};

}  // namespace nmt
