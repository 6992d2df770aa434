#include "cli/standard_output.h"

#include <cerrno>
#include <cstdio>
#include <cstring>

#include "common/error.h"
#include "common/interrupt.h"

namespace nmt::cli {

void write_output(std::string_view text) {
  std::fwrite(text.data(), 1, text.size(), stdout);
  flush_output();
}

void flush_output() {
  if (std::fflush(stdout) == 0 && std::ferror(stdout) == 0) return;
  const int reason = errno;
  if (reason == EPIPE) throw OutputClosed();
  InterruptGuard::check();
  throw Error("cannot write to standard output: {}; send it to another place", std::strerror(reason));
}

}  // namespace nmt::cli
