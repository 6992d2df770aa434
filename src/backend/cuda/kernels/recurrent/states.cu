// States of hypotheses: copies of rows.
#include "backend/cuda/cuda_backend.h"
#include "backend/cuda/kernels/attention/attention.h"

namespace nmt {
namespace cuda {
namespace {

/// Arguments of a kernel, see nmt::ReadStates.
template <class T>
struct ReadStatesRows {
  Rows<const T> cache, start;
  Rows<const int> index;
  const int* position;
  SequenceRows sentences;
  const int* begin;
  Rows<T> states;
  int columns;
};

/// Computes states [rows, columns] from start [source rows, columns] and cache [cache rows, columns], by
/// index [rows, longest]. Grid: (sentences), a block of 256 threads for all rows of one.
template <class T>
__global__ void __launch_bounds__(kVectorThreads) read_states(ReadStatesRows<T> a) {
  const Span rows = a.sentences[blockIdx.x];
  for (int row = rows.first; row < rows.first + rows.count; ++row) {
    const int position = a.position[row];
    const T* from = position == 0 ? a.start[a.begin[blockIdx.x]] : a.cache[a.index[row][position - 1]];
    for (int i = static_cast<int>(threadIdx.x); i < a.columns; i += static_cast<int>(blockDim.x))
      a.states[row][i] = from[i];
  }
}

/// Copies states [rows, columns] to the rows of cache [cache rows, columns] in index [rows, longest], except
/// for those with -1 there. Grid: (rows), a block of 256 threads per row.
template <class T>
__global__ void __launch_bounds__(kVectorThreads)
    write_states(Rows<const T> states, Rows<const int> index, const int* position, Rows<T> cache,
                 int columns) {
  const int place = index[blockIdx.x][position[blockIdx.x]];
  if (place < 0) return;
  T* to = cache[place];
  for (int i = static_cast<int>(threadIdx.x); i < columns; i += static_cast<int>(blockDim.x))
    to[i] = states[blockIdx.x][i];
}

}  // namespace
}  // namespace cuda

void CudaBackend::run(const ReadStates& read) {
  using namespace cuda;
  if (read.sentences.count == 0 || read.states.size() == 0) return;
  with_type(read.states.dtype(), [&]<class T>(T) {
    const ReadStatesRows<T> rows{.cache = rows_of<const T>(read.cache),
                                 .start = rows_of<const T>(read.start),
                                 .index = rows_of<const int>(read.index),
                                 .position = data_of<const int>(read.position),
                                 .sentences = SequenceRows(read.sentences),
                                 .begin = data_of<const int>(read.begin),
                                 .states = rows_of<T>(read.states),
                                 .columns = static_cast<int>(read.states.columns())};
    launch({dim3(static_cast<unsigned>(read.sentences.count)), dim3(kVectorThreads), 0, stream_},
           read_states<T>, rows);
  });
}

void CudaBackend::run(const WriteStates& write) {
  using namespace cuda;
  if (write.states.size() == 0) return;
  with_type(write.states.dtype(), [&]<class T>(T) {
    launch({dim3(blocks(write.states.rows(), 1)), dim3(kVectorThreads), 0, stream_}, write_states<T>,
           rows_of<const T>(write.states), rows_of<const int>(write.index),
           data_of<const int>(write.position), rows_of<T>(write.cache),
           static_cast<int>(write.states.columns()));
  });
}

}  // namespace nmt
