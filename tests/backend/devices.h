// The devices that whole models are tried on.
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "backend/factory.h"
#include "common/error.h"

namespace nmt::testing {

/// "reference", "cpu", and "cuda" where its library lies beside the tests: then there is a card, or the
/// emulator in its place.
inline std::vector<std::string> devices() {
  std::vector<std::string> devices = {"reference", "cpu"};
  const auto library = std::filesystem::read_symlink("/proc/self/exe").parent_path() / "lib/libnmt_cuda.so";
  if (std::filesystem::exists(library)) devices.emplace_back("cuda");
  return devices;
}

/// Opens one of them to compute in f32, the reference in f64.
inline std::unique_ptr<Backend> open_device(const std::string& name, int threads = 1) {
  return open_backend(
      {.device = name, .precision = name == "reference" ? "auto" : "f32", .threads = threads});
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
