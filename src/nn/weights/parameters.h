// Parameters: the weights of a model, by name. Their memory is managed by training_weights.h and
// inference_weights.h, their files by parameter_files.h.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <string>

#include "graph/parameter.h"
#include "nn/weights/parameter_spec.h"

namespace nmt {

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
    /// Where values are written, [rows, columns]: the master weights in training; the value itself in
    /// inference. Empty if the value is prepacked or masters are divided among ranks.
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

}  // namespace nmt
