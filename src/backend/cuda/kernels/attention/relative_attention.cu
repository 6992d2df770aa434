// One warp per query and head, or per key and head in one of the gradients. Each lane computes the weights of
// every 32nd row of the other side, then the warp sums rows of this tile by columns. Vectors are added to
// keys and values as these are read, because another row of the other side has another distance.
#include "backend/cuda/kernels/attention/attention_backward.h"
#include "backend/cuda/kernels/attention/relative_attention.h"
#include "backend/cuda/kernels/reduce.h"

namespace nmt::cuda {
namespace {

constexpr int kRelativeWarps = 4;  // of a block
constexpr int kRelativeTile = 32;  // rows of the other side, one per lane
constexpr int kRelativeSums = 4;   // columns of a lane, in one pass over the other side
constexpr int kRelativePiece = 32 * kRelativeSums;

/// Returns x (y + vector).
template <class T>
__device__ float product_with_vector(const T* x, const T* y, const T* vector, int width) {
  float sum = 0;
  for (int f = 0; f < width; ++f) sum = fmaf(widen(x[f]), widen(y[f]) + widen(vector[f]), sum);
  return sum;
}

/// Sums of a lane for the columns piece + lane, piece + lane + 32, ... of a row of a head.
struct ColumnSums {
  /// Calls use(f, sum) for each column below `width`.
  template <class Use>
  __device__ void each(int piece, int width, const Use& use) {
    for (int n = 0; n < kRelativeSums; ++n) {
      const int f = piece + static_cast<int>(threadIdx.x) % 32 + 32 * n;
      if (f < width) use(f, of[n]);
    }
  }

  float of[kRelativeSums] = {};
};

/// A query and the keys of its sequence, or a key and the queries of its sequence, in one head.
template <class T>
struct RelativePlace {
  __device__ RelativePlace(const AttentionRows<T>& a, unsigned parts)
      : place(a.heads, parts),
        queries(a.queries[place.sequence]),
        keys(a.keys[place.sequence]),
        head(place.head),
        column(a.query_column(head)),
        key_column(a.key_column(head)),
        own(place.part * kRelativeWarps + static_cast<int>(threadIdx.x) / 32),
        lane(static_cast<int>(threadIdx.x) % 32) {}

  BlockPlace place;
  Span queries, keys;
  int head, column, key_column;
  int own, lane;  // the number of the warp's query or key in its sequence
};

/// Returns the score of a query and a key of a sequence, times the scale.
template <class T>
__device__ float relative_score(const AttentionRows<T>& a, const RelativeRows<T>& relative,
                                const RelativePlace<T>& at, int query, int key) {
  return a.scale * product_with_vector(a.query[at.queries.first + query] + at.column,
                                       a.key[at.keys.first + key] + at.key_column,
                                       relative.keys[relative.row(key - query)], a.width);
}

/// Computes output [queries, heads * width] from query [queries, heads * width] and key, value [rows, heads /
/// sharing * width]; log_sum_exp [queries, heads], the dropout's mask, and shown [queries, heads * longest],
/// the weights. Grid: (sequences * heads * parts), a block of 4 warps for 4 queries of a head.
template <class T>
__global__ void __launch_bounds__(32 * kRelativeWarps)
    relative_attention_kernel(AttentionRows<T> a, RelativeRows<T> relative, Rows<float> shown, int longest,
                              unsigned parts) {
  const RelativePlace<T> at(a, parts);
  if (at.own >= at.queries.count) return;
  const int row = at.queries.first + at.own, visible = a.visible(at.own, at.keys.count);
  float largest = Max::kIdentity, total = 0;
  for (int key = at.lane; key < visible; key += kRelativeTile) {
    const float score = relative_score(a, relative, at, at.own, key), top = fmaxf(largest, score);
    total = total * __expf(largest - top) + __expf(score - top);
    largest = top;
  }
  const float top = warp_reduce(largest, Max());
  total = warp_reduce(total * __expf(largest - top), Add());  // 0: there are no keys
  const float normalizer = total > 0 ? top + logf(total) : 0.0f;
  if (a.log_sum_exp && at.lane == 0) a.log_sum_exp[row][at.head] = normalizer;

  for (int piece = 0; piece < a.width; piece += kRelativePiece) {
    ColumnSums sums;
    for (int first = 0; first < visible; first += kRelativeTile) {
      const int key = first + at.lane;
      float weight = key < visible ? __expf(relative_score(a, relative, at, at.own, key) - normalizer) : 0.0f;
      if (shown && key < visible) shown[row][at.head * longest + key] = weight;
      if (a.dropout.active()) {
        const unsigned bits =
            at.lane < kRelativeTile / 8 ? a.draw_mask(row, at.head, first / 8 + at.lane, visible) : 0u;
        weight *= a.dropout.factor(__shfl_sync(kAllLanes, bits, at.lane / 8), at.lane);
      }
      for (int i = 0; i < min(kRelativeTile, visible - first); ++i) {
        const float factor = __shfl_sync(kAllLanes, weight, i);
        const T* value = a.value[at.keys.first + first + i] + at.key_column;
        const T* vector = relative.values[relative.row(first + i - at.own)];
        sums.each(piece, a.width,
                  [&](int f, float& sum) { sum = fmaf(factor, widen(value[f]) + widen(vector[f]), sum); });
      }
    }
    sums.each(piece, a.width, [&](int f, float& sum) { a.output[row][at.column + f] = narrow<T>(sum); });
  }
  for (int key = visible + at.lane; shown && key < longest; key += kRelativeTile)
    shown[row][at.head * longest + key] = 0;
  if (a.dropout.active())
    a.clear_mask(row, at.head, (visible + kRelativeTile - 1) / kRelativeTile * kRelativeTile / 8);
}

template <class T>
struct RelativeGradientRows : AttentionGradientRows<T> {
  RelativeGradientRows(const AttentionBackward& attention, const Rows<float>& memory)
      : AttentionGradientRows<T>(attention),
        relative(attention.forward.relative),
        d_products(rows_of<T>(attention.d_products)),
        weight_sums(rows_of<T>(attention.weight_sums)) {
    this->delta = memory;
  }

