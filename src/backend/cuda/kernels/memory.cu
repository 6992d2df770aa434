// Copies, clears, converts and adds tensors. A contiguous tensor counts as one long row.
#include "backend/cuda/cuda_backend.h"
#include "backend/cuda/kernels/memory.h"
#include "backend/cuda/kernels/vector8.h"
#include "backend/cuda/runtime/cuda_api.h"

namespace nmt {
namespace cuda {
namespace {

template <class T, class Other>
__device__ T sum_of(T a, Other b) {
  if constexpr (std::is_same_v<T, double>)
    return a + b;
  else
    return narrow<T>(widen(a) + widen(b));
}

/// Computes to += from, [rows, columns]. One thread per eight columns.
template <bool wide, class To, class From>
__global__ void __launch_bounds__(kVectorThreads)
    add_vectors(VectorGrid grid, Rows<To> to, Rows<const From> from) {
  const Place place = grid.own();
  if (!place) return;
  To* sum = to[place.row] + place.first;
  Vector8<To> x = load_vector<wide>(sum, place.count);
  const Vector8<From> y = load_vector<wide>(from[place.row] + place.first, place.count);
  for (int i = 0; i < kVectorElements; ++i) x.at[i] = sum_of(x.at[i], y.at[i]);
  store_vector<wide>(sum, x, place.count);
}

/// Computes to = from, [rows, columns]. One thread per eight columns.
template <bool wide, class To, class From>
__global__ void __launch_bounds__(kVectorThreads)
    convert_vectors(VectorGrid grid, Rows<To> to, Rows<const From> from) {
  const Place place = grid.own();
  if (!place) return;
  const Vector8<From> x = load_vector<wide>(from[place.row] + place.first, place.count);
  Vector8<To> y;
  for (int i = 0; i < kVectorElements; ++i) y.at[i] = narrow<To>(widen(x.at[i]));
  store_vector<wide>(to[place.row] + place.first, y, place.count);
}

/// Computes to [rows, columns] = from[ids], read and written as elements of T. Grid: (rows), a block of 256
/// threads per row.
template <class T>
__global__ void __launch_bounds__(kVectorThreads)
    select_rows(Rows<T> to, Rows<const T> from, const int* ids, int columns) {
  for (int i = static_cast<int>(threadIdx.x); i < columns; i += static_cast<int>(blockDim.x))
    to[blockIdx.x][i] = from[ids[blockIdx.x]][i];
}

template <class T>
void launch_select(const SelectRows& select, Stream& stream) {
  launch({dim3(blocks(select.to.rows(), 1)), dim3(kVectorThreads), 0, stream}, select_rows<T>,
         rows_of<T>(select.to), rows_of<const T>(select.from), data_of<const int>(select.ids),
         static_cast<int>(select.to.columns()));
}

bool without_gaps(const Tensor& x, const Tensor& y) {
  return x.contiguous() && y.contiguous();
}

VectorGrid vector_grid_of(const Tensor& x, const Tensor& y) {
  return without_gaps(x, y) ? VectorGrid(1, x.size()) : VectorGrid(x.rows(), x.columns());
}

std::size_t pitch(const Tensor& x) {
  return static_cast<std::size_t>(x.row_stride()) * size_of(x.dtype());
}

template <class To, class From>
void add_to(const Tensor& to, const Tensor& from, Stream& stream) {
  with_width(
      [&](auto wide) {
        launch_vectors(stream, add_vectors<wide.value, To, From>, vector_grid_of(to, from), rows_of<To>(to),
                       rows_of<const From>(from));
      },
      to, from);
}

template <class To, class From>
void convert_to(const Tensor& to, const Tensor& from, Stream& stream) {
  with_width(
      [&](auto wide) {
        launch_vectors(stream, convert_vectors<wide.value, To, From>, vector_grid_of(to, from),
                       rows_of<To>(to), rows_of<const From>(from));
      },
      to, from);
}

/// Writes `number` to `to` [1]. One thread.
__global__ void __launch_bounds__(1) write_number(std::uint32_t* to, std::uint32_t number) {
  *to = number;
}

}  // namespace

void convert(const Tensor& to, const Tensor& from, Stream& stream) {
  if (from.dtype() == DType::bf16)
    convert_to<float, bf16>(to, from, stream);
  else
    with_type(to.dtype(), [&](auto type) { convert_to<decltype(type), float>(to, from, stream); });
}

void add(const Tensor& to, const Tensor& from, Stream& stream) {
  if (to.dtype() == DType::f64) return add_to<double, double>(to, from, stream);
  with_type(from.dtype(), [&]<class From>(From) {
    if (to.dtype() == DType::f32)
      add_to<float, From>(to, from, stream);
    else
      add_to<From, From>(to, from, stream);
  });
}

void write_progress(std::uint32_t* to, std::uint32_t number, cudaStream_t stream) {
  launch({dim3(1), dim3(1), 0, stream}, write_number, to, number);
}

}  // namespace cuda

void CudaBackend::copy(const Tensor& to, const Tensor& from) {
  if (to.size() == 0) return;
  if (cuda::without_gaps(to, from)) {
    stream_.call(cudaMemcpyAsync, to.raw(), from.raw(), to.bytes(), cudaMemcpyDeviceToDevice);
  } else {
    stream_.call(cudaMemcpy2DAsync, to.raw(), cuda::pitch(to), from.raw(), cuda::pitch(from), to.row_bytes(),
                 static_cast<std::size_t>(to.rows()), cudaMemcpyDeviceToDevice);
  }
}

void CudaBackend::zero(const Tensor& x) {
  if (x.size() == 0) return;
  if (x.contiguous()) {
    stream_.call(cudaMemsetAsync, x.raw(), 0, x.bytes());
  } else {
    stream_.call(cudaMemset2DAsync, x.raw(), cuda::pitch(x), 0, x.row_bytes(),
                 static_cast<std::size_t>(x.rows()));
  }
}

void CudaBackend::add(const Tensor& to, const Tensor& from) {
  cuda::add(to, from, stream_);
}

void CudaBackend::run(const SelectRows& select) {
  if (select.to.size() == 0) return;
  if (select.to.dtype() == DType::i8) return cuda::launch_select<std::int8_t>(select, stream_);
  cuda::with_type(select.to.dtype(),
                  [&](auto type) { cuda::launch_select<decltype(type)>(select, stream_); });
}

void CudaBackend::run(const Convert& convert) {
  cuda::convert(convert.to, convert.from, stream_);
}

}  // namespace nmt
