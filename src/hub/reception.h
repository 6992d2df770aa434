// Downloads that may take several attempts.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "common/file_descriptor.h"

namespace nmt {

/// Contents of a known size that are being received into a file, which may have their beginning already.
class Reception {
 public:
  /// Opens or creates the file. Throws Error if it cannot be written, as do the functions below.
  Reception(const std::string& path, std::int64_t size);

  /// Returns the number of bytes received so far.
  std::int64_t received() const { return received_; }
  /// Whether all bytes have been received.
  bool is_whole() const { return received_ == size_; }

  /// Forgets what was received.
  void restart();
  /// Appends bytes. If the contents are larger than expected, forgets everything and returns false.
  bool add(std::string_view bytes);
  /// Waits until everything is on the disk.
  void sync();

  /// Counts an attempt that broke off, and returns the number of such attempts. The count begins again after
  /// each 64 KiB that no attempt had received before. So a server that sends the same bytes again, or a few
  /// at a time, does not keep the download going.
  int count_failure();

 private:
  std::string path_;
  FileDescriptor file_;
  std::int64_t size_, received_ = 0;
  std::int64_t counted_ = 0;  // what had been received when failures were last counted anew
  int failures_ = 0;
};

}  // namespace nmt
