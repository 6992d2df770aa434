// Parameters: what weights a model has, by name. Their memory is the matter of training_weights.h and
// inference_weights.h, their files that of parameter_files.h.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <string>

#include "graph/parameter.h"
#include "nn/weights/parameter_spec.h"

namespace nmt {

/// A registry: layers add what they need when they are made, and keep references, whose tensors come when all
/// of it is given memory at once. Names are those of PyTorch's modules.
class Parameters {
 public:
  Parameters() = default;
  Parameters(const Parameters&) = delete;
  Parameters& operator=(const Parameters&) = delete;

  /// Adds a parameter. The reference stays valid, and is what layers share that share a weight. Throws
  /// std::logic_error where there is one of that name.
  Parameter& add(const std::string& name, const ParameterSpec& spec);

  struct Entry : ParameterSpec {
    Parameter parameter;
    /// Where values are written, [rows, columns]: the masters, in training; the value that is read, for
    /// inference; nothing when that is prepacked, or when masters are divided among ranks.
    Tensor master = {};
    std::int64_t offset = 0;  // of its first element in the flat buffers of training
  };
  /// In the order of adding.
  const std::deque<Entry>& entries() const { return entries_; }
  std::deque<Entry>& entries() { return entries_; }

  /// The number of weights.
  std::int64_t count() const;
  /// The same by part of the model: what stands before the first dot of their names ("encoder", "embedding").
  std::map<std::string, std::int64_t> count_by_part() const;

 private:
  std::deque<Entry> entries_;
};

}  // namespace nmt
