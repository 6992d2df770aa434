// Weights of a model file on their way to a device or to another file: real numbers of any type, or 8-bit
// integers with a scale for each row.
#pragma once

#include <string>
#include <vector>

#include "nn/files/safetensors.h"
#include "tensor/backend.h"

namespace nmt {

class ModelFile;

/// Whether a model file contains integer weights.
bool is_quantized(const ModelFile& file);

/// Returns the name of the tensor with the scales of the weights `name`.
std::string scale_name(const std::string& name);

/// The weights of one parameter in a file, which must outlive this object.
class FileWeights {
 public:
  /// Finds the tensor `name` with this shape, and its scales if its type is I8. Throws Error if a tensor is
  /// missing or has the wrong shape or type; I8 is wrong unless `may_be_quantized`.
  FileWeights(const ModelFile& file, const std::string& name, const std::vector<std::int64_t>& shape,
              bool may_be_quantized);

  /// Returns the path of the file.
  const std::string& path() const;
  /// Releases the memory of what was read of the file; see ModelFile::finish_reading().
  void finish_reading() const;
  const FileTensor& values() const { return *values_; }
  /// Returns the scales, F32 [rows]; nullptr unless the values are I8.
  const FileTensor* scale() const { return scale_; }
  /// Returns all elements as real numbers, row after row.
  std::vector<double> elements() const;
  /// Returns the bytes of each row.
  std::size_t row_bytes() const { return values_->row_bytes(); }

  std::int64_t rows() const { return values_->shape.size() == 1 ? 1 : values_->shape[0]; }
  std::int64_t columns() const { return values_->shape.back(); }

 private:
  const ModelFile* file_;
  const FileTensor* values_;
  const FileTensor* scale_ = nullptr;
};

/// The bytes of some rows of weights of a file, which must outlive this object. A vector is one row.
class ReadWeights {
 public:
  ReadWeights(const FileWeights& weights, RowRange range);

  const std::byte* values() const { return values_.data(); }
  /// Returns the scales of these rows; nullptr unless the values are I8.
  const std::byte* scale() const { return scale_.data(); }
  /// Returns rows [begin, begin + count) of these as real numbers.
  std::vector<double> elements(std::int64_t begin, std::int64_t count) const;

 private:
  DType dtype_;
  std::int64_t columns_;
  TensorBytes values_, scale_;
};

/// Rows quantized by quantize_row().
struct QuantizedMatrix {
  std::vector<std::int8_t> values;
  std::vector<float> scale;  // one for each row
};
QuantizedMatrix quantize(const std::vector<double>& elements, std::int64_t columns);

/// Uploads rows of real numbers to a contiguous tensor [rows, columns] of any type. If the type is i8,
/// quantizes them and uploads the scales to `scale`, f32 [1, rows].
void upload_rows(Backend& backend, const Tensor& to, const Tensor& scale,
                 const std::vector<double>& elements);
/// Uploads the weights of a file: unchanged if the types are equal, otherwise converted by the workers of the
/// device. `to` and `scale` are as in upload_rows(). Pages of the file are released part by part.
void upload_weights(Backend& backend, const Tensor& to, const Tensor& scale, const FileWeights& from);

/// Throws Error, naming the weights `name`, if rows with this number of columns are too long for integer
/// products.
void check_quantizable(const std::string& name, std::int64_t columns);

}  // namespace nmt
