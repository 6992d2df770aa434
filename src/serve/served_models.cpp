#include "serve/served_models.h"

#include <algorithm>
#include <filesystem>
#include <functional>
#include <numeric>
#include <set>
#include <utility>

#include "common/error.h"

namespace nmt {
namespace {

constexpr std::chrono::milliseconds kTick{50}, kIdle{3'600'000};
// In which who has asked for a model takes it; until then it does not make room for others.
constexpr std::chrono::milliseconds kUntilTaken{1000};

std::string seconds_since(std::chrono::steady_clock::time_point begin) {
  const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - begin;
  return fmt::format("{:.1f} s", taken.count());
}

/// Of a model file, or of all files of a folder; 0 for what is not there, as opening it tells.
std::uintmax_t bytes_of(const std::string& path) {
  namespace fs = std::filesystem;
  std::error_code error;
  if (!fs::is_directory(path, error)) {
    const std::uintmax_t size = fs::file_size(path, error);
    return error ? 0 : size;
  }
  std::uintmax_t bytes = 0;
  for (const auto& entry : fs::recursive_directory_iterator(path, error)) {
    if (entry.is_regular_file(error)) bytes += entry.file_size(error);
  }
  return bytes;
}

double mebibytes(std::uintmax_t bytes) {
  return static_cast<double>(bytes) / (1 << 20);
}

}  // namespace

ServedModels::ServedModels(std::vector<ModelSource> sources, const ServingSettings& settings,
                           std::size_t at_once, Log& log)
    : sources_(std::move(sources)), settings_(settings), log_(log), slots_(sources_.size()) {
  std::set<std::string> names;
  for (const ModelSource& source : sources_) {
    if (!names.insert(source.name).second)
      throw UsageError("`model`: two are called '{}'; give one another name, as in NAME=FILE", source.name);
  }
  if (sources_.empty()) throw UsageError("no `model` to serve");
  std::vector<std::uintmax_t> bytes;
  std::uintmax_t open = 0;
  for (std::size_t i = 0; i < slots_.size(); ++i) {
    slots_[i].bytes = settings.memory == 0 ? 0 : bytes_of(model_file(sources_[i].path));
    bytes.push_back(slots_[i].bytes);
    if (open + slots_[i].bytes > settings.memory) continue;
    slots_[i].wanted = ++events_;
    open += slots_[i].bytes;
  }
  std::ranges::sort(bytes, std::greater());
  bytes.resize(std::min(at_once, bytes.size()));
  const std::uintmax_t most = std::accumulate(bytes.begin(), bytes.end(), std::uintmax_t{0});
  if (most > settings.memory) {
    throw UsageError("`memory`: {:.1f} MiB are less than the {:.1f} MiB of the largest {}; give more",
                     mebibytes(settings.memory), mebibytes(most),
                     bytes.size() > 1 ? "two models, which are open at a time with `pivot`" : "model");
  }
  worker_ = std::jthread([this](const std::stop_token& stop) { work(stop); });
}

ServedModels::~ServedModels() {
  worker_ = {};
}

void ServedModels::reload() {
  const std::lock_guard lock(mutex_);
  for (Slot& slot : slots_) {
    if (slot.model && slot.wanted == 0) slot.wanted = ++events_;
  }
  has_changed_ = true;
  changed_.notify_one();
}

void ServedModels::work(const std::stop_token& stop) {
  while (!stop.stop_requested()) {
    std::vector<std::size_t> models;
    {
      std::unique_lock lock(mutex_);
      models = due();
      if (models.empty()) {
        const bool is_idle = leaving_.empty() &&
                             std::ranges::all_of(slots_, [](const Slot& slot) { return slot.wanted == 0; });
        changed_.wait_for(lock, stop, is_idle ? kIdle : kTick, [this] { return has_changed_; });
        models = due();
      }
      has_changed_ = false;
    }
    open_all(models);
    release_unused();
  }
}

std::vector<std::size_t> ServedModels::due() {
  std::vector<std::size_t> wanted, due;
  for (std::size_t i = 0; i < slots_.size(); ++i) {
    if (slots_[i].wanted > 0) wanted.push_back(i);
  }
  std::ranges::sort(wanted, {}, [this](std::size_t i) { return slots_[i].wanted; });
  for (const std::size_t model : wanted) {
    if (slots_[model].model == nullptr && !make_room_for(model, due)) break;
    due.push_back(model);
  }
  return due;
}

bool ServedModels::make_room_for(std::size_t model, const std::vector<std::size_t>& beside) {
  if (settings_.memory == 0) return true;
  std::uintmax_t bytes = slots_[model].bytes;
  for (std::size_t i = 0; i < slots_.size(); ++i) {
    if (slots_[i].model || std::ranges::count(beside, i) > 0) bytes += slots_[i].bytes;
  }
  while (bytes > settings_.memory) {
    const std::size_t last = least_used(beside);
    if (last == slots_.size()) return false;
    log_.info("'{}' makes room for '{}'", sources_[last].name, sources_[model].name);
    bytes -= slots_[last].bytes;
    leaving_.push_back({std::exchange(slots_[last].model, nullptr), slots_[last].bytes});
    slots_[last].wanted = 0;
  }
  for (const Leaving& leaving : leaving_) bytes += leaving.bytes;
  return bytes <= settings_.memory;
}

std::size_t ServedModels::least_used(const std::vector<std::size_t>& beside) const {
  std::size_t least = slots_.size();
  const auto now = Clock::now();
  for (std::size_t i = 0; i < slots_.size(); ++i) {
    const Slot& slot = slots_[i];
    const bool may_go = slot.is_taken || now - slot.opened > kUntilTaken;
    if (!slot.model || !may_go || std::ranges::count(beside, i) > 0) continue;
    if (least == slots_.size() || slot.used < slots_[least].used) least = i;
  }
  return least;
}

void ServedModels::open_all(const std::vector<std::size_t>& models) {
  if (models.empty()) return;
  {
    std::vector<std::jthread> threads;
    threads.reserve(models.size());
    for (const std::size_t model : models) threads.emplace_back([this, model] { open(model); });
  }
  const std::lock_guard lock(mutex_);
  are_ready_ = true;
}

void ServedModels::open(std::size_t model) {
  const ModelSource& source = sources_[model];
  Slot& slot = slots_[model];
  try {
    const auto begin = Clock::now();
    auto opened = std::make_shared<ServedModel>(source, settings_);
    log_.info("'{}' is ready: {} was opened in {}", source.name, source.path, seconds_since(begin));
    const std::lock_guard lock(mutex_);
    if (slot.model) leaving_.push_back({slot.model, slot.bytes});
    slot.model = std::move(opened);
    slot.opened = Clock::now();
    slot.is_taken = false;
    slot.wanted = 0;
  } catch (const std::exception& error) {
    const std::lock_guard lock(mutex_);
    slot.wanted = 0;
    if (slot.model) {
      log_.warning("'{}' stays as it was: {}", source.name, error.what());
    } else if (are_ready_) {
      log_.warning("'{}' was asked for: {}", source.name, error.what());
      slot.failure = std::current_exception();
    } else {
      failure_ = std::current_exception();
    }
  }
}

void ServedModels::release_unused() {
  std::vector<Leaving> unused;  // whose work ends when the lock has been let go of
  const std::lock_guard lock(mutex_);
  for (Leaving& leaving : leaving_) {
    if (leaving.model.use_count() == 1) unused.push_back(std::exchange(leaving, {}));
  }
  std::erase_if(leaving_, [](const Leaving& leaving) { return leaving.model == nullptr; });
}

void ServedModels::check() const {
  const std::lock_guard lock(mutex_);
  if (failure_) std::rethrow_exception(failure_);
}

bool ServedModels::are_ready() const {
  const std::lock_guard lock(mutex_);
  return are_ready_ && !failure_;
}

bool ServedModels::is_open(std::size_t model) const {
  const std::lock_guard lock(mutex_);
  return slots_[model].model != nullptr;
}

ServedModelPtr ServedModels::take(std::size_t model) {
  const std::lock_guard lock(mutex_);
  Slot& slot = slots_[model];
  slot.used = ++events_;
  slot.is_taken = slot.model != nullptr;
  if (!slot.model && slot.wanted == 0) {
    slot.wanted = ++events_;
    slot.failure = nullptr;
    has_changed_ = true;
    changed_.notify_one();
  }
  return slot.model;
}

std::exception_ptr ServedModels::failure_of(std::size_t model) const {
  const std::lock_guard lock(mutex_);
  return slots_[model].failure;
}

}  // namespace nmt
