#include "backend/factory.h"

#include "backend/cpu/cpu_backend.h"
#include "backend/reference/reference.h"
#include "common/error.h"

namespace nmt {

std::unique_ptr<Backend> open_backend(const DeviceSettings& settings) {
  if (settings.threads < 1) throw UsageError("threads is {}: it must be at least 1", settings.threads);
  if (settings.device == "reference") return std::make_unique<ReferenceBackend>();
  if (settings.device == "cpu" || settings.device == "auto")
    return std::make_unique<CpuBackend>(settings.threads, settings.cpu_isa);
  throw UsageError("unknown device '{}': use auto, cpu or reference", settings.device);
}

}  // namespace nmt
