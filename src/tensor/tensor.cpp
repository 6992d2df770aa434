#include "tensor/tensor.h"

#include <fmt/format.h>

#include <stdexcept>

namespace nmt {

Tensor Tensor::slice_rows(std::int64_t begin, std::int64_t count) const {
  assert(begin >= 0 && count >= 0 && begin + count <= rows_);
  require_rows("slice_rows()");
  Tensor slice = *this;
  slice.rows_ = count;
  slice.data_ = static_cast<char*>(data_) + begin * row_stride_ * static_cast<std::int64_t>(size_of(dtype_));
  return slice;
}

Tensor Tensor::slice_columns(std::int64_t begin, std::int64_t count) const {
  assert(begin >= 0 && count >= 0 && begin + count <= columns_);
  require_rows("slice_columns()");
  Tensor slice = *this;
  slice.columns_ = count;
  slice.data_ = static_cast<char*>(data_) + begin * static_cast<std::int64_t>(size_of(dtype_));
  return slice;
}

Tensor Tensor::reshape(std::int64_t rows, std::int64_t columns) const {
  assert(contiguous() && rows * columns == size());
  require_rows("reshape()");
  Tensor other = *this;
  other.rows_ = rows;
  other.columns_ = columns;
  other.row_stride_ = columns;
  return other;
}

Tensor Tensor::slice_parts(std::int64_t first, std::int64_t count, std::int64_t parts) const {
  assert(first >= 0 && count > 0 && first + count <= parts && rows_ % parts == 0);
  const std::int64_t rows = rows_ / parts;
  if (!is_prepacked()) return slice_rows(first * rows, count * rows);
  if (prepacked_parts_ != parts) refuse("slice_parts()");
  Tensor slice = *this;
  slice.rows_ = count * rows;
  slice.prepacked_parts_ = static_cast<std::int32_t>(count);
  const std::int64_t before = first * rows * columns_ * static_cast<std::int64_t>(size_of(dtype_));
  slice.storage_ = std::shared_ptr<void>(storage_, static_cast<char*>(storage_.get()) + before);
  return slice;
}

Tensor Tensor::prepacked(std::int64_t parts) const {
  assert(contiguous() && parts > 0 && rows_ % parts == 0);
  Tensor weight = *this;
  weight.prepacked_parts_ = static_cast<std::int32_t>(parts);
  weight.storage_ = std::shared_ptr<void>(storage_, data_);
  weight.data_ = nullptr;
  return weight;
}

void Tensor::refuse(const char* use) const {
  throw std::logic_error(
      fmt::format("[{}] {} is prepacked, in {} parts: only matrix products, and only of whole parts, read it",
                  use, description(), prepacked_parts_));
}

std::string Tensor::description() const {
  return fmt::format("{}[{}, {}]", name_of(dtype_), rows_, columns_);
}

}  // namespace nmt
