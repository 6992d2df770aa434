#include "common/file_descriptor.h"

#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>

#include "common/error.h"

namespace nmt {
namespace {

/// Removes the beginning of a line from a file that has no space for the rest.
void truncate_to_whole_lines(int file, std::string_view written) {
  struct stat status {};
  if (::fstat(file, &status) != 0 || !S_ISREG(status.st_mode)) return;
  const std::size_t whole = written.rfind('\n') + 1;  // 0 if there is no line end
  const off_t end = ::lseek(file, 0, SEEK_CUR) - static_cast<off_t>(written.size() - whole);
  if (::ftruncate(file, end) == 0) ::lseek(file, end, SEEK_SET);
}

}  // namespace

bool try_write(int file, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t written = ::write(file, bytes.data(), bytes.size());
    if (written < 0 && errno != EINTR) return false;
    if (written > 0) bytes.remove_prefix(static_cast<std::size_t>(written));
  }
  return true;
}

void cannot_write(const std::string& name) {
  throw Error("cannot write '{}': {}", name, system_message(errno));
}

void write_all(const FileDescriptor& file, const void* data, std::size_t size, const std::string& name) {
  if (!try_write(file.get(), {static_cast<const char*>(data), size})) cannot_write(name);
}

bool write_at_once(int file, std::string_view text, const StopRequest& stop) {
  std::string_view rest = text;
  while (!rest.empty()) {
    const ssize_t written = ::write(file, rest.data(), rest.size());
    if (written >= 0) {
      rest.remove_prefix(static_cast<std::size_t>(written));
      continue;
    }
    const int reason = errno;
    stop.check();
    if (reason == EINTR) continue;
    if (reason == EPIPE) throw OutputClosed();
    truncate_to_whole_lines(file, text.substr(0, text.size() - rest.size()));
    errno = reason;
    return false;
  }
  return true;
}

void write_output(std::string_view text, const StopRequest& stop) {
  if (write_at_once(STDOUT_FILENO, text, stop)) return;
  throw Error("cannot write to standard output: {}", system_message(errno, "send it to another place"));
}

}  // namespace nmt
