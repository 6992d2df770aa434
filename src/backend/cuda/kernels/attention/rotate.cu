// Rotary positions.
#include "backend/cuda/cuda_backend.h"
#include "backend/cuda/kernels/vector8.h"

namespace nmt {
namespace cuda {
namespace {

/// The two halves of a head in vectors of 8. A row of the grid is a head of a row of x, a column a pair.
struct Heads {
  std::int64_t count;  // in a row of x
  float sign;          // of the sines
};

/// Rotates x in place. One thread per eight pairs.
template <bool wide, class T>
__global__ void __launch_bounds__(kVectorThreads)
    rotate(VectorGrid grid, Heads heads, const std::int32_t* positions, Rows<const float> table, Rows<T> x) {
  const Place place = grid.own();
  if (!place) return;
  const std::int64_t half = grid.columns, row = place.row / heads.count, head = place.row % heads.count;
  const float* angles = table[positions[row]] + place.first;
  const Vector8<float> sine = load_vector<wide>(angles, place.count),
                       cosine = load_vector<wide>(angles + half, place.count);
  T* const first = x[row] + head * 2 * half + place.first;
  Vector8<T> a = load_vector<wide>(first, place.count), b = load_vector<wide>(first + half, place.count);
  for (int i = 0; i < kVectorElements; ++i) {
    const float from_a = widen(a.at[i]), from_b = widen(b.at[i]), s = heads.sign * sine.at[i];
    a.at[i] = narrow<T>(from_a * cosine.at[i] - from_b * s);
    b.at[i] = narrow<T>(from_b * cosine.at[i] + from_a * s);
  }
  store_vector<wide>(first, a, place.count);
  store_vector<wide>(first + half, b, place.count);
}

}  // namespace
}  // namespace cuda

void CudaBackend::run(const Rotate& rotation) {
  using namespace cuda;
  const Tensor &x = rotation.x, &table = rotation.table;
  const std::int64_t half = table.columns() / 2, heads = x.columns() / table.columns();
  with_type(x.dtype(), [&]<class T>(T) {
    const auto start = [&](auto wide) {
      launch_vectors(stream_, rotate<wide.value, T>, VectorGrid(x.rows() * heads, half),
                     Heads{heads, rotation.inverse ? -1.0F : 1.0F}, data_of<std::int32_t>(rotation.positions),
                     rows_of<const float>(table), rows_of<T>(x));
    };
    if (half % kVectorElements == 0)
      with_width(start, x, table);
    else
      start(std::false_type());
  });
}

}  // namespace nmt
