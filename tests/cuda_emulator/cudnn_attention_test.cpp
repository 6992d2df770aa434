// The stand-in for cuDNN's graph API: it accepts the backend's attention graphs and no others, and reports
// misuse. Tests of backends compare its numbers with the reference.
#include <cmath>

#include "backend/cuda/libraries/cudnn_attention_graphs.h"
#include "cuda_emulator/testing.h"

namespace simt {
namespace {

using nmt::cuda::attention_graph;
using nmt::cuda::AttentionShape;
using nmt::cuda::CudnnGraph;
using nmt::cuda::describe_gpu;
using nmt::cuda::GraphArgument;
using nmt::cuda::GraphPlan;
using nmt::cuda::GraphTensor;
using ::testing::HasSubstr;

constexpr std::int64_t kRoom = 2, kMostQueries = 4, kMostKeys = 3, kHeadCount = 2, kHeadWidth = 8,
                       kRowColumns = 16;

AttentionShape shape() {
  AttentionShape shape{.sequences = kRoom,
                       .queries = kMostQueries,
                       .keys = kMostKeys,
                       .heads = kHeadCount,
                       .width = kHeadWidth,
                       .dtype = CUDNN_DATA_BFLOAT16};
  shape.strides.fill(kRowColumns);
  shape.strides[nmt::cuda::kLogSumExp] = kHeadCount;
  return shape;
}

/// Attention for two sequences, of which the second is empty; all elements are 0. Each test changes one
/// thing.
class CudnnAttention : public EmulatorTest {
 protected:
  CudnnAttention() {
    cudnnCreate(&handle_);
    cudnnSetStream(handle_, stream());
    for (std::int64_t id = nmt::cuda::kQuery; id <= nmt::cuda::kLogSumExp; ++id)
      arguments_.insert(arguments_.end(), {{id, rows_.data()}, {nmt::cuda::kBegins + id, begins_.data()}});
    arguments_[6].data = output_.data(), arguments_[8].data = log_sum_exp_.data();
    arguments_.insert(arguments_.end(), {{nmt::cuda::kQueryLengths, query_lengths_.data()},
                                         {nmt::cuda::kKeyLengths, key_lengths_.data()},
                                         {nmt::cuda::kScale, &scale_},
                                         {nmt::cuda::kLowest, &lowest_}});
  }
  ~CudnnAttention() override { cudnnDestroy(handle_); }

  void run() {
    const std::optional<GraphPlan> plan = attention_graph(shape()).plan(describe_gpu(0));
    ASSERT_TRUE(plan);
    try {
      nmt::cuda::run(*plan, handle_, arguments_, workspace_.data());
      nmt::cuda::check(synchronize());
    } catch (const std::exception&) {  // its words are the finding's
    }
  }

