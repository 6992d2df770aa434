// Weights on their way out of a model file and into the memory of a device, or into another file: real
// numbers of any type, or integers of 8 bits beside the scales of their rows.
#pragma once

#include <string>
#include <vector>

#include "nn/files/safetensors.h"
#include "tensor/backend.h"

namespace nmt {

class ModelFile;

/// Whether there are weights of integers in it.
bool is_quantized(const ModelFile& file);

/// What the tensor of scales is called that belongs to the weights `name`.
std::string scale_name(const std::string& name);

/// The weights of one parameter in a file, which has to outlive them.
class FileWeights {
 public:
  /// The tensor `name` of this shape, and its scales where it is of I8, which only `may_be_quantized` weights
  /// are. Throws Error when one is not there, or is not what it has to be.
  FileWeights(const ModelFile& file, const std::string& name, const std::vector<std::int64_t>& shape,
              bool may_be_quantized);

  /// Of the file.
  const std::string& path() const { return *path_; }
  const FileTensor& values() const { return *values_; }
  /// F32 [rows]; nullptr unless the values are of I8.
  const FileTensor* scale() const { return scale_; }
  /// Rows [begin, begin + count), or all, as real numbers; a vector is one row.
  std::vector<double> elements(std::int64_t begin, std::int64_t count) const;
  std::vector<double> elements() const { return elements(0, rows()); }

  std::int64_t rows() const { return values_->shape.size() == 1 ? 1 : values_->shape[0]; }
  std::int64_t columns() const { return values_->shape.back(); }

 private:
  const std::string* path_;
  const FileTensor* values_;
  const FileTensor* scale_ = nullptr;
};

/// Rows of real numbers, quantised as quantize_row() does it.
struct QuantizedMatrix {
  std::vector<std::int8_t> values;
  std::vector<float> scale;  // of each row
};
QuantizedMatrix quantize(const std::vector<double>& elements, std::int64_t columns);

/// Puts rows of real numbers into a contiguous tensor [rows, columns] of whatever type; where that is i8, and
/// the scales into `scale`, f32 [1, rows].
void upload_rows(Backend& backend, const Tensor& to, const Tensor& scale,
                 const std::vector<double>& elements);
/// The same with weights of a file, as they are where types are equal, else converted by the workers of the
/// device.
void upload_weights(Backend& backend, const Tensor& to, const Tensor& scale, const FileWeights& from);

/// Throws Error, which calls the weights `name`, where rows are too long to be multiplied in integers.
void check_quantizable(const std::string& name, std::int64_t columns);

}  // namespace nmt
