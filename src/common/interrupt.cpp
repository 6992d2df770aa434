#include "common/interrupt.h"

#include <csignal>
#include <initializer_list>

namespace nmt {
namespace {

volatile std::sig_atomic_t pending_signal = 0;

void remember(int signal) {
  pending_signal = signal;
}

void set_handler(int signal, void (*handler)(int), int flags) {
  struct sigaction action {};
  action.sa_handler = handler;
  action.sa_flags = flags;
  sigaction(signal, &action, nullptr);
}

}  // namespace

InterruptGuard::InterruptGuard() {
  pending_signal = 0;
  for (const int signal : {SIGINT, SIGTERM}) set_handler(signal, remember, static_cast<int>(SA_RESETHAND));
}

InterruptGuard::~InterruptGuard() {
  for (const int signal : {SIGINT, SIGTERM}) set_handler(signal, SIG_DFL, 0);
}

int InterruptGuard::pending() {
  return pending_signal;
}

void InterruptGuard::check() {
  if (const int signal = pending(); signal != 0) throw Interrupted(signal);
}

}  // namespace nmt
