// Data on standard output and other streams that have a reader.
#pragma once

#include <exception>
#include <string_view>

#include "common/job_context.h"

namespace nmt {

/// The reader has closed the stream (`nmt translate | head -1`), which is not an error to report.
class OutputClosed : public std::exception {
 public:
  const char* what() const noexcept override { return "the output was closed"; }
};

/// Writes `text` to an open file, visible to readers at once. Returns false, with the reason in errno, if
/// that fails (for instance if the disk is full; a regular file then ends with a whole line). Throws
/// OutputClosed, and Interrupted if a stop is requested while nobody reads.
bool write_at_once(int file, std::string_view text, const StopRequest& stop);

/// Writes `text` to standard output as write_at_once() does. Throws Error if that fails.
void write_output(std::string_view text, const StopRequest& stop);

}  // namespace nmt
