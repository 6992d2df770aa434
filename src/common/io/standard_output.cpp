#include "common/io/standard_output.h"

#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>

#include "common/error.h"
#include "common/system_message.h"

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
