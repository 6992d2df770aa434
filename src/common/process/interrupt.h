// SIGINT, SIGTERM and SIGHUP as a request to end, which is answered within a second whatever the work. For
// programs: the handling of signals is theirs alone.
#pragma once

#include "common/process/stop_request.h"

namespace nmt {

/// While it lives, the first of these signals is only remembered, so that the work ends by itself where it
/// looks at stop_request(). A process that has not ended half a second later, deep in a matrix product or in
/// a library, is ended by the signal after all, and so is one that gets a second signal; temporary files go
/// with it (TemporaryName). A signal that was ignored when the process began, as under nohup, stays so. One
/// at a time, in main.
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

  /// These signals as work asks for them; while nobody has an InterruptGuard, it never ends.
  static StopRequest& stop_request();
};

}  // namespace nmt
