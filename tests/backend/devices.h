// The devices that whole models are tried on.
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "backend/factory.h"
#include "common/error.h"
#include "common/log/terminal_log.h"

namespace nmt::testing {

/// Where the library of the CUDA backend lies, if it lies beside the tests: then there is a card, or the
/// emulator in its place.
inline std::filesystem::path cuda_library() {
  return std::filesystem::read_symlink("/proc/self/exe").parent_path() / "lib/libnmt_cuda.so";
}

/// "reference", "cpu", and "cuda" where there is its library.
inline std::vector<std::string> devices() {
  std::vector<std::string> devices = {"reference", "cpu"};
  if (std::filesystem::exists(cuda_library())) devices.emplace_back("cuda");
  return devices;
}

/// For whoever opens a card: its warnings, such as of what a library refuses, go to standard error.
inline CardEvents warnings_to_terminal() {
  static TerminalLog log;
  return {.log = &log};
}

/// Opens one of them to compute in f32, the reference in f64, for so many threads.
inline std::unique_ptr<Backend> open_device(const std::string& name, int threads = 1) {
  return open_backend({.device = name,
                       .precision = name == "reference" ? "auto" : "f32",
                       .threads = threads,
                       .streams = threads,
                       .events = warnings_to_terminal()});
}

/// Those that several threads can drive at the same time.
inline std::vector<std::string> devices_with_workers() {
  std::vector<std::string> devices = testing::devices();
  devices.erase(devices.begin());
  return devices;
}

/// Whether this is an emulated card: some thousand times slower than another device, so that tests of whole
/// models have it do less.
inline bool is_emulated(const Backend& backend) {
  return backend.description().find("emulated") != std::string::npos;
}

/// Whether there are cards for two ranks, or the emulator in their place.
inline bool has_two_cards() {
  if (devices().back() != "cuda") return false;
  try {
    open_backend({.device = "cuda:1", .precision = "f32"});
    return true;
  } catch (const UsageError&) {
    return false;
  }
}

}  // namespace nmt::testing
