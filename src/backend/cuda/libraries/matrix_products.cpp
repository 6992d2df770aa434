#include "backend/cuda/libraries/matrix_products.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "backend/cuda/kernels/products/matrix.h"
#include "backend/cuda/libraries/cublaslt.h"
#include "backend/cuda/runtime/status.h"

namespace nmt::cuda {
namespace {

constexpr std::size_t kMostWorkspaceBytes = std::size_t{32} << 20;  // as recommended by NVIDIA for Hopper

constexpr std::int64_t kIntegerStep = 4;  // cublasLt multiplies i8 only in multiples of this

/// Returns the part of a product of i8 for these columns.
MatrixProduct slice_columns(const MatrixProduct& product, std::int64_t begin, std::int64_t count) {
  MatrixProduct part = product;
  part.out = product.out.slice_columns(begin, count);
  part.b = product.b.slice_rows(begin, count);
  return part;
}

/// Whether the sizes or places of a product of i8 are not those that cublasLt supports.
bool is_odd(const MatrixProduct& product) {
  constexpr std::uint32_t kBytes = kIntegerStep, kSumBytes = 4 * kIntegerStep;
  return product.a.dtype == DType::i8 &&
         (product.inner() % kIntegerStep != 0 || product.out.columns % kIntegerStep != 0 ||
          alignment_of(product.a) < kBytes || alignment_of(product.b) < kBytes ||
          alignment_of(product.out) < kSumBytes);
}

/// Whether tensor cores would have almost nothing to do, whatever the number of rows.
bool too_narrow(const MatrixProduct& product) {
  constexpr std::int64_t kNarrow = 8;
  const std::int64_t other = product.a.transposed ? product.out.rows : product.inner();
  return std::min(product.out.columns, other) < kNarrow || product.inner() == 0;
}

}  // namespace

MatrixProducts::MatrixProducts(bool tf32, Warn warn)
    : tf32_(tf32),
      warn_(std::move(warn)),
      algorithms_(std::make_unique<Algorithms>(tf32, kMostWorkspaceBytes)) {}

MatrixProducts::~MatrixProducts() {
  static_cast<void>(cudaFree(workspace_));
}

void MatrixProducts::multiply(const MatrixProduct& product, Stream& stream) {
  if (product.out.rows == 0 || product.out.columns == 0) return;
  const std::int64_t rest = product.a.dtype == DType::i8 ? product.out.columns % kIntegerStep : 0;
  if (rest > 0 && rest < product.out.columns) {
    multiply(slice_columns(product, 0, product.out.columns - rest), stream);
    return multiply(slice_columns(product, product.out.columns - rest, rest), stream);
  }
  const std::int64_t rows = product.a.transposed ? product.a.rows : product.out.rows,
                     most = rows_at_once(product);
  if (rows <= most) return multiply_at_once(product, stream);
  for (std::int64_t begin = 0; begin < rows; begin += most)
    multiply_at_once(slice_rows(product, begin, std::min(most, rows - begin)), stream);
}

void MatrixProducts::multiply_at_once(const MatrixProduct& product, Stream& stream) {
  stream.make_current();  // heuristics are for the current GPU
  const bool in_tiles = too_narrow(product) || is_odd(product);
  const Algorithm* algorithm = in_tiles ? nullptr : algorithms_->of(product);
  if (algorithm == nullptr && !in_tiles) tell_of(product);
  if (algorithm != nullptr) reserve_workspace(algorithm->workspace_bytes, stream);
  const auto& [out, a, b, bias, relu, accumulate, most_rows, inference] = product;
  const auto command = [this, product, algorithm](cudaStream_t on) {
    if (algorithm == nullptr || !multiply_by_cublaslt(product, *algorithm, on))
      multiply_in_tiles(product, on);
  };
  stream.ask(command, algorithm, workspace_, out.data, out.dtype, out.rows, out.columns, out.stride, a.data,
             a.dtype, a.rows, a.columns, a.stride, a.transposed, b.data, b.dtype, b.rows, b.columns, b.stride,
             b.transposed, bias, relu, accumulate);
}

/// Returns false if cublasLt refuses the product.
bool MatrixProducts::multiply_by_cublaslt(const MatrixProduct& product, const Algorithm& algorithm,
                                          cudaStream_t stream) {
  const auto [operation, a, b, out] = describe(product, tf32_);
  const float reals[] = {1, product.accumulate ? 1.0F : 0.0F};
  const std::int32_t integers[] = {1, 0};
  const bool is_integer = product.a.dtype == DType::i8;
  const void* one = is_integer ? static_cast<const void*>(&integers[0]) : &reals[0];
  const void* before = is_integer ? static_cast<const void*>(&integers[1]) : &reals[1];
  const cublasStatus_t status =
      cublaslt().matmul(algorithms_->handle(), operation.get(), one, product.b.data, b.get(), product.a.data,
                        a.get(), before, product.out.data, out.get(), product.out.data, out.get(),
                        &algorithm.configuration, workspace_, algorithm.workspace_bytes, stream);
  if (status == CUBLAS_STATUS_NOT_SUPPORTED) {
    tell_of(product);
    return false;
  }
  check(status);
  return true;
}

void MatrixProducts::tell_of(const MatrixProduct& product) {
  warn_(fmt::format(
      "cublasLt cannot multiply {} matrices for a result of shape [{}, {}] with sums of {} terms: a slower "
      "kernel does",
      name_of(product.a.dtype), product.out.rows, product.out.columns, product.inner()));
}

void MatrixProducts::reserve_workspace(std::size_t bytes, Stream& stream) {
  if (bytes <= workspace_bytes_) return;
  const GpuWatchdog::Call call(*stream.watchdog());
  static_cast<void>(stream.get());  // all users of the workspace must be on the stream
  check(cudaFree(workspace_));      // waits for them
  workspace_ = nullptr;
  workspace_bytes_ = 0;
  check(cudaMalloc(&workspace_, bytes));
  workspace_bytes_ = bytes;
}

}  // namespace nmt::cuda
