// Whether the real cuDNN has engines for the attention graphs. It answers this without a GPU, given the
// properties of one.
#include "backend/cuda/libraries/cudnn_attention_graphs.h"

#include <dlfcn.h>
#include <gtest/gtest.h>

#include <ostream>
#include <string>

#include "common/error.h"

namespace nmt::cuda {

void PrintTo(const AttentionShape& shape, std::ostream* stream) {
  *stream << (shape.is_gradient ? "gradients of attention, " : "attention, ") << shape.sequences
          << " sequences, " << shape.queries << " queries, " << shape.keys << " keys, " << shape.heads
          << " heads of " << shape.width << (shape.causal ? ", causal" : "")
          << (shape.dtype == CUDNN_DATA_HALF ? ", f16" : ", bf16");
}

namespace {

/// The properties of an H100 with 80 GB that cuDNN asks for.
constexpr const char* kH100 = R"({"maxGridSize": [2147483647, 65535, 65535], "maxBlockSize": [1024, 1024, 64],
  "regsPerBlock": 65536, "multiProcessorCount": 132, "smClockRateKHz": 1980000, "memClockRateKHz": 2619000,
  "l2CacheSize": 52428800, "warpSize": 32, "maxSharedMemoryPerBlock": 49152,
  "maxSharedMemoryPerBlockOptin": 232448, "reservedSharedMemoryPerBlock": 1024, "maxRegistersPerSM": 65536,
  "pciDeviceId": 0, "maxCtasPerSM": 32, "maxThreadsPerBlock": 1024, "maxThreadsPerSM": 2048,
  "isTccDriver": 0, "supportCoopLaunch": 1, "deviceVer": 900, "driverVer": 13000, "cudaDeviceId": 0,
  "totalGlobalMem": 85045542912, "deviceName": "NVIDIA H100 80GB HBM3"})";

/// cuDNN looks up functions of a driver before it answers. The toolkit's stub library, found under the
/// driver's name, is sufficient.
bool has_driver() {
  return dlopen("libcuda.so.1", RTLD_NOW | RTLD_GLOBAL) != nullptr ||
         dlopen(NMT_CUDA_DRIVER_STUB, RTLD_NOW | RTLD_GLOBAL) != nullptr;
}

AttentionShape shape_of(std::int64_t queries, std::int64_t keys, std::int64_t width, bool causal,
                        bool is_gradient, cudnnDataType_t dtype = CUDNN_DATA_BFLOAT16) {
  constexpr std::int64_t kHeads = 8;
  AttentionShape shape{.sequences = 32,
                       .queries = queries,
                       .keys = keys,
                       .heads = kHeads,
                       .width = width,
                       .dtype = dtype,
                       .causal = causal,
                       .is_gradient = is_gradient};
  shape.strides.fill(kHeads * width);
  for (const AttentionId id : {kQuery, kKey, kValue})  // slices of one product
    shape.strides[static_cast<std::size_t>(id)] = 3 * kHeads * width;
  shape.strides[kLogSumExp] = kHeads;
  return shape;
}

class CudnnAttentionGraphs : public ::testing::TestWithParam<AttentionShape> {
 protected:
  void SetUp() override {
    if (!has_driver()) GTEST_SKIP() << "neither a driver of NVIDIA nor the toolkit's stub of one is there";
    try {
      gpu_ = describe_gpu(std::string(kH100));
    } catch (const Error& error) {
      GTEST_SKIP() << "no cuDNN that takes this description of a GPU: " << error.what();
    }
  }
  std::size_t engines(const AttentionShape& shape) const {
    return attention_graph(shape).engines(gpu_).size();
  }

 private:
  GraphDescriptor gpu_;
};

TEST_P(CudnnAttentionGraphs, HaveEnginesForAnH100) {
  EXPECT_GT(engines(GetParam()), 0);
}

TEST_F(CudnnAttentionGraphs, HaveNoneWhereHeadsAreNoWholeGroupsOf16Bytes) {
  EXPECT_EQ(engines(shape_of(128, 128, 12, false, false)), 0);
}

INSTANTIATE_TEST_SUITE_P(
    Cudnn, CudnnAttentionGraphs,
    ::testing::Values(shape_of(128, 128, 64, false, false), shape_of(128, 128, 64, true, false),
                      shape_of(128, 128, 64, false, true), shape_of(128, 128, 64, true, true),
                      shape_of(64, 1024, 64, false, true), shape_of(512, 512, 128, true, true),
                      shape_of(64, 64, 8, true, true), shape_of(128, 64, 40, false, false),
                      shape_of(128, 128, 64, true, false, CUDNN_DATA_HALF),
                      shape_of(128, 128, 64, true, true, CUDNN_DATA_HALF)));

}  // namespace
}  // namespace nmt::cuda
