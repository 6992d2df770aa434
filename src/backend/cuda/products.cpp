#include "backend/cuda/products.h"

#include <algorithm>

#include "backend/cuda/algorithms.h"
#include "backend/cuda/status.h"
#include "backend/cuda/tiled_product.h"

namespace nmt::cuda {
namespace {

constexpr std::size_t kMostWorkspaceBytes = std::size_t{32} << 20;  // what NVIDIA recommends for Hopper

/// Whether tensor cores would have next to nothing to do, whatever the number of rows.
bool too_narrow(const Product& product) {
  constexpr std::int64_t kNarrow = 8;
  const std::int64_t other = product.a.transposed ? product.out.rows : product.inner();
  return std::min(product.out.columns, other) < kNarrow || product.inner() == 0;
}

}  // namespace

Products::Products(bool tf32)
    : tf32_(tf32), algorithms_(std::make_unique<Algorithms>(tf32, kMostWorkspaceBytes)) {}

Products::~Products() {
  static_cast<void>(cudaFree(workspace_));
}

std::vector<std::string> Products::algorithms() const {
  return algorithms_->descriptions();
}

void Products::multiply(const Product& product, cudaStream_t stream) {
  if (product.out.rows == 0 || product.out.columns == 0) return;
  if (too_narrow(product) || !multiply_by_cublaslt(product, stream)) multiply_in_tiles(product, stream);
}

bool Products::multiply_by_cublaslt(const Product& product, cudaStream_t stream) {
  const Algorithms::Algorithm* algorithm = algorithms_->of(product);
  if (algorithm == nullptr) return false;
  reserve_workspace(algorithm->workspace_bytes);
  const auto [operation, a, b, out] = describe(product, tf32_);
  const float one = 1, before = product.accumulate ? 1 : 0;
  const cublasStatus_t status =
      cublaslt().matmul(algorithms_->handle(), operation.get(), &one, product.b.data, b.get(), product.a.data,
                        a.get(), &before, product.out.data, out.get(), product.out.data, out.get(),
                        &algorithm->configuration, workspace_, algorithm->workspace_bytes, stream);
  if (status == CUBLAS_STATUS_NOT_SUPPORTED) return false;
  check(status);
  return true;
}

void Products::reserve_workspace(std::size_t bytes) {
  if (bytes <= workspace_bytes_) return;
  check(cudaFree(workspace_));  // which waits for the work that uses it
  workspace_ = nullptr;
  workspace_bytes_ = 0;
  check(cudaMalloc(&workspace_, bytes));
  workspace_bytes_ = bytes;
}

}  // namespace nmt::cuda
