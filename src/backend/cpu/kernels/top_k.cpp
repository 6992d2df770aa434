// The largest log-probabilities of rows whose logits arrive some columns at a time. In between, a row stores
// the best so far and, for each model, the sum of e^logit.
#include "backend/cpu/kernels/sampling.h"
#include "backend/cpu/kernels/softmax.h"
#include "backend/cpu/kernels/vector_kernels.h"

namespace nmt::cpu::NMT_ISA {
namespace {

constexpr std::int64_t kMostOfBlock = 32;

/// The sum of e^x over the logits of a row so far, as e^top sum.
struct Normalizer {
  double top, sum;

  /// Adds more logits, in steps that begin at multiples of kSumPart of the row, so that the bits do not
  /// depend on how many arrive at a time.
  void add(const float* __restrict x, std::int64_t n) {
    for (std::int64_t begin = 0; begin < n; begin += kSumPart) {
      const float* __restrict part = x + begin;
      const std::int64_t count = least(kSumPart, n - begin);
      const float most_of_part = most_finite(largest(part, count));
      const double part_sum =
          sum_in_parts(count, [=](std::int64_t i) { return exponential(part[i] - most_of_part); });
      if (most_of_part > top) {
        sum = sum * __builtin_exp(top - most_of_part) + part_sum;
        top = most_of_part;
      } else {
        sum += part_sum * __builtin_exp(most_of_part - top);
      }
    }
  }
  double log() const { return top + __builtin_log(sum); }

  /// Replaces minus infinity by the lowest finite number, because it cannot be subtracted from.
  static float most_finite(float x) { return x < -__FLT_MAX__ ? -__FLT_MAX__ : x; }
};

/// The state of a row, in 8-byte words of memory: the best so far as keys in falling order, at most k.
struct Row {
  Row(const TopK& top, std::uint64_t* states, std::int64_t number)
      : count(reinterpret_cast<std::int64_t*>(states + number * words(top))),
        keys(states + number * words(top) + 1),
        normalizers(reinterpret_cast<Normalizer*>(keys + top.k)) {}

  static std::int64_t words(const TopK& top) {
    constexpr auto kOfNormalizer = static_cast<std::int64_t>(sizeof(Normalizer) / sizeof(std::uint64_t));
    return 1 + top.k + kOfNormalizer * std::ssize(top.outputs);
  }

  void begin(std::int64_t models) const {
    *count = 0;
    // scalar: a few
    for (std::int64_t m = 0; m < models; ++m) normalizers[m] = {-__FLT_MAX__, 0};
  }

  std::int64_t* count;
  std::uint64_t* keys;
  Normalizer* normalizers;
};

/// The candidates for a row whose logits are available.
struct Choice {
  std::int64_t models, count;
  float* logits;  // `count` for each model, those of one model `stride` after those of another
  std::int64_t stride;
  const std::int32_t* ids;  // nullptr: ids are the numbers of the logits

