// The steps of a search between decoding steps: ranking continuations, one block per sentence, and extending
// hypotheses.
#include "backend/cuda/cuda_backend.h"
#include "backend/cuda/kernels/elements.h"
#include "backend/cuda/kernels/reduce.h"

namespace nmt {
namespace cuda {
namespace {

constexpr int kMostWarps = 8;        // of a block that ranks continuations
constexpr int kExtendThreads = 128;  // of a block that extends a sentence
constexpr int kFreeThreads = 1024;   // of the block that hands out rows of the cache

/// A continuation of a sentence: number row * k + i among all continuations.
struct Candidate {
  double total;
  int token, number;

  static constexpr int kNone = 0x7fffffff;  // stands for no candidate
};

__device__ Candidate no_candidate() {
  return {0, 0, Candidate::kNone};
}

/// Whether a candidate ranks before another: NaN first, then falling totals; ties go to the lower row, then
/// to the lower id.
__device__ bool comes_first(const Candidate& a, const Candidate& b, int k) {
  if (a.number == Candidate::kNone || b.number == Candidate::kNone) return a.number < b.number;
  const bool a_nan = a.total != a.total, b_nan = b.total != b.total;
  if (a_nan != b_nan) return a_nan;
  if (!a_nan && a.total != b.total) return a.total > b.total;
  const int a_row = a.number / k, b_row = b.number / k;
  if (a_row != b_row) return a_row < b_row;
  return a.token != b.token ? a.token < b.token : a.number < b.number;
}

__device__ Candidate across(const Candidate& x, int step) {
  return {cuda::across(x.total, step), cuda::across(x.token, step), cuda::across(x.number, step)};
}

/// Returns the one that ranks first.
struct First {
  __device__ Candidate operator()(const Candidate& a, const Candidate& b) const {
    return comes_first(a, b, k) ? a : b;
  }
  int k;
};

/// Arguments of a kernel, see nmt::RankContinuations.
struct Ranking {
  Rows<const float> values;
  Rows<const int> ids;
  int k;
  const double* total;
  const int *begin, *length;
  Rows<double> ranking;
  int continuations;  // of a sentence in `ranking`
};

/// Returns the first of the thread's candidates that ranks after `last`; the first of all if `last` is none.
__device__ Candidate first_after(const Ranking& a, std::int64_t begin, int count, const Candidate& last) {
  Candidate best = no_candidate();
  for (int n = static_cast<int>(threadIdx.x); n < count; n += static_cast<int>(blockDim.x)) {
    const std::int64_t row = begin + n / a.k;
    const Candidate own{a.total[row] + a.values[row][n % a.k], a.ids[row][n % a.k], n};
    const bool after = last.number == Candidate::kNone || comes_first(last, own, a.k);
    if (after && comes_first(own, best, a.k)) best = own;
  }
  return best;
}

/// Computes ranking [sentences, continuations] from values and ids [rows, k] and total [rows]: each thread
/// offers the first of its candidates; the first of all is taken, and its thread offers the next. Grid:
/// (sentences), a block of up to 8 warps per sentence.
__global__ void __launch_bounds__(32 * kMostWarps) rank_candidates(Ranking a) {
  const int sentence = static_cast<int>(blockIdx.x);
  const std::int64_t begin = a.begin[sentence];
  const int count = a.length[sentence] * a.k;
  auto* ranking = reinterpret_cast<Continuation*>(a.ranking[sentence]);
  Candidate own = first_after(a, begin, count, no_candidate());
  for (int place = 0; place < a.continuations; ++place) {
    const Candidate best = block_reduce(own, First{a.k}, shared_memory<Candidate>());
    const bool is_none = best.number == Candidate::kNone;
    if (threadIdx.x == 0) {
      ranking[place] = is_none ? Continuation{-HUGE_VAL, 0, -1}
                               : Continuation{best.total, static_cast<double>(best.number / a.k),
                                              static_cast<double>(best.token)};
    }
    if (!is_none && own.number == best.number) own = first_after(a, begin, count, best);
  }
}

/// Hypotheses as kernels see them.
struct HypothesisRows {
  explicit HypothesisRows(const Hypotheses& hypotheses)
      : total(data_of<double>(hypotheses.total)),
        token(rows_of<int>(hypotheses.token)),
        models(static_cast<int>(hypotheses.token.rows())),
        position(data_of<int>(hypotheses.position)),
        index(rows_of<int>(hypotheses.index)) {}

