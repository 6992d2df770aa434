// The CUDA backend, whose library is opened on demand.
#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "common/log/log.h"
#include "tensor/backend.h"

namespace nmt {

/// Callbacks about GPUs, for as long as they are open.
struct GpuEvents {
  Log* log = &silent_log();
  /// A GPU hangs: calls of its backend no longer return, and neither does its destructor. Called on a
  /// separate thread with an error that says so; may end the process (end_at_once). If empty, the error is
  /// logged.
  std::function<void(const std::string& error)> on_hang = {};
};

/// Returns N for "cuda:N", and 0 for "cuda". Throws UsageError for any other name.
int cuda_gpu_number(const std::string& device);

/// Opens `device`, "cuda" (which is cuda:0) or "cuda:N", to compute in `precision`: "auto", "f32", "tf32",
/// "bf16", "f16" or "int8". If there are several `streams`, each has a worker. Throws UsageError that says
/// what is missing. `folder`: the folder of the program; empty: its actual location. The library,
/// libnmt_cuda.so, is in lib/ there, or in ../lib/nmt/ if installed.
std::unique_ptr<Backend> open_cuda_backend(const std::string& device, const std::string& precision,
                                           int streams, const GpuEvents& events = {},
                                           const std::filesystem::path& folder = {});

/// Opens the first GPU like open_cuda_backend(); null if there is no GPU or no library. If there is one that
/// cannot be used, a warning says why.
std::unique_ptr<Backend> open_cuda_backend_if_any(const std::string& precision, int streams,
                                                  const GpuEvents& events = {},
                                                  const std::filesystem::path& folder = {});

/// Returns, for each GPU of this machine, at least one, a name that is unique worldwide. Throws UsageError
/// that says what is missing.
std::vector<std::string> names_of_cuda_gpus(const std::filesystem::path& folder = {});

/// Returns the names of names_of_cuda_gpus(); none if open_cuda_backend_if_any() returns null, with the same
/// warnings.
std::vector<std::string> names_of_cuda_gpus_if_any(Log& log, const std::filesystem::path& folder = {});

/// Whether NVIDIA's driver is installed: without it, there is no need to look for the library.
bool has_cuda_driver();

}  // namespace nmt
