// Data on standard output, and on other streams that somebody reads.
#pragma once

#include <exception>
#include <string_view>

#include "common/process/stop_request.h"

namespace nmt {

/// Whoever read the data has closed the stream (`nmt translate | head -1`): no failure to speak of.
class OutputClosed : public std::exception {
 public:
  const char* what() const noexcept override { return "the output was closed"; }
};

/// Writes `text` to an open file, where readers see it at once; false, with the reason in errno, where that
/// fails (a full disk; where it is a regular file, it then ends with a whole line). Throws OutputClosed, and
/// Interrupted when it is asked to end while nobody reads.
bool write_at_once(int file, std::string_view text, const StopRequest& stop);

/// The same on standard output. Throws Error where that fails.
void write_output(std::string_view text, const StopRequest& stop);

}  // namespace nmt
