// Graphs of operations, as cuDNN's graph API takes them: where it knows a graph, one kernel computes all of
// it.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "backend/cuda/libraries/cudnn.h"

namespace nmt::cuda {

/// A descriptor of the graph API. It has to outlive those that it is an attribute of.
using GraphDescriptor = std::shared_ptr<void>;

/// Of the four dimensions of a tensor; the last two are those of a matrix.
using Extents = std::array<std::int64_t, 4>;

/// A tensor of a graph: in memory, or left by one operation for others and nowhere else.
struct GraphTensor {
  GraphDescriptor descriptor;
  Extents extents{};
};

/// Where a tensor in memory lies, or for a value its address on the host.
struct GraphArgument {
  std::int64_t id;
  const void* data;
};

/// How a graph is computed on a card.
struct GraphPlan {
  std::vector<GraphDescriptor> descriptors;  // the last one is the plan's, which the others are parts of
  std::size_t workspace_bytes = 0;           // of device memory
};

/// The card that graphs are planned for: the one of this number.
GraphDescriptor describe_card(int number);
/// One that is not there, by the properties that cuDNN wrote down as JSON. It need not be on this machine.
GraphDescriptor describe_card(const std::string& properties);

/// A graph, built operation by operation in the order in which they compute. Numbers are computed in f32; a
/// size of 1 stands for as many equal elements as the other operand has.
class CudnnGraph {
 public:
  /// A tensor in memory, which run() knows by `id`, below 1000. `begins`, i64 [sequences + 1, 1, 1, 1]: where
  /// each sequence of the first dimension begins in it, counted in elements, in place of a stride.
  GraphTensor in_memory(std::int64_t id, cudnnDataType_t type, const Extents& extents, const Extents& strides,
                        const GraphTensor* begins = nullptr);
  /// An f32 of the host, by its `id`.
  GraphTensor value(std::int64_t id);

  /// mode(x), and mode(x, b), in f32.
  GraphTensor apply(cudnnPointwiseMode_t mode, const GraphTensor& x);
  GraphTensor apply(cudnnPointwiseMode_t mode, const GraphTensor& x, const GraphTensor& b);
  /// The same rounded to `type`, and into a tensor in memory.
  GraphTensor apply_as(cudnnDataType_t type, cudnnPointwiseMode_t mode, const GraphTensor& x,
                       const GraphTensor& b);
  void apply_into(const GraphTensor& y, cudnnPointwiseMode_t mode, const GraphTensor& x,
                  const GraphTensor& b);
  /// Whether mode(x, b) holds.
  GraphTensor compare(cudnnPointwiseMode_t mode, const GraphTensor& x, const GraphTensor& b);
  /// Each element's index in dimension `axis` of x, an i32.
  GraphTensor index(const GraphTensor& x, std::int64_t axis);
  /// x where the condition holds, else `otherwise`.
  GraphTensor select(const GraphTensor& condition, const GraphTensor& x, const GraphTensor& otherwise);
  /// Over the last dimension, of which 1 is left.
  GraphTensor reduce(cudnnReduceTensorOp_t operation, const GraphTensor& x);
  /// Products of the matrices that the last two dimensions are.
  GraphTensor multiply(const GraphTensor& a, const GraphTensor& b);
  void multiply_into(const GraphTensor& c, const GraphTensor& a, const GraphTensor& b);
  /// The same elements as `type`, seen with these strides.
  GraphTensor reshape(const GraphTensor& x, cudnnDataType_t type, const Extents& extents,
                      const Extents& strides);

  /// What runs it on a card and gives the same bits every time: the configurations of engines that cuDNN
  /// recommends, the one that it expects to be the fastest first. None where it does not know the graph.
  std::vector<GraphDescriptor> engines(const GraphDescriptor& card);
  /// The first of these for which all is made; nothing where there is none.
  std::optional<GraphPlan> plan(const GraphDescriptor& card);

 private:
  struct Pointwise {
    cudnnPointwiseMode_t mode;
    cudnnDataType_t type;   // that it is computed in
    std::int64_t axis = 0;  // of an index
  };

  GraphTensor add_tensor(const GraphDescriptor& tensor, std::int64_t id, cudnnDataType_t type,
                         const Extents& extents, const Extents& strides);
  /// What one operation leaves for others.
  GraphTensor between(cudnnDataType_t type, const Extents& extents, const Extents& strides);
  GraphTensor between(cudnnDataType_t type, const Extents& extents);
  void add_operation(const GraphDescriptor& operation, const std::vector<GraphDescriptor>& parts);
  void add_pointwise(const Pointwise& how, const GraphTensor& y, const GraphTensor& x,
                     const GraphTensor& b = {}, const GraphTensor& condition = {});

  std::vector<GraphDescriptor> descriptors_, operations_;
  std::int64_t next_id_ = 1000;  // of tensors that are nowhere in memory
};

/// Computes it on the stream of the handle.
void run(const GraphPlan& plan, cudnnHandle_t handle, const std::vector<GraphArgument>& arguments,
         void* workspace);

}  // namespace nmt::cuda
