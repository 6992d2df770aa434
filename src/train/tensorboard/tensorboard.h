// What `nmt train` writes for TensorBoard.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "train/tensorboard/event_file.h"

namespace nmt {

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
