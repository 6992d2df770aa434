// The memory that a training run takes.
#pragma once

#include <cstddef>
#include <cstdint>

#include "engine/device_ranks.h"
#include "engine/training_plan.h"
#include "train/memory_need.h"

namespace nmt {

/// The memory of a run on each of its devices.
struct TrainingMemory {
  std::int64_t micro_batch_tokens = 0;  // as the settings say, or as many as fit
  MemoryNeed need;
  std::size_t free_bytes = 0;  // beside the weights
};

/// Returns the memory of a run on these ranks. All processes of the run call it together, after all of them
/// have copied the model to their devices, unless it is without memory.
TrainingMemory training_memory(const TrainingPlan& plan, DeviceRanks& ranks);

}  // namespace nmt
