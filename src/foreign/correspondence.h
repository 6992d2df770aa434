// The correspondence between weights of nmt's models and tensors of another toolkit, as one list for both
// directions.
#pragma once

#include <cstdint>
#include <functional>
#include <initializer_list>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "foreign/weight_source.h"
#include "nn/transformer/transformer_config.h"

namespace nmt {

/// The layout of a weight in a tensor of another toolkit.
enum class Form : std::uint8_t {
  same,        // a matrix [out, in], a table of rows, or a vector
  transposed,  // a matrix [in, out]
};

/// Some or all rows of a parameter of nmt, and the tensor that contains them in the other toolkit.
struct Correspondence {
  std::string ours, theirs;
  Form form = Form::same;
  int part = 0, parts = 1;   // index of the part, and number of parts with equally many rows
  int span = 1;              // number of parts, starting at `part`
  bool swaps_gates = false;  // whether the first two of four parts with equally many rows are swapped
};

/// Returns the source of a tensor of this name.
using TensorOf = std::function<WeightSource(const std::string& name)>;

/// Returns the parameters that these tensors make up, by name. A tensor may be used several times. Throws
/// Error if one is missing, or if those of a parameter have different numbers of columns. `file`: what
/// messages call the tensors' file.
std::map<std::string, WeightSource> ours_from(const std::vector<Correspondence>& list,
                                              ForeignTensors& tensors);
std::map<std::string, WeightSource> ours_from(const std::vector<Correspondence>& list, const TensorOf& tensor,
                                              const std::string& file);

/// Returns the last parts of the names of the weights of a linear layer of attention or of a feed-forward
/// network: "weight", and "bias" for models with biases.
std::vector<std::string> linear_weights(const TransformerConfig& config);

/// Returns a function for the tensors of a model whose linear layers may lack biases. If a tensor whose name
/// ends in "bias" is missing, the function returns zeros, as many as the matrix whose name ends in "weight"
/// has rows. `tensors` must outlive the result.
TensorOf with_biases(ForeignTensors& tensors);

/// Whether a model has biases in linear layers. `layers`: parts of names that only linear layers have,
/// because the biases of normalizations do not count.
bool has_linear_biases(const TensorFile& file, std::initializer_list<std::string_view> layers);

/// Returns the tensors that these parameters make up, by name. A tensor that is used several times is made
/// from its first use. Throws std::logic_error if a parameter is missing.
std::map<std::string, WeightSource> theirs_from(const std::vector<Correspondence>& list,
                                                const std::map<std::string, WeightSource>& parameters);

}  // namespace nmt
