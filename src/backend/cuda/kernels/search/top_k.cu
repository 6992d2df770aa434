// The best of each row of logits, one block per row. Each lane knows the best of its own logits; the best of
// the block is taken k times, and each time a warp finds the next best of the lane that had it. With several
// models, the kernel runs for each, and the last run selects from the weighted sum of their logits. Rows that
// sample their ids are processed again by a separate kernel.
#include <algorithm>

#include "backend/cuda/cuda_backend.h"
#include "backend/cuda/kernels/reduce.h"
#include "backend/cuda/kernels/search/sampling.h"
#include "backend/cuda/kernels/vector8.h"

namespace nmt {
namespace cuda {
namespace {

constexpr int kTopThreads = 512;
constexpr int kTopWarps = kTopThreads / 32;
constexpr int kTopAtOnce = kVectorElements * kTopThreads;  // logits

/// A key that orders logits, ties to the lower number; 0 is below all of them. NaN has a place, too, so that
/// k logits are always found, whatever a model computes.
using LogitKey = unsigned long long;

struct Model {
  Rows<const float> logits;  // without bias
  const float* bias;
  float weight;      // of the model in the sum
  bool first, last;  // whether it is the first, or the last model
};

/// See nmt::Candidates.
struct Lists {
  const int *begin, *length, *ids, *columns;
  const int* of_row;  // nullptr: a row has all logits, and ids are their numbers
};

/// See nmt::TokenMasks.
struct Masks {
  Rows<const unsigned> bits;
  const int* of_row;  // nullptr: any id may follow

  __device__ bool has(std::int64_t row, int id) const {
    if (of_row == nullptr || of_row[row] < 0) return false;
    return (bits[of_row[row]][id / 32] >> (id % 32) & 1u) != 0;
  }
};

/// See nmt::RepetitionPenalty.
struct Penalty {
  Rows<const int> ids;
  int count;
  const double* factor;
};

struct BestRows {
  Rows<float> sum;     // with several models, the weighted sum so far, in the memory of the first
  double* normalizer;  // [rows]: the weighted sum of log_sum_exp; in the end, over all models
  Rows<float> values;
  Rows<int> ids;
  Lists lists;
  Masks masks, removed;
  Penalty penalty;
  int vocabulary, k;
  bool is_wide;

