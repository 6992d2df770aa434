// The devices on which whole models are tested.
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "backend/factory.h"
#include "common/error.h"
#include "common/log/terminal_log.h"

namespace nmt::testing {

/// Returns the library of the CUDA backend, if it is beside the tests; then there is a GPU, or the emulator.
inline std::filesystem::path cuda_library() {
  return std::filesystem::read_symlink("/proc/self/exe").parent_path() / "lib/libnmt_cuda.so";
}

/// Returns "reference", "cpu", and "cuda" if its library exists.
inline std::vector<std::string> devices() {
  std::vector<std::string> devices = {"reference", "cpu"};
  if (std::filesystem::exists(cuda_library())) devices.emplace_back("cuda");
  return devices;
}

/// Returns events for opening a GPU that send warnings, such as about an unsupported library function, to
/// standard error.
inline GpuEvents warnings_to_terminal() {
  static TerminalLog log;
  return {.log = &log};
}

/// Opens a device with `threads` threads, computing in f32, or for the reference in f64.
inline std::unique_ptr<Backend> open_device(const std::string& name, int threads = 1) {
  return open_backend({.device = name,
                       .precision = name == "reference" ? "auto" : "f32",
                       .threads = threads,
                       .streams = threads,
                       .events = warnings_to_terminal()});
}

/// Returns the devices that several threads can use at a time.
inline std::vector<std::string> devices_with_workers() {
  std::vector<std::string> devices = testing::devices();
  devices.erase(devices.begin());
  return devices;
}

/// Whether this is an emulated GPU: thousands of times slower than other devices, so that tests of whole
/// models do less on it.
inline bool is_emulated(const Backend& backend) {
  return backend.description().find("emulated") != std::string::npos;
}

/// Whether there are GPUs for two ranks, or the emulator.
inline bool has_two_gpus() {
  if (devices().back() != "cuda") return false;
  try {
    open_backend({.device = "cuda:1", .precision = "f32"});
    return true;
  } catch (const UsageError&) {
    return false;
  }
}

}  // namespace nmt::testing
