#include "common/io/atomic_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>

#include "common/error.h"
#include "common/file_descriptor.h"
#include "common/io/folder.h"
#include "common/io/packer.h"
#include "common/text/number.h"

namespace nmt {
namespace {

// Bytes buffered in memory before they are written.
constexpr std::size_t kPending = std::size_t{1} << 20;

/// The target of a path: a descriptor that this process has open, or a file, which need not exist.
struct Target {
  std::string path;
  int descriptor = -1;
};

/// Returns the descriptor of this process that `path` names (/proc/self/fd/63), or -1.
int descriptor_named(const std::filesystem::path& path) {
  const std::optional<int> number = number_of<int>(path.filename().string());
  if (!number) return -1;
  std::error_code error;
  const auto folder = std::filesystem::canonical(parent_folder(path.string()), error);
  return !error && folder == std::filesystem::canonical("/proc/self/fd", error) ? *number : -1;
}

/// Follows a chain of symbolic links, but not the link of a descriptor: a pipe's leads nowhere, and a file's
/// leads to a file that others may write too.
Target resolve(const std::string& path) {
  constexpr int kMostLinks = 40;
  if (path == "-") return {path, STDOUT_FILENO};
  std::filesystem::path target = path;
  std::error_code error;
  for (int i = 0; i < kMostLinks; ++i) {
    if (const int descriptor = descriptor_named(target); descriptor >= 0) return {path, descriptor};
    if (!std::filesystem::is_symlink(target, error)) break;
    target = target.parent_path() / std::filesystem::read_symlink(target, error);
  }
  return {target.string(), -1};
}

/// Returns a writable duplicate of a descriptor; none, with the reason in errno, if that fails.
FileDescriptor duplicate(int descriptor) {
  const int mode = ::fcntl(descriptor, F_GETFL);
  if (mode < 0) return {};
  if ((mode & O_ACCMODE) == O_RDONLY) {
    errno = EACCES;
    return {};
  }
  return FileDescriptor(::fcntl(descriptor, F_DUPFD_CLOEXEC, 0));
}

/// Whether a path exists and is not a regular file.
bool is_device_or_pipe(const std::string& path) {
  struct stat status {};
  return ::stat(path.c_str(), &status) == 0 && !S_ISREG(status.st_mode) && !S_ISDIR(status.st_mode);
}

}  // namespace

AtomicFile::AtomicFile(const std::string& path, const StopRequest& stop) : stop_(stop), path_(path) {
  if (path == "-") return;
  const Target target = resolve(path);
  target_ = target.path;
  if (target.descriptor >= 0) {
    file_ = duplicate(target.descriptor);
    if (!file_) cannot_write(path_);
    return;
  }
  struct stat status {};
  const bool exists = ::stat(path_.c_str(), &status) == 0;
  if (exists && S_ISDIR(status.st_mode)) {
    throw Error("cannot write '{}': it is a directory; name a file", path_);
  }
  if (exists && ::access(path_.c_str(), W_OK) != 0) cannot_write(path_);
  if (exists && !S_ISREG(status.st_mode)) {
    open_directly();
    return;
  }
  remove_abandoned(target_);
  create_temporary();
  if (exists) ::fchmod(file_.get(), status.st_mode & 07777);
}

bool AtomicFile::is_stream(const std::string& path) {
  return resolve(path).descriptor >= 0 || is_device_or_pipe(path);
}

void AtomicFile::check(const std::string& path) {
  // Does not open a named pipe, as its reader would take the closing by its only writer for the end.
  if (resolve(path).descriptor >= 0 || !is_device_or_pipe(path)) {
    const AtomicFile trial(path);
  } else if (::access(path.c_str(), W_OK) != 0) {
    cannot_write(path);
  }
}

void AtomicFile::open_directly() {
  while (true) {  // a pipe waits for a reader
    file_ = FileDescriptor(::open(path_.c_str(), O_WRONLY | O_CLOEXEC));
    if (file_) return;
    const int reason = errno;
    stop_.check();
    errno = reason;
    if (reason != EINTR) cannot_write(path_);
  }
}

void AtomicFile::create_temporary() {
  const std::string ending(packed_ending(target_));
  while (true) {
    temporary_ = TemporaryName(name_beside(target_));
    temporary_.keep_as(target_.substr(0, target_.size() - ending.size()) + ".partial", ending);
    file_ = FileDescriptor(::open(temporary_.path().c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666));
    if (file_) {
      // Another process may have removed the file before it was locked. Without locks, none removes it.
      const bool ours = lock_temporary(file_) || errno != EWOULDBLOCK;
      if (ours && ::access(temporary_.path().c_str(), F_OK) == 0) return;
      continue;
    }
    temporary_.release();  // not ours: left by a killed process with the same number, if it exists
    if (errno != EEXIST) cannot_write(path_);
  }
}

void AtomicFile::write(const void* data, std::size_t size) {
  if (is_direct()) {
    const std::string_view piece(static_cast<const char*>(data), size);
    if (path_ == "-") return write_output(piece, stop_);
    if (!write_at_once(file_.get(), piece, stop_)) cannot_write(path_);
    return;
  }
  if (buffer_.size() + size > kPending) flush();
  if (size >= kPending) {
    write_all(file_, data, size, path_);
  } else {
    const char* bytes = static_cast<const char*>(data);
    buffer_.insert(buffer_.end(), bytes, bytes + size);
  }
}

void AtomicFile::write_lines(std::string_view lines) {
  if (is_direct()) return write(lines);
  flush();
  const bool is_done = write_at_once(file_.get(), lines, stop_);
  const int reason = errno;
  keep();
  errno = reason;
  if (!is_done) cannot_write(path_);
}

void AtomicFile::keep() {
  if (is_direct()) return;
  flush();
  temporary_.keep(::lseek(file_.get(), 0, SEEK_CUR));
}

void AtomicFile::flush() {
  write_all(file_, buffer_.data(), buffer_.size(), path_);
  buffer_.clear();
}

void AtomicFile::commit() {
  if (is_direct()) return;
  flush();
  if (::fsync(file_.get()) != 0) cannot_write(path_);
  if (std::rename(temporary_.path().c_str(), target_.c_str()) != 0) cannot_write(path_);
  temporary_.release();
  sync_folder(parent_folder(target_));
}

void write_file(const std::string& path, std::string_view text) {
  AtomicFile file(path);
  file.write(text);
  file.commit();
}

}  // namespace nmt
