// Assigns the GPUs of a machine to the processes of a run.
#pragma once

#include <string>
#include <vector>

#include "tensor/communicator.h"

namespace nmt {

/// The devices that a process of a run may use.
struct GpuClaim {
  std::vector<std::string> gpus;  // unique names of GPUs; empty: the process computes on the CPU
  bool one_alone = false;         // uses only one of them
};

/// Returns, for each process, the part of its claim that it uses. Processes that claim the same GPUs share
/// them in order: one GPU each, or all of them, as evenly as possible. `names`: the names of the processes,
/// for messages. Throws UsageError if there are more processes than GPUs, or if two claims overlap without
/// being equal.
std::vector<Part> partition_gpus(const std::vector<GpuClaim>& claims, const std::vector<std::string>& names);

}  // namespace nmt
