// Rows of tables by their numbers, and the gradients of the tables: the rows of a batch are sorted by number,
// then one thread for eight features adds up all that have the same one, in their order.
#include "backend/cuda/cuda_backend.h"
#include "backend/cuda/kernels/dropout.h"
#include "backend/cuda/kernels/vector8.h"

namespace nmt {
namespace cuda {
namespace {

constexpr int kKeysOfBlock = 256;  // keys that a block sorts
constexpr int kRowsAtOnce = 8;     // rows that are loaded before they are added

/// A number in the upper half, the row that has it in the lower one: no two are the same.
using Key = unsigned long long;

__device__ int number_in(Key key) {
  return static_cast<int>(key >> 32);
}
__device__ std::int64_t row_in(Key key) {
  return static_cast<std::int64_t>(key & 0xffffffffu);
}

/// Arguments of a kernel, see nmt::Embedding.
template <class T>
struct EmbeddingRows {
  Rows<const T> table;
  const int *ids, *positions;
  Rows<const T> position_table;  // may be none
  float scale;
  DropoutRows dropout;
  Rows<T> y;
};

/// y [rows, d] = dropout(scale table[ids] + position_table[positions]), ids and positions [rows]. A thread
/// for eight features.
template <bool wide, class T>
__global__ void __launch_bounds__(kVectorThreads) embed(VectorGrid grid, EmbeddingRows<T> a) {
  const auto [row, first, count] = grid.own();
  if (count == 0) return;
  const int id = a.ids[row];
  const unsigned bits = a.dropout.draw_mask(row, static_cast<int>(first / kVectorElements), count);
  const Vector8<T> word = load_vector<wide>(a.table[max(id, 0)] + first, count);
  Vector8<T> y = {};
  if (a.position_table) y = load_vector<wide>(a.position_table[a.positions[row]] + first, count);
  for (int i = 0; i < kVectorElements; ++i) {
    const float scaled = id < 0 ? 0.0f : a.scale * widen(word.at[i]);
    y.at[i] = narrow<T>(a.dropout.factor(bits, i) * (scaled + widen(y.at[i])));
  }
  store_vector<wide>(a.y[row] + first, y, count);
}

/// sorted [rows] = the keys of numbers [rows], each tile of 256 in its order: a key counts those before it.
/// Grid: (rows / 256), a thread for a key.
__global__ void __launch_bounds__(kKeysOfBlock) sort_tiles(const int* numbers, int rows, Key* sorted) {
  Key* tile = shared_memory<Key>();
  const int first = static_cast<int>(blockIdx.x) * kKeysOfBlock, thread = static_cast<int>(threadIdx.x);
  const int row = first + thread, count = min(kKeysOfBlock, rows - first);
  Key own = 0;
  if (row < rows) {
    own = Key{static_cast<unsigned>(numbers[row])} << 32 | static_cast<unsigned>(row);
    tile[thread] = own;
  }
  __syncthreads();
  if (row >= rows) return;
  int before = 0;
  for (int i = 0; i < count; ++i) before += tile[i] < own ? 1 : 0;
  sorted[first + before] = own;
}

/// to [rows] = from [rows], each two successive runs of `run` keys merged: a key counts those before it in
/// the other run. Grid: (rows / 256), a thread for a key.
__global__ void __launch_bounds__(kKeysOfBlock) merge_runs(const Key* from, int rows, int run, Key* to) {
  const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (i >= rows) return;
  const Key own = from[i];
  const int first = i / run * run, other = i / run % 2 == 0 ? first + run : first - run;
  int low = min(other, rows);
  const int begin = low;
  for (int high = min(other + run, rows); low < high;) {
    const int middle = low + (high - low) / 2;
    if (from[middle] < own)
      low = middle + 1;
    else
      high = middle;
  }
  to[min(first, other) + (i - first) + (low - begin)] = own;
}

/// The keys of so many rows in their order. `workspace` is for twice as many.
const Key* sort(const int* numbers, int rows, Key* workspace, Stream& stream) {
  Key *sorted = workspace, *other = workspace + rows;
  launch({dim3(blocks(rows, kKeysOfBlock)), dim3(kKeysOfBlock), kKeysOfBlock * sizeof(Key), stream},
         sort_tiles, numbers, rows, sorted);
  for (std::int64_t run = kKeysOfBlock; run < rows; run *= 2) {
    launch({dim3(blocks(rows, kKeysOfBlock)), dim3(kKeysOfBlock), 0, stream}, merge_runs, sorted, rows,
           static_cast<int>(run), other);
    std::swap(sorted, other);
  }
  return sorted;
}

/// d_table [numbers, d] += scale * dropout'(dy [rows, d]), by sorted [rows]: a thread for eight features of a
/// row, of which the first one of a number adds up all of them. Rows of negative numbers count for nothing.
template <bool wide, class T>
__global__ void __launch_bounds__(kVectorThreads)
    add_rows(VectorGrid grid, const Key* sorted, float scale, DropoutRows dropout, Rows<const T> dy,
             Rows<float> d_table) {
  const auto [begin, first, count] = grid.own();
  if (count == 0) return;
  const int number = number_in(sorted[begin]), byte = static_cast<int>(first / kVectorElements);
  if (number < 0 || (begin > 0 && number_in(sorted[begin - 1]) == number)) return;
  float* gradient = d_table[number] + first;
  Vector8<float> sum = load_vector<wide>(gradient, count);
  int loaded = kRowsAtOnce;
  for (std::int64_t at = begin; loaded == kRowsAtOnce; at += kRowsAtOnce) {
    Vector8<T> y[kRowsAtOnce];
    unsigned bits[kRowsAtOnce];
    loaded = 0;
    for (int k = 0; k < kRowsAtOnce; ++k) {
      const bool counts = at + k < grid.rows && number_in(sorted[at + k]) == number;
      const std::int64_t row = counts ? row_in(sorted[at + k]) : 0;
      y[k] = load_vector<wide>(dy[row] + first, counts ? count : 0);
      bits[k] = counts ? dropout.read_mask(row, byte) : 0;
      loaded += counts ? 1 : 0;
    }
    for (int k = 0; k < kRowsAtOnce; ++k)
      for (int i = 0; i < kVectorElements; ++i)
        if (k < loaded) sum.at[i] += scale * (dropout.factor(bits[k], i) * widen(y[k].at[i]));
  }
  store_vector<wide>(gradient, sum, count);
}

template <class T>
void add_to_table(const EmbeddingBackward& embedding, const Tensor& numbers, double scale,
                  const Tensor& d_table, Key* workspace, Stream& stream) {
  const std::int64_t rows = embedding.dy.rows();
  const Key* sorted = sort(data_of<const int>(numbers), static_cast<int>(rows), workspace, stream);
  with_width(
      [&](auto wide) {
        launch_vectors(stream, add_rows<wide.value, T>, VectorGrid(rows, embedding.dy.columns()), sorted,
                       static_cast<float>(scale), DropoutRows(embedding.dropout),
                       rows_of<const T>(embedding.dy), rows_of<float>(d_table));
      },
      embedding.dy, d_table);
}

}  // namespace
}  // namespace cuda

void CudaBackend::run(const Embedding& embedding) {
  using namespace cuda;
  with_type(precision_.compute, [&](auto type) {
    using T = decltype(type);
    const EmbeddingRows<T> arguments{.table = rows_of<const T>(embedding.table),
                                     .ids = data_of<const int>(embedding.ids),
                                     .positions = data_of<const int>(embedding.positions),
                                     .position_table = rows_of<const T>(embedding.position_table),
                                     .scale = static_cast<float>(embedding.scale),
                                     .dropout = DropoutRows(embedding.dropout),
                                     .y = rows_of<T>(embedding.y)};
    with_width(
        [&](auto wide) {
          launch_vectors(stream_, embed<wide.value, T>, VectorGrid(embedding.y.rows(), embedding.y.columns()),
                         arguments);
        },
        embedding.table, embedding.position_table, embedding.y);
  });
}

void CudaBackend::run(const EmbeddingBackward& embedding) {
  using namespace cuda;
  const std::int64_t rows = embedding.dy.rows();
  if (rows == 0) return;
  Key* workspace = scratch<Key>(2 * rows);
  with_type(precision_.compute, [&](auto type) {
    using T = decltype(type);
    add_to_table<T>(embedding, embedding.ids, embedding.scale, embedding.d_table, workspace, stream_);
    if (embedding.d_position_table)
      add_to_table<T>(embedding, embedding.positions, 1, embedding.d_position_table, workspace, stream_);
  });
}

}  // namespace nmt
