#include "tensor/backend.h"

#include <algorithm>
#include <iterator>

#include "tensor/reals.h"

namespace nmt {

Transfer Backend::download_later(void* to, const Tensor& from) {
  download(to, from);
  return {};
}

Tensor allocate_tensor(Backend& backend, std::int64_t rows, std::int64_t columns, DType dtype) {
  const std::size_t bytes = static_cast<std::size_t>(rows * columns) * size_of(dtype);
  void* data = backend.allocate(std::max<std::size_t>(bytes, 1));
  std::shared_ptr<void> storage(data, [&backend](void* memory) { backend.release(memory); });
  Tensor tensor(rows, columns, dtype, data, std::move(storage));
  backend.zero(tensor);
  return tensor;
}

std::vector<std::byte> download_as(DType dtype, Backend& backend, const Tensor& from) {
  if (from.dtype() != dtype) return narrow(download_reals(backend, from), dtype);
  std::vector<std::byte> bytes(from.bytes());
  backend.download(bytes.data(), from);
  return bytes;
}

std::vector<double> download_reals(Backend& backend, const Tensor& from) {
  const std::vector<std::byte> bytes = download_as(from.dtype(), backend, from);
  return widen(bytes.data(), static_cast<std::size_t>(from.size()), from.dtype());
}

void upload_reals(Backend& backend, const Tensor& to, const std::vector<double>& from) {
  backend.upload(to, narrow(from, to.dtype()).data());
}

}  // namespace nmt
