#include "train/tensorboard/tensorboard.h"

#include <fmt/format.h>

#include "train/figures.h"
#include "train/sample_lines.h"
#include "train/tensorboard/summary.h"

namespace nmt {

TensorBoard::TensorBoard(const std::string& folder, std::int64_t first_step,
                         std::vector<std::pair<std::string, std::string>> settings)
    : settings_(std::move(settings)),
      run_(folder, first_step),
      train_(folder + "/train", first_step),
      valid_(folder + "/valid", first_step) {}

void TensorBoard::add(const nlohmann::ordered_json& line) {
  if (run_.empty()) run_.add(0, settings_value(settings_, wall_time()));
  std::string summary;
  for (const auto& [name, value] : figures_of(line)) summary += scalar_value(name, value);
  EventFile& file = line.at("event") == "valid" ? valid_ : train_;
  file.add(line.at("step").get<std::int64_t>(), summary);
}

void TensorBoard::add(std::int64_t step, const std::vector<std::string>& sources,
                      const std::vector<std::string>& references,
                      const std::vector<std::string>& translations) {
  constexpr std::size_t kLongestShown = 2000;
  std::vector<std::vector<std::string>> table = {{"**line and source**", "**reference**", "**translation**"}};
  for (const std::int64_t number : sample_lines(std::ssize(translations))) {
    const auto cell = [number](const std::vector<std::string>& lines) {
      return markdown(cut_short(lines[static_cast<std::size_t>(number)], kLongestShown));
    };
    // TensorBoard makes a column of numbers so narrow that they break.
    table.push_back({fmt::format("{}: {}", number + 1, cell(sources)), cell(references), cell(translations)});
  }
  valid_.add(step, table_value("translations", table));
}

void TensorBoard::finish(std::int64_t step) {
  if (!run_.empty()) run_.add(step, finished_value(wall_time()));
}

}  // namespace nmt
