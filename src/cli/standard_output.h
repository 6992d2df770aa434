// Data on standard output.
#pragma once

#include <exception>
#include <string_view>

namespace nmt {

/// Whoever read standard output has closed it (`nmt translate | head -1`): no failure to speak of.
class OutputClosed : public std::exception {
 public:
  const char* what() const noexcept override { return "standard output was closed"; }
};

/// Writes `text` to standard output, where readers see it at once. Throws Error (a full disk; where standard
/// output is a file, it then ends with a whole line), OutputClosed, and Interrupted when a signal comes while
/// nobody reads (see InterruptGuard).
void write_output(std::string_view text);

}  // namespace nmt
