#include "backend/cpu/cpu_backend.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>

#include "backend/cpu/thread_pool.h"
#include "common/error.h"

namespace nmt {
namespace {

using cpu::blocks;
using cpu::grain_of;
using cpu::items_of;
using cpu::kThreadElements;
using cpu::parallel;
using cpu::Range;

// Columns that one thread sums over all rows: whole cache lines and whole bytes of masks.
constexpr std::int64_t kColumnBlock = 64;
// Rows and elements whose partial sums are combined in order, whichever thread computed them.
constexpr std::int64_t kGradientRows = 64;
constexpr std::int64_t kSquareElements = 65536;

/// Returns the number of column blocks in a thread's share of a matrix.
std::int64_t column_grain(std::int64_t rows) {
  return blocks(kThreadElements, std::max<std::int64_t>(rows, 1) * kColumnBlock);
}

}  // namespace

CpuBackend::CpuBackend(int threads, const std::string& isa, const Precision& precision)
    : CpuBackend(threads, cpu::instruction_set(isa, precision), precision,
                 std::make_shared<cpu::PrepackedWeights>()) {
  for (int i = 0; threads > 1 && i < threads; ++i)
    workers_.emplace_back(new CpuBackend(1, instructions_, precision, weights_));
}

CpuBackend::CpuBackend(int threads, const cpu::InstructionSet& instructions, const Precision& precision,
                       std::shared_ptr<cpu::PrepackedWeights> weights)
    : pool_(threads),
      precision_(precision),
      instructions_(instructions),
      kernels_(instructions.kernels),
      matrix_products_(instructions.products),
      integer_products_(instructions.integer_products),
      scratch_(static_cast<std::size_t>(threads)),
      weights_(std::move(weights)) {}

std::vector<Backend*> CpuBackend::workers() {
  std::vector<Backend*> workers;
  workers.reserve(workers_.size());
  for (const auto& worker : workers_) workers.push_back(worker.get());
  return workers;
}

std::string CpuBackend::description() const {
  return fmt::format("{}, {} thread{}", arithmetic(), pool_.size(), pool_.size() == 1 ? "" : "s");
}

std::string CpuBackend::arithmetic() const {
  const char* type = precision_.weights == DType::i8    ? ", int8"
                     : precision_.weights == DType::f32 ? ""
                     : precision_.compute == DType::f32 ? ", bf16 weights"
                     : instructions_.emulated           ? ", bf16 emulated"
                                                        : ", bf16";
  return fmt::format("cpu, {}{}", instructions_.name, type);
}

template <class Body>
void CpuBackend::for_rows(const Tensor& x, const Body& body) {
  parallel(pool_, x.rows(), grain_of(x.columns()), body);
}

template <class Body>
void CpuBackend::for_elements(const Tensor& to, const Tensor& from, const Body& body) {
  if (to.rows() != 1) {
    for_rows(to, [&](Range rows, int) { body(to, from, rows); });
    return;
  }
  parallel(pool_, to.columns(), kThreadElements, [&](Range columns, int) {
    const std::int64_t count = columns.end - columns.begin;
    body(to.slice_columns(columns.begin, count), from.slice_columns(columns.begin, count), {0, 1});
  });
}

void CpuBackend::release(void* data) {
  // Memory at the same address may be reused for another weight.
  weights_->forget(data, cpu::size_of_block(data));
  cpu::release(data);
}

void CpuBackend::upload(const Tensor& to, const void* from) {
  std::copy_n(static_cast<const char*>(from), to.bytes(), static_cast<char*>(to.raw()));
}

void CpuBackend::download(void* to, const Tensor& from) {
  std::copy_n(static_cast<const char*>(from.raw()), from.bytes(), static_cast<char*>(to));
}

void CpuBackend::copy(const Tensor& to, const Tensor& from) {
  for_rows(to, [&](Range rows, int) {
    for (std::int64_t r = rows.begin; r < rows.end; ++r)
      std::memcpy(to.raw_row(r), from.raw_row(r), to.row_bytes());
  });
}

void CpuBackend::zero(const Tensor& x) {
  if (x.contiguous()) {
    parallel(pool_, static_cast<std::int64_t>(x.bytes()), kThreadElements * 16, [&](Range bytes, int) {
      std::memset(x.raw_row(0) + bytes.begin, 0, static_cast<std::size_t>(bytes.end - bytes.begin));
    });
    return;
  }
  for_rows(x, [&](Range rows, int) {
    for (std::int64_t r = rows.begin; r < rows.end; ++r) std::memset(x.raw_row(r), 0, x.row_bytes());
  });
}

void CpuBackend::add(const Tensor& to, const Tensor& from) {
  for_elements(to, from, [&](const Tensor& sum, const Tensor& x, Range rows) { kernels_.add(sum, x, rows); });
}

void CpuBackend::run(const EmbeddingBackward& embedding) {
  const std::int64_t d = embedding.dy.columns();
  parallel(pool_, blocks(d, kColumnBlock), column_grain(embedding.dy.rows()), [&](Range range, int) {
    kernels_.embedding_backward(embedding, items_of(range, kColumnBlock, d));
  });
}

void CpuBackend::run(const AddNorm& norm) {
  for_rows(norm.x, [&](Range rows, int) { kernels_.add_norm(norm, rows); });
}

void CpuBackend::run(const AddNormBackward& norm) {
  const std::int64_t rows = norm.sum.rows();
  const std::int64_t d = norm.sum.columns();
  const std::int64_t parts = blocks(rows, kGradientRows);
  float* sums = partial_sums_.reserve(2 * d * parts);
  std::fill_n(sums, 2 * d * parts, 0.0F);
  parallel(pool_, parts, 1, [&](Range range, int) {
    for (std::int64_t part = range.begin; part < range.end; ++part) {
      float* d_gain = sums + 2 * d * part;
      kernels_.add_norm_backward(norm, items_of(part, kGradientRows, rows), d_gain, d_gain + d);
    }
  });
  for (std::int64_t part = 0; part < parts; ++part) {
    kernels_.add_sums(norm.d_gain.row<float>(0), sums + 2 * d * part, d);
    if (norm.d_bias) kernels_.add_sums(norm.d_bias.row<float>(0), sums + 2 * d * part + d, d);
  }
}

void CpuBackend::run(const DropoutBackward& dropout) {
  if (dropout.dropout.active()) {
    for_rows(dropout.dy, [&](Range rows, int) { kernels_.dropout_backward(dropout, rows); });
  } else if (dropout.dx.raw() != dropout.dy.raw()) {
    copy(dropout.dx, dropout.dy);
  }
}

void CpuBackend::run(const Rotate& rotation) {
  for_rows(rotation.x, [&](Range rows, int) { kernels_.rotate(rotation, rows); });
}

void CpuBackend::run(const Attention& attention) {
  const std::int64_t scratch = kernels_.attention_scratch(attention);
  parallel(pool_, attention.queries.count * attention.heads, 2, [&](Range parts, int thread) {
    float* memory = scratch_[static_cast<std::size_t>(thread)].reserve(scratch);
    for (std::int64_t part = parts.begin; part < parts.end; ++part)
      kernels_.attention(attention, part / attention.heads, part % attention.heads, memory);
  });
}

void CpuBackend::run(const AttentionBackward& attention) {
  const Attention& forward = attention.forward;
  const std::int64_t scratch = kernels_.attention_backward_scratch(forward);
  parallel(pool_, forward.queries.count * forward.heads, 2, [&](Range parts, int thread) {
    float* memory = scratch_[static_cast<std::size_t>(thread)].reserve(scratch);
    for (std::int64_t part = parts.begin; part < parts.end; ++part)
      kernels_.attention_backward(attention, part / forward.heads, part % forward.heads, memory);
  });
  if (!attention.d_bias) return;
  for (std::int64_t s = 0; s < forward.queries.count; ++s)
    kernels_.add_sums(attention.d_bias.data<float>(), attention.bias_sums.row<float>(s),
                      attention.d_bias.size());
}

void CpuBackend::run(const SumSharedHeads& sum) {
  for_rows(sum.from, [&](Range rows, int) { kernels_.sum_shared_heads(sum, rows); });
}

void CpuBackend::run(const GuidedAlignment& guided) {
  for_rows(guided.weights, [&](Range rows, int) { kernels_.guided_alignment(guided, rows); });
}

void CpuBackend::run(const CachedAttention& attention) {
  const std::int64_t scratch = kernels_.cached_attention_scratch(attention);
  parallel(pool_, attention.query.rows(), 2, [&](Range rows, int thread) {
    kernels_.cached_attention(attention, rows, scratch_[static_cast<std::size_t>(thread)].reserve(scratch));
  });
}

void CpuBackend::run(const SelectRows& select) {
  weights_->forget(select.to.raw(), select.to.bytes());
  for_rows(select.to, [&](Range rows, int) {
    for (std::int64_t r = rows.begin; r < rows.end; ++r)
      std::memcpy(select.to.raw_row(r), select.from.raw_row(select.ids.data<std::int32_t>()[r]),
                  select.to.row_bytes());
  });
}

void CpuBackend::run(const SquaredNorm& norm) {
  const std::int64_t count = norm.x.size();
  const std::int64_t parts = blocks(count, kSquareElements);
  const float* x = norm.x.data<float>();
  double* sums = partial_squares_.reserve(parts);
  parallel(pool_, parts, 1, [&](Range range, int) {
    for (std::int64_t part = range.begin; part < range.end; ++part) {
      const Range elements = items_of(part, kSquareElements, count);
      sums[part] = kernels_.sum_of_squares(x + elements.begin, elements.end - elements.begin);
    }
  });
  double total = 0;
  for (std::int64_t part = 0; part < parts; ++part) total += sums[part];
  norm.out.data<double>()[0] += total;
}

void CpuBackend::run(const Adam& adam) {
  const StepStatistics& statistics = statistics_in(adam.statistics);
  if (statistics.finite == 0) return;
  const double correction1 = 1 - std::pow(adam.beta1, statistics.updates);
  const double correction2 = 1 - std::pow(adam.beta2, statistics.updates);
  const double norm = std::sqrt(statistics.squared_norm) / statistics.gradient_scale;
  const double clip = adam.clip_norm > 0 ? std::min(1.0, adam.clip_norm / (norm + 1e-6)) : 1;
  const cpu::AdamFactors factors{.gradient_scale = static_cast<float>(clip / statistics.gradient_scale),
                                 .rate = static_cast<float>(statistics.rate / correction1),
                                 .decay = static_cast<float>(statistics.rate * adam.weight_decay),
                                 .inverse_sqrt_correction = static_cast<float>(1 / std::sqrt(correction2))};
  parallel(pool_, adam.parameter.size(), kThreadElements,
           [&](Range elements, int) { kernels_.adam(adam, factors, elements); });
  weights_->renew([&](const cpu::Matrix& b, std::byte* form) { pack(matrix_products_, b, form); });
}

void CpuBackend::run(const MovingAverage& moving) {
  const StepStatistics& statistics = statistics_in(moving.statistics);
  if (statistics.finite == 0) return;
  const double weight = std::min(moving.decay, (1 + statistics.updates) / (10 + statistics.updates));
  parallel(pool_, moving.x.size(), kThreadElements,
           [&](Range elements, int) { kernels_.moving_average(moving, weight, elements); });
}

void CpuBackend::run(const Convert& convert) {
  for_elements(convert.to, convert.from, [&](const Tensor& to, const Tensor& from, Range rows) {
    kernels_.convert({from, to}, rows);
  });
}

}  // namespace nmt
