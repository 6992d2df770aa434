#include "hub/hub_cache.h"

#include <fcntl.h>
#include <sys/file.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <filesystem>
#include <thread>

#include "common/error.h"
#include "common/io/atomic_file.h"
#include "common/io/folder.h"
#include "hub/hub_name.h"
#include "hub/small_file.h"

namespace nmt {
namespace {

namespace fs = std::filesystem;

constexpr const char* kFolderPrefix = "models--";

/// Returns the name of a repository's folder.
std::string folder_of(const std::string& repository) {
  std::string name = kFolderPrefix + repository;
  if (const std::size_t slash = name.find('/'); slash != std::string::npos) name.replace(slash, 1, "--");
  return name;
}

void create_folder(const fs::path& folder) {
  std::error_code error;
  fs::create_directories(folder, error);
  if (error)
    throw Error("cannot create '{}': {}; HF_HOME sets another folder", folder.string(), error.message());
}

}  // namespace

std::string repository_folder(const std::string& path) {
  std::error_code error;
  const fs::path whole = fs::absolute(path, error).lexically_normal();
  for (fs::path at = whole; at.has_relative_path(); at = at.parent_path()) {
    const fs::path above = at.parent_path();
    if (at.filename() == "snapshots" && above.filename().string().starts_with(kFolderPrefix))
      return above.string();
  }
  return "";
}

HubCache::HubCache(const std::string& folder, const std::string& repository)
    : root_(folder + "/" + folder_of(repository)), locks_(folder + "/.locks/" + folder_of(repository)) {}

std::string HubCache::commit_of(const std::string& revision) const {
  if (is_commit(revision)) return fs::exists(snapshot(revision)) ? revision : "";
  return reference(revision);
}

void HubCache::set_commit(const std::string& revision, const std::string& commit) const {
  if (!is_commit(revision)) set_reference(revision, commit);
}

bool HubCache::was_whole(const std::string& commit) const {
  return reference(commit) == commit;
}

void HubCache::mark_whole(const std::string& commit) const {
  try {
    set_reference(commit, commit);
  } catch (const Error&) {  // the Hub will be asked again
  }
}

std::string HubCache::reference(const std::string& name) const {
  const std::string commit = first_word_of(root_ + "/refs/" + name).value_or("");
  return is_commit(commit) ? commit : "";
}

void HubCache::set_reference(const std::string& name, const std::string& commit) const {
  if (reference(name) == commit) return;
  const std::string path = root_ + "/refs/" + name;
  create_folder(fs::path(path).parent_path());
  write_file(path, commit);
}

std::string HubCache::snapshot(const std::string& commit) const {
  return root_ + "/snapshots/" + commit;
}

std::vector<std::string> HubCache::files(const std::string& commit) const {
  std::vector<std::string> names;
  for (const std::string& path : entries_of(snapshot(commit))) {
    const std::string name = fs::path(path).filename().string();
    if (is_file(path)) names.push_back(name);
    std::error_code ignored;
    if (!fs::is_directory(path, ignored)) continue;
    for (const std::string& below : entries_of(path)) {
      if (is_file(below)) names.push_back(name + "/" + fs::path(below).filename().string());
    }
  }
  return names;
}

std::string HubCache::blob(const std::string& etag) const {
  return root_ + "/blobs/" + etag;
}

std::string HubCache::incomplete_blob(const std::string& etag) const {
  return blob(etag) + ".incomplete";
}

void HubCache::link(const std::string& etag, const std::string& commit, const std::string& file) const {
  const fs::path path = fs::path(snapshot(commit)) / file;
  create_folder(path.parent_path());
  std::string up = "../../";
  for (auto i = std::ranges::count(file, '/'); i > 0; --i) up += "../";
  std::error_code error;
  fs::remove(path, error);  // a link to contents that are gone
  fs::create_symlink(fs::path(up + "blobs") / etag, path, error);
  if (error && error != std::errc::file_exists)
    throw Error("cannot create the link '{}': {}", path.string(), error.message());
}

FileDescriptor HubCache::lock(const std::string& etag, const JobContext& job) const {
  create_folder(locks_);
  create_folder(root_ + "/blobs");
  const std::string path = locks_ + "/" + etag + ".lock";
  FileDescriptor file(::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666));
  if (!file) throw Error("cannot open '{}': {}; HF_HOME sets another folder", path, system_message(errno));
  bool is_told = false;
  while (::flock(file.get(), LOCK_EX | LOCK_NB) != 0) {
    // Some file systems cannot lock. Contents are checked, so that the worst is to fetch them twice.
    if (errno != EWOULDBLOCK && errno != EINTR) break;
    if (!is_told) job.log->info("waiting for another program that fetches the same file");
    is_told = true;
    job.stop->check();
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
  }
  return file;
}

}  // namespace nmt
