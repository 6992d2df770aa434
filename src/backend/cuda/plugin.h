// The interface of the plugin: names that the program looks up after opening libnmt_cuda.so. Program and
// plugin must be of the same build, which is checked; C++ objects pass between them. So do exceptions: those
// of std, and Error and its subclasses, whose types the shared C++ runtime compares by name. The plugin is
// never closed, because its objects may call back into it.
#pragma once

#include <string>
#include <vector>

#include "backend/cuda/runtime/plugin_callbacks.h"
#include "common/error.h"
#include "tensor/backend.h"

namespace nmt {

/// const char[]: the build id of the plugin, NMT_BUILD_ID.
constexpr const char* kCudaBuild = "nmt_cuda_build";

/// Opens GPU `device` to compute in `precision`: "auto", which is bf16, "f32", "tf32", "bf16" or "f16"; with
/// `streams` workers, at least 1, if there are several. `warn` is called at most once; `abort_process` is
/// called on a separate thread if the GPU hangs. Throws UsageError if the GPU cannot be opened.
using OpenCudaBackend = Backend* (*)(int device, const char* precision, int streams, const Warn& warn,
                                     const AbortProcess& abort_process);
constexpr const char* kOpenCudaBackend = "nmt_open_cuda_backend";

/// Returns, for each GPU, at least one, a name that is unique worldwide. Throws UsageError if that is not
/// possible.
using NameCudaGpus = void (*)(std::vector<std::string>& names);
constexpr const char* kNameCudaGpus = "nmt_name_cuda_gpus";

/// Thrown if the machine has no GPU, which is not a fault.
class NoGpu : public UsageError {
 public:
  using UsageError::UsageError;
};

}  // namespace nmt
