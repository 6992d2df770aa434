// Event files, which TensorBoard shows.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "common/file_descriptor.h"

namespace nmt {

/// A record of a TFRecord file: length, masked CRC-32C of the length, data, masked CRC-32C of the data.
std::string tfrecord(std::string_view data);

/// The figures that belong to one step, as a message tensorflow.Event whose summary has simple values.
std::string scalar_event(double wall_time, std::int64_t step,
                         const std::vector<std::pair<std::string, double>>& scalars);

/// One file a process: events.out.tfevents.SECONDS.HOST.PID in a folder. It begins with SessionLog.START at
/// the first step that this process makes, so that what a killed one had written of this step and later ones
/// is dropped by readers. (A validation of the step before, which may be made again, is then there twice and
/// the same.) Each event is written at once and whole; a file that was cut while one was written is read up
/// to there.
class EventFile {
 public:
  /// Makes the folder. The file comes with the first event. Throws Error when the folder cannot be written.
  EventFile(std::string folder, std::int64_t first_step);

  /// Adds the figures of a line of metrics.jsonl (see figures_of), as train/loss, valid/bleu.
  void add(const nlohmann::ordered_json& line);

 private:
  void create();
  void write(const std::string& event);

  std::string folder_, path_;
  std::int64_t first_step_;
  FileDescriptor file_;
};

}  // namespace nmt