  std::int32_t id(std::int32_t number) const { return ids == nullptr ? number : ids[number]; }
  /// Returns the number of an id; -1: it is not a candidate.
  std::int64_t number_of(std::int32_t id) const {
    if (ids == nullptr) return id;
    std::int64_t begin = 0;
    for (std::int64_t end = count; begin < end;) {
      const std::int64_t middle = (begin + end) / 2;
      (ids[middle] < id ? begin : end) = ids[middle] < id ? middle + 1 : middle;
    }
    return begin < count && ids[begin] == id ? begin : -1;
  }
};

/// Returns the candidates for row r; the logits of a list are gathered in `memory`.
Choice choice_of(const TopK& top, const Tensor& columns, std::int64_t r, float* memory) {
  const auto models = static_cast<std::int64_t>(top.outputs.size());
  float* logits = columns.row<float>(r);
  const std::int64_t stride = top.values.rows() * columns.row_stride();
  const Candidates& candidates = top.candidates;
  if (!candidates) return {models, columns.columns(), logits, stride, nullptr};
  const std::int32_t list = candidates.list.data<std::int32_t>()[r];
  const std::int32_t begin = candidates.lists.begin.data<std::int32_t>()[list];
  const std::int64_t count = candidates.lists.length.data<std::int32_t>()[list];
  const std::int32_t* places = candidates.columns.data<std::int32_t>() + begin;
  for (std::int64_t m = 0; m < models; ++m) {
    // scalar: they lie anywhere
    for (std::int64_t i = 0; i < count; ++i) memory[m * count + i] = logits[m * stride + places[i]];
  }
  return {models, count, memory, count, candidates.ids.data<std::int32_t>() + begin};
}

double weight_of(const TopK& top, std::int64_t model) {
  if (top.weights.empty()) return 1 / static_cast<double>(top.outputs.size());
  return top.weights[static_cast<std::size_t>(model)];
}

/// Returns the weighted sum over models of their logits, in `memory` unless there is a single model.
float* sum_logits(const TopK& top, const Choice& choice, float* memory) {
  if (choice.models == 1) return choice.logits;
  const auto first_weight = static_cast<float>(weight_of(top, 0));
  for (std::int64_t i = 0; i < choice.count; ++i) memory[i] = choice.logits[i] * first_weight;
  for (std::int64_t m = 1; m < choice.models; ++m) {
    const auto weight = static_cast<float>(weight_of(top, m));
    const float* __restrict next = choice.logits + m * choice.stride;
    for (std::int64_t i = 0; i < choice.count; ++i) memory[i] += next[i] * weight;
  }
  return memory;
}

/// Sets those of n logits to minus infinity whose bit is set.
void mask_all(const std::uint32_t* bits, std::int64_t n, float* logits) {
  // scalar: few are masked
  for (std::int64_t begin = 0; begin < n; begin += 32) {
    for (std::uint32_t left = bits[begin / 32]; left != 0; left &= left - 1) {
      const std::int64_t i = begin + __builtin_ctz(left);
      if (i < n) logits[i] = -__builtin_inff();
    }
  }
}

/// Sets the logits of these ids to minus infinity if their bit is set.
void mask_some(const std::uint32_t* bits, const std::int32_t* ids, std::int64_t n, float* logits) {
  // scalar: a list has few
  for (std::int64_t i = 0; i < n; ++i) {
    if ((bits[ids[i] / 32] >> (ids[i] % 32) & 1) != 0) logits[i] = -__builtin_inff();
  }
}

/// Sets the logits of masked ids of row r to minus infinity; the first logit has the number `first`, a
/// multiple of kColumnsOfTopK.
void mask(const TokenMasks& masks, std::int64_t r, const Choice& choice, std::int64_t first, float* logits) {
  const std::int32_t number = masks ? masks.mask.data<std::int32_t>()[r] : -1;
  if (number < 0) return;
  const auto* bits = reinterpret_cast<const std::uint32_t*>(masks.bits.row<std::int32_t>(number));
  if (choice.ids == nullptr)
    mask_all(bits + first / 32, choice.count, logits);
  else
    mask_some(bits, choice.ids, choice.count, logits);
}

/// Lowers the logits of the tokens that row r already contains.
void penalize(const RepetitionPenalty& penalty, std::int64_t r, const Choice& choice, float* logits) {
  if (!penalty) return;
  const auto factor = static_cast<float>(penalty.factor.data<double>()[r]);
  const std::int32_t* ids = penalty.ids.row<std::int32_t>(r);
  // scalar: they lie anywhere
  for (std::int64_t i = 0; i < penalty.ids.columns(); ++i) {
    const std::int64_t number = ids[i] < 0 ? -1 : choice.number_of(ids[i]);
    if (number < 0) continue;
    float& x = logits[number];
    x = x > 0 ? x / factor : x * factor;
  }
}

/// Returns the ranks of the lanes of x.
void store_ranks(Vector x, std::int32_t* to) {
  using Unsigned = std::uint32_t __attribute__((vector_size(NMT_VECTOR_BYTES)));
  const auto bits = reinterpret_cast<Unsigned>(x);
  const Unsigned ranks = bits >> 31 != 0 ? 0x80000000U - bits : bits;
  std::memcpy(to, &ranks, sizeof ranks);
}

/// Combines logits and numbers into keys: the larger logit ranks first, and of equal ones the lower number.
std::uint64_t key_of(std::int32_t rank, std::int64_t number) {
  const std::uint32_t upper = static_cast<std::uint32_t>(rank) ^ 0x80000000U;
  return std::uint64_t{upper} << 32 | ~static_cast<std::uint32_t>(number);
}

std::int32_t number_of(std::uint64_t key) {
  return static_cast<std::int32_t>(~static_cast<std::uint32_t>(key));
}

std::int32_t rank_of(std::uint64_t key) {
  return static_cast<std::int32_t>(static_cast<std::uint32_t>(key >> 32) ^ 0x80000000U);
}

float logit_of(std::uint64_t key) {
  return of_rank(rank_of(key));
}

/// Logits in blocks, which are skipped as a whole if their largest is not among the best. A block is one lane
/// of `height` vectors, so that the largest of kLanes blocks are found without operations across lanes. The
/// last block contains the rest, less than a vector.
struct Blocks {
  Blocks(const float* logits, std::int64_t n, std::int64_t k)
      : x(logits),
        size(n),
        in_vectors(n / kLanes * kLanes),
        height(most(1, least(kMostOfBlock, n / (2 * k)))),
        groups((n / kLanes + height - 1) / height) {}

