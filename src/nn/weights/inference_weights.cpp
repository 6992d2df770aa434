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

  /// Returns a tensor that begins a part of `room` bytes.
  Tensor take(std::int64_t rows, std::int64_t columns, DType dtype, std::size_t room) {
    Tensor tensor(rows, columns, dtype, next_, memory_);
    backend_.zero(tensor);
    next_ += aligned(room);
    return tensor;
  }

 private:
  Backend& backend_;
  std::shared_ptr<void> memory_;
  std::byte* next_;
};

/// Returns an upper limit of the elements of the packed form of a matrix.
std::size_t padded(const Parameters::Entry& entry) {
  constexpr std::int64_t kRowStep = 64, kColumnStep = 64;
  const std::int64_t rows = (entry.rows + kRowStep - 1) / kRowStep * kRowStep,
                     columns = (entry.columns + kColumnStep - 1) / kColumnStep * kColumnStep;
  return static_cast<std::size_t>(rows * columns);
}

/// Returns the bytes of memory for the values of a parameter of this type. Tables of words, output layers and
/// precise matrices have room for the packed form of all their rows.
std::size_t room_of(const Parameters::Entry& entry, DType dtype, const Backend& backend) {
  const std::size_t bytes = static_cast<std::size_t>(entry.size()) * size_of(dtype);
  if (!entry.can_be_packed() || entry.parts > 1) return bytes;
  if (entry.role == Role::precise) return padded(entry) * size_of(dtype);
  return std::max(bytes, backend.packed_bytes(entry.columns, entry.rows));
}

}  // namespace

void allocate_for_inference(Parameters& parameters, Backend& backend) {
  const Precision precision = backend.precision();
  const auto type_of = [&](const Parameters::Entry& entry) {
    return entry.role == Role::bias ? backend.bias_type() : entry.type_in(precision);
  };
  const auto room = [&](const Parameters::Entry& entry) { return room_of(entry, type_of(entry), backend); };
  const auto scales_of = [&](const Parameters::Entry& entry) {
    return type_of(entry) == DType::i8 ? entry.rows : 0;
  };
  std::size_t bytes = 0;
  for (const Parameters::Entry& entry : parameters.entries()) {
    if (scales_of(entry) > 0) check_quantizable(entry.parameter.name, entry.columns);
    bytes += aligned(room(entry));
    bytes += aligned(static_cast<std::size_t>(scales_of(entry)) * sizeof(float));
  }
  Block block(backend, bytes);
  for (Parameters::Entry& entry : parameters.entries()) {
    Parameter& parameter = entry.parameter;
    entry.master =
        block.take(std::max<std::int64_t>(entry.rows, 1), entry.columns, type_of(entry), room(entry));
    parameter.value = entry.master;
    parameter.gradient = {};
    parameter.scale = scales_of(entry) > 0 ? block.take(1, entry.rows, DType::f32,
                                                        static_cast<std::size_t>(entry.rows) * sizeof(float))
                                           : Tensor();
  }
}

void prepack(Parameters& parameters, Backend& backend, OutputRows output) {
  for (Parameters::Entry& entry : parameters.entries()) {
    entry.master = {};
    const bool is_table = entry.role == Role::words || entry.role == Role::output;
    if (!entry.can_be_packed() || (is_table && output == OutputRows::selected)) continue;
    Tensor& value = entry.parameter.value;
    // Weights that were allocated for training, with gradients, have no room for padding.
    const bool is_padded = !entry.parameter.gradient;
    value = backend.prepack(value, entry.parts,
                            is_padded ? room_of(entry, value.dtype(), backend) : value.bytes());
  }
}

}  // namespace nmt
