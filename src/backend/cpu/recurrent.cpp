#include <cstring>

#include "backend/cpu/cpu_backend.h"
#include "backend/cpu/thread_pool.h"

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

namespace {

using cpu::grain_of;
using cpu::parallel;
using cpu::Range;

}  // namespace

template <class Body>
void CpuBackend::for_sequences(const SequenceOffsets& sequences, std::int64_t columns, const Body& body) {
  parallel(pool_, sequences.count, grain_of(sequences.longest * columns), [&](Range part, int thread) {
    float* memory = scratch_[static_cast<std::size_t>(thread)].reserve(columns);
    for (std::int64_t sequence = part.begin; sequence < part.end; ++sequence) body(sequence, memory);
  });
}

void CpuBackend::run(const CumulativeAverage& average) {
  for_sequences(average.sequences, average.x.columns(), [&](std::int64_t sequence, float* memory) {
    kernels_.cumulative_average(average, sequence, memory);
  });
}

void CpuBackend::run(const CumulativeAverageBackward& average) {
  for_sequences(average.sequences, average.dy.columns(), [&](std::int64_t sequence, float* memory) {
    kernels_.cumulative_average_backward(average, sequence, memory);
  });
}

void CpuBackend::run(const CachedAverage& average) {
  parallel(pool_, average.x.rows(), grain_of(average.x.columns()),
           [&](Range rows, int) { kernels_.cached_average(average, rows); });
}

void CpuBackend::run(const GatedRecurrence& recurrence) {
  for_sequences(recurrence.sequences, recurrence.x.columns(), [&](std::int64_t sequence, float* memory) {
    kernels_.gated_recurrence(recurrence, sequence, memory);
  });
}

void CpuBackend::run(const GatedRecurrenceBackward& recurrence) {
  for_sequences(recurrence.forward.sequences, recurrence.dy.columns(),
                [&](std::int64_t sequence, float* memory) {
                  kernels_.gated_recurrence_backward(recurrence, sequence, memory);
                });
}

void CpuBackend::run(const CachedGatedRecurrence& recurrence) {
  parallel(pool_, recurrence.x.rows(), grain_of(recurrence.x.columns()),
           [&](Range rows, int) { kernels_.cached_gated_recurrence(recurrence, rows); });
}

void CpuBackend::run(const GatedSum& sum) {
  parallel(pool_, sum.y.rows(), grain_of(sum.y.columns()),
           [&](Range rows, int) { kernels_.gated_sum(sum, rows); });
}

void CpuBackend::run(const GatedSumBackward& sum) {
  parallel(pool_, sum.dy.rows(), grain_of(sum.dy.columns()),
           [&](Range rows, int) { kernels_.gated_sum_backward(sum, rows); });
}

namespace {

using cpu::grain_of;
using cpu::parallel;
using cpu::Range;

void read_sentence(const ReadStates& read, std::int64_t sentence) {
  const std::int64_t begin = read.sentences.begin.data<std::int32_t>()[sentence];
  const std::int64_t end = begin + read.sentences.length.data<std::int32_t>()[sentence];
  for (std::int64_t r = begin; r < end; ++r) {
    const std::int32_t position = read.position.data<std::int32_t>()[r];
    const char* from = position == 0 ? read.start.raw_row(read.begin.data<std::int32_t>()[sentence])
                                     : read.cache.raw_row(read.index.row<std::int32_t>(r)[position - 1]);
    std::memcpy(read.states.raw_row(r), from, read.states.row_bytes());
  }
}

}  // namespace

void CpuBackend::run(const ReadStates& read) {
  parallel(pool_, read.sentences.count, grain_of(read.states.columns()), [&](Range sentences, int) {
    for (std::int64_t s = sentences.begin; s < sentences.end; ++s) read_sentence(read, s);
  });
}

void CpuBackend::run(const WriteStates& write) {
  parallel(pool_, write.states.rows(), grain_of(write.states.columns()), [&](Range rows, int) {
    for (std::int64_t r = rows.begin; r < rows.end; ++r) {
      const std::int32_t position = write.position.data<std::int32_t>()[r];
      const std::int32_t place = write.index.row<std::int32_t>(r)[position];
      if (place < 0) continue;
      char* to = write.cache.raw_row(place);
      std::memcpy(to, write.states.raw_row(r), write.states.row_bytes());
    }
  });
}

}  // namespace nmt