  std::int64_t count() const { return groups * kLanes + (in_vectors < size ? 1 : 0); }

  /// Computes the rank of the largest logit of each block.
  void find_largest(std::int32_t* ranks) const {
    for (std::int64_t group = 0; group < groups; ++group) {
      const std::int64_t begin = group * height * kLanes;
      Vector tops = load(x + begin);
      for (std::int64_t i = begin + kLanes; i < least(begin + height * kLanes, in_vectors); i += kLanes) {
        const Vector next = load(x + i);
        tops = next > tops ? next : tops;
      }
      store_ranks(tops, ranks + group * kLanes);
    }
    if (in_vectors < size) ranks[groups * kLanes] = rank(largest(x + in_vectors, size - in_vectors));
  }

  /// Calls body(number) for the logits of a block.
  template <class Body>
  void for_each_of(std::int64_t block, const Body& body) const {
    const std::int64_t group = block / kLanes;
    const bool is_last = group == groups;
    const std::int64_t begin = is_last ? in_vectors : group * height * kLanes + block % kLanes;
    const std::int64_t step = is_last ? 1 : kLanes;
    const std::int64_t end = is_last ? size : least((group + 1) * height * kLanes, in_vectors);
    for (std::int64_t number = begin; number < end; number += step) body(number);
  }

