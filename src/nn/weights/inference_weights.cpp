#include "nn/weights/inference_weights.h"

#include <algorithm>
#include <memory>

#include "nn/files/file_weights.h"

namespace nmt {
namespace {

std::size_t aligned(std::size_t bytes) {
  constexpr std::size_t kAlignment = 64;
  return (bytes + kAlignment - 1) / kAlignment * kAlignment;
}

/// Hands out zeroed memory of one block on a device.
class Block {
 public:
  Block(Backend& backend, std::size_t bytes)
      : backend_(backend),
        memory_(backend.allocate(std::max<std::size_t>(bytes, 1)),
                [&backend](void* memory) { backend.release(memory); }),
        next_(static_cast<std::byte*>(memory_.get())) {}

  Tensor take(std::int64_t rows, std::int64_t columns, DType dtype) {
    Tensor tensor(rows, columns, dtype, next_, memory_);
    backend_.zero(tensor);
    next_ += aligned(tensor.bytes());
    return tensor;
  }

 private:
  Backend& backend_;
  std::shared_ptr<void> memory_;
  std::byte* next_;
};

}  // namespace

void allocate_for_inference(Parameters& parameters, Backend& backend) {
  const Precision precision = backend.precision();
  const auto type_of = [&](const Parameters::Entry& entry) {
    return entry.role == Role::bias ? backend.bias_type() : entry.type_in(precision);
  };
  const auto scales_of = [&](const Parameters::Entry& entry) {
    return type_of(entry) == DType::i8 ? entry.rows : 0;
  };
  std::size_t bytes = 0;
  for (const Parameters::Entry& entry : parameters.entries()) {
    if (scales_of(entry) > 0) check_quantizable(entry.parameter.name, entry.columns);
    bytes += aligned(static_cast<std::size_t>(entry.size()) * size_of(type_of(entry)));
    bytes += aligned(static_cast<std::size_t>(scales_of(entry)) * sizeof(float));
  }
  Block block(backend, bytes);
  for (Parameters::Entry& entry : parameters.entries()) {
    Parameter& parameter = entry.parameter;
    entry.master = block.take(std::max<std::int64_t>(entry.rows, 1), entry.columns, type_of(entry));
    parameter.value = entry.master;
    parameter.gradient = {};
    parameter.scale = scales_of(entry) > 0 ? block.take(1, entry.rows, DType::f32) : Tensor();
  }
}

void prepack(Parameters& parameters, Backend& backend, OutputRows output) {
  for (Parameters::Entry& entry : parameters.entries()) {
    entry.master = {};
    const bool is_looked_up = entry.role == Role::output && output == OutputRows::selected;
    if (!entry.is_for_products() || is_looked_up) continue;
    Tensor& value = entry.parameter.value;
    value = backend.prepack(value, entry.parts);
  }
}

}  // namespace nmt
