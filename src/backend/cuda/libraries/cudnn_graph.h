// Graphs of operations for cuDNN's graph API. If cuDNN supports a graph, one kernel computes all of it.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "backend/cuda/libraries/cudnn.h"

namespace nmt::cuda {

/// A descriptor of cuDNN's graph API. A descriptor that is an attribute of others must outlive them.
using GraphDescriptor = std::shared_ptr<void>;

/// Sizes or strides of the four dimensions of a tensor; the last two are those of a matrix.
using Extents = std::array<std::int64_t, 4>;

/// A tensor of a graph: in memory, or passed from one operation to others without being stored.
struct GraphTensor {
  GraphDescriptor descriptor;
  Extents extents{};
};

/// Address of a tensor in device memory, or of a value on the host.
struct GraphArgument {
  std::int64_t id;
  const void* data;
};

/// The plan by which a GPU computes a graph.
struct GraphPlan {
  std::vector<GraphDescriptor> descriptors;  // the last one is that of the plan, the others are parts of it
  std::size_t workspace_bytes = 0;           // of device memory
};

/// Describes the GPU with this number, for which graphs are planned.
GraphDescriptor describe_gpu(int number);
/// Describes a GPU by the properties that cuDNN wrote as JSON. It need not be in this machine.
GraphDescriptor describe_gpu(const std::string& properties);

/// A graph, built operation by operation in the order of computation. Numbers are computed in f32; a size of
/// 1 is broadcast to that of the other operand.
class CudnnGraph {
 public:
  /// Adds a tensor in memory, which run() knows by `id`, below 1000. `begins`, i64 [sequences + 1, 1, 1, 1]:
  /// begin of each sequence of the first dimension, in elements, instead of a stride.
  GraphTensor in_memory(std::int64_t id, cudnnDataType_t type, const Extents& extents, const Extents& strides,
                        const GraphTensor* begins = nullptr);
  /// Adds an f32 value of the host, with this `id`.
  GraphTensor value(std::int64_t id);

  /// Apply mode to x, or to x and b, in f32.
  GraphTensor apply(cudnnPointwiseMode_t mode, const GraphTensor& x);
  GraphTensor apply(cudnnPointwiseMode_t mode, const GraphTensor& x, const GraphTensor& b);
  /// Apply mode to x and b and round the result to `type`, or store it in a tensor in memory.
  GraphTensor apply_as(cudnnDataType_t type, cudnnPointwiseMode_t mode, const GraphTensor& x,
                       const GraphTensor& b);
  void apply_into(const GraphTensor& y, cudnnPointwiseMode_t mode, const GraphTensor& x,
                  const GraphTensor& b);
  /// Returns whether mode(x, b) holds, element by element.
  GraphTensor compare(cudnnPointwiseMode_t mode, const GraphTensor& x, const GraphTensor& b);
  /// Returns each element's index in dimension `axis` of x, an i32.
  GraphTensor index(const GraphTensor& x, std::int64_t axis);
  /// Returns x where the condition holds, else `otherwise`.
  GraphTensor select(const GraphTensor& condition, const GraphTensor& x, const GraphTensor& otherwise);
  /// Reduces the last dimension to size 1.
  GraphTensor reduce(cudnnReduceTensorOp_t operation, const GraphTensor& x);
  /// Multiplies the matrices in the last two dimensions.
  GraphTensor multiply(const GraphTensor& a, const GraphTensor& b);
  void multiply_into(const GraphTensor& c, const GraphTensor& a, const GraphTensor& b);
  /// Returns the same elements as `type`, with these strides.
  GraphTensor reshape(const GraphTensor& x, cudnnDataType_t type, const Extents& extents,
                      const Extents& strides);

  /// Returns the engine configurations that cuDNN recommends for the graph on a GPU and that give equal bits
  /// every time, the one expected to be fastest first. Empty if cuDNN does not support the graph.
  std::vector<GraphDescriptor> engines(const GraphDescriptor& gpu);
  /// Returns a plan for the first engine that can be set up; nothing if there is none.
  std::optional<GraphPlan> plan(const GraphDescriptor& gpu);

 private:
  struct Pointwise {
    cudnnPointwiseMode_t mode;
    cudnnDataType_t type;   // type of the computation
    std::int64_t axis = 0;  // of an index
  };

  GraphTensor add_tensor(const GraphDescriptor& tensor, std::int64_t id, cudnnDataType_t type,
                         const Extents& extents, const Extents& strides);
  /// Adds a tensor that passes the result of one operation to others.
  GraphTensor between(cudnnDataType_t type, const Extents& extents, const Extents& strides);
  GraphTensor between(cudnnDataType_t type, const Extents& extents);
  void add_operation(const GraphDescriptor& operation, const std::vector<GraphDescriptor>& parts);
  void add_pointwise(const Pointwise& how, const GraphTensor& y, const GraphTensor& x,
                     const GraphTensor& b = {}, const GraphTensor& condition = {});

  std::vector<GraphDescriptor> descriptors_, operations_;
  std::int64_t next_id_ = 1000;  // of tensors that are not in memory
};

/// Computes a graph on the stream of the handle.
void run(const GraphPlan& plan, cudnnHandle_t handle, const std::vector<GraphArgument>& arguments,
         void* workspace);

}  // namespace nmt::cuda
