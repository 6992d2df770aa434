// Lookup of rows by their numbers, and the gradients of the tables: the rows of a batch are sorted by number,
// then rows with the same number are added in order, in pieces, because EOS and commas are very frequent.
#include "backend/cuda/cuda_backend.h"
#include "backend/cuda/kernels/dropout.h"
#include "backend/cuda/kernels/vector8.h"

namespace nmt {
namespace cuda {
namespace {

constexpr int kKeysOfBlock = 256;  // keys that a block sorts
constexpr int kRowsAtOnce = 8;     // rows that are loaded before they are added
constexpr int kRowsOfPiece = 64;   // sorted rows, from a multiple of this number on, that a thread adds

/// A number in the upper half, and its row in the lower half: all keys are distinct.
using RowKey = unsigned long long;

__device__ int number_in(RowKey key) {
  return static_cast<int>(key >> 32);
}
__device__ std::int64_t row_in(RowKey key) {
  return static_cast<std::int64_t>(key & 0xffffffffu);
}

/// Arguments of a kernel, see nmt::Embedding.
template <class T, class Word>
struct EmbeddingRows {
  Rows<const Word> table;
  const float* table_scale;  // nullptr: none
  const int *ids, *positions;
  Rows<const T> position_table;  // may be empty
  float scale;
  DropoutRows dropout;
  Rows<T> y;
};

/// Computes y [rows, d] = dropout(scale table[ids] + position_table[positions]), ids and positions [rows].
/// One thread per eight features.
template <bool wide, class T, class Word>
__global__ void __launch_bounds__(kVectorThreads) embed(VectorGrid grid, EmbeddingRows<T, Word> a) {
  const auto [row, first, count] = grid.own();
  if (count == 0) return;
  const int id = a.ids[row];
  const unsigned bits = a.dropout.draw_mask(row, static_cast<int>(first / kVectorElements), count);
  constexpr bool is_word_wide = wide && std::is_same_v<Word, T>;
  const Vector8<Word> word = load_vector<is_word_wide>(a.table[max(id, 0)] + first, count);
  const float scale = a.table_scale == nullptr || id < 0 ? a.scale : __fmul_rn(a.scale, a.table_scale[id]);
  Vector8<T> y = {};
  if (a.position_table) y = load_vector<wide>(a.position_table[a.positions[row]] + first, count);
  for (int i = 0; i < kVectorElements; ++i) {
    const float scaled = id < 0 ? 0.0f : scale * widen(word.at[i]);
    y.at[i] = narrow<T>(a.dropout.factor(bits, i) * (scaled + widen(y.at[i])));
  }
  store_vector<wide>(a.y[row] + first, y, count);
}

/// Computes sorted [rows], the keys of numbers [rows], with each tile of 256 sorted: the place of a key is
/// the number of smaller keys. Grid: (rows / 256), one thread per key.
__global__ void __launch_bounds__(kKeysOfBlock) sort_tiles(const int* numbers, int rows, RowKey* sorted) {
  RowKey* tile = shared_memory<RowKey>();
  const int first = static_cast<int>(blockIdx.x) * kKeysOfBlock, thread = static_cast<int>(threadIdx.x);
  const int row = first + thread, count = min(kKeysOfBlock, rows - first);
  RowKey own = 0;
  if (row < rows) {
    own = RowKey{static_cast<unsigned>(numbers[row])} << 32 | static_cast<unsigned>(row);
    tile[thread] = own;
  }
  __syncthreads();
  if (row >= rows) return;
  int before = 0;
  for (int i = 0; i < count; ++i) before += tile[i] < own ? 1 : 0;
  sorted[first + before] = own;
}

/// Computes to [rows] = from [rows] with every two successive runs of `run` keys merged: the place of a key
/// depends on the number of smaller keys in the other run. Grid: (rows / 256), one thread per key.
__global__ void __launch_bounds__(kKeysOfBlock)
    merge_runs(const RowKey* from, int rows, int run, RowKey* to) {
  const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (i >= rows) return;
  const RowKey own = from[i];
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

/// Returns the sorted keys of `rows` rows. `workspace` has room for twice as many.
const RowKey* sort(const int* numbers, int rows, RowKey* workspace, Stream& stream) {
  RowKey *sorted = workspace, *other = workspace + rows;
  launch({dim3(blocks(rows, kKeysOfBlock)), dim3(kKeysOfBlock), kKeysOfBlock * sizeof(RowKey), stream},
         sort_tiles, numbers, rows, sorted);
  for (std::int64_t run = kKeysOfBlock; run < rows; run *= 2) {
    launch({dim3(blocks(rows, kKeysOfBlock)), dim3(kKeysOfBlock), 0, stream}, merge_runs, sorted, rows,
           static_cast<int>(run), other);
    std::swap(sorted, other);
  }
  return sorted;
}

/// Arguments of kernels: sorted [rows], dy [rows, d].
template <class T>
struct SortedGradients {
  const RowKey* sorted;
  float scale;
  DropoutRows dropout;
  Rows<const T> dy;

  /// Whether sorted row `at` is the first one with its number.
  __device__ bool is_first(std::int64_t at) const {
    return at == 0 || number_in(sorted[at - 1]) != number_in(sorted[at]);
  }
  /// Adds eight features of the sorted rows [at, end), up to the last one with this number.
  template <bool wide>
  __device__ void add(std::int64_t at, std::int64_t end, int number, std::int64_t first, int count,
                      Vector8<float>& sum) const {
    const int byte = static_cast<int>(first / kVectorElements);
    for (int loaded = kRowsAtOnce; loaded == kRowsAtOnce; at += kRowsAtOnce) {
      Vector8<T> y[kRowsAtOnce];
      unsigned bits[kRowsAtOnce];
      loaded = 0;
      for (int k = 0; k < kRowsAtOnce; ++k) {
        const bool counts = at + k < end && number_in(sorted[at + k]) == number;
        const std::int64_t row = counts ? row_in(sorted[at + k]) : 0;
        y[k] = load_vector<wide>(dy[row] + first, counts ? count : 0);
        bits[k] = counts ? dropout.read_mask(row, byte) : 0;
        loaded += counts ? 1 : 0;
      }
      for (int k = 0; k < kRowsAtOnce; ++k)
        for (int i = 0; i < kVectorElements; ++i)
          if (k < loaded) sum.at[i] += scale * (dropout.factor(bits[k], i) * widen(y[k].at[i]));
    }
  }
};

/// Computes pieces [rows / 64, d]: for a number whose sorted rows begin before the piece, the sum of scale *
/// dropout'(dy) over its rows in the piece. One thread per eight features of a piece.
template <bool wide, class T>
__global__ void __launch_bounds__(kVectorThreads)
    add_pieces(VectorGrid grid, SortedGradients<T> a, std::int64_t rows, Rows<float> pieces) {
  const auto [piece, first, count] = grid.own();
  if (count == 0) return;
  const std::int64_t begin = piece * kRowsOfPiece;
  const int number = number_in(a.sorted[begin]);
  if (number < 0 || a.is_first(begin)) return;
  const std::int64_t end = begin + kRowsOfPiece < rows ? begin + kRowsOfPiece : rows;
  Vector8<float> sum = {};
  a.template add<wide>(begin, end, number, first, count, sum);
  store_vector<wide>(pieces[piece] + first, sum, count);
}

/// Computes d_table [numbers, d] += scale * dropout'(dy [rows, d]). One thread per eight features of a sorted
/// row; the thread of the first row with a number adds the rows in its own piece, then the sums of the
/// following pieces. Rows with negative numbers do not count.
template <bool wide, class T>
__global__ void __launch_bounds__(kVectorThreads)
    add_rows(VectorGrid grid, SortedGradients<T> a, Rows<const float> pieces, Rows<float> d_table) {
  const auto [begin, first, count] = grid.own();
  if (count == 0) return;
  const int number = number_in(a.sorted[begin]);
  if (number < 0 || !a.is_first(begin)) return;
  float* gradient = d_table[number] + first;
  Vector8<float> sum = load_vector<wide>(gradient, count);
  std::int64_t end = (begin / kRowsOfPiece + 1) * kRowsOfPiece;
  a.template add<wide>(begin, end < grid.rows ? end : grid.rows, number, first, count, sum);
  for (; end < grid.rows && number_in(a.sorted[end]) == number; end += kRowsOfPiece) {
    const auto piece = load_vector<wide>(pieces[end / kRowsOfPiece] + first, count);
    for (int i = 0; i < kVectorElements; ++i) sum.at[i] += piece.at[i];
  }
  store_vector<wide>(gradient, sum, count);
}

/// Workspace for the gradients of a table: keys twice, and sums of pieces.
struct TableWorkspace {
  TableWorkspace(std::int64_t rows, std::int64_t columns)
      : piece_rows((rows + kRowsOfPiece - 1) / kRowsOfPiece),
        stride((columns + kVectorElements - 1) / kVectorElements * kVectorElements),
        key_bytes((2 * rows * static_cast<std::int64_t>(sizeof(RowKey)) + 15) / 16 * 16) {}
  std::int64_t bytes() const {
    return key_bytes + piece_rows * stride * static_cast<std::int64_t>(sizeof(float));
  }
  Rows<float> pieces(char* memory) const { return {reinterpret_cast<float*>(memory + key_bytes), stride}; }

  std::int64_t piece_rows, stride, key_bytes;
};

template <class T>
void add_to_table(const EmbeddingBackward& embedding, const Tensor& numbers, double scale,
                  const Tensor& d_table, const TableWorkspace& workspace, char* memory, Stream& stream) {
  const std::int64_t rows = embedding.dy.rows(), columns = embedding.dy.columns();
  const SortedGradients<T> gradients{.sorted = sort(data_of<const int>(numbers), static_cast<int>(rows),
                                                    reinterpret_cast<RowKey*>(memory), stream),
                                     .scale = static_cast<float>(scale),
                                     .dropout = DropoutRows(embedding.dropout),
                                     .dy = rows_of<const T>(embedding.dy)};
  const Rows<float> pieces = workspace.pieces(memory);
  with_width(
      [&](auto wide) {
        launch_vectors(stream, add_pieces<wide.value, T>, VectorGrid(workspace.piece_rows, columns),
                       gradients, rows, pieces);
        launch_vectors(stream, add_rows<wide.value, T>, VectorGrid(rows, columns), gradients,
                       Rows<const float>{pieces.data, pieces.stride}, rows_of<float>(d_table));
      },
      embedding.dy, d_table);
}

template <class T, class Word>
void launch_embed(const Embedding& embedding, Stream& stream) {
  const EmbeddingRows<T, Word> arguments{.table = rows_of<const Word>(embedding.table),
                                         .table_scale = data_of<const float>(embedding.table_scale),
                                         .ids = data_of<const int>(embedding.ids),
                                         .positions = data_of<const int>(embedding.positions),
                                         .position_table = rows_of<const T>(embedding.position_table),
                                         .scale = static_cast<float>(embedding.scale),
                                         .dropout = DropoutRows(embedding.dropout),
                                         .y = rows_of<T>(embedding.y)};
  const auto launch_with = [&](auto wide) {
    launch_vectors(stream, embed<wide.value, T, Word>, VectorGrid(embedding.y.rows(), embedding.y.columns()),
                   arguments);
  };
  if constexpr (std::is_same_v<T, Word>)
    with_width(launch_with, embedding.table, embedding.position_table, embedding.y);
  else
    with_width(launch_with, embedding.position_table, embedding.y);
}

}  // namespace
}  // namespace cuda

void CudaBackend::run(const Embedding& embedding) {
  using namespace cuda;
  if (embedding.table.dtype() == DType::i8) return launch_embed<float, std::int8_t>(embedding, stream_);
  with_type(arithmetic_.compute, [&](auto type) {
    using T = decltype(type);
    launch_embed<T, T>(embedding, stream_);
  });
}

void CudaBackend::run(const EmbeddingBackward& embedding) {
  using namespace cuda;
  const std::int64_t rows = embedding.dy.rows();
  if (rows == 0) return;
  const TableWorkspace workspace(rows, embedding.dy.columns());
  char* memory = scratch<char>(workspace.bytes());
  with_type(arithmetic_.compute, [&](auto type) {
    using T = decltype(type);
    add_to_table<T>(embedding, embedding.ids, embedding.scale, embedding.d_table, workspace, memory, stream_);
    if (embedding.d_position_table)
      add_to_table<T>(embedding, embedding.positions, 1, embedding.d_position_table, workspace, memory,
                      stream_);
  });
}

}  // namespace nmt
