// The models that judge translations during a run.
#pragma once

#include <memory>
#include <vector>

#include "cli/training/train_options.h"
#include "engine/device_ranks.h"
#include "translate/quality/quality_metric.h"
#include "translate/service/utility.h"

namespace nmt {

struct Judges {
  /// Judge validations on rank 0.
  QualityMetrics validation = {};
  /// Judge candidates in minimum risk training: one for each rank of this process, on its device; empty:
  /// none.
  std::vector<std::shared_ptr<const Utility>> risk = {};
};

/// Opens the models that the options name. A model that does both is opened once on rank 0. Throws Error as
/// OpenedMetric does.
Judges open_judges(const TrainOptions& options, DeviceRanks& ranks);

}  // namespace nmt
