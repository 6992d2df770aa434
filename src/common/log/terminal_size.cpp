#include "common/log/terminal_size.h"

#include <sys/ioctl.h>

namespace nmt {

std::size_t terminal_columns(int descriptor, std::size_t otherwise) {
  winsize size{};
  return ::ioctl(descriptor, TIOCGWINSZ, &size) == 0 && size.ws_col > 1 ? size.ws_col : otherwise;
}

}  // namespace nmt
