// Event files, which TensorBoard reads.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "common/io/file_descriptor.h"

namespace nmt {

/// A record of a TFRecord file: length, masked CRC-32C of the length, data, masked CRC-32C of the data.
std::string tfrecord(std::string_view data);

/// Seconds since 1970.
double wall_time();

/// One file a process: events.out.tfevents.SECONDS.HOST.PID in a folder. It begins with SessionLog.START at
/// the first step that this process makes, so that what a killed one had written of this step and later ones
/// is dropped by readers. (A validation of the step before, which may be made again, is then there twice and
/// the same.) Each event is written at once and whole; a file that was truncated while one was written is
/// read up to there.
class EventFile {
 public:
  /// Makes the folder. The file comes with the first event. Throws Error when the folder cannot be written.
  EventFile(std::string folder, std::int64_t first_step);

  /// Adds an event with a message tensorflow.Summary.
  void add(std::int64_t step, const std::string& summary);
  /// Whether this process has added nothing.
  bool empty() const { return !file_; }

 private:
  void create();
  void write(const std::string& event);

  std::string folder_, path_;
  std::int64_t first_step_;
  FileDescriptor file_;
};

}  // namespace nmt
