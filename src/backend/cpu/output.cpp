// Operations on logits, which are computed some at a time.
#include <algorithm>

#include "backend/cpu/cpu_backend.h"
#include "backend/cpu/thread_pool.h"
#include "common/job_context.h"

namespace nmt {
namespace {

using cpu::blocks;
using cpu::Kernels;
using cpu::kThreadElements;
using cpu::parallel;
using cpu::Range;

// Logits of a search that are computed at a time: they stay in the cache until the best of them are found.
constexpr std::int64_t kSearchedLogits = 1 << 18;

OutputLayer rows_of(const OutputLayer& output, std::int64_t first, std::int64_t count) {
  OutputLayer part = output;
  part.x = output.x.slice_rows(first, count);
  return part;
}

/// Returns the part of a loss for some rows, whose logits fit into the workspace.
CrossEntropy rows_of(const CrossEntropy& entropy, std::int64_t first, std::int64_t count) {
  CrossEntropy part = entropy;
  part.output = rows_of(entropy.output, first, count);
  part.labels = entropy.labels.slice_columns(first, count);
  if (entropy.weights) part.weights = entropy.weights.slice_columns(first, count);
  part.workspace = entropy.workspace.slice_rows(0, count);
  part.loss = entropy.loss.slice_columns(first, count);
  part.nll = entropy.nll.slice_columns(first, count);
  if (entropy.dx) part.dx = entropy.dx.slice_rows(first, count);
  return part;
}

/// Returns the part of a paired loss for some rows, whose logits fit into the workspace.
PairedCrossEntropy rows_of(const PairedCrossEntropy& paired, std::int64_t first, std::int64_t count) {
  PairedCrossEntropy part = paired;
  for (OutputLayer& output : part.outputs) output = rows_of(output, first, count);
  part.labels = paired.labels.slice_columns(first, count);
  if (paired.weights) part.weights = paired.weights.slice_columns(first, count);
  part.workspace = paired.workspace.slice_rows(0, 2 * count);
  part.loss = paired.loss.slice_columns(first, count);
  part.nll = paired.nll.slice_columns(first, count);
  for (Tensor& dx : part.dx)
    if (dx) dx = dx.slice_rows(first, count);
  return part;
}

TopK rows_of(const TopK& top, std::int64_t first, std::int64_t count) {
  TopK part = top;
  for (OutputLayer& output : part.outputs) output = rows_of(output, first, count);
  if (top.candidates) part.candidates.list = top.candidates.list.slice_columns(first, count);
  if (top.masks) part.masks.mask = top.masks.mask.slice_columns(first, count);
  if (top.removed) part.removed.mask = top.removed.mask.slice_columns(first, count);
  if (top.penalty) {
    part.penalty = {top.penalty.ids.slice_rows(first, count), top.penalty.factor.slice_columns(first, count)};
  }
  if (top.sampling) {
    part.sampling = {top.sampling.filters.slice_rows(first, count), top.sampling.key.slice_rows(first, count),
                     top.sampling.position.slice_columns(first, count)};
  }
  part.values = top.values.slice_rows(first, count);
  part.ids = top.ids.slice_rows(first, count);
  return part;
}

/// Returns how many columns of logits are computed at a time for this number of rows.
std::int64_t columns_at_a_time(const TopK& top, std::int64_t rows) {
  constexpr std::int64_t kStep = Kernels::kColumnsOfTopK;
  const std::int64_t elements = std::min(kSearchedLogits, top.workspace.size());
  return std::min(top.workspace.columns(), std::max(elements / rows / kStep, std::int64_t{1}) * kStep);
}

/// Returns for how many rows the workspace suffices.
std::int64_t rows_at_a_time(const TopK& top, bool by_columns) {
  if (!by_columns) return top.workspace.rows() / std::ssize(top.outputs);
  return top.workspace.size() / std::min(top.workspace.columns(), Kernels::kColumnsOfTopK);
}

}  // namespace

Tensor CpuBackend::computed(const Tensor& sums) {
  if (sums.dtype() == precision_.compute) return sums;
  std::byte* memory = computed_.reserve(sums.size() * static_cast<std::int64_t>(size_of(precision_.compute)));
  Tensor x(sums.rows(), sums.columns(), precision_.compute, memory,
           std::shared_ptr<void>(std::shared_ptr<void>(), memory));
  run(Convert{.from = sums, .to = x});
  return x;
}

void CpuBackend::run(const CrossEntropy& entropy) {
  const std::int64_t rows = entropy.output.x.rows();
  for (std::int64_t first = 0; first < rows; first += entropy.workspace.rows()) {
    if (entropy.stop != nullptr) entropy.stop->check();
    const CrossEntropy part = rows_of(entropy, first, std::min(entropy.workspace.rows(), rows - first));
    const auto& [x, weight, bias, weight_scale] = part.output;
    run(Linear{.x = x, .weight = weight, .weight_scale = weight_scale, .bias = bias, .y = part.workspace});
    parallel(pool_, part.workspace.rows(), blocks(kThreadElements, part.workspace.columns()),
             [&](Range range, int) { kernels_.cross_entropy(part, range); });
    if (!entropy.dx) continue;
    run(LinearBackward{.x = x,
                       .weight = weight,
                       .dy = computed(part.workspace),
                       .dx = part.dx,
                       .d_weight = entropy.d_weight,
                       .d_bias = entropy.d_bias});
  }
}

void CpuBackend::run(const PairedCrossEntropy& paired) {
  const std::int64_t rows = paired.loss.columns(), most = paired_rows(rows, rows_of_sum());
  for (std::int64_t first = 0; first < rows; first += most) {
    if (paired.stop != nullptr) paired.stop->check();
    const std::int64_t count = std::min(most, rows - first);
    const PairedCrossEntropy part = rows_of(paired, first, count);
    const auto logits = [&](std::size_t pass) {
      return part.workspace.slice_rows(static_cast<std::int64_t>(pass) * count, count);
    };
    for (std::size_t pass = 0; pass < 2; ++pass) {
      const auto& [x, weight, bias, weight_scale] = part.outputs[pass];
      run(Linear{.x = x, .weight = weight, .weight_scale = weight_scale, .bias = bias, .y = logits(pass)});
    }
    parallel(pool_, count, blocks(kThreadElements, 2 * part.workspace.columns()),
             [&](Range range, int) { kernels_.paired_cross_entropy(part, range); });
    for (std::size_t pass = 0; pass < 2 && part.dx[pass]; ++pass) {
      run(LinearBackward{.x = part.outputs[pass].x,
                         .weight = part.outputs[pass].weight,
                         .dy = computed(logits(pass)),
                         .dx = part.dx[pass],
                         .d_weight = paired.d_weight,
                         .d_bias = paired.d_bias});
    }
  }
}

void CpuBackend::search_logits(const TopK& top, const Tensor& logits, Range columns) {
  const std::int64_t scratch = kernels_.top_k_scratch(top, logits.columns());
  std::uint64_t* states = states_.reserve(top.values.rows() * kernels_.top_k_words(top));
  const std::int64_t grain = blocks(kThreadElements, logits.columns());
  parallel(pool_, top.values.rows(), grain, [&](Range rows, int thread) {
    kernels_.top_k(top, logits, columns, rows, states,
                   scratch_[static_cast<std::size_t>(thread)].reserve(scratch));
  });
}

void CpuBackend::search_by_rows(const TopK& top) {
  const std::int64_t rows = top.values.rows();
  for (std::size_t m = 0; m < top.outputs.size(); ++m) {
    const auto& [x, weight, bias, weight_scale] = top.outputs[m];
    const Tensor logits = top.workspace.slice_rows(static_cast<std::int64_t>(m) * rows, rows);
    run(Linear{.x = x, .weight = weight, .weight_scale = weight_scale, .bias = bias, .y = logits});
  }
  search_logits(top, top.workspace, {0, top.workspace.columns()});
}

void CpuBackend::search_by_columns(const TopK& top) {
  const auto& [x, weight, bias, weight_scale] = top.outputs[0];
  const Linear layer{.x = x, .weight = weight, .weight_scale = weight_scale, .bias = bias};
  const Factors factors = factors_of(layer);
  const Tensor workspace = top.workspace.reshape(1, top.workspace.size());
  const std::int64_t vocabulary = top.workspace.columns(), step = columns_at_a_time(top, x.rows());
  for (std::int64_t begin = 0; begin < vocabulary; begin += step) {
    const Range columns{begin, std::min(begin + step, vocabulary)};
    const std::int64_t width = columns.end - columns.begin;
    const Tensor logits = workspace.slice_columns(0, x.rows() * width).reshape(x.rows(), width);
    multiply_columns(layer, factors, columns, logits);
    search_logits(top, logits, columns);
  }
}

void CpuBackend::run(const TopK& top) {
  // An ensemble, candidates, a penalty and sampling need whole rows; so does a workspace that has gaps.
  const bool by_columns = top.outputs.size() == 1 && !top.candidates && !top.penalty && !top.sampling &&
                          top.workspace.contiguous();
  const std::int64_t rows = top.values.rows(), most = rows_at_a_time(top, by_columns);
  for (std::int64_t first = 0; first < rows; first += most) {
    const TopK part = rows_of(top, first, std::min(most, rows - first));
    by_columns ? search_by_columns(part) : search_by_rows(part);
  }
}

}  // namespace nmt
