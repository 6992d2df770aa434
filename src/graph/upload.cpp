#include "graph/upload.h"

#include <algorithm>
#include <bit>
#include <cassert>
#include <memory>

namespace nmt {
namespace {

constexpr std::int64_t kAlignment = 16;  // elements: every tensor begins on its own cache line

}  // namespace

Upload::Upload(const Graph& g, std::int64_t tensors, std::int64_t elements)
    : backend_(g.backend()), buffer_(g.allocate(1, elements + tensors * (kAlignment - 1), DType::i32)) {
  values_.reserve(static_cast<std::size_t>(buffer_.size()));
}

Tensor Upload::add(const std::vector<std::int32_t>& values, std::int64_t rows, std::int64_t columns) {
  assert(std::ssize(values) == rows * columns);
  const std::int64_t begin = (std::ssize(values_) + kAlignment - 1) / kAlignment * kAlignment;
  values_.resize(static_cast<std::size_t>(begin));
  values_.insert(values_.end(), values.begin(), values.end());
  return buffer_.slice_columns(begin, rows * columns).reshape(rows, columns);
}

Tensor Upload::add(const std::vector<float>& values) {
  std::vector<std::int32_t> bits(values.size());
  std::ranges::transform(values, bits.begin(),
                         [](float value) { return std::bit_cast<std::int32_t>(value); });
  const Tensor place = add(bits);
  return {1, std::ssize(values), DType::f32, place.raw(), std::make_shared<Tensor>(place)};
}

void Upload::send() {
  backend_.upload(buffer_.slice_columns(0, std::ssize(values_)), values_.data());
}

}  // namespace nmt
