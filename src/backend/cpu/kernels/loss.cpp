#include "backend/cpu/kernels/operations.h"
#include "backend/cpu/kernels/softmax.h"

namespace nmt::cpu::NMT_ISA {
namespace {

constexpr std::int64_t top_k_block = 128;  // logits that are passed over at once when none of them can enter

// log sum_i e^x[i], where `top` is the largest x[i].
double log_sum_exp(const float* __restrict x, std::int64_t n, float top) {
  return top + __builtin_log(sum_in_parts(n, [=](std::int64_t i) { return exponential(x[i] - top); }));
}

// The mean over models of their logits [begin, begin + count) in row r, in `memory` unless it is one model.
const float* mean_logits(const Tensor* models, std::size_t number, std::int64_t r, std::int64_t begin,
                         std::int64_t count, float* memory) {
  const float* first = models[0].row<float>(r) + begin;
  if (number == 1) return first;
  const float share = 1.0F / static_cast<float>(number);
  for (std::int64_t i = 0; i < count; ++i) memory[i] = first[i] * share;
  for (std::size_t m = 1; m < number; ++m) {
    const float* __restrict next = models[m].row<float>(r) + begin;
    for (std::int64_t i = 0; i < count; ++i) memory[i] += next[i] * share;
  }
  return memory;
}

// The k largest of the logits seen so far, in falling order; equal ones in the order of their ids.
class Best {
 public:
  Best(std::int64_t k, float* values, std::int32_t* ids) : k_(k), values_(values), ids_(ids) {}

  bool admits(float value) const { return count_ < k_ || value > values_[k_ - 1]; }
  void insert(float value, std::int32_t id) {
    if (!admits(value)) return;
    if (count_ < k_) ++count_;
    std::int64_t place = count_ - 1;
    for (; place > 0 && value > values_[place - 1]; --place) {
      values_[place] = values_[place - 1];
      ids_[place] = ids_[place - 1];
    }
    values_[place] = value;
    ids_[place] = id;
  }

 private:
  std::int64_t k_, count_ = 0;
  float* values_;
  std::int32_t* ids_;
};

}  // namespace

void cross_entropy(const CrossEntropy& entropy, Range rows) {
  const std::int64_t vocabulary = entropy.logits.columns();
  const double smoothing = entropy.label_smoothing;
  const double uniform = smoothing / static_cast<double>(vocabulary);
  for (std::int64_t r = rows.begin; r < rows.end; ++r) {
    float* __restrict x = entropy.logits.row<float>(r);
    const std::int32_t gold = entropy.gold.data<std::int32_t>()[r];
    const double gold_logit = x[gold];
    const float top = largest(x, vocabulary);
    // Sums are of logits below the largest: small numbers, little rounding.
    const double sum =
        smoothing == 0 ? 0 : sum_in_parts(vocabulary, [=](std::int64_t i) { return x[i] - top; });
    const double total =
        entropy.gradient ? exponentiate(x, vocabulary, top)
                         : sum_in_parts(vocabulary, [=](std::int64_t i) { return exponential(x[i] - top); });
    const double log_total = __builtin_log(total);
    const double nll = log_total + top - gold_logit;
    entropy.nll.data<float>()[r] = static_cast<float>(nll);
    entropy.loss.data<float>()[r] =
        static_cast<float>((1 - smoothing) * nll + smoothing * log_total - uniform * sum);
    if (!entropy.gradient) continue;
    const float scale = entropy.scale.data<float>()[0];
    const auto factor = static_cast<float>(scale / total);
    const auto shift = static_cast<float>(scale * uniform);
    for (std::int64_t i = 0; i < vocabulary; ++i) x[i] = x[i] * factor - shift;
    x[gold] -= scale * static_cast<float>(1 - smoothing);
  }
}

void top_k(const TopK& top, Range rows) {
  const Tensor* models = top.logits.data();
  const std::size_t number = top.logits.size();
  const std::int64_t vocabulary = models[0].columns();
  for (std::int64_t r = rows.begin; r < rows.end; ++r) {
    float memory[top_k_block];
    float* values = top.values.row<float>(r);
    Best best(top.k, values, top.ids.row<std::int32_t>(r));
    for (std::int64_t begin = 0; begin < vocabulary; begin += top_k_block) {
      const std::int64_t count = vocabulary - begin < top_k_block ? vocabulary - begin : top_k_block;
      const float* x = mean_logits(models, number, r, begin, count, memory);
      if (!best.admits(largest(x, count))) continue;
      for (std::int64_t i = 0; i < count; ++i) best.insert(x[i], static_cast<std::int32_t>(begin + i));
    }
    double normalizer = 0;
    for (std::size_t m = 0; m < number; ++m) {
      const float* x = models[m].row<float>(r);
      normalizer += log_sum_exp(x, vocabulary, number == 1 ? values[0] : largest(x, vocabulary));
    }
    normalizer /= static_cast<double>(number);
    for (std::int64_t i = 0; i < top.k; ++i) values[i] = static_cast<float>(values[i] - normalizer);
  }
}

}  // namespace nmt::cpu::NMT_ISA
