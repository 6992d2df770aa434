#include "train/run/run_directory.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <set>
#include <thread>

#include "common/error.h"
#include "common/io/atomic_file.h"
#include "common/io/folder.h"
#include "common/io/temporary_name.h"
#include "common/text/pattern.h"
#include "train/run/checkpoints.h"

namespace nmt {
namespace {

namespace fs = std::filesystem;

constexpr int kLockAttempts = 10;

/// Whether a run creates a file or folder with this name in its directory.
bool is_of_run(const std::string& name) {
  static const std::set<std::string> names = {
      "last.safetensors", "best.safetensors", "config.yml", "state", "valid", "metrics.jsonl", "train.log"};
  return checkpoint_step(name) || names.contains(name);
}

std::vector<fs::path> files_of_run(const std::string& directory) {
  std::vector<fs::path> files;
  for (const fs::directory_entry& entry : fs::directory_iterator(directory)) {
    if (is_of_run(entry.path().filename().string())) files.push_back(entry.path());
  }
  return files;
}

/// Removes temporary files of AtomicFile left behind by a killed process.
void remove_unfinished(const std::string& run) {
  static const Pattern unfinished(R"((step-[0-9]+|last|best|training|config|metrics)\..*\.tmp)");
  for (const char* folder : {"", "/state", "/valid"}) {
    if (!fs::is_directory(run + folder)) continue;
    for (const fs::directory_entry& entry : fs::directory_iterator(run + folder)) {
      if (unfinished.matches(entry.path().filename().string())) fs::remove(entry.path());
    }
  }
}

[[noreturn]] void cannot_use(const std::string& path, const fs::filesystem_error& error) {
  throw Error("cannot use '{}' as run directory: {}; name a directory you can write to", path,
              error.code().message());
}

}  // namespace

std::string without_slashes(std::string path) {
  while (path.size() > 1 && path.ends_with('/')) path.pop_back();
  return path;
}

bool RunDirectory::can_go_on(const std::string& path) {
  std::error_code error;
  if (!fs::is_directory(path, error) || !fs::exists(config_path(path), error)) return false;
  return fs::exists(state_path(path), error) || checkpoints_in(path).empty();
}

bool RunDirectory::has_state(const std::string& path) {
  std::error_code error;
  return can_go_on(path) && fs::exists(state_path(path), error);
}

std::vector<std::string> RunDirectory::files(const std::string& path) {
  std::vector<std::string> files;
  for (const std::string& entry : entries_of(path)) {
    if (!is_of_run(fs::path(entry).filename().string())) continue;
    files.push_back(entry);
    std::ranges::move(entries_of(entry), std::back_inserter(files));
  }
  std::ranges::sort(files, std::greater());
  return files;
}

void RunDirectory::check_state(const std::string& path) {
  std::error_code none;
  for (const char* name : {"config.yml", "metrics.jsonl", "train.log"}) {
    const std::string file = without_slashes(path) + '/' + name;
    if (fs::is_fifo(file, none))
      throw Error("the run in '{}' cannot continue, because '{}' is a pipe; remove it", path, file);
  }
  if (!fs::is_directory(path, none)) return;
  const auto refuse = [&](const std::string& missing) {
    throw Error(
        "the run in '{}' cannot continue, because '{}' is missing; restore it, choose another directory, or "
        "`overwrite` to start again",
        path, missing);
  };
  const bool has_state = fs::exists(state_path(path), none), has_checkpoints = !checkpoints_in(path).empty();
  if ((has_state || has_checkpoints) && !fs::exists(config_path(path), none)) refuse(config_path(path));
  if (has_checkpoints && !has_state) refuse(state_path(path));
}

std::string RunDirectory::config_path(const std::string& path) {
  return without_slashes(path) + "/config.yml";
}

std::string RunDirectory::metrics_path(const std::string& path) {
  return without_slashes(path) + "/metrics.jsonl";
}

std::string RunDirectory::average_path(const std::string& path) {
  return without_slashes(path) + "/average.safetensors";
}

RunDirectory::RunDirectory(std::string path, bool overwrite) : path_(without_slashes(std::move(path))) {
  try {
    fs::create_directories(path_);
    if (!overwrite) check_state(path_);
    fs::create_directories(path_ + "/state");
    lock();
    remove_unfinished(path_);
  } catch (const fs::filesystem_error& error) {
    cannot_use(path_, error);
  }
}

void RunDirectory::clear() const {
  check_place();
  try {
    for (const fs::path& file : files_of_run(path_)) {
      if (file.filename() != "state") fs::remove_all(file);
    }
    fs::remove(state_path());
    fs::remove(average_path(path_));  // it is the average of checkpoints that are gone
  } catch (const fs::filesystem_error& error) {
    cannot_use(path_, error);
  }
}

std::string RunDirectory::lock_path(const std::string& path) {
  return path + "/state/lock";
}

std::optional<bool> RunDirectory::is_in_use(const std::string& path) {
  const FileDescriptor file(::open(lock_path(path).c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC));
  if (!file) return std::nullopt;
  if (::flock(file.get(), LOCK_SH | LOCK_NB) == 0) return false;  // closing the file releases the lock
  return errno == EWOULDBLOCK ? std::optional(true) : std::nullopt;
}

void RunDirectory::check_place() const {
  struct stat held {
  }, there{};
  const bool same = ::fstat(lock_.get(), &held) == 0 && ::stat(lock_path(path_).c_str(), &there) == 0 &&
                    held.st_ino == there.st_ino && held.st_dev == there.st_dev;
  if (!same) {
    throw Error(
        "'{}' is no longer the directory in which this training began: it was removed, moved or replaced; "
        "training ends without writing to it",
        path_);
  }
}

void RunDirectory::lock() {
  const std::string file = lock_path(path_);
  lock_ = FileDescriptor(::open(file.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666));
  if (!lock_)
    throw Error("cannot write '{}': {}", file, system_message(errno, "name a directory you can write to"));
  // is_in_use() in another process holds the lock for a moment. If the file system does not support locks,
  // training continues without one.
  const auto is_taken = [this] {
    return ::flock(lock_.get(), LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK;
  };
  bool taken = is_taken();
  for (int i = 0; taken && i < kLockAttempts; ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
    taken = is_taken();
  }
  if (taken) {
    throw Error("another process is training in '{}'; wait for it or choose another directory", path_);
  }
}

std::string RunDirectory::log_path() const {
  return path_ + "/train.log";
}

std::string RunDirectory::state_path(const std::string& path) {
  return without_slashes(path) + "/state/training.safetensors";
}

std::string RunDirectory::checkpoint_path(const std::string& path, std::int64_t step) {
  return fmt::format("{}/step-{:08}.safetensors", path, step);
}

std::string RunDirectory::last_path() const {
  return path_ + "/last.safetensors";
}

void RunDirectory::write_config(const std::string& yaml) const {
  check_place();
  write_file(config_path(path_), yaml);
}

void RunDirectory::append_metrics(const std::string& json) const {
  check_place();
  const std::string path = metrics_path(path_), line = json + "\n";
  const FileDescriptor file(::open(path.c_str(), O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0666));
  if (!file) throw Error("cannot write '{}': {}", path, system_message(errno));
  write_all(file, line.data(), line.size(), path);
}

std::int64_t RunDirectory::metrics_bytes() const {
  const FileDescriptor file(::open(metrics_path(path_).c_str(), O_RDONLY | O_CLOEXEC));
  struct stat status {};
  if (!file || ::fstat(file.get(), &status) != 0) return 0;
  ::fsync(file.get());
  return status.st_size;
}

bool RunDirectory::truncate_metrics(std::int64_t bytes) const {
  check_place();
  const std::int64_t present = metrics_bytes();
  if (present < bytes) {
    std::ifstream file(metrics_path(path_), std::ios::binary);
    if (present > 0 && file.seekg(-1, std::ios::end) && file.get() != '\n') append_metrics("");
    return false;
  }
  try {
    if (present > bytes) fs::resize_file(metrics_path(path_), static_cast<std::uintmax_t>(bytes));
    return true;
  } catch (const fs::filesystem_error& error) {
    cannot_use(path_, error);
  }
}

std::string RunDirectory::write_translations(std::int64_t step, const std::vector<std::string>& lines) const {
  check_place();
  try {
    fs::create_directories(path_ + "/valid");
  } catch (const fs::filesystem_error& error) {
    cannot_use(path_, error);
  }
  std::string file = fs::absolute(fmt::format("{}/valid/step-{:08}.txt", path_, step)).string();
  write_file(file, fmt::format("{}{}", fmt::join(lines, "\n"), lines.empty() ? "" : "\n"));
  return file;
}

void RunDirectory::checkpoint_written(std::int64_t step) const {
  point("last.safetensors", step);
}

void RunDirectory::move_to_last(const std::string& file) const {
  check_place();
  try {
    fs::rename(file, last_path());
  } catch (const fs::filesystem_error& error) {
    cannot_use(path_, error);
  }
}

void RunDirectory::set_best(std::int64_t step) const {
  point("best.safetensors", step);
}

void RunDirectory::point(const std::string& name, std::int64_t step) const {
  check_place();
  const fs::path link = fs::path(path_) / name;
  const TemporaryName next(link.string() + ".new");  // stays if both are already the same file
  try {
    fs::remove(next.path());
    std::error_code no_hard_links;
    fs::create_hard_link(checkpoint_path(step), next.path(), no_hard_links);
    if (no_hard_links) fs::create_symlink(fs::path(checkpoint_path(step)).filename(), next.path());
    fs::rename(next.path(), link);
  } catch (const fs::filesystem_error& error) {
    throw Error("cannot make '{}': {}", link.string(), error.code().message());
  }
}

void RunDirectory::tidy(std::int64_t keep, const std::vector<std::int64_t>& best) const {
  check_place();
  if (keep == 0) return;
  const std::set<std::int64_t> kept(best.begin(), best.end());
  const std::vector<Checkpoint> all = checkpoints_in(path_);
  for (std::size_t i = 0; i + static_cast<std::size_t>(keep) < all.size(); ++i) {
    std::error_code error;
    if (!kept.contains(all[i].step)) fs::remove(all[i].path, error);
    if (error) throw Error("cannot remove '{}': {}", all[i].path, error.message());
  }
}

std::string RunDirectory::newest_checkpoint() const {
  const std::vector<Checkpoint> all = checkpoints_in(path_);
  return all.empty() ? "" : all.back().path;
}

}  // namespace nmt