  RelativeRows<T> relative;
  Rows<T> d_products, weight_sums;
};

/// The weight of a key for a query, before and after dropout, and the gradient of the former.
struct WeightGradient {
  float weight, dropped, gradient;
};

template <class T>
__device__ WeightGradient weight_gradient(const RelativeGradientRows<T>& a, const RelativePlace<T>& at,
                                          int query, int key) {
  const int row = at.queries.first + query;
  const float factor = a.factor(row, at.head, key);
  const float weight = __expf(relative_score<T>(a, a.relative, at, query, key) - a.log_sum_exp[row][at.head]);
  const float product =
      product_with_vector(a.d_output[row] + at.column, a.value[at.keys.first + key] + at.key_column,
                          a.relative.values[a.relative.row(key - query)], a.width);
  return {weight, factor * weight, factor * product};
}

/// Returns the gradient of the product of a query and a key.
template <class T>
__device__ float product_gradient(const RelativeGradientRows<T>& a, const RelativePlace<T>& at,
                                  const WeightGradient& of, int query, int key) {
  const int row = at.queries.first + query;
  return a.scale * (of.weight * (of.gradient - a.delta[row][at.head]) + a.added(row, at.head, key));
}

/// Stores what the lanes have for the keys of all distances from a query; called by a warp for each tile of
/// keys, and then once to store the sums of the keys at the farthest distances and beyond.
template <class T>
class DistanceTotals {
 public:
  __device__ DistanceTotals(T* to, int farthest) : to_(to), farthest_(farthest) {
    for (int i = static_cast<int>(threadIdx.x) % 32; i <= 2 * farthest; i += 32) to_[i] = narrow<T>(0.0f);
    __syncwarp();
  }
  __device__ void add(int distance, float x) {
    if (distance <= -farthest_) {
      before_ += x;
    } else if (distance >= farthest_) {
      after_ += x;
    } else {
      to_[distance + farthest_] = narrow<T>(x);
    }
  }
  __device__ void finish() {
    __syncwarp();
    const float before = warp_reduce(before_, Add()), after = warp_reduce(after_, Add());
    if (threadIdx.x % 32 != 0) return;
    to_[0] = narrow<T>(before);
    to_[2 * farthest_] = narrow<T>(after);
  }

