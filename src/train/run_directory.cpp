#include "train/run_directory.h"

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <memory>

#include "common/atomic_file.h"
#include "common/error.h"

namespace nmt {
namespace {

namespace fs = std::filesystem;

bool is_checkpoint(const std::string& name) {
  return name.starts_with("step-") && name.ends_with(".safetensors");
}

bool belongs_to_run(const std::string& name) {
  return is_checkpoint(name) || name == "last.safetensors" || name == "config.yml" ||
         name == "metrics.jsonl" || name == "train.log";
}

std::vector<fs::path> files_of_run(const std::string& directory) {
  std::vector<fs::path> files;
  for (const fs::directory_entry& entry : fs::directory_iterator(directory)) {
    if (belongs_to_run(entry.path().filename().string())) files.push_back(entry.path());
  }
  return files;
}

}  // namespace

RunDirectory::RunDirectory(std::string path, bool overwrite) : path_(std::move(path)) {
  try {
    fs::create_directories(path_);
    const std::vector<fs::path> old = files_of_run(path_);
    if (!old.empty() && !overwrite) {
      throw Error("'{}' already holds a run; choose another directory, or --overwrite to start anew", path_);
    }
    for (const fs::path& file : old) fs::remove(file);
  } catch (const fs::filesystem_error& error) {
    throw Error("cannot use '{}' as run directory: {}; name a directory you can write to", path_,
                error.code().message());
  }
}

std::string RunDirectory::log_path() const {
  return path_ + "/train.log";
}

std::string RunDirectory::checkpoint_path(std::int64_t step) const {
  return fmt::format("{}/step-{:08}.safetensors", path_, step);
}

void RunDirectory::write_config(const std::string& yaml) const {
  AtomicFile file(path_ + "/config.yml");
  file.write(yaml.data(), yaml.size());
  file.commit();
}

void RunDirectory::append_metrics(const std::string& json) const {
  const std::string path = path_ + "/metrics.jsonl", line = json + "\n";
  std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(std::fopen(path.c_str(), "ae"), std::fclose);
  if (!file || std::fwrite(line.data(), 1, line.size(), file.get()) != line.size() ||
      std::fflush(file.get()) != 0) {
    throw Error("cannot write '{}'; is the disk full?", path);
  }
}

void RunDirectory::checkpoint_written(std::int64_t step, std::int64_t keep) const {
  const fs::path last = path_ + "/last.safetensors", next = path_ + "/last.safetensors.new";
  try {
    fs::remove(next);
    std::error_code no_hard_links;
    fs::create_hard_link(checkpoint_path(step), next, no_hard_links);
    if (no_hard_links) fs::create_symlink(fs::path(checkpoint_path(step)).filename(), next);
    fs::rename(next, last);
    const std::vector<std::string> all = checkpoints();
    const auto kept = static_cast<std::size_t>(keep);
    if (keep > 0 && all.size() > kept) {
      for (std::size_t i = 0; i < all.size() - kept; ++i) fs::remove(all[i]);
    }
  } catch (const fs::filesystem_error& error) {
    throw Error("cannot tidy the checkpoints in '{}': {}", path_, error.code().message());
  }
}

std::vector<std::string> RunDirectory::checkpoints() const {
  std::vector<std::string> paths;
  for (const fs::path& file : files_of_run(path_)) {
    if (is_checkpoint(file.filename().string())) paths.push_back(file.string());
  }
  std::sort(paths.begin(), paths.end());
  return paths;
}

std::string RunDirectory::newest_checkpoint() const {
  const std::vector<std::string> all = checkpoints();
  return all.empty() ? "" : all.back();
}

}  // namespace nmt
