// Tests mma.h on a GPU: products of fragments must equal those of the matrices they were loaded from. The
// emulator and the kernels follow the same page of the manual, so only a GPU can contradict both.
//   nvcc -std=c++20 -arch=native -Isrc tests/backend/cuda_fragments.cu -o fragments && ./fragments
#include <cstdio>
#include <cstdlib>
#include <vector>

#include "backend/cuda/kernels/products/mma.h"

namespace nmt::cuda {

void check(cudaError_t status) {
  if (status == cudaSuccess) return;
  std::fprintf(stderr, "error: %s\n", cudaGetErrorString(status));
  std::exit(1);
}

namespace {

constexpr int kSize = 16, kStride = kSize + 8, kElements = kSize * kSize;
constexpr int kWays = 3;

/// products = left right, left right^T and left^T right; 16 x 16 each, one warp.
template <class T>
__global__ void multiply_kernel(const T* left, const T* right, float* products) {
  T* shared = shared_memory<T>();
  const int lane = static_cast<int>(threadIdx.x);
  for (int i = lane; i < kElements; i += 32) {
    shared[i / kSize * kStride + i % kSize] = left[i];
    shared[(kSize + i / kSize) * kStride + i % kSize] = right[i];
  }
  __syncwarp();
  unsigned a[kWays][4], b[kWays][4];
  load_left(a[0], shared, kStride);
  load_left(a[1], shared, kStride);
  load_left_transposed(a[2], shared, kStride);
  load_right(b[0], shared + kSize * kStride, kStride);
  load_right_transposed(b[1], shared + kSize * kStride, kStride);
  load_right(b[2], shared + kSize * kStride, kStride);
  for (int way = 0; way < kWays; ++way)
    for (int half = 0; half < 2; ++half) {
      float sum[4] = {};
      multiply_fragments<T>(sum, a[way], b[way][2 * half], b[way][2 * half + 1]);
      float* to = products + way * kElements;
      for (int i = 0; i < 4; ++i)
        to[(lane / 4 + 8 * (i / 2)) * kSize + 8 * half + lane % 4 * 2 + i % 2] = sum[i];
    }
}

/// Elements on the device, which are released at the end.
template <class T>
class OnDevice {
 public:
  explicit OnDevice(const std::vector<T>& values) {
    check(cudaMalloc(reinterpret_cast<void**>(&data_), values.size() * sizeof(T)));
    check(cudaMemcpy(data_, values.data(), values.size() * sizeof(T), cudaMemcpyHostToDevice));
  }
  ~OnDevice() { check(cudaFree(data_)); }
  OnDevice(const OnDevice&) = delete;
  OnDevice& operator=(const OnDevice&) = delete;
  T* data() const { return data_; }

 private:
  T* data_ = nullptr;
};

/// The numbers are small integers, so every sum is exact. Returns how many elements are wrong.
template <class T>
int wrong_elements(const char* type) {
  std::vector<float> left(kElements), right(kElements);
  std::vector<T> left_elements, right_elements;
  for (int i = 0; i < kElements; ++i) {
    left[static_cast<std::size_t>(i)] = static_cast<float>(i * 37 % 101 - 50);
    right[static_cast<std::size_t>(i)] = static_cast<float>(i * 53 % 97 - 48);
  }
  for (const float x : left) left_elements.push_back(T(x));
  for (const float x : right) right_elements.push_back(T(x));
  const OnDevice<T> left_matrix(left_elements), right_matrix(right_elements);
  std::vector<float> products(kWays * kElements);
  const OnDevice<float> on_device(products);
  launch(DirectLaunch{dim3(1), dim3(32), 2 * kSize * kStride * sizeof(T)}, multiply_kernel<T>,
         left_matrix.data(), right_matrix.data(), on_device.data());
  check(
      cudaMemcpy(products.data(), on_device.data(), products.size() * sizeof(float), cudaMemcpyDeviceToHost));
  int wrong = 0;
  for (int way = 0; way < kWays; ++way)
    for (int i = 0; i < kSize; ++i)
      for (int j = 0; j < kSize; ++j) {
        float expected = 0;
        for (int k = 0; k < kSize; ++k)
          expected += left[static_cast<std::size_t>(way == 2 ? k * kSize + i : i * kSize + k)] *
                      right[static_cast<std::size_t>(way == 1 ? j * kSize + k : k * kSize + j)];
        wrong += products[static_cast<std::size_t>(way * kElements + i * kSize + j)] != expected;
      }
  std::printf("fragments of %s: %d of %d elements are wrong\n", type, wrong, kWays * kElements);
  return wrong;
}

}  // namespace
}  // namespace nmt::cuda

int main() {
  return nmt::cuda::wrong_elements<nmt::cuda::bf16>("bf16") +
             nmt::cuda::wrong_elements<nmt::cuda::f16>("f16") >
         0;
}
