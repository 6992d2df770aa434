// The attention graphs for which the library has engines (9.19, with the properties of an H100), operation by
// operation. It accepts no other order or form, even if the result would be the same.
#include <algorithm>
#include <array>
#include <set>
#include <sstream>

#include "cuda_emulator/cudnn_attention.h"

namespace simt {
namespace {

/// Each line is an operation: its result, its name, and its inputs. @x is in memory, $x is a value, x' is
/// transposed, x~ has 16 bits; all others are f32, an index or a condition. Lines that begin with "causal:"
/// or "all:" belong only to such graphs.
constexpr const char* kAttention = R"(
products multiply @query @key'
scores mul products $scale
row index2 scores
column index3 scores
has_row lt row @query_lengths
has_column lt column @key_lengths
exists and has_row has_column
all: seen select scores $lowest exists
causal: shown select scores $lowest exists
causal: later_row index2 shown
causal: later_column index3 shown
causal: is_past ge later_row later_column
causal: seen select shown $lowest is_past
largest max seen
difference sub seen largest
weights exp difference
total sum weights
log_total log total
@log_sum_exp add largest log_total
normal~ div weights total
@output multiply normal~ @value
)";

constexpr const char* kGradients = R"(
output_parts mul @d_output @output
output_sums sum output_parts
@output_products mul output_sums $one
products multiply @query @key'
scores mul products $scale
row index2 scores
column index3 scores
has_row lt row @query_lengths
has_column lt column @key_lengths
exists and has_row has_column
shown select scores $lowest exists
all: difference sub shown @log_sum_exp
causal: first_difference sub shown @log_sum_exp
causal: later_row index2 first_difference
causal: later_column index3 first_difference
causal: is_past ge later_row later_column
causal: difference select first_difference $lowest is_past
weights exp difference
weights_transposed~' reshape weights
@d_value multiply weights_transposed~' @d_output
d_weights multiply @d_output @value'
d_difference sub d_weights @output_products
d_products mul d_difference weights
d_scores mul d_products $scale
d_scores_transposed~' reshape d_scores
@d_key multiply d_scores_transposed~' @query
key_rows reshape @key'
@d_query multiply d_scores key_rows
)";

std::vector<std::vector<std::string>> lines_of(const char* text, bool is_causal) {
  std::vector<std::vector<std::string>> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) {
    std::istringstream words(line);
    std::vector<std::string> tokens;
    for (std::string token; words >> token;) tokens.push_back(token);
    if (tokens.empty()) continue;
    const bool is_conditional = tokens[0].back() == ':';
    if (is_conditional && tokens[0] != (is_causal ? "causal:" : "all:")) continue;
    lines.emplace_back(tokens.begin() + (is_conditional ? 1 : 0), tokens.end());
  }
  return lines;
}

/// An operation of a graph: its name, its result, and its inputs.
struct Step {
  std::string function;
  std::vector<const GraphDescriptor*> tensors;  // the first is what comes of it
};

std::string name_of(cudnnPointwiseMode_t mode) {
  switch (mode) {
    case CUDNN_POINTWISE_ADD:
      return "add";
    case CUDNN_POINTWISE_SUB:
      return "sub";
    case CUDNN_POINTWISE_MUL:
      return "mul";
    case CUDNN_POINTWISE_DIV:
      return "div";
    case CUDNN_POINTWISE_EXP:
      return "exp";
    case CUDNN_POINTWISE_LOG:
      return "log";
    case CUDNN_POINTWISE_CMP_LT:
      return "lt";
    case CUDNN_POINTWISE_CMP_GE:
      return "ge";
    case CUDNN_POINTWISE_LOGICAL_AND:
      return "and";
    case CUDNN_POINTWISE_BINARY_SELECT:
      return "select";
    case CUDNN_POINTWISE_GEN_INDEX:
      return "index";
    default:
      return "another";
  }
}

