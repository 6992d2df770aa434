#include "tensor/backend.h"

#include <algorithm>

#include "common/memory_usage.h"

namespace nmt {

std::size_t Backend::free_memory() const {
  return available_bytes();
}

Tensor allocate_tensor(Backend& backend, std::int64_t rows, std::int64_t columns, DType dtype) {
  const std::size_t bytes = static_cast<std::size_t>(rows * columns) * size_of(dtype);
  void* data = backend.allocate(std::max<std::size_t>(bytes, 1));
  std::shared_ptr<void> storage(data, [&backend](void* memory) { backend.release(memory); });
  Tensor tensor(rows, columns, dtype, data, std::move(storage));
  backend.zero(tensor);
  return tensor;
}

std::vector<double> download_reals(Backend& backend, const Tensor& from) {
  std::vector<double> values(static_cast<std::size_t>(from.size()));
  if (from.dtype() == DType::f64) {
    backend.download(values.data(), from);
    return values;
  }
  std::vector<float> floats(values.size());
  backend.download(floats.data(), from);
  values.assign(floats.begin(), floats.end());
  return values;
}

void upload_reals(Backend& backend, const Tensor& to, const std::vector<double>& from) {
  if (to.dtype() == DType::f64) {
    backend.upload(to, from.data());
  } else {
    const std::vector<float> floats(from.begin(), from.end());
    backend.upload(to, floats.data());
  }
}

}  // namespace nmt
