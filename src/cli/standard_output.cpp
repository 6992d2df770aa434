#include "cli/standard_output.h"

#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "common/error.h"
#include "common/interrupt.h"

namespace nmt {

namespace {

/// Takes the beginning of a line back from a file that has no room for the rest.
void cut_to_whole_lines(std::string_view written) {
  struct stat status {};
  if (::fstat(STDOUT_FILENO, &status) != 0 || !S_ISREG(status.st_mode)) return;
  const std::size_t whole = written.rfind('\n') + 1;  // 0 without any
  const off_t end = ::lseek(STDOUT_FILENO, 0, SEEK_CUR) - static_cast<off_t>(written.size() - whole);
  if (::ftruncate(STDOUT_FILENO, end) == 0) ::lseek(STDOUT_FILENO, end, SEEK_SET);
}

}  // namespace

void write_output(std::string_view text) {
  std::string_view rest = text;
  while (!rest.empty()) {
    const ssize_t written = ::write(STDOUT_FILENO, rest.data(), rest.size());
    if (written >= 0) {
      rest.remove_prefix(static_cast<std::size_t>(written));
      continue;
    }
    const int reason = errno;
    InterruptGuard::check();
    if (reason == EINTR) continue;
    if (reason == EPIPE) throw OutputClosed();
    cut_to_whole_lines(text.substr(0, text.size() - rest.size()));
    throw Error("cannot write to standard output: {}; send it to another place", std::strerror(reason));
  }
}

}  // namespace nmt