  cudnnHandle_t handle_ = nullptr;
  DeviceVector<std::uint16_t> rows_{std::vector<std::uint16_t>(kMostQueries * kRowColumns)};
  DeviceVector<std::uint16_t> output_{std::vector<std::uint16_t>(kMostQueries * kRowColumns, 1)};
  DeviceVector<float> log_sum_exp_{std::vector<float>(kMostQueries * kHeadCount)};
  DeviceVector<std::int64_t> begins_{std::vector<std::int64_t>(kRoom + 1)};
  DeviceVector<int> query_lengths_{{3, 0}}, key_lengths_{{2, 0}};
  DeviceVector<std::byte> workspace_{4096};
  float scale_ = 1, lowest_ = -1e30f;
  std::vector<GraphArgument> arguments_;
};

TEST_F(CudnnAttention, WritesTheRowsOfSequencesAlone) {
  run();
  const std::vector<std::uint16_t> output = output_.read();
  EXPECT_EQ(output[3 * kRowColumns - 1], 0);
  EXPECT_EQ(output[3 * kRowColumns], 1);
  EXPECT_NEAR(log_sum_exp_.read()[0], std::log(2.0), 1e-6);
}

TEST_F(CudnnAttention, NeedsAllAddresses) {
  arguments_.pop_back();
  run();
  EXPECT_THAT(findings(), HasSubstr("lowest has no address"));
}

TEST_F(CudnnAttention, NeedsAlignedAddresses) {
  arguments_[0].data = rows_.data() + 1;
  run();
  EXPECT_THAT(findings(), HasSubstr("query is not aligned as it was described"));
}

TEST_F(CudnnAttention, HasRoomForSequencesAsLongAsThoseOfTheGraph) {
  const DeviceVector<int> lengths({3, 4});
  arguments_[11].data = lengths.data();
  run();
  EXPECT_THAT(findings(), HasSubstr("a sequence that is longer than the graph has room for"));
}

TEST_F(CudnnAttention, ReadsNothingPastTheMemoryOfATensor) {
  const DeviceVector<std::int64_t> begins(std::vector<std::int64_t>(kRoom + 1, std::int64_t{1} << 30));
  arguments_[1].data = begins.data();
  run();
  EXPECT_THAT(findings(), HasSubstr("rows that are not in device memory"));
}

TEST_F(CudnnAttention, SequencesBeginOneAfterTheOtherUpToTheEndOfAll) {
  const DeviceVector<std::int64_t> begins({0, 3 * kRowColumns, 0});
  arguments_[1].data = begins.data();
  run();
  EXPECT_THAT(findings(), HasSubstr("query has a sequence that begins before the one before"));
}

// The library accepts the operations in their own order only.
TEST_F(CudnnAttention, HasNoEngineForAnotherGraph) {
  CudnnGraph graph;
  const GraphTensor x = graph.in_memory(1, CUDNN_DATA_BFLOAT16, {1, 1, 8, 8}, {64, 64, 8, 1});
  const GraphTensor y = graph.in_memory(2, CUDNN_DATA_BFLOAT16, {1, 1, 8, 8}, {64, 64, 8, 1});
  graph.multiply_into(y, x, x);
  EXPECT_TRUE(graph.engines(describe_gpu(0)).empty());
}

// There are two engines. The one that cuDNN recommends first adds in no particular order.
TEST_F(CudnnAttention, HasOneEngineForGradientsThatGivesTheSameBits) {
  AttentionShape gradients = shape();
  gradients.is_gradient = true;
  for (const bool causal : {false, true}) {
    gradients.causal = causal;
    EXPECT_EQ(attention_graph(gradients).engines(describe_gpu(0)).size(), 1);
  }
}

TEST_F(CudnnAttention, DescriptorsAreWhole) {
  cudnnBackendDescriptor_t tensor = nullptr, operation = nullptr;
  cudnnBackendCreateDescriptor(CUDNN_BACKEND_TENSOR_DESCRIPTOR, &tensor);
  cudnnBackendCreateDescriptor(CUDNN_BACKEND_OPERATION_MATMUL_DESCRIPTOR, &operation);
  cudnnBackendFinalize(tensor);
  EXPECT_THAT(findings(), HasSubstr("is missing"));
  cudnnBackendSetAttribute(operation, CUDNN_ATTR_OPERATION_MATMUL_ADESC, CUDNN_TYPE_BACKEND_DESCRIPTOR, 1,
                           &tensor);
  EXPECT_THAT(findings(), HasSubstr("a descriptor that was not finalized"));
  const bool is_virtual = true;
  cudnnBackendSetAttribute(tensor, CUDNN_ATTR_TENSOR_UNIQUE_ID, CUDNN_TYPE_BOOLEAN, 1, &is_virtual);
  EXPECT_THAT(findings(), HasSubstr("values of another type"));
  cudnnBackendSetAttribute(tensor, CUDNN_ATTR_POINTWISE_MODE, CUDNN_TYPE_INT64, 1, &is_virtual);
  EXPECT_THAT(findings(), HasSubstr("is not of this descriptor"));
  cudnnBackendDestroyDescriptor(operation);
  cudnnBackendDestroyDescriptor(tensor);
}

}  // namespace
}  // namespace simt
