// Which weight of a model here is which tensor of another toolkit: one list for both directions.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "foreign/weight_source.h"

namespace nmt {

/// How a tensor of another toolkit holds a weight.
enum class Form : std::uint8_t {
  same,        // a matrix [out, in], a table of rows, or a vector
  transposed,  // a matrix [in, out]
};

/// Some of the rows of a parameter here, or all, and the tensor that holds them there.
struct Correspondence {
  std::string ours, theirs;
  Form form = Form::same;
  int part = 0, parts = 1;   // which of so many parts of equally many rows
  int span = 1;              // how many of these, from that one on
  bool swaps_gates = false;  // whether the first two of four parts of equally many rows change places
};

/// Makes the source of a tensor of this name.
using TensorOf = std::function<WeightSource(const std::string& name)>;

/// The parameters that these tensors make up, by name. A tensor may stand for several. Throws Error where one
/// is missing.
std::map<std::string, WeightSource> ours_from(const std::vector<Correspondence>& list,
                                              ForeignTensors& tensors);
std::map<std::string, WeightSource> ours_from(const std::vector<Correspondence>& list,
                                              const TensorOf& tensor);

/// The tensors of a model whose linear layers may have no biases: a bias that is missing, whose name ends in
/// "bias", is one of zeros, as many as there are rows in the matrix, whose name ends in "weight". `tensors`
/// must outlive what is returned.
TensorOf with_biases(ForeignTensors& tensors);

/// The tensors that these parameters make up, by name; a tensor that stands for several is made of the first
/// of them. Throws std::logic_error where a parameter is missing.
std::map<std::string, WeightSource> theirs_from(const std::vector<Correspondence>& list,
                                                const std::map<std::string, WeightSource>& parameters);

}  // namespace nmt
