// The mathematics of attention (Vaswani et al., 2017, 3.2.1) and its gradients, sequence by sequence. Nothing
// past the end of a sequence is read or written.
#include "cuda_emulator/cudnn_attention.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "cuda_emulator/elements.h"
#include "cuda_emulator/findings.h"
#include "cuda_emulator/memory.h"
#include "cuda_emulator/shadow.h"

namespace simt {
namespace {

constexpr const char* kWho = "cudnnBackendExecute";
constexpr std::uintptr_t kAlignment = 16, kSpaceAlignment = 256;

/// The rows and columns of one head of a sequence.
using Matrix = std::vector<std::vector<double>>;

std::int64_t id_of(const GraphDescriptor& tensor) {
  return tensor.get<std::int64_t>(CUDNN_ATTR_TENSOR_UNIQUE_ID);
}

cudaDataType cuda_type_of(const GraphDescriptor& tensor) {
  const auto type = tensor.get<cudnnDataType_t>(CUDNN_ATTR_TENSOR_DATA_TYPE);
  return type == CUDNN_DATA_BFLOAT16 ? CUDA_R_16BF : type == CUDNN_DATA_HALF ? CUDA_R_16F : CUDA_R_32F;
}

/// A sequence of a tensor.
struct Packed {
  std::byte* data;
  std::int64_t begin;
  cudaDataType type;
  std::int64_t head_stride, row_stride, columns;

  std::size_t row_bytes() const { return static_cast<std::size_t>(columns) * size_of(type); }
  /// Returns the first element of a row; null, and a finding, if it does not exist.
  std::byte* row(std::int64_t head, std::size_t i) const {
    const std::int64_t element = begin + head * head_stride + static_cast<std::int64_t>(i) * row_stride;
    std::byte* const first = data + element * static_cast<std::int64_t>(size_of(type));
    if (is_allocated(first, row_bytes())) return first;
    report(std::string(kWho) + ": rows that are not in device memory");
    return nullptr;
  }
  Matrix load(std::int64_t head, std::int64_t rows) const {
    Matrix x(static_cast<std::size_t>(rows), std::vector<double>(static_cast<std::size_t>(columns)));
    for (std::size_t i = 0; i < x.size(); ++i) {
      const std::byte* const from = row(head, i);
      if (from == nullptr) break;
      reads(from, row_bytes(), kWho);
      for (std::size_t c = 0; c < x[i].size(); ++c)
        x[i][c] = read_element(from, type, static_cast<std::int64_t>(c));
    }
    return x;
  }
  void store(std::int64_t head, const Matrix& x) const {
    for (std::size_t i = 0; i < x.size(); ++i) {
      std::byte* const to = row(head, i);
      if (to == nullptr) break;
      wrote(to, row_bytes(), kWho);
      for (std::size_t c = 0; c < x[i].size(); ++c)
        write_element(to, type, static_cast<std::int64_t>(c), static_cast<float>(x[i][c]));
    }
  }
};

/// Returns the value with which the real library may leave its workspace.
void spoil(void* space, std::size_t bytes) {
  wrote(space, bytes, kWho);
  std::memset(space, kPoison, bytes);
}

std::size_t bytes_of_products(const AttentionGraph& g) {
  return static_cast<std::size_t>(g.sequences * g.heads * g.queries) * sizeof(float);
}

/// Returns scale * a b^T.
Matrix products(const Matrix& a, const Matrix& b, double scale = 1) {
  Matrix c(a.size(), std::vector<double>(b.size()));
  for (std::size_t i = 0; i < a.size(); ++i)
    for (std::size_t j = 0; j < b.size(); ++j)
      c[i][j] = scale * std::inner_product(a[i].begin(), a[i].end(), b[j].begin(), 0.0);
  return c;
}

Matrix sums(const Matrix& a, const Matrix& b) {
  Matrix c(a.size(), std::vector<double>(b[0].size()));
  for (std::size_t i = 0; i < a.size(); ++i)
    for (std::size_t j = 0; j < b.size(); ++j)
      for (std::size_t f = 0; f < b[j].size(); ++f) c[i][f] += a[i][j] * b[j][f];
  return c;
}

Matrix transposed(const Matrix& a) {
  Matrix c(a[0].size(), std::vector<double>(a.size()));
  for (std::size_t i = 0; i < a.size(); ++i)
    for (std::size_t j = 0; j < a[i].size(); ++j) c[j][i] = a[i][j];
  return c;
}

/// One head of a sequence.
struct Head {
  std::int64_t sequence, head, queries, keys;
};

/// Everything that a call needs when it is executed.
class Run {
 public:
  explicit Run(const AttentionCall& call)
      : graph_(call.graph),
        memory_(call.memory),
        workspace_(call.workspace),
        scale_(*static_cast<const float*>(address("scale"))) {}

