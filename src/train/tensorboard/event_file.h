// Event files, which TensorBoard reads.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "common/file_descriptor.h"

namespace nmt {

/// Returns a record of a TFRecord file: length, masked CRC-32C of the length, data, masked CRC-32C of the
/// data.
std::string tfrecord(std::string_view data);

/// Returns the seconds since 1970.
double wall_time();

/// An event file, one per process: events.out.tfevents.SECONDS.HOST.PID in a folder. It begins with
/// SessionLog.START at the first step of this process, so that readers drop what a killed process had written
/// for this and later steps. (A validation of the previous step that is repeated appears twice with equal
/// values.) Each event is written at once and completely; if the last event of a file is truncated, the
/// events before it remain readable.
class EventFile {
 public:
  /// Creates the folder. The file is created with the first event. Throws Error if the folder cannot be
  /// written.
  EventFile(std::string folder, std::int64_t first_step);

  /// Adds an event with a tensorflow.Summary message.
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
