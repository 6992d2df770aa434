#include "cli/training/judges.h"

#include <string>
#include <utility>

#include "engine/opened_metric.h"

namespace nmt {
namespace {

std::shared_ptr<OpenedMetric> open_judge(const std::string& model, DeviceSettings device,
                                         const std::string& name) {
  device.device = name;
  device.precision = "auto";  // that of training need not be one for inference
  return std::make_shared<OpenedMetric>(model, std::move(device));
}

}  // namespace

Judges open_judges(const TrainOptions& options, DeviceRanks& ranks) {
  const std::string& validating = options.training.valid_comet;
  const RiskSettings& risk = options.training.risk;
  Judges judges;
  std::shared_ptr<OpenedMetric> of_validation;
  if (!validating.empty() && ranks.processes().rank() == 0) {
    of_validation = open_judge(validating, options.device, ranks.names()[0]);
    of_validation->require("COMET");
    judges.validation = {of_validation, &of_validation->metric()};
  }
  if (!risk.needs_model()) return judges;
  for (const std::string& device : ranks.names()) {
    const bool is_open = judges.risk.empty() && of_validation && risk.model == validating;
    auto opened = is_open ? of_validation : open_judge(risk.model, options.device, device);
    if (risk.metric == kCometName) opened->require("COMET");
    judges.risk.push_back(risk.metric == kCometName ? OpenedMetric::utility(std::move(opened), std::nullopt)
                                                    : OpenedMetric::quality(std::move(opened)));
  }
  return judges;
}

}  // namespace nmt
