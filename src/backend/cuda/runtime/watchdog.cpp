#include "backend/cuda/runtime/watchdog.h"

#include <fmt/format.h>

#include <utility>

namespace nmt::cuda {
namespace {

constexpr const char* kHowToGoOn = "; a run goes on by the same command from what was saved last";

}  // namespace

CardWatchdog::CardWatchdog(std::string card, Timeout timeout, std::function<void(const std::string&)> tell)
    : card_(std::move(card)), timeout_(timeout), tell_(std::move(tell)) {
  thread_ = std::thread([this] { serve(); });
}

CardWatchdog::~CardWatchdog() {
  {
    const std::lock_guard lock(guard_);
    stops_ = true;
  }
  stopped_.notify_all();
  thread_.join();
}

void CardWatchdog::monitor(const ProgressCounter* progress_counter) {
  const std::lock_guard lock(guard_);
  progress_counter_ = progress_counter;
}

void CardWatchdog::serve() {
  std::unique_lock lock(guard_);
  while (!stopped_.wait_for(lock, timeout_.beat, [this] { return stops_; })) look();
}

void CardWatchdog::look() {
  tell_of_error();
  Progress now{.returns = returns_};
  bool is_busy = calls_ > 0;
  if (progress_counter_ != nullptr) {
    now.counter = std::atomic_ref(*progress_counter_->reached).load();
    is_busy = is_busy || now.counter != progress_counter_->asked;
  }
  if (!is_busy || now != before_) {
    before_ = now;
    silent_beats_ = 0;
    return;
  }
  const bool waits_for_others = now.counter % 2 == 1;
  const int most = waits_for_others ? 2 * timeout_.beats : timeout_.beats;
  if (++silent_beats_ == most) tell_(hang(waits_for_others, most));
}

std::string CardWatchdog::hang(bool waits_for_others, int beats) const {
  const auto time = std::chrono::duration_cast<std::chrono::seconds>(beats * timeout_.beat).count();
  const std::string what =
      waits_for_others
          ? fmt::format(
                "{} has waited for the cards of other ranks for {} seconds; NCCL_DEBUG=INFO may tell why",
                card_, time)
          : fmt::format(
                "{} hangs: it has done nothing of what it is to do for {} seconds; dmesg may tell why (Xid)",
                card_, time);
  return what + kHowToGoOn;
}

void CardWatchdog::tell_of_error() {
  if (told_of_error_ || progress_counter_ == nullptr || !progress_counter_->error) return;
  const std::string error = progress_counter_->error();
  if (error.empty()) return;
  told_of_error_ = true;
  tell_(fmt::format("{} has lost the cards of other ranks: {}; NCCL_DEBUG=INFO may tell more", card_, error) +
        kHowToGoOn);
}

}  // namespace nmt::cuda