  void operator()() const {
    spoil(workspace_, workspace_bytes(graph_));
    if (graph_.is_gradient) spoil(address("output_products"), bytes_of_products(graph_));
    const std::vector<int> queries = lengths("query_lengths"), keys = lengths("key_lengths");
    for (const auto& [role, tensor] : graph_.tensors)
      if (tensor->has(CUDNN_ATTR_TENSOR_RAGGED_OFFSET_DESC) && has_falling_begins(*tensor))
        return report(std::string(kWho) + ": " + role + " has a sequence that begins before the one before");
    for (std::int64_t sequence = 0; sequence < graph_.sequences; ++sequence)
      for (std::int64_t head = 0; head < graph_.heads; ++head) {
        const auto i = static_cast<std::size_t>(sequence);
        if (queries[i] < 0 || queries[i] > graph_.queries || keys[i] < 0 || keys[i] > graph_.keys)
          return report(std::string(kWho) + ": a sequence that is longer than the graph has room for");
        if (queries[i] > 0 && keys[i] > 0) compute({sequence, head, queries[i], keys[i]});
      }
  }

 private:
  void compute(const Head& head) const {
    const Matrix query = load("query", head), key = load("key'", head);
    Matrix weights = products(query, key, scale_);
    for (std::size_t i = 0; graph_.is_causal && i < weights.size(); ++i)
      for (std::size_t j = i + 1; j < weights[i].size(); ++j)
        weights[i][j] = -std::numeric_limits<double>::infinity();
    if (!graph_.is_gradient) return attend(head, weights);
    differentiate(head, weights, query, key);
  }

  void attend(const Head& head, Matrix weights) const {
    Matrix log_sum_exp;
    for (std::vector<double>& row : weights) {
      const double largest = *std::max_element(row.begin(), row.end());
      double total = 0;
      for (double& x : row) total += x = std::exp(x - largest);
      for (double& x : row) x /= total;
      log_sum_exp.push_back({largest + std::log(total)});
    }
    store("log_sum_exp", head, log_sum_exp);
    store("output", head, sums(weights, load("value", head)));
  }

  void differentiate(const Head& head, Matrix weights, const Matrix& query, const Matrix& key) const {
    const Matrix log_sum_exp = load("log_sum_exp", head), output = load("output", head);
    const Matrix d_output = load("d_output", head);
    for (std::size_t i = 0; i < weights.size(); ++i)
      for (double& x : weights[i]) x = std::exp(x - log_sum_exp[i][0]);
    store("d_value", head, sums(transposed(weights), d_output));
    Matrix d_scores = products(d_output, load("value'", head));
    for (std::size_t i = 0; i < weights.size(); ++i) {
      const double mean = std::inner_product(output[i].begin(), output[i].end(), d_output[i].begin(), 0.0);
      for (std::size_t j = 0; j < weights[i].size(); ++j)
        d_scores[i][j] = scale_ * weights[i][j] * (d_scores[i][j] - mean);
    }
    store("d_key", head, sums(transposed(d_scores), query));
    store("d_query", head, sums(d_scores, key));
  }

