// Guided alignment: one warp per row.
#include "backend/cuda/cuda_backend.h"
#include "backend/cuda/kernels/attention/attention.h"
#include "backend/cuda/kernels/reduce.h"

namespace nmt {
namespace cuda {
namespace {

constexpr int kAlignedRows = 4;  // of a block

struct AlignedRows {
  explicit AlignedRows(const GuidedAlignment& guided)
      : weights(rows_of<const float>(guided.weights)),
        d_scores(rows_of<float>(guided.d_scores)),
        links(guided.links),
        keys(data_of<const int>(guided.keys)),
        scale(data_of<const float>(guided.scale)),
        loss(data_of<float>(guided.loss)),
        factor(static_cast<float>(guided.factor)),
        rows(guided.loss.columns()),
        columns(static_cast<int>(guided.d_scores.columns())) {}

  Rows<const float> weights;
  Rows<float> d_scores;
  SequenceRows links;
  const int* keys;
  const float* scale;
  float* loss;
  float factor;
  std::int64_t rows;
  int columns;
};

/// Computes loss [rows] and d_scores [rows, keys] from weights [rows, at least keys] and the rows' links.
/// Grid: (rows / 4), a warp per row.
__global__ void __launch_bounds__(32 * kAlignedRows) guided_alignment_kernel(AlignedRows a) {
  const int warp = static_cast<int>(threadIdx.x) / 32, lane = static_cast<int>(threadIdx.x) % 32;
  const std::int64_t row = std::int64_t{blockIdx.x} * kAlignedRows + warp;
  if (row >= a.rows) return;
  const Span links = a.links[static_cast<unsigned>(row)];
  const float share = links.count == 0 ? 0.0f : a.factor / static_cast<float>(links.count);
  float own_loss = 0;
  for (int i = lane; i < links.count; i += 32)
    own_loss -= logf(fmaxf(a.weights[row][a.keys[links.first + i]], static_cast<float>(kLeastAlignedWeight)));
  const float loss = warp_reduce(own_loss, Add());
  if (lane == 0) a.loss[row] = share * loss;
  if (!a.d_scores) return;
  const float factor = links.count == 0 ? 0.0f : a.scale[0] * a.factor;
  for (int j = lane; j < a.columns; j += 32) a.d_scores[row][j] = factor * a.weights[row][j];
  __syncwarp();
  for (int i = lane; i < links.count; i += 32)
    a.d_scores[row][a.keys[links.first + i]] -= factor / static_cast<float>(links.count);
}

}  // namespace
}  // namespace cuda

void CudaBackend::run(const GuidedAlignment& guided) {
  if (guided.loss.columns() == 0) return;
  const cuda::AlignedRows rows(guided);
  cuda::launch({dim3(cuda::blocks(rows.rows, cuda::kAlignedRows)), dim3(32 * cuda::kAlignedRows), 0, stream_},
               cuda::guided_alignment_kernel, rows);
}

}  // namespace nmt
