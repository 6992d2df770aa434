// Which weight of a model here is which tensor of another toolkit: one list for both directions.
#pragma once

#include <cstdint>
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

/// One of equally many rows of a parameter here, or all, and the tensor that holds them there.
struct Correspondence {
  std::string ours, theirs;
  Form form = Form::same;
  int part = 0, parts = 1;  // in which the other toolkit divides it
};

/// The parameters that these tensors make up, by name. A tensor may stand for several. Throws Error where one
/// is missing.
std::map<std::string, WeightSource> ours_from(const std::vector<Correspondence>& list,
                                              ForeignTensors& tensors);

/// The tensors that these parameters make up, by name; a tensor that stands for several is made of the first
/// of them. Throws std::logic_error where a parameter is missing.
std::map<std::string, WeightSource> theirs_from(const std::vector<Correspondence>& list,
                                                const std::map<std::string, WeightSource>& parameters);

}  // namespace nmt
