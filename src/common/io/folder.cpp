#include "common/io/folder.h"

#include <fcntl.h>
#include <unistd.h>

#include <boost/algorithm/string/case_conv.hpp>
#include <cerrno>
#include <cstdio>
#include <filesystem>
#include <system_error>

#include "common/error.h"
#include "common/file_descriptor.h"

namespace nmt {
namespace {

namespace fs = std::filesystem;

/// Returns the folder of a path, with links resolved and without a trailing slash.
std::string folder_at(const std::string& path) {
  std::error_code missing;
  const fs::path target = fs::weakly_canonical(path, missing);
  if (missing) return path;
  return target.has_filename() ? target.string() : target.parent_path().string();
}

void rename_folder(const std::string& from, const std::string& to, const std::string& shown) {
  std::error_code error;
  fs::rename(from, to, error);
  if (error) throw Error("cannot write '{}': {}", shown, error.message());
}

}  // namespace

bool is_file(const std::string& path) {
  std::error_code error;
  return fs::is_regular_file(path, error);
}

std::vector<std::string> entries_of(const std::string& folder) {
  std::vector<std::string> paths;
  std::error_code error;
  // A range-based loop would throw the errors that increment() returns.
  for (std::filesystem::directory_iterator entry(folder, error);
       !error && entry != std::filesystem::directory_iterator(); entry.increment(error)) {
    paths.push_back(entry->path().string());
  }
  return paths;
}

std::string extension_of(const std::string& path) {
  const std::string extension = fs::path(path).extension().string();
  return extension.empty() ? "" : boost::algorithm::to_lower_copy(extension.substr(1));
}

std::string parent_folder(const std::string& path) {
  const std::string folder = std::filesystem::path(path).parent_path().string();
  return folder.empty() ? "." : folder;
}

void sync_folder(const std::string& folder) {
  const FileDescriptor opened(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (opened) ::fsync(opened.get());
}

AtomicFolder::AtomicFolder(const std::string& path, bool overwrite) : path_(path), target_(folder_at(path)) {
  std::error_code error;
  if (fs::exists(target_, error)) {
    if (!fs::is_directory(target_, error))
      throw Error("cannot write '{}': it is a file, but a folder is written", path_);
    if (!overwrite && !fs::is_empty(target_, error))
      throw Error("the folder '{}' has files; name another, or replace them by `overwrite`", path_);
  }
  remove_abandoned(target_);
  create_temporary();
}

void AtomicFolder::create_temporary() {
  while (true) {
    temporary_ = TemporaryName(name_beside(target_));
    std::error_code error;
    const bool is_new = fs::create_directory(temporary_.path(), error);
    if (!is_new) temporary_.release();  // left by a killed process with the same number, if it exists
    if (error) throw Error("cannot write '{}': {}", path_, error.message());
    if (!is_new) continue;
    lock_ = FileDescriptor(::open(temporary_.path().c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    if (!lock_ && errno != ENOENT)
      throw Error("cannot write '{}': {}", path_, std::generic_category().message(errno));
    // Another process may have removed the folder before it was locked. Without locks, none removes it.
    const bool is_ours = lock_ && (lock_temporary(lock_) || errno != EWOULDBLOCK);
    if (is_ours && ::access(temporary_.path().c_str(), F_OK) == 0) return;
  }
}

void AtomicFolder::check(const std::string& path, bool overwrite) {
  const AtomicFolder nothing(path, overwrite);
}

void AtomicFolder::check_replaceable() const {
  std::error_code error;
  for (const fs::path path : entries_of(target_)) {
    const std::string name = path.filename().string();
    if (!is_file(path.string()) || !fs::exists(fs::path(place()) / name, error)) {
      throw Error(
          "the folder '{}' has '{}', which is not a part of what is written; remove it, or name another",
          path_, name);
    }
  }
}

void AtomicFolder::commit() {
  put_in_place();
  sync_folder(parent_folder(target_));
}

void AtomicFolder::put_in_place() {
  std::error_code error;
  if (!fs::exists(target_, error) || fs::is_empty(target_, error))
    return rename_folder(place(), target_, path_);
  check_replaceable();
  // Exchanges the names, so that the folder always exists; the old one then has the temporary name, and is
  // removed.
  if (::renameat2(AT_FDCWD, place().c_str(), AT_FDCWD, target_.c_str(), RENAME_EXCHANGE) == 0) return;
  const std::string old = name_beside(target_);  // the file system cannot exchange names
  rename_folder(target_, old, path_);
  rename_folder(place(), target_, path_);
  fs::remove_all(old, error);
}

}  // namespace nmt
