// Matrix products, by cublasLt if it supports them.
#pragma once

#include <cuda_runtime.h>

#include <memory>

#include "backend/cuda/kernels/products/matrix.h"
#include "backend/cuda/runtime/plugin_callbacks.h"
#include "backend/cuda/runtime/stream.h"

namespace nmt::cuda {

class Algorithms;
struct Algorithm;

/// Computes matrix products on the GPU that is current at construction. A row of a result depends neither on
/// the others nor on their number, unless a is transposed; then the result depends only on the shape.
class MatrixProducts {
 public:
  /// `tf32`: factors of f32 are rounded to TF32. Throws UsageError if cublasLt is not installed.
  MatrixProducts(bool tf32, Warn warn);
  ~MatrixProducts();
  MatrixProducts(const MatrixProducts&) = delete;
  MatrixProducts& operator=(const MatrixProducts&) = delete;

  void multiply(const MatrixProduct& product, Stream& stream);

 private:
  /// Computes a product whose matrices span no more elements than cublasLt's usual algorithms support.
  void multiply_at_once(const MatrixProduct& product, Stream& stream);
  bool multiply_by_cublaslt(const MatrixProduct& product, const Algorithm& algorithm, cudaStream_t stream);
  void reserve_workspace(std::size_t bytes, Stream& stream);

  /// Warns that cublasLt does not compute a product although it should.
  void tell_of(const MatrixProduct& product);

  bool tf32_;
  Warn warn_;
  std::unique_ptr<Algorithms> algorithms_;
  void* workspace_ = nullptr;
  std::size_t workspace_bytes_ = 0;
};

}  // namespace nmt::cuda
