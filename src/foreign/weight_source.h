// Weights made from the tensors of a foreign file: transposed, stacked, or unchanged.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "foreign/containers/tensor_file.h"
#include "nn/files/model_file.h"
#include "nn/weights/parameters.h"

namespace nmt {

/// A matrix [rows, columns] or a vector [1, columns], row-major, made on request.
struct WeightSource {
  std::int64_t rows = 0, columns = 0;
  /// Makes the values of some rows.
  std::function<std::vector<float>(RowRange)> make;
  /// The values, if a mapped file has them in this order; they need not be aligned.
  const std::byte* data = nullptr;

  std::int64_t size() const { return rows * columns; }
  std::vector<float> values() const { return make({0, rows}); }
  /// Returns the bytes of some rows: those at `data`, or those of the values that `make` makes.
  TensorBytes read(RowRange range) const {
    if (data == nullptr) return make(range);
    return TensorBytes(data + range.begin * columns * std::int64_t{sizeof(float)});
  }
  TensorBytes read() const { return read({0, rows}); }
};

WeightSource transposed(WeightSource weight);
/// Stacks matrices vertically, or concatenates vectors. All are matrices with the same number of columns, or
/// vectors.
WeightSource stacked(std::vector<WeightSource> weights);
/// Returns the rows [begin, begin + count).
WeightSource rows_of(WeightSource weight, std::int64_t begin, std::int64_t count);
/// Returns a matrix whose elements are all `value`.
WeightSource filled(std::int64_t rows, std::int64_t columns, float value);
WeightSource identity(std::int64_t size);
/// Multiplies all elements by `factor`.
WeightSource scaled(WeightSource weight, double factor);

/// The tensors of a file as sources, which may be used as long as the file exists. Records the requested
/// tensors.
class ForeignTensors {
 public:
  explicit ForeignTensors(std::shared_ptr<const TensorFile> file) : file_(std::move(file)) {}

  const TensorFile& file() const { return *file_; }
  std::shared_ptr<const TensorFile> shared_file() const { return file_; }
  bool has(const std::string& name) const;
  /// Returns the tensor of this name, of at most two dimensions. Throws Error if there is none.
  WeightSource operator()(const std::string& name);
  /// Marks this tensor as not needed.
  void ignore(const std::string& name) { asked_for_.insert(name); }
  /// Throws Error that names a tensor that was not requested: the model uses a feature that is not supported.
  void check_all_asked_for() const;
  /// Reads all tensors that were requested as sources. Throws Error that names one with values that are not
  /// finite, and as TensorFile::read() does.
  void check_weights() const;

 private:
  std::shared_ptr<const TensorFile> file_;
  std::set<std::string> asked_for_, weights_;  // by name; weights: those requested as sources
};

/// Whether two tensors have the same shape and values.
bool are_equal(ForeignTensors& tensors, const std::string& a, const std::string& b);

/// Returns the tensors of a model file with these parameters, of type f32. Each is made from the source of
/// the same name, or refers to the values in the source's file.
/// Throws Error that calls the file `name` if a source is missing or has another shape.
std::vector<FileTensor> weights_from(const std::map<std::string, WeightSource>& sources,
                                     const Parameters& parameters, const std::string& name);

/// Returns the weights of a model file with these parameters, by name, converted to f32. The file must
/// outlive them.
std::map<std::string, WeightSource> weights_in(const ModelFile& file, const Parameters& parameters);

}  // namespace nmt
