// The figures of a run for TensorBoard: summaries, encoded by hand, in event files.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "common/file_descriptor.h"

namespace nmt {

/// Returns the cyclic redundancy check with Castagnoli's polynomial, as in RFC 3720 (section 12.1).
std::uint32_t crc32c(std::string_view bytes);

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

/// Returns a figure as a value of a summary. A summary is a concatenation of values.
std::string scalar_value(const std::string& tag, double value);

/// Returns a table as Markdown for the text plugin; its cells are plain text (see markdown). All rows have
/// equal length.
std::string table_value(const std::string& tag, const std::vector<std::vector<std::string>>& rows);

/// Escapes text for Markdown.
std::string markdown(const std::string& text);

/// Return the beginning of a run with these settings, and its planned end, for the hparams plugin. Times are
/// in seconds since 1970.
std::string settings_value(const std::vector<std::pair<std::string, std::string>>& settings, double time);
std::string finished_value(double time);

/// Writes training figures to the folder `train` and validation figures to `valid`, with their names in
/// metrics.jsonl: TensorBoard shows figures of the same name in one chart. `valid` also contains translations
/// as text, and the folder itself the settings of the run, for the hparams plugin.
class TensorBoard {
 public:
  /// `first_step`: see EventFile. Throws Error if the folders cannot be written.
  TensorBoard(const std::string& folder, std::int64_t first_step,
              std::vector<std::pair<std::string, std::string>> settings);

  /// Adds the figures of a line of metrics.jsonl (see figures_of).
  void add(const nlohmann::ordered_json& line);
  /// Adds some lines of a validation text (see sample_lines) as a table.
  void add(std::int64_t step, const std::vector<std::string>& sources,
           const std::vector<std::string>& references, const std::vector<std::string>& translations);
  /// Records that the run has reached its planned end. Does nothing if nothing was added.
  void finish(std::int64_t step);

 private:
  std::vector<std::pair<std::string, std::string>> settings_;
  EventFile run_, train_, valid_;
};

}  // namespace nmt
