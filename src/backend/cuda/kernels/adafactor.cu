// Adafactor: sums over rows and columns of a piece of a matrix, in a fixed order, and its update. A block
// works on one row at a time.
#include "backend/cuda/cuda_backend.h"
#include "backend/cuda/kernels/elements.h"
#include "backend/cuda/kernels/reduce.h"

namespace nmt {
namespace cuda {
namespace {

constexpr int kAdafactorThreads = 256;
constexpr std::int64_t kRowsOfPart = 256;            // rows whose columns one block sums
constexpr std::int64_t kMostAdafactorBlocks = 1056;  // 8 for each multiprocessor of an H200

/// A piece of a matrix; see MatrixPiece.
struct RowsOfPiece {
  std::int64_t first, size, columns, first_row, rows;

  explicit RowsOfPiece(const MatrixPiece& piece)
      : first(piece.first),
        size(piece.size),
        columns(piece.columns),
        first_row(piece.first_row()),
        rows(piece.rows()) {}
  /// Return the first column of row r that the piece has, and the end of its columns.
  __device__ std::int64_t begin(std::int64_t r) const {
    return r * columns < first ? first - r * columns : 0;
  }
  __device__ std::int64_t end(std::int64_t r) const {
    const std::int64_t rest = first + size - r * columns;
    return rest < columns ? rest : columns;
  }
  /// Returns the number in the piece of the element in a row and column.
  __device__ std::int64_t element(std::int64_t r, std::int64_t column) const {
    return r * columns + column - first;
  }
};

__device__ double square(float x) {
  return double{x} * double{x};
}

/// Returns the sum of x over the threads of a block, to each of them.
__device__ double sum_over_threads(double x) {
  return block_reduce(x, Add(), shared_memory<double>());
}

/// Computes row_sums += the squares of gradient by row. Grid: a block for each row.
__global__ void __launch_bounds__(kAdafactorThreads)
    sum_rows(RowsOfPiece piece, const float* gradient, double* row_sums) {
  const std::int64_t r = piece.first_row + blockIdx.x, end = piece.end(r);
  double sum = 0;
  for (std::int64_t j = piece.begin(r) + threadIdx.x; j < end; j += kAdafactorThreads)
    sum += square(gradient[piece.element(r, j)]);
  sum = sum_over_threads(sum);
  if (threadIdx.x == 0) row_sums[r] += sum;
}

/// Computes parts [rows / kRowsOfPart, columns] = the sums of the squares of gradient over kRowsOfPart rows.
/// Grid: (columns / 256, rows / kRowsOfPart), a thread for each column.
__global__ void __launch_bounds__(kAdafactorThreads)
    sum_column_parts(RowsOfPiece piece, const float* gradient, double* parts) {
  const std::int64_t j = std::int64_t{blockIdx.x} * kAdafactorThreads + threadIdx.x;
  if (j >= piece.columns) return;
  const std::int64_t first = std::int64_t{blockIdx.y} * kRowsOfPart;
  const std::int64_t last = first + kRowsOfPart < piece.rows ? first + kRowsOfPart : piece.rows;
  double sum = 0;
  for (std::int64_t i = first; i < last; ++i) {
    const std::int64_t r = piece.first_row + i;
    if (j >= piece.begin(r) && j < piece.end(r)) sum += square(gradient[piece.element(r, j)]);
  }
  parts[std::int64_t{blockIdx.y} * piece.columns + j] = sum;
}

/// Computes sums [columns] += parts [count, columns], in order. One thread per column.
__global__ void __launch_bounds__(kAdafactorThreads)
    add_column_parts(const double* parts, std::int64_t count, std::int64_t columns, double* sums) {
  const std::int64_t j = std::int64_t{blockIdx.x} * kAdafactorThreads + threadIdx.x;
  if (j >= columns) return;
  double sum = sums[j];
  for (std::int64_t i = 0; i < count; ++i) sum += parts[i * columns + j];
  sums[j] = sum;
}

/// Arguments of update_moments(); see AdafactorMoments.
struct Moments {
  const double *row_sums, *column_sums;
  float *row_moments, *column_moments, *row_factors, *column_factors;
  std::int64_t rows, columns;
  double decay, epsilon, clip_norm;
};

/// Updates moments and computes factors. One block.
__global__ void __launch_bounds__(kAdafactorThreads)
    update_moments(Moments a, const StepStatistics* statistics) {
  if (statistics->finite == 0) return;
  const double norm = sqrt(statistics->squared_norm) / statistics->gradient_scale;
  const double clip = a.clip_norm > 0 ? fmin(1.0, a.clip_norm / (norm + 1e-6)) : 1.0;
  const double scale = clip / statistics->gradient_scale, b = 1 - pow(statistics->updates, -a.decay);
  const double of_row = scale * scale / static_cast<double>(a.columns);
  const double of_column = scale * scale / static_cast<double>(a.rows);
  double sum = 0;
  for (std::int64_t i = threadIdx.x; i < a.rows; i += kAdafactorThreads) {
    const double mean = of_row * a.row_sums[i] + a.epsilon;
    a.row_moments[i] = static_cast<float>(b * double{a.row_moments[i]} + (1 - b) * mean);
    sum += double{a.row_moments[i]};
  }
  const double root = sqrt(sum_over_threads(sum) / static_cast<double>(a.rows));
  for (std::int64_t i = threadIdx.x; i < a.rows; i += kAdafactorThreads)
    a.row_factors[i] = static_cast<float>(root / sqrt(double{a.row_moments[i]}));
  for (std::int64_t j = threadIdx.x; j < a.columns; j += kAdafactorThreads) {
    const double mean = of_column * a.column_sums[j] + a.epsilon;
    a.column_moments[j] = static_cast<float>(b * double{a.column_moments[j]} + (1 - b) * mean);
    a.column_factors[j] = static_cast<float>(scale / sqrt(double{a.column_moments[j]}));
  }
}

/// Computes parts [blocks] = the sums of squares of U. Grid: up to kMostAdafactorBlocks blocks, every so many
/// rows each.
__global__ void __launch_bounds__(kAdafactorThreads)
    sum_updates(RowsOfPiece piece, const float* gradient, const float* row_factors,
                const float* column_factors, double* parts) {
  double sum = 0;
  for (std::int64_t i = blockIdx.x; i < piece.rows; i += gridDim.x) {
    const std::int64_t r = piece.first_row + i, end = piece.end(r);
    double of_row = 0;
    for (std::int64_t j = piece.begin(r) + threadIdx.x; j < end; j += kAdafactorThreads)
      of_row += square(gradient[piece.element(r, j)] * column_factors[j]);
    sum += square(row_factors[r]) * of_row;
  }
  sum = sum_over_threads(sum);
  if (threadIdx.x == 0) parts[blockIdx.x] = sum;
}

/// Computes out [1] += parts [count]. One block.
__global__ void __launch_bounds__(kAdafactorThreads)
    add_update_parts(const double* parts, int count, double* out) {
  double sum = 0;
  for (int i = static_cast<int>(threadIdx.x); i < count; i += kAdafactorThreads) sum += parts[i];
  sum = sum_over_threads(sum);
  if (threadIdx.x == 0) *out += sum;
}

/// Arguments of take_steps(); see AdafactorStep.
template <class T>
struct Steps {
  float* parameter;
  const float* gradient;
  T* compute_copy;
  const float *row_factors, *column_factors;
  const double* squares;
  const StepStatistics* statistics;
  double elements, least_scale, clip, weight_decay;  // least_scale 0: the rate is not scaled
};

/// Updates the parameters of a piece. Grid: a block for each row.
template <class T>
__global__ void __launch_bounds__(kAdafactorThreads) take_steps(RowsOfPiece piece, Steps<T> a) {
  if (a.statistics->finite == 0) return;
  const double of_weights = sqrt(a.squares[1] / a.elements), of_update = sqrt(a.squares[0] / a.elements);
  const double rate = a.statistics->rate * (a.least_scale > 0 ? fmax(a.least_scale, of_weights) : 1.0);
  const auto decay = static_cast<float>(rate * a.weight_decay);
  const std::int64_t r = piece.first_row + blockIdx.x, end = piece.end(r);
  const float step = static_cast<float>(rate / fmax(1.0, of_update / a.clip)) * a.row_factors[r];
  for (std::int64_t j = piece.begin(r) + threadIdx.x; j < end; j += kAdafactorThreads) {
    const std::int64_t i = piece.element(r, j);
    const float x = a.parameter[i];
    const float changed = x - (decay * x + step * a.column_factors[j] * a.gradient[i]);
    a.parameter[i] = changed;
    if (a.compute_copy != nullptr) a.compute_copy[i] = narrow<T>(changed);
  }
}

const StepStatistics* statistics_of(const Tensor& tensor) {
  return reinterpret_cast<const StepStatistics*>(data_of<double>(tensor));
}

constexpr std::size_t kAdafactorBytes = 32 * sizeof(double);

}  // namespace
}  // namespace cuda

void CudaBackend::run(const AdafactorSums& sums) {
  using namespace cuda;
  const RowsOfPiece piece(sums.piece);
  if (piece.rows == 0) return;
  const auto* gradient = data_of<const float>(sums.gradient);
  launch({dim3(static_cast<unsigned>(piece.rows)), dim3(kAdafactorThreads), kAdafactorBytes, stream_},
         sum_rows, piece, gradient, data_of<double>(sums.row_sums));
  const unsigned parts = blocks(piece.rows, kRowsOfPart);
  auto* of_parts = scratch<double>(parts * piece.columns);
  launch({dim3(blocks(piece.columns, kAdafactorThreads), parts), dim3(kAdafactorThreads), 0, stream_},
         sum_column_parts, piece, gradient, of_parts);
  launch({dim3(blocks(piece.columns, kAdafactorThreads)), dim3(kAdafactorThreads), 0, stream_},
         add_column_parts, of_parts, std::int64_t{parts}, piece.columns, data_of<double>(sums.column_sums));
}

void CudaBackend::run(const AdafactorMoments& moments) {
  using namespace cuda;
  const Moments arguments{.row_sums = data_of<const double>(moments.row_sums),
                          .column_sums = data_of<const double>(moments.column_sums),
                          .row_moments = data_of<float>(moments.row_moments),
                          .column_moments = data_of<float>(moments.column_moments),
                          .row_factors = data_of<float>(moments.row_factors),
                          .column_factors = data_of<float>(moments.column_factors),
                          .rows = moments.row_moments.size(),
                          .columns = moments.column_moments.size(),
                          .decay = moments.decay,
                          .epsilon = moments.epsilon,
                          .clip_norm = moments.clip_norm};
  launch({dim3(1), dim3(kAdafactorThreads), kAdafactorBytes, stream_}, update_moments, arguments,
         statistics_of(moments.statistics));
}

void CudaBackend::run(const AdafactorSquares& squares) {
  using namespace cuda;
  const RowsOfPiece piece(squares.piece);
  if (piece.rows == 0) return;
  const auto parts = static_cast<unsigned>(std::min(piece.rows, kMostAdafactorBlocks));
  auto* of_parts = scratch<double>(parts);
  launch({dim3(parts), dim3(kAdafactorThreads), kAdafactorBytes, stream_}, sum_updates, piece,
         data_of<const float>(squares.gradient), data_of<const float>(squares.row_factors),
         data_of<const float>(squares.column_factors), of_parts);
  launch({dim3(1), dim3(kAdafactorThreads), kAdafactorBytes, stream_}, add_update_parts, of_parts,
         static_cast<int>(parts), data_of<double>(squares.out));
}

void CudaBackend::run(const AdafactorStep& step) {
  using namespace cuda;
  const RowsOfPiece piece(step.piece);
  if (piece.rows == 0) return;
  with_type(step.compute_copy.dtype(), [&](auto type) {
    using T = decltype(type);
    const Steps<T> arguments{.parameter = data_of<float>(step.parameter),
                             .gradient = data_of<const float>(step.gradient),
                             .compute_copy = data_of<T>(step.compute_copy),
                             .row_factors = data_of<const float>(step.row_factors),
                             .column_factors = data_of<const float>(step.column_factors),
                             .squares = data_of<const double>(step.squares),
                             .statistics = statistics_of(step.statistics),
                             .elements = step.elements(),
                             .least_scale = step.scales ? step.least_scale : 0,
                             .clip = step.clip,
                             .weight_decay = step.weight_decay};
    launch({dim3(static_cast<unsigned>(piece.rows)), dim3(kAdafactorThreads), 0, stream_}, take_steps<T>,
           piece, arguments);
  });
}

}  // namespace nmt