  const float* x;
  std::int64_t size, in_vectors, height, groups;
};

/// Returns a rank that at least k of n ranks reach, and few more, by bisection; with fewer than k, the lowest
/// possible rank.
std::int32_t reached_by(std::int64_t k, const std::int32_t* ranks, std::int64_t n) {
  std::int64_t reached = INT32_MIN, missed = std::int64_t{INT32_MAX} + 1;  // by k of them
  std::int64_t count = n;
  while (count > k + k / 4 && missed - reached > 1) {
    const std::int64_t middle = (reached + missed) >> 1;
    const auto bound = static_cast<std::int32_t>(middle);
    std::int32_t above = 0;
    for (std::int64_t i = 0; i < n; ++i) above += ranks[i] >= bound ? 1 : 0;
    if (above >= k) count = above;
    (above >= k ? reached : missed) = middle;
  }
  return static_cast<std::int32_t>(reached);
}

/// Sorts keys into falling order by merging ever longer runs, and returns where the result is.
const std::uint64_t* sort(std::uint64_t* keys, std::uint64_t* other, std::int64_t n) {
  for (std::int64_t width = 1; width < n; width *= 2) {
    for (std::int64_t begin = 0; begin < n; begin += 2 * width) {
      const std::int64_t middle = least(begin + width, n), end = least(begin + 2 * width, n);
      for (std::int64_t i = begin, a = begin, b = middle; i < end; ++i) {
        const bool first = b == end || (a < middle && keys[a] > keys[b]);
        other[i] = first ? keys[a++] : keys[b++];
      }
    }
    std::uint64_t* const merged = other;
    other = keys;
    keys = merged;
  }
  return keys;
}

/// Updates the best k keys of a row with n more logits, the first of which has the number `first`. Logits
/// that do not reach the k-th best are skipped: the k-th so far or, as long as there are fewer, a bound
/// reached by the largest of k blocks. So few are left to sort, and the work hardly grows faster than k. Of
/// logits equal to minus infinity, such as masked ones, only as many are taken as needed to fill up.
void take_best(const Row& row, std::int64_t k, const float* x, std::int64_t n, std::int64_t first,
               float* scratch) {
  const Blocks blocks(x, n, k);
  auto* keys = reinterpret_cast<std::uint64_t*>(scratch);
  auto* maxima = reinterpret_cast<std::int32_t*>(keys + n + k);  // no longer needed when keys are sorted
  blocks.find_largest(maxima);
  const std::int32_t lowest = rank(-__builtin_inff());
  const std::int32_t reached = static_cast<std::int32_t>(
      most(std::int64_t{lowest} + 1,
           *row.count == k ? rank_of(row.keys[k - 1]) : reached_by(k, maxima, blocks.count())));
  std::int64_t chosen = 0;  // blocks, whose numbers take the place of their maxima
  // scalar: each goes where the last one that counts ended
  for (std::int64_t i = 0; i < blocks.count(); ++i) {
    const bool counts = maxima[i] >= reached;
    maxima[chosen] = static_cast<std::int32_t>(i);
    chosen += counts ? 1 : 0;
  }
  std::int64_t count = 0;
  // scalar: what is left of a few blocks
  for (std::int64_t block = 0; block < chosen; ++block) {
    blocks.for_each_of(maxima[block], [&](std::int64_t i) {
      const std::int32_t value = rank(x[i]);
      keys[count] = key_of(value, first + i);
      count += value >= reached ? 1 : 0;
    });
  }
  // scalar: k at most
  for (std::int64_t i = 0; i < n && count + *row.count < k; ++i) {
    const std::int32_t value = rank(x[i]);
    keys[count] = key_of(value, first + i);
    count += value <= lowest ? 1 : 0;
  }
  if (count == 0) return;
  __builtin_memcpy(keys + count, row.keys, static_cast<std::size_t>(*row.count) * sizeof *keys);
  count += *row.count;
  const std::uint64_t* best = sort(keys, keys + n + k, count);
  *row.count = least(count, k);
  __builtin_memcpy(row.keys, best, static_cast<std::size_t>(*row.count) * sizeof *keys);
}

/// Writes the best of row r, after all of its logits have arrived.
void write(const TopK& top, std::int64_t r, const Row& row, const Choice& choice) {
  double normalizer = 0;
  // scalar: a few
  for (std::int64_t m = 0; m < choice.models; ++m) normalizer += weight_of(top, m) * row.normalizers[m].log();
  // scalar: a few
  for (std::int64_t i = 0; i < top.k; ++i) {
    const bool is_there = i < *row.count;
    top.ids.row<std::int32_t>(r)[i] = is_there ? choice.id(number_of(row.keys[i])) : -1;
    top.values.row<float>(r)[i] =
        is_there ? static_cast<float>(logit_of(row.keys[i]) - normalizer) : -__builtin_inff();
  }
}

std::int64_t even(std::int64_t n) {
  return (n + 1) / 2 * 2;
}

/// Writes the ids that row r samples, after all of its logits have arrived.
void write_draws(const TopK& top, std::int64_t r, const Row& row, const Choice& choice, const float* logits,
                 float* scratch) {
  const Draw draw(top.sampling, r);
  float* perturbed = scratch;
  scratch += even(choice.count);  // keys of 8 bytes follow
  perturb(draw, logits, choice.count, choice.ids, perturbed, scratch);
  take_best(row, least(draw.count, top.k), perturbed, choice.count, 0, scratch);
  // scalar: a few
  while (*row.count > 1 && rank_of(row.keys[*row.count - 1]) <= rank(-__builtin_inff())) --*row.count;
  // scalar: a few
  for (std::int64_t i = 0; i < *row.count; ++i) {
    const std::int32_t number = number_of(row.keys[i]);
    row.keys[i] = key_of(rank(logits[number]), number);
  }
  write(top, r, row, choice);
}

/// Returns the scratch memory for choosing from `columns` logits, in floats: two lists of keys, or random
/// words; and the perturbed logits.
std::int64_t selection_scratch(const TopK& top, std::int64_t columns) {
  const std::int64_t lists = 4 * (columns + top.k);
  return top.sampling ? even(columns) + most(lists, perturbing_scratch(columns)) : lists;
}

bool draws(const Sampling& sampling, std::int64_t r) {
  return sampling && sampling.filters.row<double>(r)[0] > 0;
}

}  // namespace

std::int64_t VectorKernels::top_k_words(const TopK& top) const {
  return Row::words(top);
}

std::int64_t VectorKernels::top_k_scratch(const TopK& top, std::int64_t columns) const {
  // Sums, and the logits of a list.
  const std::int64_t gathered = top.candidates ? std::ssize(top.outputs) : 0;
  return selection_scratch(top, columns) + (1 + gathered) * columns;
}

void VectorKernels::top_k(const TopK& top, const Tensor& logits, Range columns, Range rows,
                          std::uint64_t* states, float* scratch) const {
  const std::int64_t width = logits.columns();
  float* sums = scratch + selection_scratch(top, width);
  for (std::int64_t r = rows.begin; r < rows.end; ++r) {
    const Row row(top, states, r);
    const Choice choice = choice_of(top, logits, r, sums + width);
    if (columns.begin == 0) row.begin(choice.models);
    // scalar: a few
    for (std::int64_t m = 0; m < choice.models; ++m) {
      float* own = choice.logits + m * choice.stride;
      penalize(top.penalty, r, choice, own);
      mask(top.removed, r, choice, columns.begin, own);
      row.normalizers[m].add(own, choice.count);
    }
    float* sum = sum_logits(top, choice, sums);  // no others are needed any more
    mask(top.masks, r, choice, columns.begin, sum);
    if (draws(top.sampling, r)) {
      write_draws(top, r, row, choice, sum, scratch);
      continue;
    }
    take_best(row, top.k, sum, choice.count, columns.begin, scratch);
    if (columns.end == top.workspace.columns()) write(top, r, row, choice);
  }
}

}  // namespace nmt::cpu::NMT_ISA
