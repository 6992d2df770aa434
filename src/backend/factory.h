// Opens the backend that a device name stands for.
#pragma once

#include <memory>
#include <string>

#include "tensor/backend.h"

namespace nmt {

/// How to compute. `device`: "cpu" (f32), "reference" (f64, plain loops) or "auto" (the best there is);
/// `cpu_isa`: "auto", "avx2" or "avx512"; `threads` at least 1.
struct DeviceSettings {
  std::string device = "auto";
  std::string cpu_isa = "auto";
  int threads = 1;
};

/// Throws UsageError when this machine lacks what is asked for.
std::unique_ptr<Backend> open_backend(const DeviceSettings& settings);

}  // namespace nmt