  /// Returns the number of logits of a row.
  __device__ int count(std::int64_t row) const {
    return lists.of_row == nullptr ? vocabulary : lists.length[lists.of_row[row]];
  }
  __device__ int id(std::int64_t row, int number) const {
    return lists.of_row == nullptr ? number : lists.ids[lists.begin[lists.of_row[row]] + number];
  }
  /// Returns the number of an id among the logits of a row; -1: it is not a candidate.
  __device__ int number(std::int64_t row, int id) const {
    if (lists.of_row == nullptr) return id;
    const int* ids_of_row = lists.ids + lists.begin[lists.of_row[row]];
    int begin = 0;
    for (int end = count(row); begin < end;) {
      const int middle = (begin + end) / 2;
      if (ids_of_row[middle] < id)
        begin = middle + 1;
      else
        end = middle;
    }
    return begin < count(row) && ids_of_row[begin] == id ? begin : -1;
  }
  __device__ bool is_masked(std::int64_t row, int number) const { return masks.has(row, id(row, number)); }
};

struct TopShared {
  LogSumExpOfBlock::Scratch scratch;
  LogitKey best[kTopWarps];  // of each warp
};

constexpr LogitKey kNoKey = 0;  // below the keys of all logits

__device__ LogitKey key_of(float x, int number) {
  const unsigned bits = __float_as_uint(x + 0.0f);  // -0 is 0
  const unsigned rank = (bits >> 31) != 0 ? ~bits : bits | 0x80000000u;
  return LogitKey{rank} << 32 | ~static_cast<unsigned>(number);
}
__device__ int number_of(LogitKey key) {
  return static_cast<int>(~static_cast<unsigned>(key));
}
__device__ float logit_of(LogitKey key) {
  const auto rank = static_cast<unsigned>(key >> 32);
  return __uint_as_float((rank >> 31) != 0 ? rank & 0x7fffffffu : ~rank);
}

__device__ LogitKey warp_best(LogitKey key) {
  return warp_reduce(key, [](LogitKey a, LogitKey b) { return a > b ? a : b; });
}

/// Returns a logit from which keys are made, or the sum over several models.
__device__ float sum_logit(const Model& model, const BestRows& a, std::int64_t row, int number) {
  if (a.is_masked(row, number)) return -HUGE_VALF;
  if (!(model.first && model.last)) return a.sum[row][number];
  return model.logits[row][number] + (model.bias == nullptr ? 0.0f : model.bias[number]);
}

/// Returns the best key below `bound` among the logits of lane `owner` of this warp; all lanes search.
__device__ LogitKey next_best(const Model& model, const BestRows& a, std::int64_t row, int owner,
                              LogitKey bound) {
  const int lane = static_cast<int>(threadIdx.x) % 32;
  const int begin = kVectorElements * (static_cast<int>(threadIdx.x) - lane + owner);
  const int count = a.count(row);
  LogitKey best = kNoKey;
  for (int i = lane; begin + i / kVectorElements * kTopAtOnce < count; i += 32) {
    const int number = begin + i / kVectorElements * kTopAtOnce + i % kVectorElements;
    const LogitKey key = number < count ? key_of(sum_logit(model, a, row, number), number) : kNoKey;
    if (key < bound && key > best) best = key;
  }
  return warp_best(best);
}

/// Selects the k best of a row. `own`: the best of this lane's logits. `normalizer`: that of thread 0 counts.
__device__ void select(const Model& model, const BestRows& a, std::int64_t row, LogitKey own,
                       double normalizer, TopShared& shared) {
  const int warp = static_cast<int>(threadIdx.x) / 32, lane = static_cast<int>(threadIdx.x) % 32;
  LogitKey of_warp = warp_best(own);
  if (lane == 0) shared.best[warp] = of_warp;
  __syncthreads();
  for (int i = 0; i < a.k; ++i) {
    const LogitKey best = warp_best(lane < kTopWarps ? shared.best[lane] : kNoKey);
    if (threadIdx.x == 0) {
      const bool is_there = best != kNoKey;
      a.ids[row][i] = is_there ? a.id(row, number_of(best)) : -1;
      a.values[row][i] = is_there ? static_cast<float>(logit_of(best) - normalizer) : -HUGE_VALF;
    }
    __syncthreads();
    if (of_warp == best) {
      const int owner = __ffs(static_cast<int>(__ballot_sync(kAllLanes, own == best))) - 1;
      const LogitKey next = next_best(model, a, row, owner, best);
      if (lane == owner) own = next;
      of_warp = warp_best(own);
      if (lane == 0) shared.best[warp] = of_warp;
    }
    __syncthreads();
  }
}

/// Computes values and ids [rows, k] from logits [rows, vocabulary], or from their sum over models. Grid:
/// (rows), a block of 512 threads per row.
__global__ void __launch_bounds__(kTopThreads) top_k_kernel(Model model, BestRows a) {
  auto& shared = *shared_memory<TopShared>();
  const std::int64_t row = blockIdx.x;
  const bool alone = model.first && model.last;
  const int all_logits = a.count(row);
  LogSumExp sum;
  LogitKey own = kNoKey;
  for (int first = kVectorElements * static_cast<int>(threadIdx.x); first < all_logits; first += kTopAtOnce) {
    const int count = all_logits - first;
    float x[kVectorElements];
    load(model.logits[row] + first, count, a.is_wide, x);
    add_bias(model.bias, first, count, a.is_wide, x);
    sum.add(x, count);
    if (!alone) {
      float so_far[kVectorElements] = {};
      if (!model.first) load(a.sum[row] + first, count, a.is_wide, so_far);
      for (int i = 0; i < kVectorElements; ++i) x[i] = so_far[i] + model.weight * x[i];
      store(x, count, a.is_wide, a.sum[row] + first);
    }
    for (int i = 0; i < kVectorElements; ++i)
      if (i < count) own = max(own, key_of(a.is_masked(row, first + i) ? -HUGE_VALF : x[i], first + i));
  }
  const LogSumExpOfBlock all = over_block(sum, shared.scratch);
  double normalizer = 0;
  if (threadIdx.x == 0) {
    normalizer = (model.first ? 0 : a.normalizer[row]) + model.weight * all.value();
    a.normalizer[row] = normalizer;
  }
  if (model.last) select(model, a, row, own, normalizer, shared);
}

/// Gathers own [rows, longest], the logits in the list of a row out of logits [rows, vocabulary], including
/// their bias. Grid: (rows), a block of 512 threads per row.
__global__ void __launch_bounds__(kTopThreads) gather_kernel(Model model, Lists lists, Rows<float> own) {
  const std::int64_t row = blockIdx.x;
  const int list = lists.of_row[row], count = lists.length[list];
  const int* columns = lists.columns + lists.begin[list];
  for (int i = static_cast<int>(threadIdx.x); i < count; i += kTopThreads)
    own[row][i] = model.logits[row][columns[i]] + (model.bias == nullptr ? 0.0f : model.bias[columns[i]]);
}

/// Prepares logits [rows, vocabulary]: adds bias [vocabulary], removes ids that get no probability, and
/// lowers tokens that a row already contains. Grid: (rows), a block of 512 threads per row.
__global__ void __launch_bounds__(kTopThreads)
    adjust_kernel(Rows<float> logits, const float* bias, BestRows a) {
  const std::int64_t row = blockIdx.x;
  const int first = static_cast<int>(threadIdx.x), count = a.count(row);
  for (int i = first; i < count; i += kTopThreads) {
    const float x = logits[row][i] + (bias == nullptr ? 0.0f : bias[i]);
    logits[row][i] = a.removed.has(row, a.id(row, i)) ? -HUGE_VALF : x;
  }
  __syncthreads();
  for (int i = first; i < a.penalty.count; i += kTopThreads) {
    const int id = a.penalty.ids[row][i], number = id < 0 ? -1 : a.number(row, id);
    if (number < 0) continue;
    const auto factor = static_cast<float>(a.penalty.factor[row]);
    float& x = logits[row][number];
    x = x > 0 ? x / factor : x * factor;
  }
}

/// Computes values and ids [rows, k] from logits [rows, vocabulary] for rows that sample. Grid: (rows), a
/// block of 512 threads per row, each of which knows the best of its own logits, and finds the next one after
/// this was sampled.
__global__ void __launch_bounds__(kTopThreads) draw_kernel(Model model, BestRows a, Draws draws) {
  auto* scratch = shared_memory<double>();
  const std::int64_t row = blockIdx.x;
  const Draw draw(draws, row);
  if (!(draw.temperature > 0)) return;
  const int first = static_cast<int>(threadIdx.x), count = a.count(row);
  const auto logit = [&](int number) { return sum_logit(model, a, row, number); };
  float top = Max::kIdentity;
  for (int i = first; i < count; i += kTopThreads) top = fmaxf(top, logit(i));
  top = block_reduce(top, Max(), reinterpret_cast<float*>(scratch));
  const float least = least_left(draw, logit, count, top, scratch);
  const auto best_below = [&](LogitKey bound) {
    LogitKey best = kNoKey;
    for (int i = first; i < count; i += kTopThreads) {
      const float x = logit(i);
      if (!(x >= least)) continue;
      const LogitKey key = key_of(x / draw.temperature + draw.noise(a.id(row, i)), i);
      if (key < bound && key > best) best = key;
    }
    return best;
  };
  const auto higher = [](LogitKey x, LogitKey y) { return x > y ? x : y; };
  auto* keys = reinterpret_cast<LogitKey*>(scratch);
  LogitKey own = best_below(~LogitKey{0});
  for (int i = 0; i < a.k; ++i) {
    const LogitKey best = i < draw.count ? block_reduce(own, higher, keys) : kNoKey;
    if (first == 0) {
      const bool is_there = best != kNoKey || i == 0;  // no key at 0: all are masked, or NaN
      const int number = best == kNoKey ? 0 : number_of(best);
      a.ids[row][i] = is_there ? a.id(row, number) : -1;
      a.values[row][i] = is_there ? static_cast<float>(logit(number) - a.normalizer[row]) : -HUGE_VALF;
    }
    if (best != kNoKey && own == best) own = best_below(best);
  }
}

/// Returns the lists of rows from `first` on.
Lists lists_of(const Candidates& candidates, std::int64_t first) {
  if (!candidates) return {};
  return {.begin = data_of<const int>(candidates.lists.begin),
          .length = data_of<const int>(candidates.lists.length),
          .ids = data_of<const int>(candidates.ids),
          .columns = data_of<const int>(candidates.columns),
          .of_row = data_of<const int>(candidates.list) + first};
}

/// Returns the masks of rows from `first` on.
Masks masks_of(const TokenMasks& masks, std::int64_t first) {
  if (!masks) return {};
  return {.bits = rows_of<const unsigned>(masks.bits), .of_row = data_of<const int>(masks.mask) + first};
}

Penalty penalty_of(const RepetitionPenalty& penalty, std::int64_t first) {
  if (!penalty) return {};
  return {.ids = rows_of<const int>(penalty.ids.slice_rows(first, penalty.ids.rows() - first)),
          .count = static_cast<int>(penalty.ids.columns()),
          .factor = data_of<const double>(penalty.factor) + first};
}

Draws draws_of(const Sampling& sampling, std::int64_t first) {
  const std::int64_t rest = sampling.filters.rows() - first;
  return {.filters = rows_of<const double>(sampling.filters.slice_rows(first, rest)),
          .key = rows_of<const int>(sampling.key.slice_rows(first, rest)),
          .position = data_of<const int>(sampling.position) + first};
}

}  // namespace
}  // namespace cuda

void CudaBackend::run(const TopK& top) {
  using namespace cuda;
  const auto models = static_cast<std::int64_t>(top.outputs.size());
  std::vector<double> weights = top.weights;
  if (weights.empty()) weights.assign(top.outputs.size(), 1 / static_cast<double>(models));
  const std::int64_t rows = top.values.rows(), at_once = top.workspace.rows() / models;
  // The logits of lists, as wide rows, followed by the normalizers.
  const std::int64_t width = top.candidates ? (top.candidates.lists.longest + kVectorElements - 1) /
                                                  kVectorElements * kVectorElements
                                            : 0;
  for (std::int64_t begin = 0; begin < rows; begin += at_once) {
    const std::int64_t count = std::min(at_once, rows - begin);
    const std::int64_t gathered = models * count * width;
    auto* memory = scratch<float>(gathered + 2 * count);
    const Rows<float> own{memory, width};
    BestRows best{.sum = top.candidates ? own : rows_of<float>(top.workspace),
                  .normalizer = reinterpret_cast<double*>(memory + gathered),
                  .values = rows_of<float>(top.values.slice_rows(begin, count)),
                  .ids = rows_of<int>(top.ids.slice_rows(begin, count)),
                  .lists = lists_of(top.candidates, begin),
                  .masks = masks_of(top.masks, begin),
                  .removed = masks_of(top.removed, begin),
                  .penalty = penalty_of(top.penalty, begin),
                  .vocabulary = static_cast<int>(top.workspace.columns()),
                  .k = static_cast<int>(top.k),
                  .is_wide = top.candidates || is_wide(rows_of<float>(top.workspace))};
    const Launch per_row{dim3(blocks(count, 1)), dim3(kTopThreads), sizeof(TopShared), stream_};
    for (std::int64_t m = 0; m < models; ++m) {
      const OutputLayer& output = top.outputs[static_cast<std::size_t>(m)];
      const Tensor logits = top.workspace.slice_rows(m * count, count);
      compute_logits(output, begin, logits, true);
      Model model{.logits = rows_of<const float>(logits),
                  .bias = data_of<const float>(output.bias),
                  .weight = static_cast<float>(weights[static_cast<std::size_t>(m)]),
                  .first = m == 0,
                  .last = m == models - 1};
      Rows<float> of_model = rows_of<float>(logits);
      if (top.candidates) {
        of_model = {own.data + m * count * width, width};
        launch(per_row, gather_kernel, model, best.lists, of_model);
        model.logits = {of_model.data, width};
        model.bias = nullptr;
      }
      if (top.penalty || top.removed) {
        launch(per_row, adjust_kernel, of_model, model.bias, best);
        model.bias = nullptr;
      }
      best.is_wide = best.is_wide && is_wide(Rows<const float>{model.bias});
      launch(per_row, top_k_kernel, model, best);
      if (model.last && top.sampling)
        launch(per_row, draw_kernel, model, best, draws_of(top.sampling, begin));
    }
  }
}

}  // namespace nmt