  void* address(const std::string& role) const { return memory_.at(id_of(*graph_.tensors.at(role))); }
  std::vector<int> lengths(const std::string& role) const {
    const auto* const begin = static_cast<const int*>(address(role));
    reads(begin, static_cast<std::size_t>(graph_.sequences) * sizeof(int), kWho);
    return {begin, begin + graph_.sequences};
  }
  const std::int64_t* begins(const GraphDescriptor& tensor) const {
    return static_cast<const std::int64_t*>(
        memory_.at(id_of(tensor.part(CUDNN_ATTR_TENSOR_RAGGED_OFFSET_DESC))));
  }
  /// An engine may use the difference of two offsets as the length, including that of the last sequence.
  bool has_falling_begins(const GraphDescriptor& tensor) const {
    const std::int64_t* const first = begins(tensor);
    const auto count = static_cast<std::size_t>(graph_.sequences + 1);
    reads(first, count * sizeof *first, kWho);
    return !std::is_sorted(first, first + count);
  }
  Packed packed(const std::string& role, std::int64_t sequence) const {
    const GraphDescriptor& tensor = *graph_.tensors.at(role);
    const auto strides = tensor.all<std::int64_t>(CUDNN_ATTR_TENSOR_STRIDES);
    const bool is_statistic = role == "log_sum_exp";
    return {.data = static_cast<std::byte*>(address(role)),
            .begin = begins(tensor)[sequence],
            .type = cuda_type_of(tensor),
            .head_stride = strides[1],
            .row_stride = role.back() == '\'' ? strides[3] : strides[2],
            .columns = is_statistic ? 1 : graph_.width};
  }
  Matrix load(const std::string& role, const Head& at) const {
    const bool has_keys = role[0] == 'k' || role[0] == 'v';
    return packed(role, at.sequence).load(at.head, has_keys ? at.keys : at.queries);
  }
  void store(const std::string& role, const Head& at, const Matrix& x) const {
    packed(role, at.sequence).store(at.head, x);
  }

  AttentionGraph graph_;
  std::map<std::int64_t, void*> memory_;
  void* workspace_;
  float scale_;
};

}  // namespace

std::size_t workspace_bytes(const AttentionGraph& g) {
  return static_cast<std::size_t>(g.is_gradient ? g.sequences * g.heads * g.queries * g.width : g.sequences) *
         sizeof(float);
}

std::string fault(const AttentionCall& call) {
  const auto is_aligned = [](const void* p, std::uintptr_t bytes) {
    return reinterpret_cast<std::uintptr_t>(p) % bytes == 0;
  };
  for (const auto& [role, tensor] : call.graph.tensors) {
    std::vector<const GraphDescriptor*> needed = {tensor};
    if (tensor->has(CUDNN_ATTR_TENSOR_RAGGED_OFFSET_DESC))
      needed.push_back(&tensor->part(CUDNN_ATTR_TENSOR_RAGGED_OFFSET_DESC));
    for (const GraphDescriptor* each : needed) {
      const auto found = call.memory.find(id_of(*each));
      if (found == call.memory.end() || found->second == nullptr) return role + " has no address";
      const bool is_value = each->has(CUDNN_ATTR_TENSOR_IS_BY_VALUE);
      if (is_value == is_allocated(found->second, 1))
        return role + (is_value ? " is not in the host's memory" : " is not in device memory");
      if (!is_value && !is_aligned(found->second, kAlignment))
        return role + " is not aligned as it was described";
    }
  }
  if (!is_allocated(call.workspace, workspace_bytes(call.graph)))
    return "the workspace is not in device memory";
  if (!is_aligned(call.workspace, kSpaceAlignment)) return "the workspace is not a multiple of 256 bytes";
  return {};
}

std::function<void()> prepare(const AttentionCall& call) {
  return Run(call);
}

}  // namespace simt