Step step_of(const GraphDescriptor& operation) {
  Step step;
  const auto take = [&](cudnnBackendAttributeName_t name) {
    if (operation.has(name)) step.tensors.push_back(&operation.part(name));
  };
  if (operation.type == CUDNN_BACKEND_OPERATION_POINTWISE_DESCRIPTOR) {
    const GraphDescriptor& function = operation.part(CUDNN_ATTR_OPERATION_POINTWISE_PW_DESCRIPTOR);
    step.function = name_of(function.get<cudnnPointwiseMode_t>(CUDNN_ATTR_POINTWISE_MODE));
    if (function.has(CUDNN_ATTR_POINTWISE_AXIS))
      step.function += std::to_string(function.get<std::int64_t>(CUDNN_ATTR_POINTWISE_AXIS));
    take(CUDNN_ATTR_OPERATION_POINTWISE_YDESC);
    take(CUDNN_ATTR_OPERATION_POINTWISE_XDESC);
    take(CUDNN_ATTR_OPERATION_POINTWISE_BDESC);
    take(CUDNN_ATTR_OPERATION_POINTWISE_TDESC);
  } else if (operation.type == CUDNN_BACKEND_OPERATION_REDUCTION_DESCRIPTOR) {
    const auto sum = operation.part(CUDNN_ATTR_OPERATION_REDUCTION_DESC)
                         .get<cudnnReduceTensorOp_t>(CUDNN_ATTR_REDUCTION_OPERATOR);
    step.function = sum == CUDNN_REDUCE_TENSOR_MAX   ? "max"
                    : sum == CUDNN_REDUCE_TENSOR_ADD ? "sum"
                                                     : "another";
    take(CUDNN_ATTR_OPERATION_REDUCTION_YDESC);
    take(CUDNN_ATTR_OPERATION_REDUCTION_XDESC);
  } else if (operation.type == CUDNN_BACKEND_OPERATION_MATMUL_DESCRIPTOR) {
    step.function = "multiply";
    take(CUDNN_ATTR_OPERATION_MATMUL_CDESC);
    take(CUDNN_ATTR_OPERATION_MATMUL_ADESC);
    take(CUDNN_ATTR_OPERATION_MATMUL_BDESC);
  } else if (operation.type == CUDNN_BACKEND_OPERATION_RESHAPE_DESCRIPTOR) {
    step.function = "reshape";
    take(CUDNN_ATTR_OPERATION_RESHAPE_YDESC);
    take(CUDNN_ATTR_OPERATION_RESHAPE_XDESC);
  }
  return step;
}

bool flag(const GraphDescriptor& tensor, cudnnBackendAttributeName_t name) {
  return tensor.has(name) && tensor.get<bool>(name);
}

cudnnDataType_t type_of(const GraphDescriptor& tensor) {
  return tensor.get<cudnnDataType_t>(CUDNN_ATTR_TENSOR_DATA_TYPE);
}

bool is_half(const GraphDescriptor& tensor) {
  return type_of(tensor) == CUDNN_DATA_BFLOAT16 || type_of(tensor) == CUDNN_DATA_HALF;
}

std::vector<std::int64_t> extents_of(const GraphDescriptor& tensor) {
  return tensor.all<std::int64_t>(CUDNN_ATTR_TENSOR_DIMENSIONS);
}
std::vector<std::int64_t> strides_of(const GraphDescriptor& tensor) {
  return tensor.all<std::int64_t>(CUDNN_ATTR_TENSOR_STRIDES);
}

/// The tensor that each word of the lines stands for.
class Roles {
 public:
  /// Whether a tensor can be the one that a word stands for.
  bool take(std::string word, const GraphDescriptor& tensor, const std::string& function) {
    const bool is_transposed = strip(word, '\''), is_16_bits = strip(word, '~');
    const bool is_in_memory = word[0] == '@', is_value = word[0] == '$';
    if (is_value != flag(tensor, CUDNN_ATTR_TENSOR_IS_BY_VALUE) ||
        (!is_in_memory && !is_value) != flag(tensor, CUDNN_ATTR_TENSOR_IS_VIRTUAL))
      return false;
    const std::vector<std::int64_t> extents = extents_of(tensor), strides = strides_of(tensor);
    if (extents[2] > 1 && extents[3] > 1 && is_transposed != (strides[3] != 1)) return false;
    if (!is_in_memory && !is_value && is_16_bits != is_half(tensor)) return false;
    if (function == "lt" && word[0] == '@' && type_of(tensor) != CUDNN_DATA_INT32) return false;
    const auto id = tensor.get<std::int64_t>(CUDNN_ATTR_TENSOR_UNIQUE_ID);
    const auto [role, is_new] = ids_.try_emplace(word, id);
    if (is_new && !known_.insert(id).second) return false;
    if (is_in_memory || is_value) tensors_.try_emplace(word.substr(1) + (is_transposed ? "'" : ""), &tensor);
    return role->second == id;
  }
  const std::map<std::string, const GraphDescriptor*>& tensors() const { return tensors_; }

