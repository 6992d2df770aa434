#include "tensor/tensor.h"

#include <fmt/format.h>

namespace nmt {

Tensor Tensor::slice_rows(std::int64_t begin, std::int64_t count) const {
  assert(begin >= 0 && count >= 0 && begin + count <= rows_);
  Tensor slice = *this;
  slice.rows_ = count;
  slice.data_ = static_cast<char*>(data_) + begin * row_stride_ * static_cast<std::int64_t>(size_of(dtype_));
  return slice;
}

Tensor Tensor::slice_columns(std::int64_t begin, std::int64_t count) const {
  assert(begin >= 0 && count >= 0 && begin + count <= columns_);
  Tensor slice = *this;
  slice.columns_ = count;
  slice.data_ = static_cast<char*>(data_) + begin * static_cast<std::int64_t>(size_of(dtype_));
  return slice;
}

Tensor Tensor::reshape(std::int64_t rows, std::int64_t columns) const {
  assert(contiguous() && rows * columns == size());
  Tensor other = *this;
  other.rows_ = rows;
  other.columns_ = columns;
  other.row_stride_ = columns;
  return other;
}

std::string Tensor::description() const {
  return fmt::format("{}[{}, {}]", name_of(dtype_), rows_, columns_);
}

}  // namespace nmt
