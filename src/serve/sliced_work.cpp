#include "serve/sliced_work.h"

#include <utility>

namespace nmt {

SlicedWork::SlicedWork() : thread_([this](const std::stop_token& stop) { work(stop); }) {}

SlicedWork::~SlicedWork() {
  thread_ = {};
}

void SlicedWork::add(Slice slice) {
  const std::lock_guard lock(mutex_);
  pieces_.push_back(std::move(slice));
  changed_.notify_one();
}

void SlicedWork::work(const std::stop_token& stop) {
  for (;;) {
    Slice slice;
    {
      std::unique_lock lock(mutex_);
      if (!changed_.wait(lock, stop, [this] { return !pieces_.empty(); })) return;
      if (stop.stop_requested()) return;
      slice = std::move(pieces_.front());
      pieces_.pop_front();
    }
    if (slice()) add(std::move(slice));
  }
}

}  // namespace nmt
