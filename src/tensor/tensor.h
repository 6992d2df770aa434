// Tensor: a view of device memory as rows of elements. Cheap to copy; elements are never copied implicitly.
#pragma once

#include <cassert>
#include <cstdint>
#include <memory>
#include <string>

#include "tensor/dtype.h"

namespace nmt {

/// A matrix of `rows` x `columns` elements (a vector is one row), row-major. Successive rows start
/// `row_stride` elements apart, so that a slice of columns of a fused product needs no copy. Ragged batches
/// are packed rows (see SequenceOffsets), so no operation needs more than two dimensions.
///
/// A weight can be prepacked: its elements then have the layout that the matrix products of a backend read
/// (see Backend::prepack), and only these can read it. Accessing its bytes, rows or another shape throws
/// std::logic_error, in every build; its data() is null.
class Tensor {
 public:
  /// Constructs the empty tensor, without storage; it stands for an omitted optional argument.
  Tensor() = default;

  /// `storage` keeps the memory at `data` alive.
  Tensor(std::int64_t rows, std::int64_t columns, DType dtype, void* data, std::shared_ptr<void> storage)
      : rows_(rows),
        columns_(columns),
        row_stride_(columns),
        dtype_(dtype),
        data_(data),
        storage_(std::move(storage)) {}

  std::int64_t rows() const { return rows_; }
  std::int64_t columns() const { return columns_; }
  std::int64_t row_stride() const { return row_stride_; }
  /// Returns the number of elements.
  std::int64_t size() const { return rows_ * columns_; }
  DType dtype() const { return dtype_; }
  std::size_t bytes() const { return static_cast<std::size_t>(size()) * size_of(dtype_); }
  bool contiguous() const { return row_stride_ == columns_ || rows_ <= 1; }
  /// Whether the tensor is not empty (a tensor of zero rows is not empty in this sense).
  explicit operator bool() const { return storage_ != nullptr; }

  void* raw() const {
    require_rows("raw()");
    return data_;
  }
  /// Returns the elements, on the device that owns them. T must match the dtype. Kernels call this for every
  /// row, so release builds check nothing.
  template <class T>
  T* data() const {
    assert(dtype_of<T> == dtype_ && !is_prepacked());
    return static_cast<T*>(data_);
  }
  /// Returns the first element of row i.
  template <class T>
  T* row(std::int64_t i) const {
    return data<T>() + i * row_stride_;
  }

  /// Returns the bytes of row i, row_bytes() of them.
  char* raw_row(std::int64_t i) const {
    require_rows("raw_row()");
    return static_cast<char*>(data_) + i * row_stride_ * static_cast<std::int64_t>(size_of(dtype_));
  }
  std::size_t row_bytes() const { return static_cast<std::size_t>(columns_) * size_of(dtype_); }

  /// Returns rows [begin, begin + count), sharing the elements.
  Tensor slice_rows(std::int64_t begin, std::int64_t count) const;
  /// Returns columns [begin, begin + count), sharing the elements.
  Tensor slice_columns(std::int64_t begin, std::int64_t count) const;
  /// Returns the same elements in another shape of equal size; contiguous tensors only.
  Tensor reshape(std::int64_t rows, std::int64_t columns) const;
  /// Returns parts [first, first + count) of a fused weight that consists of `parts` stacked matrices of
  /// equal height. If it is prepacked, it must be prepacked in this number of parts.
  Tensor slice_parts(std::int64_t first, std::int64_t count, std::int64_t parts) const;

  /// Returns this contiguous weight as a prepacked one, after each of its `parts` parts has been prepacked in
  /// place.
  Tensor prepacked(std::int64_t parts) const;
  bool is_prepacked() const { return prepacked_parts_ > 0; }
  /// Throws std::logic_error if the weight is prepacked; called before reading or writing rows.
  void require_rows(const char* use) const {
    if (is_prepacked()) refuse(use);
  }
  /// Returns the elements of a prepacked weight, its parts one after the other; null otherwise.
  const void* prepacked_data() const { return is_prepacked() ? storage_.get() : nullptr; }

  /// Returns "f32[3, 512]", for messages.
  std::string description() const;

 private:
  [[noreturn]] void refuse(const char* use) const;

  std::int64_t rows_ = 0, columns_ = 0, row_stride_ = 0;
  DType dtype_ = DType::f32;
  std::int32_t prepacked_parts_ = 0;  // 0: the elements are stored in rows
  void* data_ = nullptr;              // null in a prepacked weight, which begins at storage_
  std::shared_ptr<void> storage_;
};

}  // namespace nmt
