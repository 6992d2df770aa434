// The GPUs of this machine, and their capabilities.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace nmt::cuda {

struct Gpu {
  int number = 0;
  std::string name;    // "NVIDIA H200"
  int capability = 0;  // compute capability times ten: 90 is 9.0
};

/// Returns, for each GPU, at least one, a name that is unique worldwide. Throws NoGpu if the machine has no
/// driver or no visible GPU, UsageError if the driver is older than CUDA.
std::vector<std::string> names_of_gpus();

/// Returns GPU `number`, counted from 0. Throws NoGpu if the machine has no driver or no visible GPU,
/// UsageError if this GPU does not exist, this build has no code for it, or the driver is older than CUDA.
Gpu find_gpu(int number);

/// Whether a build for these architectures, named as in CMAKE_CUDA_ARCHITECTURES and separated by spaces, has
/// code for a GPU: "90-real" for those of its generation, from 9.0 on; "90-virtual" and "90", which a driver
/// translates, for all from 9.0 on; "90a" for 9.0 only; "100f" also for those of its generation.
bool has_code(std::string_view architectures, int capability);

}  // namespace nmt::cuda
