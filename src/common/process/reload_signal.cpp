#include "common/process/reload_signal.h"

#include <atomic>
#include <csignal>

namespace nmt {
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

}  // namespace nmt
