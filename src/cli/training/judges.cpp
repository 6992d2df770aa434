#include "cli/training/judges.h"

#include <map>
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
  const RiskSettings& risk = options.training.risk;
  Judges judges;
  std::map<std::string, std::shared_ptr<OpenedMetric>> of_validation;  // by path
  if (ranks.processes().rank() == 0) {
    for (const auto& [metric, model] : options.training.valid_models.given()) {
      const auto opened = open_judge(model, options.device, ranks.names()[0]);
      opened->require(metric);
      judges.validation[metric] = {opened, &opened->metric()};
      of_validation[model] = opened;
    }
  }
  if (!risk.needs_model()) return judges;
  for (const std::string& device : ranks.names()) {
    const auto open = of_validation.find(risk.model);
    const bool is_open = judges.risk.empty() && open != of_validation.end();
    auto opened = is_open ? open->second : open_judge(risk.model, options.device, device);
    const bool compares = needs_model(risk.metric);
    if (compares) opened->require(risk.metric);
    judges.risk.push_back(compares ? OpenedMetric::utility(std::move(opened), std::nullopt)
                                   : OpenedMetric::quality(std::move(opened)));
  }
  return judges;
}

}  // namespace nmt
