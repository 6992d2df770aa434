// Recurrent networks: independent rows or sequences. Gradients of vectors are summed in parts, whose sums are
// added in order, whichever thread computed them.
#include "backend/cpu/cpu_backend.h"
#include "backend/cpu/parallel.h"

namespace nmt {
namespace {

using cpu::blocks;
using cpu::grain_of;
using cpu::items_of;
using cpu::parallel;
using cpu::Range;

constexpr std::int64_t kStepRows = 16;           // rows whose gradients of a bias form a part
constexpr std::int64_t kAttendingSequences = 8;  // sequences whose gradients of the energy weight form a part

}  // namespace

template <class Body>
void CpuBackend::for_parts_of_sum(std::int64_t parts, const Tensor& sum, const Body& body) {
  const std::int64_t n = sum.columns();
  float* sums = partial_sums_.reserve(n * parts);
  std::fill_n(sums, n * parts, 0.0F);
  parallel(pool_, parts, 1, [&](Range range, int thread) {
    for (std::int64_t part = range.begin; part < range.end; ++part) body(part, sums + n * part, thread);
  });
  for (std::int64_t part = 0; sum && part < parts; ++part)
    kernels_.add_sums(sum.row<float>(0), sums + n * part, n);
}

void CpuBackend::run(const RecurrentStep& step) {
  const std::int64_t n = step.u.columns();
  parallel(pool_, step.state.rows(), grain_of(n), [&](Range rows, int thread) {
    kernels_.recurrent_step(step, rows, scratch_[static_cast<std::size_t>(thread)].reserve(n));
  });
}

void CpuBackend::run(const RecurrentStepBackward& step) {
  const std::int64_t rows = step.d_previous.rows(), n = step.d_u.columns();
  for_parts_of_sum(blocks(rows, kStepRows), step.d_bias, [&](std::int64_t part, float* d_bias, int thread) {
    kernels_.recurrent_step_backward(step, items_of(part, kStepRows, rows), step.d_bias ? d_bias : nullptr,
                                     scratch_[static_cast<std::size_t>(thread)].reserve(n));
  });
}

void CpuBackend::run(const RecurrentAttention& attention) {
  const std::int64_t scratch = kernels_.recurrent_attention_scratch(attention);
  parallel(pool_, attention.queries.count, 2, [&](Range sequences, int thread) {
    float* memory = scratch_[static_cast<std::size_t>(thread)].reserve(scratch);
    for (std::int64_t s = sequences.begin; s < sequences.end; ++s)
      kernels_.recurrent_attention(attention, s, memory);
  });
}

void CpuBackend::run(const RecurrentAttentionBackward& attention) {
  const std::int64_t sequences = attention.forward.queries.count;
  const std::int64_t scratch = kernels_.recurrent_attention_scratch(attention.forward);
  for_parts_of_sum(blocks(sequences, kAttendingSequences), attention.d_energy_weight,
                   [&](std::int64_t part, float* d_energy_weight, int thread) {
                     float* memory = scratch_[static_cast<std::size_t>(thread)].reserve(scratch);
                     const Range own = items_of(part, kAttendingSequences, sequences);
                     for (std::int64_t s = own.begin; s < own.end; ++s)
                       kernels_.recurrent_attention_backward(attention, s, d_energy_weight, memory);
                   });
}

void CpuBackend::run(const SequenceMean& mean) {
  const std::int64_t d = mean.y.columns();
  parallel(pool_, mean.sequences.count, grain_of(mean.sequences.longest * d), [&](Range part, int thread) {
    float* memory = scratch_[static_cast<std::size_t>(thread)].reserve(d);
    for (std::int64_t s = part.begin; s < part.end; ++s) kernels_.sequence_mean(mean, s, memory);
  });
}

void CpuBackend::run(const SequenceMeanBackward& mean) {
  parallel(pool_, mean.sequences.count, grain_of(mean.sequences.longest * mean.dy.columns()),
           [&](Range part, int) {
             for (std::int64_t s = part.begin; s < part.end; ++s) kernels_.sequence_mean_backward(mean, s);
           });
}

void CpuBackend::run(const TanhOfSum& tanh) {
  const std::int64_t d = tanh.y.columns();
  parallel(pool_, tanh.y.rows(), grain_of(d), [&](Range rows, int thread) {
    kernels_.tanh_of_sum(tanh, rows, scratch_[static_cast<std::size_t>(thread)].reserve(d));
  });
}

void CpuBackend::run(const TanhOfSumBackward& tanh) {
  parallel(pool_, tanh.y.rows(), grain_of(tanh.y.columns()),
           [&](Range rows, int) { kernels_.tanh_of_sum_backward(tanh, rows); });
}

}  // namespace nmt