 private:
  static bool strip(std::string& word, char mark) {
    const bool has = word.back() == mark;
    if (has) word.pop_back();
    return has;
  }

  std::map<std::string, std::int64_t> ids_;
  std::set<std::int64_t> known_;
  std::map<std::string, const GraphDescriptor*> tensors_;
};

std::optional<Roles> match(const std::vector<Step>& steps, const char* text, bool is_causal) {
  const auto lines = lines_of(text, is_causal);
  if (lines.size() != steps.size()) return std::nullopt;
  Roles roles;
  for (std::size_t i = 0; i < steps.size(); ++i) {
    const std::vector<std::string>& line = lines[i];
    const Step& step = steps[i];
    if (line.size() != step.tensors.size() + 1 || line[1] != step.function) return std::nullopt;
    for (std::size_t t = 0; t < step.tensors.size(); ++t)
      if (!roles.take(line[t == 0 ? 0 : t + 1], *step.tensors[t], step.function)) return std::nullopt;
  }
  return roles;
}

/// Whether the sizes of the tensors in memory fit together, and there is an engine for them.
bool is_offered(const AttentionGraph& g) {
  const std::vector<std::int64_t> by_query = {g.sequences, g.heads, g.queries, g.width},
                                  by_key = {g.sequences, g.heads, g.keys, g.width},
                                  by_key_transposed = {g.sequences, g.heads, g.width, g.keys},
                                  of_query = {g.sequences, g.heads, g.queries, 1},
                                  of_sequence = {g.sequences, 1, 1, 1}, begins = {g.sequences + 1, 1, 1, 1};
  const auto type = type_of(*g.tensors.at("query"));
  for (const auto& [role, tensor] : g.tensors) {
    if (flag(*tensor, CUDNN_ATTR_TENSOR_IS_BY_VALUE)) continue;
    const bool is_length = role == "query_lengths" || role == "key_lengths";
    const bool is_statistic = role == "log_sum_exp" || role == "output_products";
    const bool is_of_keys = role.find("key") != std::string::npos || role.find("value") != std::string::npos;
    if (extents_of(*tensor) != (is_length             ? of_sequence
                                : is_statistic        ? of_query
                                : role.back() == '\'' ? by_key_transposed
                                : is_of_keys          ? by_key
                                                      : by_query))
      return false;
    if (!is_length && type_of(*tensor) != (is_statistic ? CUDNN_DATA_FLOAT : type)) return false;
    if (is_length || role == "output_products") continue;
    if (!tensor->has(CUDNN_ATTR_TENSOR_RAGGED_OFFSET_DESC)) return false;
    const GraphDescriptor& offsets = tensor->part(CUDNN_ATTR_TENSOR_RAGGED_OFFSET_DESC);
    if (type_of(offsets) != CUDNN_DATA_INT64 || extents_of(offsets) != begins) return false;
  }
  constexpr std::int64_t kWidest = 128, kVector = 8;
  return (type == CUDNN_DATA_BFLOAT16 || type == CUDNN_DATA_HALF) && g.width <= kWidest &&
         g.width % kVector == 0;
}

}  // namespace

std::optional<AttentionGraph> recognize_attention(const GraphDescriptor& graph) {
  std::vector<Step> steps;
  for (const void* operation : graph.all<const void*>(CUDNN_ATTR_OPERATIONGRAPH_OPS))
    steps.push_back(step_of(*static_cast<const GraphDescriptor*>(operation)));
  for (const bool is_gradient : {false, true})
    for (const bool is_causal : {false, true})
      if (const auto roles = match(steps, is_gradient ? kGradients : kAttention, is_causal)) {
        AttentionGraph found{.is_gradient = is_gradient, .is_causal = is_causal, .tensors = roles->tensors()};
        const std::vector<std::int64_t> query = extents_of(*found.tensors.at("query"));
        found.sequences = query[0], found.heads = query[1], found.queries = query[2], found.width = query[3];
        found.keys = extents_of(*found.tensors.at("key'"))[3];
        if (is_offered(found)) return found;
      }
  return std::nullopt;
}

}  // namespace simt
