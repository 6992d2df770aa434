// Helpers for tests of the emulator.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "backend/cuda/runtime/cuda_api.h"
#include "cuda_emulator/findings.h"
#include "cuda_emulator/shadow.h"

namespace simt {

/// A device vector that is freed at the end.
template <class T>
class DeviceVector {
 public:
  explicit DeviceVector(std::size_t size) : size_(size) {
    nmt::cuda::check(cudaMalloc(reinterpret_cast<void**>(&data_), size * sizeof(T)));
  }
  explicit DeviceVector(const std::vector<T>& values) : DeviceVector(values.size()) {
    nmt::cuda::check(cudaMemcpy(data_, values.data(), size_ * sizeof(T), cudaMemcpyHostToDevice));
  }
  ~DeviceVector() { cudaFree(data_); }
  DeviceVector(const DeviceVector&) = delete;
  DeviceVector& operator=(const DeviceVector&) = delete;

  T* data() const { return data_; }
  std::vector<T> read() const {
    std::vector<T> values(size_);
    nmt::cuda::check(cudaDeviceSynchronize());
    nmt::cuda::check(cudaMemcpy(values.data(), data_, size_ * sizeof(T), cudaMemcpyDeviceToHost));
    return values;
  }

 private:
  std::size_t size_;
  T* data_ = nullptr;
};

/// Has a stream and default settings. Findings that a test does not take make it fail.
class EmulatorTest : public ::testing::Test {
 protected:
  EmulatorTest() { nmt::cuda::check(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking)); }
  ~EmulatorTest() override {
    settings() = before_;
    EXPECT_EQ(findings(), "");
    cudaStreamDestroy(stream_);
  }

  cudaStream_t stream() const { return stream_; }
  cudaError_t synchronize() { return cudaStreamSynchronize(stream_); }

  /// Returns the messages of findings and forgets them.
  static std::string findings() {
    std::string all;
    for (const std::string& finding : take_findings()) all += finding + "\n";
    return all;
  }

 private:
  Settings before_ = settings();
  cudaStream_t stream_ = nullptr;
};

/// Skips checks of memory accesses if the kernels are compiled without instrumentation.
#define SIMT_NEEDS_CHECKS() \
  if (!simt::instrumented()) GTEST_SKIP() << "kernels are compiled without checks in this build"

}  // namespace simt