 private:
  T* to_;
  int farthest_;
  float before_ = 0, after_ = 0;
};

/// Computes d_query [queries, heads * width], d_products and weight_sums [queries, heads * distances], and
/// delta. Grid: as above.
template <class T>
__global__ void __launch_bounds__(32 * kRelativeWarps)
    relative_query_gradient_kernel(RelativeGradientRows<T> a, unsigned parts) {
  const RelativePlace<T> at(a, parts);
  if (at.own >= at.queries.count) return;
  const int row = at.queries.first + at.own, visible = a.visible(at.own, at.keys.count);
  float delta = 0;
  for (int key = at.lane; key < visible; key += kRelativeTile) {
    const WeightGradient of = weight_gradient(a, at, at.own, key);
    delta = fmaf(of.weight, of.gradient, delta);
  }
  delta = warp_reduce(delta, Add());
  if (at.lane == 0) a.delta[row][at.head] = delta;
  __syncwarp();

  const int distances = a.relative.distances();
  DistanceTotals<T> d_products(a.d_products[row] + at.head * distances, a.relative.farthest);
  DistanceTotals<T> weight_sums(a.weight_sums[row] + at.head * distances, a.relative.farthest);
  for (int piece = 0; piece < a.width; piece += kRelativePiece) {
    ColumnSums sums;
    for (int first = 0; first < visible; first += kRelativeTile) {
      const int key = first + at.lane;
      float d_product = 0;
      if (key < visible) {
        const WeightGradient of = weight_gradient(a, at, at.own, key);
        d_product = product_gradient(a, at, of, at.own, key);
        if (piece == 0) {
          d_products.add(key - at.own, d_product);
          weight_sums.add(key - at.own, of.dropped);
        }
      }
      for (int i = 0; i < min(kRelativeTile, visible - first); ++i) {
        const float factor = __shfl_sync(kAllLanes, d_product, i);
        const T* other = a.key[at.keys.first + first + i] + at.key_column;
        const T* vector = a.relative.keys[a.relative.row(first + i - at.own)];
        sums.each(piece, a.width,
                  [&](int f, float& sum) { sum = fmaf(factor, widen(other[f]) + widen(vector[f]), sum); });
      }
    }
    sums.each(piece, a.width, [&](int f, float& sum) { a.d_query[row][at.column + f] = narrow<T>(sum); });
  }
  d_products.finish();
  weight_sums.finish();
}

/// Computes d_key and d_value [keys, heads * width], given delta. Grid: as above, with keys.
template <class T>
__global__ void __launch_bounds__(32 * kRelativeWarps)
    relative_key_gradient_kernel(RelativeGradientRows<T> a, unsigned parts) {
  const RelativePlace<T> at(a, parts);
  if (at.own >= at.keys.count) return;
  const int row = at.keys.first + at.own;
  for (int piece = 0; piece < a.width; piece += kRelativePiece) {
    ColumnSums d_key, d_value;
    for (int first = 0; first < at.queries.count; first += kRelativeTile) {
      const int query = first + at.lane;
      float d_product = 0, weight = 0;
      if (a.sees(query, at.own, at.queries, at.keys)) {
        const WeightGradient of = weight_gradient(a, at, query, at.own);
        d_product = product_gradient(a, at, of, query, at.own);
        weight = of.dropped;
      }
      for (int i = 0; i < min(kRelativeTile, at.queries.count - first); ++i) {
        const float of_key = __shfl_sync(kAllLanes, d_product, i);
        const float of_value = __shfl_sync(kAllLanes, weight, i);
        const T* of_query = a.query[at.queries.first + first + i] + at.column;
        const T* of_output = a.d_output[at.queries.first + first + i] + at.column;
        d_key.each(piece, a.width, [&](int f, float& sum) { sum = fmaf(of_key, widen(of_query[f]), sum); });
        d_value.each(piece, a.width,
                     [&](int f, float& sum) { sum = fmaf(of_value, widen(of_output[f]), sum); });
      }
    }
    d_key.each(piece, a.width, [&](int f, float& sum) { a.d_key[row][at.column + f] = narrow<T>(sum); });
    d_value.each(piece, a.width, [&](int f, float& sum) { a.d_value[row][at.column + f] = narrow<T>(sum); });
  }
}

}  // namespace

void relative_attention(const Attention& attention, Stream& stream) {
  with_type(attention.query.dtype(), [&]<class T>(T) {
    const unsigned parts = parts_of(attention.queries, kRelativeWarps);
    launch({grid_of(attention, parts), dim3(32 * kRelativeWarps), 0, stream}, relative_attention_kernel<T>,
           AttentionRows<T>(attention), RelativeRows<T>(attention.relative),
           rows_of<float>(attention.weights), static_cast<int>(attention.keys.longest), parts);
  });
}

void relative_attention_backward(const AttentionBackward& attention, const Rows<float>& delta,
                                 Stream& stream) {
  const Attention& forward = attention.forward;
  with_type(forward.query.dtype(), [&]<class T>(T) {
    const RelativeGradientRows<T> rows(attention, delta);
    const auto run = [&](auto* kernel, const SequenceOffsets& own) {
      if (const unsigned parts = parts_of(own, kRelativeWarps); parts > 0)
        launch({grid_of(forward, parts), dim3(32 * kRelativeWarps), 0, stream}, kernel, rows, parts);
    };
    run(relative_query_gradient_kernel<T>, forward.queries);
    run(relative_key_gradient_kernel<T>, forward.keys);
  });
}

}  // namespace nmt::cuda