  double* total;
  Rows<int> token;
  int models;
  int* position;
  Rows<int> index;
};

/// One bit for each row of the cache: whether a hypothesis uses it.
struct TakenRows {
  /// Takes a row; returns whether it was free.
  __device__ bool take(int row) const {
    const unsigned bit = 1u << (row % 32);
    return (atomicOr(bits + row / 32, bit) & bit) == 0;
  }

  unsigned* bits;
  int words;
};

/// Arguments of kernels, see nmt::ExtendHypotheses.
struct Extension {
  HypothesisRows before;
  Rows<const double> ranking;
  int continuations;  // of a sentence in `ranking`
  HypothesisRows after;
  const int *begin_after, *length_after;
  const int *number_before, *row_before;
  const int* starts;
  int end;
  int* held;
  TakenRows taken;
};

/// Selects, in the first warp, the first continuations that do not end, one for each row, and writes the rows
/// of their parents to `parents`.
__device__ void continue_rows(const Extension& a, int sentence, int before, int* parents) {
  const auto* ranking = reinterpret_cast<const Continuation*>(a.ranking[before]);
  const int lane = static_cast<int>(threadIdx.x), rows = a.length_after[sentence];
  int found = 0;
  for (int first = 0; first < a.continuations && found < rows; first += 32) {
    const int place = first + lane;
    const int token = place < a.continuations ? static_cast<int>(ranking[place].token) : a.end;
    const unsigned going_on = __ballot_sync(kAllLanes, token != a.end);
    const int row = found + __popc(going_on & ((1u << lane) - 1));
    found += __popc(going_on);
    if (token == a.end || row >= rows) continue;
    const int parent = a.row_before[sentence] + static_cast<int>(ranking[place].row);
    const int after = a.begin_after[sentence] + row;
    parents[row] = parent;
    a.after.total[after] = ranking[place].total;
    a.after.position[after] = a.before.position[parent] + 1;
    for (int m = 0; m < a.after.models; ++m) a.after.token[m][after] = token;
  }
}

/// Sets total and position [rows] and token [models, rows] of a sentence that begins; its first tokens differ
/// between models.
__device__ void begin_rows(const Extension& a, int sentence) {
  const int first = a.begin_after[sentence], rows = a.length_after[sentence];
  for (int row = first + static_cast<int>(threadIdx.x); row < first + rows; row += kExtendThreads) {
    a.after.total[row] = a.after.position[row] = 0;
    for (int m = 0; m < a.after.models; ++m) a.after.token[m][row] = a.starts[m];
  }
  if (threadIdx.x == 0) a.held[sentence] = rows;
}

/// Computes total and position [rows], token [models, rows] and index [rows, longest] of all hypotheses,
/// except for the cache rows of their new tokens, from their values before and ranking [sentences before,
/// continuations]; held [sentences]. Marks the cache rows that they use as taken. Grid: (sentences), a block
/// of 128 threads per sentence.
__global__ void __launch_bounds__(kExtendThreads) extend_sentences(Extension a) {
  int* parents = shared_memory<int>();
  const int sentence = static_cast<int>(blockIdx.x), thread = static_cast<int>(threadIdx.x);
  const int before = a.number_before[sentence], rows = a.length_after[sentence];
  const int first = a.begin_after[sentence];
  if (before < 0) return begin_rows(a, sentence);
  if (thread < 32) continue_rows(a, sentence, before, parents);
  __syncthreads();
  int held = thread == 0 ? rows : 0;
  for (int r = 0; r < rows; ++r) {
    const int* seen = a.before.index[parents[r]];
    for (int i = thread; i < a.after.position[first + r]; i += kExtendThreads) {
      a.after.index[first + r][i] = seen[i];
      held += a.taken.take(seen[i]) ? 1 : 0;
    }
  }
  __syncthreads();  // the parents have been read
  held = block_reduce(held, Add(), parents);
  if (thread == 0) a.held[sentence] = held;
}

/// Sets index [rows, longest] of each hypothesis at its position: the n-th free row of the cache for the n-th
/// one. No row is taken after that. One block of 1024 threads, each of which searches 32 rows at a time.
__global__ void __launch_bounds__(kFreeThreads)
    hand_out_rows(TakenRows taken, HypothesisRows after, int rows) {
  int given = 0;
  for (int first = 0; first < taken.words; first += kFreeThreads) {
    const int word = first + static_cast<int>(threadIdx.x);
    unsigned free = word < taken.words ? ~taken.bits[word] : 0;
    if (word < taken.words) taken.bits[word] = 0;
    if (given >= rows) continue;
    const int count = __popc(free);
    const int up_to_here = block_scan(count, shared_memory<int>());
    for (int row = given + up_to_here - count; free != 0 && row < rows; ++row) {
      after.index[row][after.position[row]] = word * 32 + __ffs(static_cast<int>(free)) - 1;
      free &= free - 1;
    }
    given += block_reduce(count, Add(), shared_memory<int>());
  }
}

}  // namespace
}  // namespace cuda

void CudaBackend::run(const RankContinuations& rank) {
  using namespace cuda;
  if (rank.sentences.count == 0) return;
  const std::int64_t k = rank.ids.columns(), most = rank.sentences.longest * k;
  const Ranking arguments{.values = rows_of<const float>(rank.values),
                          .ids = rows_of<const int>(rank.ids),
                          .k = static_cast<int>(k),
                          .total = data_of<const double>(rank.total),
                          .begin = data_of<const int>(rank.sentences.begin),
                          .length = data_of<const int>(rank.sentences.length),
                          .ranking = rows_of<double>(rank.ranking),
                          .continuations = static_cast<int>(continuations_each(rank.ranking))};
  const unsigned threads = 32 * std::clamp(blocks(most, 32), 1u, unsigned{kMostWarps});
  launch({dim3(blocks(rank.sentences.count, 1)), dim3(threads), 32 * sizeof(Candidate), stream_},
         rank_candidates, arguments);
}

/// Sentences share no cache rows, so the order in which they take theirs does not change the result.
void CudaBackend::run(const ExtendHypotheses& extend) {
  using namespace cuda;
  const std::int64_t sentences = extend.sentences.count, rows = extend.after.total.columns();
  if (sentences == 0) return;
  const TakenRows taken{reinterpret_cast<unsigned*>(data_of<int>(extend.taken)),
                        static_cast<int>(extend.taken.size())};
  const Extension arguments{
      .before = HypothesisRows(extend.before),
      .ranking = rows_of<const double>(extend.ranking),
      .continuations = extend.ranking ? static_cast<int>(continuations_each(extend.ranking)) : 0,
      .after = HypothesisRows(extend.after),
      .begin_after = data_of<const int>(extend.sentences.begin),
      .length_after = data_of<const int>(extend.sentences.length),
      .number_before = data_of<const int>(extend.number_before),
      .row_before = data_of<const int>(extend.row_before),
      .starts = data_of<const int>(extend.starts),
      .end = extend.end,
      .held = data_of<int>(extend.held),
      .taken = taken};
  const auto parents = std::max<std::int64_t>(extend.sentences.longest, 32);
  launch({dim3(blocks(sentences, 1)), dim3(kExtendThreads), static_cast<std::size_t>(parents) * sizeof(int),
          stream_},
         extend_sentences, arguments);
  launch({dim3(1), dim3(kFreeThreads), 32 * sizeof(int), stream_}, hand_out_rows, taken, arguments.after,
         static_cast<int>(rows));
}

}  // namespace nmt
