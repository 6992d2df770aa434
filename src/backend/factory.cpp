#include "backend/factory.h"

#include "backend/cpu/cpu_backend.h"
#include "backend/reference/reference.h"
#include "common/error.h"

namespace nmt {
namespace {

DType cpu_type(const std::string& precision) {
  if (precision == "auto" || precision == "f32") return DType::f32;
  if (precision == "bf16") return DType::bf16;
  throw UsageError("unknown precision '{}': use auto, f32 or bf16", precision);
}

}  // namespace

const std::vector<std::string>& cpu_instruction_sets() {
  return cpu::instruction_set_names();
}

std::unique_ptr<Backend> open_backend(const DeviceSettings& settings) {
  if (settings.threads < 1) throw UsageError("threads is {}: it must be at least 1", settings.threads);
  if (settings.device == "reference") {
    if (settings.precision != "auto")
      throw UsageError("the reference device computes in f64 alone: use precision auto, not {}",
                       settings.precision);
    return std::make_unique<ReferenceBackend>();
  }
  if (settings.device == "cpu" || settings.device == "auto")
    return std::make_unique<CpuBackend>(settings.threads, settings.cpu_isa, cpu_type(settings.precision));
  throw UsageError("unknown device '{}': use auto, cpu or reference", settings.device);
}

}  // namespace nmt
