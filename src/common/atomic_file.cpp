#include "common/atomic_file.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>

#include "common/error.h"
#include "common/interrupt.h"
#include "common/pattern.h"

namespace nmt {
namespace {

// Bytes that wait in memory before they are written.
constexpr std::size_t kPending = std::size_t{1} << 20;

/// Where a chain of symbolic links leads, whether or not a file is there.
std::string resolve_links(const std::string& path) {
  constexpr int kMostLinks = 40;
  std::filesystem::path target = path;
  std::error_code error;
  for (int i = 0; i < kMostLinks && std::filesystem::is_symlink(target, error); ++i) {
    target = target.parent_path() / std::filesystem::read_symlink(target, error);
  }
  return target.string();
}

std::string folder_of(const std::string& path) {
  const std::string folder = std::filesystem::path(path).parent_path().string();
  return folder.empty() ? "." : folder;
}

/// A name beside `target` that no other process or thread uses.
std::string temporary_name(const std::string& target) {
  static std::atomic<int> counter{0};
  return fmt::format("{}.{}-{}.tmp", target, ::getpid(), counter++);
}

bool lock(const FileDescriptor& file) {
  return ::flock(file.get(), LOCK_EX | LOCK_NB) == 0;
}

/// Removes temporary files of `target` whose writers were killed: those that nobody has locked. Where the
/// file system knows no locks, they stay.
void remove_abandoned(const std::string& target) {
  static const Pattern temporary(R"(\.[0-9]+-[0-9]+\.tmp)");
  const std::string name = std::filesystem::path(target).filename().string();
  std::error_code error;
  std::filesystem::directory_iterator file(folder_of(target), error);
  for (; !error && file != std::filesystem::directory_iterator(); file.increment(error)) {
    const std::string other = file->path().filename().string();
    if (!other.starts_with(name) || !temporary.matches(other.substr(name.size()))) continue;
    const FileDescriptor left(::open(file->path().c_str(), O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
    if (left && lock(left)) ::unlink(file->path().c_str());
  }
}

}  // namespace

AtomicFile::AtomicFile(const std::string& path) : path_(path), target_(resolve_links(path)) {
  struct stat status {};
  const bool exists = ::stat(target_.c_str(), &status) == 0;
  if (exists && S_ISDIR(status.st_mode)) {
    throw Error("cannot write '{}': it is a directory; name a file", path_);
  }
  if (exists && ::access(target_.c_str(), W_OK) != 0) fail();
  if (exists && !S_ISREG(status.st_mode)) {
    open_directly();
    return;
  }
  remove_abandoned(target_);
  create_temporary();
  if (exists) ::fchmod(file_.get(), status.st_mode & 07777);
}

void AtomicFile::open_directly() {
  while (true) {  // a pipe waits for a reader
    file_ = FileDescriptor(::open(target_.c_str(), O_WRONLY | O_CLOEXEC));
    if (file_) return;
    const int reason = errno;
    InterruptGuard::check();
    errno = reason;
    if (reason != EINTR) fail();
  }
}

void AtomicFile::create_temporary() {
  while (true) {
    temporary_ = TemporaryName(temporary_name(target_));
    file_ = FileDescriptor(::open(temporary_.path().c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666));
    if (file_) {
      // Another process may have found it before it was locked. Where there are no locks, none removes it.
      const bool ours = lock(file_) || errno != EWOULDBLOCK;
      if (ours && ::access(temporary_.path().c_str(), F_OK) == 0) return;
      continue;
    }
    temporary_.release();  // not ours: of a process with the same number that was killed, if it exists
    if (errno != EEXIST) fail();
  }
}

void AtomicFile::write(const void* data, std::size_t size) {
  if (buffer_.size() + size > kPending) flush();
  if (size >= kPending || is_direct()) {
    write_all(file_, data, size, path_);
  } else {
    const char* bytes = static_cast<const char*>(data);
    buffer_.insert(buffer_.end(), bytes, bytes + size);
  }
}

void AtomicFile::flush() {
  write_all(file_, buffer_.data(), buffer_.size(), path_);
  buffer_.clear();
}

void AtomicFile::commit() {
  flush();
  if (is_direct()) return;
  if (::fsync(file_.get()) != 0) fail();
  if (std::rename(temporary_.path().c_str(), target_.c_str()) != 0) fail();
  temporary_.release();
  // Some file systems cannot sync a folder; the file is in its place all the same.
  const FileDescriptor folder(::open(folder_of(target_).c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (folder) ::fsync(folder.get());
}

void AtomicFile::fail() const {
  throw Error("cannot write '{}': {}", path_, std::strerror(errno));
}

void write_file(const std::string& path, std::string_view text) {
  AtomicFile file(path);
  file.write(text);
  file.commit();
}

}  // namespace nmt
