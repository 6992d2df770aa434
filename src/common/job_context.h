// The environment that a program gives a piece of work: a request to stop, and a log.
#pragma once

#include <exception>

#include "common/log/log.h"

namespace nmt {

/// Work stopped on request, after everything was saved.
class Interrupted : public std::exception {
 public:
  /// `signal`: the signal that requested it (exit code 128 + signal), or another number of the program's
  /// choice.
  explicit Interrupted(int signal) : signal_(signal) {}
  int signal() const { return signal_; }
  const char* what() const noexcept override { return "interrupted"; }

 private:
  int signal_;
};

/// Whether work should stop early; work checks it at least several times a second. A program decides how to
/// request it: by signals (InterruptGuard), or by a button. This base class never does. All members may be
/// called on any thread.
class StopRequest {
 public:
  StopRequest() = default;
  StopRequest(const StopRequest&) = delete;
  StopRequest& operator=(const StopRequest&) = delete;
  virtual ~StopRequest() = default;

  /// Returns the signal, or any number, that requests work to stop; 0: continue.
  virtual int pending() const { return 0; }
  /// Throws Interrupted if work should stop.
  void check() const {
    if (const int signal = pending(); signal != 0) throw Interrupted(signal);
  }

  /// Returns how often the process continued after it was stopped (Ctrl-Z), if known.
  virtual int continued() const { return 0; }
  /// Requests to stop, unless that was requested already, on behalf of other processes of the same work.
  virtual void request(int /*signal*/) {}
  /// Between these calls, work completes something before it stops; see InterruptDeferral.
  virtual void postpone() {}
  virtual void end_postponement() {}
  /// Sets the text that is printed at the moment of a request to stop; see InterruptNotice. Returns the
  /// previous text.
  virtual const char* set_notice(const char* /*text*/) { return nullptr; }

  /// Returns how often work was asked to save its state and continue.
  virtual int save_requests() const { return 0; }
  /// Requests to save, on behalf of other processes of the same work.
  virtual void request_save() {}
};

/// Returns a request that never stops work.
inline StopRequest& never_stopped() {
  static StopRequest never;
  return never;
}

/// Marks work that is completed before stopping, such as an update that is yet to be saved. During its
/// lifetime, waiting for the end takes longer than usual.
class InterruptDeferral {
 public:
  explicit InterruptDeferral(StopRequest& stop) : stop_(stop) { stop_.postpone(); }
  ~InterruptDeferral() { stop_.end_postponement(); }
  InterruptDeferral(const InterruptDeferral&) = delete;
  InterruptDeferral& operator=(const InterruptDeferral&) = delete;

 private:
  StopRequest& stop_;
};

/// Sets what people are told at the moment of a request to stop during its lifetime, such as what happens
/// now.
class InterruptNotice {
 public:
  /// `text` includes its line end and lives as long as the process; null: nothing.
  InterruptNotice(StopRequest& stop, const char* text) : stop_(stop), before_(stop.set_notice(text)) {}
  ~InterruptNotice() { stop_.set_notice(before_); }
  InterruptNotice(const InterruptNotice&) = delete;
  InterruptNotice& operator=(const InterruptNotice&) = delete;

 private:
  StopRequest& stop_;
  const char* before_;
};

/// A request to stop and a log for a piece of work. Both must outlive the work. By default it never stops
/// early and is silent.
struct JobContext {
  StopRequest* stop = &never_stopped();
  Log* log = &silent_log();
};

}  // namespace nmt
