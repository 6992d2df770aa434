#include "common/error.h"

#include <cerrno>
#include <system_error>

namespace nmt {

std::string system_message(int code, std::string_view advice) {
  if (code == ENOSPC || code == EDQUOT) advice = "free some space or choose another folder";
  if (code == EBADF) advice = "it is closed; connect it to a file, a pipe or a terminal";
  if (code == EMFILE || code == ENFILE) advice = "raise `ulimit -n`";
  const std::string message = std::generic_category().message(code);
  return advice.empty() ? message : message + "; " + std::string(advice);
}

}  // namespace nmt
