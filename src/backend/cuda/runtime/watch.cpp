#include "backend/cuda/runtime/watch.h"

#include <fmt/format.h>

#include <utility>

namespace nmt::cuda {

CardWatch::CardWatch(std::string card, Patience patience, std::function<void(const std::string&)> tell)
    : card_(std::move(card)), patience_(patience), tell_(std::move(tell)) {
  thread_ = std::thread([this] { serve(); });
}

CardWatch::~CardWatch() {
  {
    const std::lock_guard lock(guard_);
    stops_ = true;
  }
  stopped_.notify_all();
  thread_.join();
}

void CardWatch::follow(const Milestones* milestones) {
  const std::lock_guard lock(guard_);
  milestones_ = milestones;
}

void CardWatch::serve() {
  std::unique_lock lock(guard_);
  while (!stopped_.wait_for(lock, patience_.beat, [this] { return stops_; })) look();
}

void CardWatch::look() {
  Progress now{.returns = returns_};
  bool is_busy = calls_ > 0;
  if (milestones_ != nullptr) {
    now.milestone = std::atomic_ref(*milestones_->reached).load();
    is_busy = is_busy || now.milestone != milestones_->asked;
  }
  if (!is_busy || now != before_) {
    before_ = now;
    silent_beats_ = 0;
    return;
  }
  const bool waits_for_others = now.milestone % 2 == 1;
  const int most = waits_for_others ? 2 * patience_.beats : patience_.beats;
  if (++silent_beats_ == most) tell_(failure(waits_for_others, most));
}

std::string CardWatch::failure(bool waits_for_others, int beats) const {
  const auto time = std::chrono::duration_cast<std::chrono::seconds>(beats * patience_.beat).count();
  const std::string what =
      waits_for_others
          ? fmt::format(
                "{} has waited for the cards of other ranks for {} seconds; NCCL_DEBUG=INFO may tell why",
                card_, time)
          : fmt::format(
                "{} hangs: it has done nothing of what it is to do for {} seconds; dmesg may tell why (Xid)",
                card_, time);
  return what + "; a run goes on by the same command from what was saved last";
}

}  // namespace nmt::cuda
