#include "backend/cpu/kernels/softmax.h"
#include "backend/cpu/kernels/vector_kernels.h"

namespace nmt::cpu::NMT_ISA {
namespace {

constexpr std::int64_t kTopKBlock = 32;  // logits that are passed over at once when none is among the best

/// log sum_i e^x[i], where `top` is the largest x[i].
double log_sum_exp(const float* __restrict x, std::int64_t n, float top) {
  return top + __builtin_log(sum_in_parts(n, [=](std::int64_t i) { return exponential(x[i] - top); }));
}

/// What may follow on a row.
struct Choice {
  std::int64_t models, count;
  const float* logits;  // `count` of each model, those of one `stride` after those of another
  std::int64_t stride;
  const std::int32_t* ids;  // none: they are their numbers

  std::int32_t id(std::int32_t number) const { return ids == nullptr ? number : ids[number]; }
};

/// That of row r; the logits of a list are gathered in `memory`.
Choice choice_of(const TopK& top, std::int64_t r, float* memory) {
  const auto models = static_cast<std::int64_t>(top.outputs.size());
  const float* logits = top.room.row<float>(r);
  const std::int64_t stride = top.values.rows() * top.room.row_stride();
  const Candidates& candidates = top.candidates;
  if (!candidates) return {models, top.room.columns(), logits, stride, nullptr};
  const std::int32_t list = candidates.list.data<std::int32_t>()[r];
  const std::int32_t begin = candidates.lists.begin.data<std::int32_t>()[list];
  const std::int64_t count = candidates.lists.length.data<std::int32_t>()[list];
  const std::int32_t* columns = candidates.columns.data<std::int32_t>() + begin;
  for (std::int64_t m = 0; m < models; ++m) {
    // scalar: they lie anywhere
    for (std::int64_t i = 0; i < count; ++i) memory[m * count + i] = logits[m * stride + columns[i]];
  }
  return {models, count, memory, count, candidates.ids.data<std::int32_t>() + begin};
}

/// The mean over models of their logits, in `memory` unless it is one model.
const float* mean_logits(const Choice& choice, float* memory) {
  if (choice.models == 1) return choice.logits;
  const float share = 1.0F / static_cast<float>(choice.models);
  for (std::int64_t i = 0; i < choice.count; ++i) memory[i] = choice.logits[i] * share;
  for (std::int64_t m = 1; m < choice.models; ++m) {
    const float* __restrict next = choice.logits + m * choice.stride;
    for (std::int64_t i = 0; i < choice.count; ++i) memory[i] += next[i] * share;
  }
  return memory;
}

/// An integer for each float, in the same order; both zeros have the same. NaN has one, too, so that whatever
/// a model computes, k logits are found.
std::int32_t rank(float x) {
  const auto bits = __builtin_bit_cast(std::int32_t, x);
  if (bits < 0) return static_cast<std::int32_t>(0x80000000U - static_cast<std::uint32_t>(bits));
  return bits;
}

std::int32_t largest_rank(const float* __restrict x, std::int64_t n) {
  std::int32_t top = INT32_MIN;
  for (std::int64_t i = 0; i < n; ++i) top = rank(x[i]) > top ? rank(x[i]) : top;
  return top;
}

/// The k-th largest of n ranks, by bisection.
std::int32_t kth_largest(const std::int32_t* ranks, std::int64_t n, std::int64_t k) {
  std::int64_t reached = INT32_MIN, missed = std::int64_t{INT32_MAX} + 1;  // by k of them
  while (missed - reached > 1) {
    const std::int64_t middle = (reached + missed) >> 1;
    const auto bound = static_cast<std::int32_t>(middle);
    std::int32_t count = 0;
    for (std::int64_t i = 0; i < n; ++i) count += ranks[i] >= bound ? 1 : 0;
    (count >= k ? reached : missed) = middle;
  }
  return static_cast<std::int32_t>(reached);
}

/// Logits as keys: the larger one first, of equal ones the lower number.
std::uint64_t key_of(std::int32_t rank, std::int64_t number) {
  const std::uint32_t upper = static_cast<std::uint32_t>(rank) ^ 0x80000000U;
  return std::uint64_t{upper} << 32 | ~static_cast<std::uint32_t>(number);
}

std::int32_t number_of(std::uint64_t key) {
  return static_cast<std::int32_t>(~static_cast<std::uint32_t>(key));
}

/// Sorts keys into falling order by merging ever longer runs; they end up where the result points to.
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

/// The numbers of the k largest logits in falling order, and maybe some more, as keys. At least k blocks of
/// logits have one that reaches the k-th largest of the blocks' maxima: what does not is out, and a few more
/// than k are left to sort. So the work hardly grows faster than k.
const std::uint64_t* best_of(const float* x, std::int64_t n, std::int64_t k, float* scratch) {
  const std::int64_t block = most(1, least(kTopKBlock, n / (2 * k)));
  auto* keys = reinterpret_cast<std::uint64_t*>(scratch);
  auto* maxima = reinterpret_cast<std::int32_t*>(keys + n);  // no longer needed when keys are sorted
  for (std::int64_t begin = 0; begin < n; begin += block)
    maxima[begin / block] = largest_rank(x + begin, least(block, n - begin));
  const std::int32_t reached = kth_largest(maxima, (n + block - 1) / block, k);
  std::int64_t count = 0;
  for (std::int64_t begin = 0; begin < n; begin += block) {
    if (maxima[begin / block] < reached) continue;
    // scalar: each goes where the last one that counts ended
    for (std::int64_t i = begin; i < least(begin + block, n); ++i) {
      const std::int32_t value = rank(x[i]);
      keys[count] = key_of(value, i);
      count += value >= reached ? 1 : 0;
    }
  }
  return sort(keys, keys + n, count);
}

}  // namespace

void VectorKernels::cross_entropy(const CrossEntropy& entropy, Range rows) const {
  const std::int64_t vocabulary = entropy.room.columns();
  const double smoothing = entropy.label_smoothing;
  const double uniform = smoothing / static_cast<double>(vocabulary);
  for (std::int64_t r = rows.begin; r < rows.end; ++r) {
    float* __restrict x = entropy.room.row<float>(r);
    const std::int32_t gold = entropy.gold.data<std::int32_t>()[r];
    const double gold_logit = x[gold];
    const float top = largest(x, vocabulary);
    // Sums are of logits below the largest: small numbers, little rounding.
    const double sum =
        smoothing == 0 ? 0 : sum_in_parts(vocabulary, [=](std::int64_t i) { return x[i] - top; });
    const double total =
        entropy.dx ? exponentiate(x, vocabulary, top)
                   : sum_in_parts(vocabulary, [=](std::int64_t i) { return exponential(x[i] - top); });
    const double log_total = __builtin_log(total);
    const double nll = log_total + top - gold_logit;
    entropy.nll.data<float>()[r] = static_cast<float>(nll);
    entropy.loss.data<float>()[r] =
        static_cast<float>((1 - smoothing) * nll + smoothing * log_total - uniform * sum);
    if (!entropy.dx) continue;
    const float scale = entropy.scale.data<float>()[0];
    const auto factor = static_cast<float>(scale / total);
    const auto shift = static_cast<float>(scale * uniform);
    for (std::int64_t i = 0; i < vocabulary; ++i) x[i] = x[i] * factor - shift;
    x[gold] -= scale * static_cast<float>(1 - smoothing);
  }
}

std::int64_t VectorKernels::top_k_scratch(const TopK& top) const {
  // Two lists of keys, means, and the logits of a list.
  const std::int64_t gathered = top.candidates ? static_cast<std::int64_t>(top.outputs.size()) : 0;
  return (5 + gathered) * top.room.columns();
}

void VectorKernels::top_k(const TopK& top, Range rows, float* scratch) const {
  const std::int64_t vocabulary = top.room.columns();
  for (std::int64_t r = rows.begin; r < rows.end; ++r) {
    const Choice choice = choice_of(top, r, scratch + 5 * vocabulary);
    const float* x = mean_logits(choice, scratch + 4 * vocabulary);
    const std::uint64_t* best = best_of(x, choice.count, top.k, scratch);
    double normalizer = 0;
    for (std::int64_t m = 0; m < choice.models; ++m) {
      const float* logits = choice.logits + m * choice.stride;
      const float first = choice.models == 1 ? x[number_of(best[0])] : largest(logits, choice.count);
      normalizer += log_sum_exp(logits, choice.count, first);
    }
    normalizer /= static_cast<double>(choice.models);
    // scalar: a few
    for (std::int64_t i = 0; i < top.k; ++i) {
      const std::int32_t number = number_of(best[i]);
      top.ids.row<std::int32_t>(r)[i] = choice.id(number);
      top.values.row<float>(r)[i] = static_cast<float>(x[number] - normalizer);
    }
  }
}

}  // namespace nmt::cpu::NMT_ISA
