#include "cli/standard_output.h"

#include <cerrno>
#include <cstdio>
#include <cstring>

#include "common/error.h"

namespace nmt::cli {

void write_output(std::string_view text) {
  std::fwrite(text.data(), 1, text.size(), stdout);
  flush_output();
}

void flush_output() {
  if (std::fflush(stdout) == 0 && std::ferror(stdout) == 0) return;
  if (errno == EPIPE) throw OutputClosed();
  throw Error("cannot write to standard output: {}; send it to another place", std::strerror(errno));
}

}  // namespace nmt::cli
