// Weights as they are made of the tensors of a foreign file: transposed, one below the other, or as they are.
#pragma once

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

/// A matrix [rows, columns] or a vector [1, columns], row-major, made when it is asked for.
struct WeightSource {
  std::int64_t rows = 0, columns = 0;
  std::function<std::vector<float>()> values;

  std::int64_t size() const { return rows * columns; }
};

WeightSource transposed(WeightSource weight);
/// One below the other, or vectors one behind the other. All are matrices of as many columns, or vectors.
WeightSource stacked(std::vector<WeightSource> weights);
/// Rows [begin, begin + count).
WeightSource rows_of(WeightSource weight, std::int64_t begin, std::int64_t count);
/// All elements are `value`.
WeightSource filled(std::int64_t rows, std::int64_t columns, float value);
WeightSource identity(std::int64_t size);

/// The tensors of a file as sources, with an account of those that were asked for.
class ForeignTensors {
 public:
  explicit ForeignTensors(std::shared_ptr<const TensorFile> file) : file_(std::move(file)) {}

  const TensorFile& file() const { return *file_; }
  bool has(const std::string& name) const;
  /// The tensor of this name, of at most two dimensions. Throws Error where there is none.
  WeightSource operator()(const std::string& name);
  /// Takes it that this tensor is not needed.
  void ignore(const std::string& name) { asked_for_.insert(name); }
  /// Throws Error that names a tensor which nobody has asked for: the model does more than was understood.
  void check_all_asked_for() const;

 private:
  std::shared_ptr<const TensorFile> file_;
  std::set<std::string> asked_for_;
};

/// The tensors of a model file with these parameters, of type f32, from the source that has the name of each.
/// Throws Error that calls the file `name` where there is none, or one of another shape.
std::vector<FileTensor> weights_from(const std::map<std::string, WeightSource>& sources,
                                     const Parameters& parameters, const std::string& name);

/// The weights of a model file that has these parameters, by name: what is not of f32 is converted. The file
/// must outlive them.
std::map<std::string, WeightSource> weights_in(const ModelFile& file, const Parameters& parameters);

}  // namespace nmt
