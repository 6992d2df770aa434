#include "engine/opened_metric.h"

#include <filesystem>
#include <utility>

#include "common/error.h"
#include "engine/models.h"
#include "nn/comet/comet_model.h"
#include "nn/metricx/metricx_model.h"
#include "translate/quality/comet_utility.h"
#include "translate/quality/metricx_metric.h"

namespace nmt {
namespace {

std::string last_part(const std::string& path) {
  const std::filesystem::path place(path);
  return (place.has_filename() ? place : place.parent_path()).filename().string();
}

/// Returns the device on which the score of a text, a single number, is not lost in the rounding of bf16.
DeviceSettings with_f32_activations(DeviceSettings device) {
  device.f32_activations = true;
  return device;
}

std::unique_ptr<QualityMetric> metric_of(const SavedJudge& judge, Workers& workers) {
  if (const auto* comet = dynamic_cast<const CometModel*>(judge.network.get()))
    return std::make_unique<CometMetric>(*comet, judge.vocabulary, workers);
  return std::make_unique<MetricXMetric>(dynamic_cast<const MetricXModel&>(*judge.network), judge.vocabulary,
                                         workers);
}

}  // namespace

OpenedMetric::OpenedMetric(const std::string& path, DeviceSettings device, const ForeignFiles& files)
    : OpenedMetric(last_part(path), open_model_file(model_file(path), files), std::move(device)) {}

OpenedMetric::OpenedMetric(std::string name, ModelFile file, DeviceSettings device)
    : name_(std::move(name)),
      file_(std::move(file)),
      device_(open_device_for({&file_, 1}, with_f32_activations(std::move(device)))),
      judge_(open_judge(file_, *device_)),
      workers_(*device_),
      metric_(metric_of(judge_, workers_)) {}

void OpenedMetric::require(const std::string& metric) const {
  if (metric_->is(metric)) return;
  throw UsageError("'{}' is a {} model, which does not compute the metric {}", name_, metric_->name(),
                   metric);
}

std::shared_ptr<const Utility> OpenedMetric::utility(std::shared_ptr<const OpenedMetric> opened,
                                                     std::optional<std::size_t> exact) {
  const auto* const comet = dynamic_cast<const CometMetric*>(&opened->metric());
  if (comet != nullptr && comet->compares_vectors())
    return std::make_shared<CometUtility>(std::shared_ptr<const CometMetric>(std::move(opened), comet),
                                          exact);
  const QualityMetric& metric = opened->metric();
  if (!metric.reads_reference()) {
    throw Error(
        "'{}' does not read references; name a model that compares with references, such as wmt22-comet-da "
        "or MetricX-24",
        opened->name());
  }
  if (exact) {
    throw Error(
        "`mbr_exact` needs a COMET model of kind regression, which encodes texts apart, but '{}' does "
        "not; leave it out",
        opened->name());
  }
  return std::make_shared<PairwiseUtility>(std::shared_ptr<const QualityMetric>(std::move(opened), &metric));
}

std::shared_ptr<const Utility> OpenedMetric::quality(std::shared_ptr<const OpenedMetric> opened) {
  return std::make_shared<EstimatedQuality>(estimator(std::move(opened)));
}

std::shared_ptr<const QualityMetric> OpenedMetric::estimator(std::shared_ptr<const OpenedMetric> opened) {
  const QualityMetric& metric = opened->metric();
  if (metric.needs_reference()) {
    throw Error(
        "'{}' needs references; name a model that estimates quality without them, such as CometKiwi or "
        "MetricX-24",
        opened->name());
  }
  return {std::move(opened), &metric};
}

std::string OpenedMetric::checksum() const {
  std::string checksum = file_.checksum();
  file_.check_unchanged();
  return checksum;
}

std::string OpenedMetric::precision() const {
  const Precision types = device_->precision();
  return types.weights == DType::i8 ? "int8" : name_of(types.weights);
}

}  // namespace nmt
