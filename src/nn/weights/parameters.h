// Parameters: the weights of a model, by name, their initial values, and which of them are frozen in
// training. Their memory is managed by training_weights.h and inference_weights.h, their files by
// parameter_files.h.
#pragma once

#include <algorithm>
#include <cstdint>
#include <deque>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "graph/graph.h"
#include "tensor/backend.h"
#include "tensor/dtype.h"

namespace nmt {

/// The purpose of a parameter, which determines the type in which it is read and its possible layouts.
enum class Role : std::uint8_t {
  matrix,     // read by matrix products only
  precise,    // as matrix, but in the compute type: inputs whose parts differ in magnitude lose too much in 8
              // bits
  output,     // an output layer, one row per word: read by matrix products, but a search may select rows
  words,      // a word embedding, whose rows are looked up; can be an output layer as well
  positions,  // a table of positions, which are added to words
  scores,     // a table of numbers that are added to scores in f32
  vector,     // a gain, or another vector that is applied in f32
  bias,       // bias of a linear layer
};

/// The distribution of the initial elements of a parameter.
enum class Initializer : std::uint8_t {
  zeros,
  ones,
  glorot,  // each part uniform in +-sqrt(6 / (rows + columns)) (Glorot and Bengio, 2010)
  normal,  // normal with standard deviation columns^-0.5
};

/// The role, shape and initial values of a parameter.
struct ParameterSpec {
  Role role;
  std::int64_t rows, columns;  // rows 0: a vector
  Initializer initializer;
  std::int64_t parts = 1;  // stacked matrices of equally many rows, which products may read separately
  bool is_divided =
      false;  // whether products read ranges of its columns, which prepacked weights do not have

  /// Describes a matrix [parts * out, in], such as the fused projection of attention, which has 3 parts.
  static ParameterSpec matrix(std::int64_t out, std::int64_t in, std::int64_t parts = 1) {
    return {Role::matrix, parts * out, in, Initializer::glorot, parts};
  }
  static ParameterSpec precise_matrix(std::int64_t out, std::int64_t in, bool is_divided = false) {
    return {Role::precise, out, in, Initializer::glorot, 1, is_divided};
  }
  static ParameterSpec output_layer(std::int64_t vocabulary, std::int64_t d) {
    return {Role::output, vocabulary, d, Initializer::glorot};
  }
  static ParameterSpec word_table(std::int64_t vocabulary, std::int64_t d) {
    return {Role::words, vocabulary, d, Initializer::normal};
  }
  static ParameterSpec position_table(std::int64_t positions, std::int64_t d,
                                      Initializer initializer = Initializer::normal) {
    return {Role::positions, positions, d, initializer};
  }
  static ParameterSpec bias_table(std::int64_t buckets, std::int64_t heads) {
    return {Role::scores, buckets, heads, Initializer::zeros};
  }
  static ParameterSpec vector(std::int64_t size, Initializer initializer = Initializer::zeros) {
    return {Role::vector, 0, size, initializer};
  }
  static ParameterSpec bias(std::int64_t size) { return {Role::bias, 0, size, Initializer::zeros}; }

  bool operator==(const ParameterSpec&) const = default;

  std::int64_t size() const { return std::max<std::int64_t>(rows, 1) * columns; }
  /// Returns the shape as in files: [columns] for vectors.
  std::vector<std::int64_t> shape() const {
    return rows == 0 ? std::vector<std::int64_t>{columns} : std::vector<std::int64_t>{rows, columns};
  }
  /// Whether only matrix products read the parameter, apart from looked-up rows of an output layer.
  bool is_for_products() const { return role == Role::matrix || role == Role::output; }
  /// Whether the parameter is a matrix of weights in the sense of Precision: for matrix products, or a word
  /// embedding.
  bool is_matrix_of_weights() const { return is_for_products() || role == Role::words; }
  /// Whether matrix products read the whole parameter or its parts, so that it can be prepacked.
  bool can_be_packed() const { return is_matrix_of_weights() || (role == Role::precise && !is_divided); }
  /// Whether the parameter is small and read as it is trained: a vector, or biases of scores.
  bool has_master_type() const { return rows == 0 || role == Role::scores; }
  /// Returns the type in which the parameter is read: `weights` for matrices of weights, `compute` for
  /// precise matrices and tables of positions, `master` for vectors and biases of scores, which are small.
  DType type_in(const Precision& precision) const {
    if (has_master_type()) return precision.master;
    return is_matrix_of_weights() ? precision.weights : precision.compute;
  }
};

/// A registry of parameters. Layers add the parameters they need when they are constructed and keep
/// references; the tensors are set later, when memory is allocated for all at once. Names are those of
/// PyTorch's modules.
class Parameters {
 public:
  Parameters() = default;
  Parameters(const Parameters&) = delete;
  Parameters& operator=(const Parameters&) = delete;

  /// Adds a parameter. The reference stays valid; layers that share a weight share the reference. Throws
  /// std::logic_error if the name is taken.
  Parameter& add(const std::string& name, const ParameterSpec& spec);

  struct Entry : ParameterSpec {
    Parameter parameter;
    /// The tensor to which values are written, [rows, columns]: the master weights in training, the value
    /// itself in inference. Empty if the value is prepacked or masters are divided among ranks.
    Tensor master = {};
    std::int64_t offset = 0;  // of the first element in the flat buffers of training
  };
  /// Returns all parameters in the order in which they were added.
  const std::deque<Entry>& entries() const { return entries_; }
  std::deque<Entry>& entries() { return entries_; }

  /// Returns the number of weights.
  std::int64_t count() const;
  /// Returns the number of weights by part of the model: the first component of their names ("encoder",
  /// "embedding").
  std::map<std::string, std::int64_t> count_by_part() const;

 private:
  std::deque<Entry> entries_;
};

/// Returns the elements of a parameter, row-major (a vector has one row), drawn from Philox with the key
/// (seed, number), equal on every machine. `number` distinguishes parameters.
std::vector<double> initial_values(const ParameterSpec& spec, std::uint64_t seed, std::uint32_t number);

/// Writes these values to a parameter on the device, row after row. In training, values_changed() must
/// follow.
void assign(Backend& backend, const Parameters::Entry& entry, const std::vector<double>& values);
/// Draws the values of all parameters. Equal seeds give equal values on every backend, up to the rounding of
/// its types. In training, values_changed() must follow.
void initialize(const Parameters& parameters, Backend& backend, std::uint64_t seed);

/// Returns the names of the parameters that match one of `patterns`, by their whole name
/// ("encoder.layers.0.linear1.weight") or by the name of a part of the model ("encoder", "encoder.layers.0").
/// In a pattern, * matches any characters, dots included, ? matches one, and [12] one of those listed. Throws
/// UsageError, which names the setting `freeze`, for a pattern that matches nothing, and if no parameter is
/// left to train.
std::set<std::string> frozen_parameters(const Parameters& parameters,
                                        const std::vector<std::string>& patterns);

}  // namespace nmt
