#include "serve/served_models.h"

#include <algorithm>
#include <filesystem>
#include <functional>
#include <numeric>
#include <set>
#include <utility>

#include "common/error.h"
#include "common/process/resources.h"
#include "common/text/spelling.h"

namespace nmt {
namespace {

constexpr std::chrono::milliseconds kTick{50}, kIdle{3'600'000};
// The time for a client to take a model that it asked for, during which the model is not closed for others.
constexpr std::chrono::milliseconds kUntilTaken{1000};
constexpr std::size_t kNamesInLogs = 4;

std::string seconds_since(std::chrono::steady_clock::time_point begin) {
  const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - begin;
  return fmt::format("{:.1f} s", taken.count());
}

/// Returns the size of a model file, or of all files of a folder; 0 if it does not exist, which opening it
/// reports.
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
    : sources_(std::move(sources)), settings_(settings), log_(log), slots_of_models_(sources_.size()) {
  std::set<std::string> names;
  for (const ModelSource& source : sources_) {
    if (!names.insert(source.name).second)
      throw UsageError("`model`: two models are called '{}'; give one another name, as in NAME=FILE",
                       source.name);
  }
  if (sources_.empty()) throw UsageError("no `model` to serve");
  make_slots();
  std::vector<std::uintmax_t> bytes;
  std::uintmax_t open = 0;
  for (Slot& slot : slots_) {
    slot.bytes = settings.memory == 0 ? 0 : bytes_of(model_file(sources_[slot.models[0]].path));
    bytes.push_back(slot.bytes);
    if (open + slot.bytes > settings.memory) continue;
    slot.wanted = ++events_;
    open += slot.bytes;
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

void ServedModels::make_slots() {
  for (std::vector<std::size_t>& models : shared_models(sources_)) {
    std::vector<std::string> names;
    for (const std::size_t model : models) {
      slots_of_models_[model] = slots_.size();
      if (names.size() < kNamesInLogs) names.push_back(sources_[model].name);
    }
    if (models.size() > names.size()) names.push_back(fmt::format("{} more", models.size() - names.size()));
    Slot& slot = slots_.emplace_back();
    slot.models = std::move(models);
    slot.name = join(names, ", ");
  }
}

ServedModels::~ServedModels() {
  worker_ = {};
}

void ServedModels::reload() {
  const std::lock_guard lock(mutex_);
  for (Slot& slot : slots_) {
    if (slot.file && slot.wanted == 0) slot.wanted = ++events_;
  }
  has_changed_ = true;
  changed_.notify_one();
}

void ServedModels::work(const std::stop_token& stop) {
  while (!stop.stop_requested()) {
    std::vector<std::size_t> slots;
    {
      std::unique_lock lock(mutex_);
      slots = due();
      if (slots.empty()) {
        const bool is_idle = leaving_.empty() && !has_surplus() &&
                             std::ranges::all_of(slots_, [](const Slot& slot) { return slot.wanted == 0; });
        changed_.wait_for(lock, stop, is_idle ? kIdle : kTick, [this] { return has_changed_; });
        slots = due();
      }
      has_changed_ = false;
    }
    open_all(slots);
    close_surplus();
    // Models are freed in pieces, between which there are blocks of requests that came later.
    if (release_unused()) return_freed_memory();
  }
}

std::vector<std::size_t> ServedModels::due() {
  std::vector<std::size_t> wanted, due;
  for (std::size_t i = 0; i < slots_.size(); ++i) {
    if (slots_[i].wanted > 0) wanted.push_back(i);
  }
  std::ranges::sort(wanted, {}, [this](std::size_t i) { return slots_[i].wanted; });
  for (const std::size_t slot : wanted) {
    if (slots_[slot].file == nullptr && !make_room_for(slot, due)) break;
    due.push_back(slot);
  }
  return due;
}

bool ServedModels::make_room_for(std::size_t slot, const std::vector<std::size_t>& beside) {
  if (settings_.memory == 0) return true;
  std::uintmax_t bytes = slots_[slot].bytes;
  for (std::size_t i = 0; i < slots_.size(); ++i) {
    if (slots_[i].file || std::ranges::count(beside, i) > 0) bytes += slots_[i].bytes;
  }
  while (bytes > settings_.memory) {
    const std::size_t last = least_used(beside);
    if (last == slots_.size()) return false;
    log_.info("'{}' makes room for '{}'", slots_[last].name, slots_[slot].name);
    bytes -= slots_[last].bytes;
    close(slots_[last]);
  }
  for (const Leaving& leaving : leaving_) bytes += leaving.bytes;
  return bytes <= settings_.memory;
}

void ServedModels::close(Slot& slot) {
  leaving_.push_back({std::exchange(slot.file, nullptr), slot.bytes});
  slot.wanted = 0;
}

bool ServedModels::is_awaited(const Slot& slot) {
  return slot.file && !slot.is_taken && Clock::now() - slot.opened <= kUntilTaken;
}

std::size_t ServedModels::least_used(const std::vector<std::size_t>& beside) const {
  std::size_t least = slots_.size();
  for (std::size_t i = 0; i < slots_.size(); ++i) {
    const Slot& slot = slots_[i];
    if (!slot.file || is_awaited(slot) || std::ranges::count(beside, i) > 0) continue;
    // Among models that were never used, the first ones stay.
    if (least == slots_.size() || slot.used <= slots_[least].used) least = i;
  }
  return least;
}

void ServedModels::open_all(const std::vector<std::size_t>& slots) {
  if (slots.empty()) return;
  {
    std::vector<std::jthread> threads;
    threads.reserve(slots.size());
    for (const std::size_t slot : slots) threads.emplace_back([this, slot] { open(slots_[slot]); });
  }
  const std::lock_guard lock(mutex_);
  are_ready_ = true;
}

std::uintmax_t ServedModels::bytes_open() const {
  std::uintmax_t bytes = 0;
  for (const Slot& slot : slots_) bytes += slot.file ? slot.bytes : 0;
  return bytes;
}

bool ServedModels::has_surplus() const {
  return settings_.memory > 0 && bytes_open() > settings_.memory;
}

void ServedModels::close_surplus() {
  const std::lock_guard lock(mutex_);
  // Which model is the least used shows only after the clients had time to take those just opened.
  while (has_surplus() && std::ranges::none_of(slots_, is_awaited)) {
    const std::size_t last = least_used({});
    log_.info("'{}' is closed: the open models take {:.1f} MiB of memory", slots_[last].name,
              mebibytes(bytes_open()));
    close(slots_[last]);
  }
}

void ServedModels::open(Slot& slot) {
  const ModelSource& first = sources_[slot.models[0]];
  try {
    const auto begin = Clock::now();
    OpenFilePtr opened(new OpenFile{.file = {first, settings_, log_}});
    for (const std::size_t model : slot.models)
      opened->models.emplace_back(opened->file, sources_[model], settings_);
    const std::uintmax_t bytes = opened->file.bytes();
    if (settings_.memory > 0 && bytes > settings_.memory) {
      throw UsageError(
          "`memory`: {:.1f} MiB are less than the {:.1f} MiB that '{}' takes in memory; give more",
          mebibytes(settings_.memory), mebibytes(bytes), slot.name);
    }
    log_.info("'{}' is ready: {} was opened in {}", slot.name, first.path, seconds_since(begin));
    const std::lock_guard lock(mutex_);
    if (slot.file) leaving_.push_back({slot.file, slot.bytes});
    slot.file = std::move(opened);
    slot.bytes = bytes;
    slot.opened = Clock::now();
    slot.is_taken = false;
    slot.wanted = 0;
  } catch (const std::exception& error) {
    const std::lock_guard lock(mutex_);
    slot.wanted = 0;
    if (slot.file) {
      log_.warning("'{}' stays as it was: {}", slot.name, error.what());
    } else if (are_ready_) {
      log_.warning("cannot open '{}', which a request needs: {}", slot.name, error.what());
      slot.failure = std::current_exception();
    } else {
      failure_ = std::current_exception();
    }
  }
}

bool ServedModels::release_unused() {
  std::vector<Leaving> unused;  // released after the lock
  const std::lock_guard lock(mutex_);
  for (Leaving& leaving : leaving_) {
    if (leaving.file.use_count() == 1) unused.push_back(std::exchange(leaving, {}));
  }
  std::erase_if(leaving_, [](const Leaving& leaving) { return leaving.file == nullptr; });
  return !unused.empty();
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
  return slot_of(model).file != nullptr;
}

bool ServedModels::fit_together(const std::vector<std::size_t>& models) const {
  std::set<std::size_t> slots;
  for (const std::size_t model : models) slots.insert(slots_of_models_[model]);
  const std::lock_guard lock(mutex_);
  std::uintmax_t bytes = 0;
  for (const std::size_t slot : slots) bytes += slots_[slot].bytes;
  return settings_.memory == 0 || bytes <= settings_.memory;
}

ServedModelPtr ServedModels::take(std::size_t model) {
  const std::lock_guard lock(mutex_);
  Slot& slot = slots_[slots_of_models_[model]];
  slot.used = ++events_;
  slot.is_taken = slot.file != nullptr;
  if (!slot.file && slot.wanted == 0) {
    slot.wanted = ++events_;
    slot.failure = nullptr;
    has_changed_ = true;
    changed_.notify_one();
  }
  if (!slot.file) return nullptr;
  const auto place = std::ranges::find(slot.models, model) - slot.models.begin();
  return {slot.file, &slot.file->models[static_cast<std::size_t>(place)]};
}

std::exception_ptr ServedModels::failure_of(std::size_t model) const {
  const std::lock_guard lock(mutex_);
  return slot_of(model).failure;
}

}  // namespace nmt
