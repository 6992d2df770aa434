#include "serve/served_models.h"

#include <algorithm>
#include <chrono>
#include <set>
#include <utility>

#include "common/error.h"

namespace nmt {
namespace {

constexpr std::chrono::milliseconds kReleaseTick{50}, kIdle{3'600'000};

std::string seconds_since(std::chrono::steady_clock::time_point begin) {
  const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - begin;
  return fmt::format("{:.1f} s", taken.count());
}

}  // namespace

ServedModels::ServedModels(std::vector<ModelSource> sources, const ServingSettings& settings, Log& log)
    : sources_(std::move(sources)), settings_(settings), log_(log), models_(sources_.size()) {
  std::set<std::string> names;
  for (const ModelSource& source : sources_) {
    if (!names.insert(source.name).second)
      throw UsageError("`model`: two are called '{}'; give one another name, as in NAME=FILE", source.name);
  }
  if (sources_.empty()) throw UsageError("no `model` to serve");
  worker_ = std::jthread([this](const std::stop_token& stop) { work(stop); });
}

ServedModels::~ServedModels() {
  worker_ = {};
}

void ServedModels::reload() {
  const std::lock_guard lock(mutex_);
  is_asked_ = true;
  changed_.notify_one();
}

void ServedModels::work(const std::stop_token& stop) {
  while (!stop.stop_requested()) {
    bool is_asked = false;
    {
      std::unique_lock lock(mutex_);
      changed_.wait_for(lock, stop, replaced_.empty() ? kIdle : kReleaseTick, [this] { return is_asked_; });
      is_asked = std::exchange(is_asked_, false);
    }
    if (is_asked) open_all();
    release_unused();
  }
}

void ServedModels::open_all() {
  std::vector<std::jthread> threads;
  for (std::size_t i = 0; i < sources_.size(); ++i) threads.emplace_back([this, i] { open(i); });
}

void ServedModels::open(std::size_t model) {
  const ModelSource& source = sources_[model];
  try {
    const auto begin = std::chrono::steady_clock::now();
    auto opened = std::make_shared<ServedModel>(source, settings_);
    log_.info("'{}' is ready: {} was opened in {}", source.name, source.path, seconds_since(begin));
    const std::lock_guard lock(mutex_);
    if (models_[model]) replaced_.push_back(models_[model]);
    models_[model] = std::move(opened);
  } catch (const std::exception& error) {
    const std::lock_guard lock(mutex_);
    if (models_[model] == nullptr) {
      failure_ = std::current_exception();
    } else {
      log_.warning("'{}' stays as it was: {}", source.name, error.what());
    }
  }
}

void ServedModels::release_unused() {
  std::vector<ServedModelPtr> unused;  // whose work ends when the lock has been let go of
  const std::lock_guard lock(mutex_);
  for (ServedModelPtr& model : replaced_) {
    if (model.use_count() == 1) unused.push_back(std::move(model));
  }
  std::erase(replaced_, nullptr);
}

void ServedModels::check() const {
  const std::lock_guard lock(mutex_);
  if (failure_) std::rethrow_exception(failure_);
}

bool ServedModels::are_ready() const {
  const std::lock_guard lock(mutex_);
  return std::ranges::none_of(models_, [](const ServedModelPtr& model) { return model == nullptr; });
}

ServedModelPtr ServedModels::take(std::size_t model) const {
  const std::lock_guard lock(mutex_);
  return models_[model];
}

}  // namespace nmt
