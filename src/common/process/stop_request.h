// Requests that work end early, or save what it has.
#pragma once

#include <exception>

namespace nmt {

/// Work was ended because it was asked to, after everything was saved.
class Interrupted : public std::exception {
 public:
  /// `signal`: which one asked for it (exit code 128 + signal), or another number of the program's choice.
  explicit Interrupted(int signal) : signal_(signal) {}
  int signal() const { return signal_; }
  const char* what() const noexcept override { return "interrupted"; }

 private:
  int signal_;
};

/// Whether work is to end early, which it asks at least several times a second. A program says so as it
/// likes: by signals (InterruptGuard), or by a button. This one by itself never does. All of it may be called
/// by any thread.
class StopRequest {
 public:
  StopRequest() = default;
  StopRequest(const StopRequest&) = delete;
  StopRequest& operator=(const StopRequest&) = delete;
  virtual ~StopRequest() = default;

  /// The signal, or whatever number, that asks work to end; 0: it is to go on.
  virtual int pending() const { return 0; }
  /// Throws Interrupted when work is to end.
  void check() const;

  /// How often the process went on after it had been stopped (Ctrl-Z), where that is known.
  virtual int continued() const { return 0; }
  /// Asks for the end, unless that was asked already: on behalf of other processes of the same work.
  virtual void request(int /*signal*/) {}
  /// Between these, work brings something to its end first; see InterruptDeferral.
  virtual void postpone() {}
  virtual void end_postponement() {}
  /// What is told the moment that the end is asked for; see InterruptNotice. Returns what it was before.
  virtual const char* set_notice(const char* /*text*/) { return nullptr; }

  /// How often work was asked to save what it has and go on.
  virtual int save_requests() const { return 0; }
  /// Asks for that, on behalf of other processes of the same work.
  virtual void request_save() {}
};

/// The one that never says so.
StopRequest& never_stopped();

/// Work that is brought to its end first, such as an update that is yet to be saved: while one lives, whoever
/// waits for the end is to have patience.
class InterruptDeferral {
 public:
  explicit InterruptDeferral(StopRequest& stop) : stop_(stop) { stop_.postpone(); }
  ~InterruptDeferral() { stop_.end_postponement(); }
  InterruptDeferral(const InterruptDeferral&) = delete;
  InterruptDeferral& operator=(const InterruptDeferral&) = delete;

 private:
  StopRequest& stop_;
};

/// What people are told the moment that work is asked to end, while one lives: what happens now.
class InterruptNotice {
 public:
  /// `text` has its line end and lives as long as the process; nullptr: nothing.
  InterruptNotice(StopRequest& stop, const char* text) : stop_(stop), before_(stop.set_notice(text)) {}
  ~InterruptNotice() { stop_.set_notice(before_); }
  InterruptNotice(const InterruptNotice&) = delete;
  InterruptNotice& operator=(const InterruptNotice&) = delete;

 private:
  StopRequest& stop_;
  const char* before_;
};

}  // namespace nmt
