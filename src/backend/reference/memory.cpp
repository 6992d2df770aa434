#include <algorithm>
#include <new>

#include "backend/reference/reference.h"

namespace nmt {
namespace {

constexpr std::align_val_t kAlignment{64};

char* bytes_of_row(const Tensor& x, std::int64_t row) {
  return static_cast<char*>(x.raw()) + row * x.row_stride() * static_cast<std::int64_t>(size_of(x.dtype()));
}

std::size_t bytes_in_row(const Tensor& x) {
  return static_cast<std::size_t>(x.columns()) * size_of(x.dtype());
}

}  // namespace

void* ReferenceBackend::allocate(std::size_t bytes) {
  return ::operator new(bytes, kAlignment);
}

void ReferenceBackend::release(void* data) {
  ::operator delete(data, kAlignment);
}

void ReferenceBackend::upload(const Tensor& to, const void* from) {
  std::copy_n(static_cast<const char*>(from), to.bytes(), static_cast<char*>(to.raw()));
}

void ReferenceBackend::download(void* to, const Tensor& from) {
  std::copy_n(static_cast<const char*>(from.raw()), from.bytes(), static_cast<char*>(to));
}

void ReferenceBackend::copy(const Tensor& to, const Tensor& from) {
  for (std::int64_t r = 0; r < to.rows(); ++r)
    std::copy_n(bytes_of_row(from, r), bytes_in_row(from), bytes_of_row(to, r));
}

void ReferenceBackend::zero(const Tensor& x) {
  for (std::int64_t r = 0; r < x.rows(); ++r) std::fill_n(bytes_of_row(x, r), bytes_in_row(x), '\0');
}

void ReferenceBackend::add(const Tensor& to, const Tensor& from) {
  for (std::int64_t r = 0; r < to.rows(); ++r)
    for (std::int64_t c = 0; c < to.columns(); ++c) to.row<double>(r)[c] += from.row<double>(r)[c];
}

}  // namespace nmt
