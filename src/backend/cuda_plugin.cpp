#include "backend/cuda_plugin.h"

#include <dlfcn.h>

#include <charconv>
#include <cstring>
#include <new>

#include "backend/cuda/plugin.h"
#include "common/error.h"
#include "common/log.h"

namespace nmt {
namespace {

using Path = std::filesystem::path;

Path folder_of_program() {
  return std::filesystem::read_symlink("/proc/self/exe").parent_path();
}

/// Beside the program where no folder is named.
Path place_of(const Path& folder) {
  return folder.empty() ? folder_of_program() : folder;
}

/// Empty where it is not there.
Path find_library(const Path& folder) {
  for (const char* place : {"lib", "../lib/nmt"}) {
    const Path library = folder / place / "libnmt_cuda.so";
    std::error_code not_there;
    if (std::filesystem::exists(library, not_there)) return library.lexically_normal();
  }
  return {};
}

OpenCudaBackend open_library(const Path& path) {
  void* library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) throw UsageError("the CUDA backend cannot be opened: {}", dlerror());
  const auto* build = static_cast<const char*>(dlsym(library, kCudaBuild));
  void* open = dlsym(library, kOpenCudaBackend);
  if (build == nullptr || open == nullptr || std::strcmp(build, NMT_BUILD_ID) != 0) {
    throw UsageError("{} is of another build of nmt ({}; this one is {}): install both together",
                     path.string(), build == nullptr ? "none that is known" : build, NMT_BUILD_ID);
  }
  return reinterpret_cast<OpenCudaBackend>(open);
}

int card_number(const std::string& device) {
  const std::string_view text = device.starts_with("cuda:") ? std::string_view(device).substr(5) : "0";
  int number = -1;
  const auto [end, error] = std::from_chars(text.begin(), text.end(), number);
  if (error != std::errc() || end != text.end() || number < 0)
    throw UsageError("unknown device '{}': cards are cuda:0, cuda:1 and so on", device);
  return number;
}

std::unique_ptr<Backend> open(const Path& library, int number, const std::string& precision) {
  const Warn warn = [](const char* line) { log_warning("{}", line); };
  return std::unique_ptr<Backend>(open_library(library)(number, precision.c_str(), warn));
}

}  // namespace

std::unique_ptr<Backend> open_cuda_backend(const std::string& device, const std::string& precision,
                                           const Path& folder) {
  const int number = card_number(device);
  const Path place = place_of(folder);
  const Path library = find_library(place);
  if (library.empty()) {
    throw UsageError(
        "this nmt has no CUDA backend: it was built without nvcc, or libnmt_cuda.so is not in {} nor in {}",
        (place / "lib").string(), (place / "../lib/nmt").lexically_normal().string());
  }
  return open(library, number, precision);
}

std::unique_ptr<Backend> open_cuda_backend_if_any(const std::string& precision, const Path& folder) {
  const Path library = find_library(place_of(folder));
  if (library.empty()) return nullptr;
  try {
    return open(library, 0, precision);
  } catch (const NoCard& none) {
    log_verbose("computing on the CPU: {}", none.what());
  } catch (const std::bad_alloc&) {
    log_warning("computing on the CPU: the memory of cuda:0 is full");
  } catch (const Error& error) {
    log_warning("computing on the CPU: {}", error.what());
  }
  return nullptr;
}

bool has_cuda_driver() {
  void* driver = dlopen("libcuda.so.1", RTLD_LAZY | RTLD_LOCAL);
  if (driver != nullptr) dlclose(driver);
  return driver != nullptr;
}

}  // namespace nmt
