#include <algorithm>
#include <new>

#include "backend/reference/reference.h"

namespace nmt {
namespace {

constexpr std::align_val_t kAlignment{64};

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
  for (std::int64_t r = 0; r < to.rows(); ++r) std::copy_n(from.raw_row(r), from.row_bytes(), to.raw_row(r));
}

void ReferenceBackend::run(const SelectRows& select) {
  for (std::int64_t r = 0; r < select.to.rows(); ++r) {
    const std::int32_t id = select.ids.data<std::int32_t>()[r];
    std::copy_n(select.from.raw_row(id), select.from.row_bytes(), select.to.raw_row(r));
  }
}

void ReferenceBackend::zero(const Tensor& x) {
  for (std::int64_t r = 0; r < x.rows(); ++r) std::fill_n(x.raw_row(r), x.row_bytes(), '\0');
}

void ReferenceBackend::add(const Tensor& to, const Tensor& from) {
  for (std::int64_t r = 0; r < to.rows(); ++r)
    for (std::int64_t c = 0; c < to.columns(); ++c) to.row<double>(r)[c] += from.row<double>(r)[c];
}

}  // namespace nmt
