// A metric that judges translations with a network, and its device.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "backend/factory.h"
#include "foreign/open.h"
#include "nn/saved/saved_judge.h"
#include "tensor/workers.h"
#include "translate/quality/quality_metric.h"
#include "translate/service/utility.h"

namespace nmt {

class OpenedMetric {
 public:
  /// Opens a device and the COMET or MetricX model at `path` (see open_model_file). A model in int8 is
  /// computed in int8 on the CPU if the precision is "auto". Throws Error if the model cannot be opened, or
  /// is another type of model.
  OpenedMetric(const std::string& path, DeviceSettings device, const ForeignFiles& files = {});

  const QualityMetric& metric() const { return *metric_; }
  QualityMetric& metric() { return *metric_; }
  /// Throws UsageError unless the model computes the metric of this name.
  void require(const std::string& metric) const;
  /// Returns the name of the model: the last part of its path.
  const std::string& name() const { return name_; }
  /// Returns the checksum of the model; see ModelFile::checksum(). For a model of another toolkit, this reads
  /// all of it. Throws Error if the file has changed since it was opened.
  std::string checksum() const;
  /// Return utilities of candidate translations by a model that stays open as long as they exist: the score
  /// with references (see CometUtility, and PairwiseUtility for models that do not compare vectors), or the
  /// quality without references. Throw Error if the model cannot compute it. `exact`: see CometUtility; only
  /// for models that compare vectors.
  static std::shared_ptr<const Utility> utility(std::shared_ptr<const OpenedMetric> opened,
                                                std::optional<std::size_t> exact);
  static std::shared_ptr<const Utility> quality(std::shared_ptr<const OpenedMetric> opened);
  /// Returns the metric of a model that stays open as long as the metric exists. Throws Error if it needs
  /// references.
  static std::shared_ptr<const QualityMetric> estimator(std::shared_ptr<const OpenedMetric> opened);
  /// Returns the precision in which it computes: "f32".
  std::string precision() const;

 private:
  OpenedMetric(std::string name, ModelFile file, DeviceSettings device);

  std::string name_;
  ModelFile file_;
  std::unique_ptr<Backend> device_;
  SavedJudge judge_;
  Workers workers_;
  std::unique_ptr<QualityMetric> metric_;
};

}  // namespace nmt
