#include "common/process/signals.h"

#include <sys/prctl.h>
#include <sys/time.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <ctime>

#include "common/file_descriptor.h"
#include "common/io/temporary_name.h"

namespace nmt {
namespace {

constexpr std::array kSignals = {SIGINT,  SIGTERM, SIGHUP,    SIGQUIT, SIGUSR1,
                                 SIGUSR2, SIGXCPU, SIGVTALRM, SIGPROF, SIGPWR};
constexpr std::array kWarnings = {SIGUSR1, SIGUSR2, SIGXCPU, SIGVTALRM, SIGPROF, SIGPWR};
constexpr suseconds_t kTickMicroseconds = 100'000;
constexpr int kGraceTicks = 5;
constexpr std::int64_t kEchoNanoseconds = 100'000'000;

// State used by the signal handlers and by threads.
static_assert(std::atomic<int>::is_always_lock_free && std::atomic<std::int64_t>::is_always_lock_free &&
              std::atomic<const char*>::is_always_lock_free && std::atomic<bool>::is_always_lock_free);
std::atomic<int> pending_signal = 0, deferrals = 0, ticks = 0, continuations = 0, saves = 0;
std::atomic<std::int64_t> pending_since = 0;  // monotonic clock, in nanoseconds
std::atomic<pid_t> pending_sender = 0;        // the sending process; 0: none
std::atomic<const char*> notice = nullptr;
std::atomic<bool> is_patient = false;  // the next signal does not count as the second

void set_handler(int signal, void (*handler)(int), int flags) {
  struct sigaction action {};
  action.sa_handler = handler;
  action.sa_flags = flags;
  sigaction(signal, &action, nullptr);
}

void set_timer(suseconds_t microseconds) {
  itimerval timer{};
  timer.it_value.tv_usec = timer.it_interval.tv_usec = microseconds;
  setitimer(ITIMER_REAL, &timer, nullptr);
}

/// Ends the process as the signal would have done, at the latest when the handler returns.
void end(int signal) {
  remove_temporary_files();
  if (*kept_note() != '\0') {
    for (const char* part : {"warning: ended by a signal", kept_note(), "\n"}) try_write(STDERR_FILENO, part);
  }
  // SIGXCPU leaves no core file, as nothing is wrong; people who send SIGQUIT want one.
  if (signal != SIGQUIT) prctl(PR_SET_DUMPABLE, 0);
  set_handler(signal, SIG_DFL, 0);
  raise(signal);
}

std::int64_t now() {
  timespec time{};
  ::clock_gettime(CLOCK_MONOTONIC, &time);
  return time.tv_sec * std::int64_t{1'000'000'000} + time.tv_nsec;
}

/// Whether this is the pending signal again: timeout(1) sends one to its child, and then to the process
/// group.
bool is_echo(const siginfo_t& info) {
  return info.si_signo == pending_signal && info.si_code == SI_USER && info.si_pid == pending_sender &&
         now() - pending_since < kEchoNanoseconds;
}

/// Records a signal, unless one is pending.
bool take(int signal) {
  int none = 0;
  if (!pending_signal.compare_exchange_strong(none, signal)) return false;
  pending_since = now();
  set_timer(kTickMicroseconds);
  if (const char* text = notice) {
    [[maybe_unused]] const auto written = ::write(STDERR_FILENO, text, std::strlen(text));
  }
  return true;
}

bool is_warning(int signal) {
  return std::ranges::find(kWarnings, signal) != kWarnings.end();
}

void on_signal(int signal, siginfo_t* info, void* /*context*/) {
  const int error = errno;
  if (take(signal)) {
    pending_sender = info->si_code == SI_USER && info->si_pid != ::getpid() ? info->si_pid : 0;
    if (is_warning(signal)) is_patient = true;
  } else if (!is_warning(signal) && !is_echo(*info) && !is_patient.exchange(false)) {
    end(signal);
  }
  errno = error;
}

void on_save(int) {
  ++saves;
}

void on_tick(int) {
  const int error = errno;
  ticks = deferrals > 0 ? 0 : ticks + 1;
  if (ticks == kGraceTicks) end(pending_signal);
  errno = error;
}

void on_continue(int) {
  ++continuations;
}

/// Returns the action of the process on a signal.
struct sigaction action_on(int signal) {
  struct sigaction action {};
  sigaction(signal, nullptr, &action);
  return action;
}

bool has_handler(int signal, void (*handler)(int)) {
  const struct sigaction action = action_on(signal);
  return (action.sa_flags & SA_SIGINFO) == 0 && action.sa_handler == handler;
}

/// Whether on_signal() handles a signal.
bool is_taken(int signal) {
  const struct sigaction action = action_on(signal);
  return (action.sa_flags & SA_SIGINFO) != 0 && action.sa_sigaction == on_signal;
}

void have_taken(int signal) {
  struct sigaction action {};
  action.sa_sigaction = on_signal;
  action.sa_flags = SA_SIGINFO;
  sigaction(signal, &action, nullptr);
}

class SignalRequest final : public StopRequest {
 public:
  int pending() const override { return InterruptGuard::pending(); }
  int continued() const override { return InterruptGuard::continued(); }
  void request(int signal) override { InterruptGuard::request(signal); }
  void postpone() override { ++deferrals; }
  void end_postponement() override { --deferrals; }
  const char* set_notice(const char* text) override { return notice.exchange(text); }
  int save_requests() const override { return saves; }
  void request_save() override { ++saves; }
};

}  // namespace

std::span<const int> end_signals() {
  return kSignals;
}

InterruptGuard::InterruptGuard() {
  pending_signal = 0;
  is_patient = false;
  ticks = 0;
  own_temporary_files();
  set_handler(SIGALRM, on_tick, SA_RESTART);
  set_handler(SIGCONT, on_continue, SA_RESTART);
  for (const int signal : kSignals) {
    // Without SA_RESTART, so that the signal interrupts waits for input or for a reader.
    if (has_handler(signal, SIG_DFL)) have_taken(signal);
  }
}

InterruptGuard::~InterruptGuard() {
  set_timer(0);
  for (const int signal : kSignals) {
    if (is_taken(signal)) set_handler(signal, SIG_DFL, 0);
  }
  set_handler(SIGALRM, SIG_DFL, 0);
  set_handler(SIGCONT, SIG_DFL, 0);
  pending_signal = 0;
}

int InterruptGuard::pending() {
  return pending_signal;
}

void InterruptGuard::check() {
  stop_request().check();
}

int InterruptGuard::continued() {
  return continuations;
}

void InterruptGuard::request(int signal) {
  if (pending_signal != 0) return;
  is_patient = true;
  if (!take(signal)) is_patient = false;
}

StopRequest& InterruptGuard::stop_request() {
  static SignalRequest signals;
  return signals;
}

SaveSignal::SaveSignal() {
  if (is_taken(SIGUSR1)) set_handler(SIGUSR1, on_save, SA_RESTART);
}

SaveSignal::~SaveSignal() {
  if (has_handler(SIGUSR1, on_save)) have_taken(SIGUSR1);
}

namespace {

std::atomic<bool> has_come = false;
static_assert(std::atomic<bool>::is_always_lock_free);
struct sigaction previous_action;

void on_hangup(int) {
  has_come = true;
}

}  // namespace

ReloadSignal::ReloadSignal() {
  struct sigaction action {};
  action.sa_handler = on_hangup;
  action.sa_flags = SA_RESTART;
  sigaction(SIGHUP, &action, &previous_action);
}

ReloadSignal::~ReloadSignal() {
  sigaction(SIGHUP, &previous_action, nullptr);
}

bool ReloadSignal::take() {
  return has_come.exchange(false);
}

void end_at_once(int code) {
  remove_temporary_files();
  std::_Exit(code);
}

}  // namespace nmt
