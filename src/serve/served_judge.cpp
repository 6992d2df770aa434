#include "serve/served_judge.h"

#include <chrono>
#include <utility>

#include "common/process/resources.h"

namespace nmt {
namespace {

// Until the thread looks again whether an old judge is unused, and without one.
constexpr std::chrono::milliseconds kUntilUnused{50}, kUntilReload{3'600'000};

}  // namespace

ServedJudge::ServedJudge(OpenMetric open, std::size_t capacity, Log& log)
    : open_(std::move(open)),
      capacity_(capacity),
      log_(log),
      thread_([this](const std::stop_token& stop) { work(stop); }) {}

void ServedJudge::reload() {
  const std::lock_guard lock(mutex_);
  is_wanted_ = true;
  changed_.notify_one();
}

void ServedJudge::check() const {
  const std::lock_guard lock(mutex_);
  if (failure_) std::rethrow_exception(failure_);
}

std::shared_ptr<QualityJudge> ServedJudge::take() const {
  const std::lock_guard lock(mutex_);
  return judge_;
}

void ServedJudge::work(const std::stop_token& stop) {
  while (!stop.stop_requested()) {
    bool opens = false;
    {
      std::unique_lock lock(mutex_);
      changed_.wait_for(lock, stop, leaving_.empty() ? kUntilReload : kUntilUnused,
                        [this] { return is_wanted_; });
      opens = std::exchange(is_wanted_, false);
    }
    if (opens && !stop.stop_requested()) open_judge();
    release_unused();
  }
}

void ServedJudge::open_judge() {
  try {
    auto opened = std::make_shared<QualityJudge>(open_(), capacity_);
    const std::lock_guard lock(mutex_);
    if (judge_) leaving_.push_back(std::move(judge_));
    judge_ = std::move(opened);
  } catch (const std::exception& error) {
    const std::lock_guard lock(mutex_);
    if (judge_) {
      log_.warning("the quality model stays as it was: {}", error.what());
    } else {
      failure_ = std::current_exception();
    }
  }
}

void ServedJudge::release_unused() {
  std::vector<std::shared_ptr<QualityJudge>> unused;  // released after the lock
  {
    const std::lock_guard lock(mutex_);
    for (auto& judge : leaving_) {
      if (judge.use_count() == 1) unused.push_back(std::move(judge));
    }
    std::erase(leaving_, nullptr);
  }
  if (unused.empty()) return;
  unused.clear();
  return_freed_memory();
}

}  // namespace nmt
