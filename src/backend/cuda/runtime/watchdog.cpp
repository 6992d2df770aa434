#include "backend/cuda/runtime/watchdog.h"

#include <fmt/format.h>

#include <utility>

namespace nmt::cuda {
namespace {

constexpr const char* kHowToGoOn = "; the same command continues a run from its last checkpoint";

}  // namespace

GpuWatchdog::GpuWatchdog(std::string gpu, Timeout timeout, std::function<void(const std::string&)> tell)
    : gpu_(std::move(gpu)), timeout_(timeout), tell_(std::move(tell)) {
  thread_ = std::thread([this] { serve(); });
}

GpuWatchdog::~GpuWatchdog() {
  {
    const std::lock_guard lock(guard_);
    stops_ = true;
  }
  stopped_.notify_all();
  thread_.join();
}

void GpuWatchdog::monitor(const ProgressCounter* progress_counter) {
  const std::lock_guard lock(guard_);
  progress_counter_ = progress_counter;
}

void GpuWatchdog::serve() {
  std::unique_lock lock(guard_);
  while (!stopped_.wait_for(lock, timeout_.beat, [this] { return stops_; })) look();
}

void GpuWatchdog::look() {
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

std::string GpuWatchdog::hang(bool waits_for_others, int beats) const {
  const auto time = std::chrono::duration_cast<std::chrono::seconds>(beats * timeout_.beat).count();
  const std::string what =
      waits_for_others
          ? fmt::format(
                "{} has waited for the GPUs of other ranks for {} seconds; NCCL_DEBUG=INFO may show why",
                gpu_, time)
          : fmt::format("{} hangs: no progress for {} seconds; dmesg may show why (Xid)", gpu_, time);
  return what + kHowToGoOn;
}

void GpuWatchdog::tell_of_error() {
  if (told_of_error_ || progress_counter_ == nullptr || !progress_counter_->error) return;
  const std::string error = progress_counter_->error();
  if (error.empty()) return;
  told_of_error_ = true;
  tell_(fmt::format("{} has lost the GPUs of other ranks: {}; NCCL_DEBUG=INFO may show more", gpu_, error) +
        kHowToGoOn);
}

}  // namespace nmt::cuda
