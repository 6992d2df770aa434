#include "backend/cuda_plugin.h"

#include <dlfcn.h>

#include <new>
#include <type_traits>

#include "backend/cuda/plugin.h"
#include "common/error.h"
#include "common/process/plugin.h"
#include "common/text/number.h"

namespace nmt {
namespace {

using Path = std::filesystem::path;

constexpr const char* kLibrary = "libnmt_cuda.so";

Path library_in(const Path& folder) {
  Path library = find_plugin(kLibrary, folder);
  if (library.empty()) {
    throw UsageError(
        "this nmt has no CUDA backend: it was built without nvcc, or {} is not in {}; compute on the CPU "
        "(`device` cpu), or install it (Debian package nmt-cuda)",
        kLibrary, plugin_places(folder));
  }
  return library;
}

void* plugin_function(const Path& library, const char* function) {
  return open_plugin(library, "the CUDA backend", kCudaBuild, function);
}

std::unique_ptr<Backend> open(const Path& library, int number, const std::string& precision, int streams,
                              const GpuEvents& events) {
  Log* const log = events.log;
  const Warn warn = [log](const std::string& line) { log->line(LogLevel::warning, line); };
  AbortProcess abort_process = events.on_hang;
  if (!abort_process) abort_process = [log](const std::string& line) { log->line(LogLevel::error, line); };
  const auto open_backend = reinterpret_cast<OpenCudaBackend>(plugin_function(library, kOpenCudaBackend));
  return std::unique_ptr<Backend>(open_backend(number, precision.c_str(), streams, warn, abort_process));
}

std::vector<std::string> names_in(const Path& library) {
  std::vector<std::string> names;
  reinterpret_cast<NameCudaGpus>(plugin_function(library, kNameCudaGpus))(names);
  return names;
}

/// Calls `of` with the plugin and returns its result; returns nothing, with a warning that says why, if GPUs
/// cannot be used.
template <class Of>
std::invoke_result_t<Of, const Path&> if_any(const Path& folder, Log& log, const Of& of) {
  const Path library = find_plugin(kLibrary, folder);
  if (library.empty()) return {};
  try {
    return of(library);
  } catch (const NoGpu& none) {
    log.verbose("computing on the CPU: {}", none.what());
  } catch (const std::bad_alloc&) {
    log.warning("computing on the CPU: the memory of cuda:0 is full");
  } catch (const Error& error) {
    log.warning("computing on the CPU: {}", error.what());
  }
  return {};
}

}  // namespace

int cuda_gpu_number(const std::string& device) {
  const std::string_view text = device.starts_with("cuda:") ? std::string_view(device).substr(5) : "0";
  const int number = number_of<int>(text).value_or(-1);
  if (number < 0) throw UsageError("unknown device '{}': GPUs are cuda:0, cuda:1 and so on", device);
  return number;
}

std::unique_ptr<Backend> open_cuda_backend(const std::string& device, const std::string& precision,
                                           int streams, const GpuEvents& events, const Path& folder) {
  const int number = cuda_gpu_number(device);
  return open(library_in(folder), number, precision, streams, events);
}

std::vector<std::string> names_of_cuda_gpus(const Path& folder) {
  return names_in(library_in(folder));
}

std::unique_ptr<Backend> open_cuda_backend_if_any(const std::string& precision, int streams,
                                                  const GpuEvents& events, const Path& folder) {
  return if_any(folder, *events.log,
                [&](const Path& library) { return open(library, 0, precision, streams, events); });
}

std::vector<std::string> names_of_cuda_gpus_if_any(Log& log, const Path& folder) {
  return if_any(folder, log, names_in);
}

bool has_cuda_driver() {
  void* driver = dlopen("libcuda.so.1", RTLD_LAZY | RTLD_LOCAL);
  if (driver != nullptr) dlclose(driver);
  return driver != nullptr;
}

}  // namespace nmt
