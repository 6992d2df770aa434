#include <algorithm>
#include <vector>

#include "backend/reference/reference.h"
#include "backend/reference/sigmoid.h"

namespace nmt {
namespace {

/// Returns the cache row of row `row` of a step, initialized with the cache row of the previous token, or
/// with zeros for the first token.
double* continued(const Tensor& cache, const Tensor& index, const Tensor& position, std::int64_t row) {
  const auto* places = index.row<std::int32_t>(row);
  const std::int32_t t = position.data<std::int32_t>()[row];
  double* own = cache.row<double>(places[t]);
  if (t == 0)
    std::fill_n(own, cache.columns(), 0.0);
  else
    std::copy_n(cache.row<double>(places[t - 1]), cache.columns(), own);
  return own;
}

/// Computes a mean: row `row` is number t of its sequence, counted from 1, and `sums` contains the sums of
/// the rows before it.
void extend_average(const Tensor& x, const Tensor& y, std::int64_t row, std::int64_t t, double* sums) {
  for (std::int64_t f = 0; f < x.columns(); ++f) {
    sums[f] += x.row<double>(row)[f];
    y.row<double>(row)[f] = 1 / static_cast<double>(t) * sums[f];
  }
}

/// Computes a step: `states` contains the states of the previous row, and afterwards those of this row.
void extend_states(const Tensor& gate, const Tensor& x, const Tensor& y, std::int64_t row, double* states) {
  for (std::int64_t f = 0; f < x.columns(); ++f) {
    const double input = x.row<double>(row)[f];
    states[f] = input + sigmoid(gate.row<double>(row)[f]) * (states[f] - input);
    y.row<double>(row)[f] = states[f] > 0 ? states[f] : 0;
  }
}

}  // namespace

void ReferenceBackend::run(const CumulativeAverage& average) {
  for (std::int64_t s = 0; s < average.sequences.count; ++s) {
    const std::int64_t begin = average.sequences.begin.data<std::int32_t>()[s];
    const std::int64_t length = average.sequences.length.data<std::int32_t>()[s];
    std::vector<double> sums(static_cast<std::size_t>(average.x.columns()));
    for (std::int64_t t = 1; t <= length; ++t)
      extend_average(average.x, average.y, begin + t - 1, t, sums.data());
  }
}

void ReferenceBackend::run(const CumulativeAverageBackward& average) {
  for (std::int64_t s = 0; s < average.sequences.count; ++s) {
    const std::int64_t begin = average.sequences.begin.data<std::int32_t>()[s];
    const std::int64_t length = average.sequences.length.data<std::int32_t>()[s];
    std::vector<double> sums(static_cast<std::size_t>(average.dy.columns()));
    for (std::int64_t t = length; t >= 1; --t)
      for (std::size_t f = 0; f < sums.size(); ++f) {
        sums[f] += average.dy.row<double>(begin + t - 1)[f] / static_cast<double>(t);
        average.dx.row<double>(begin + t - 1)[f] = sums[f];
      }
  }
}

void ReferenceBackend::run(const CachedAverage& average) {
  for (std::int64_t r = 0; r < average.x.rows(); ++r) {
    const std::int32_t position = average.position.data<std::int32_t>()[r];
    extend_average(average.x, average.y, r, position + 1,
                   continued(average.sums, average.index, average.position, r));
  }
}

void ReferenceBackend::run(const GatedRecurrence& recurrence) {
  const auto& [gate, x, sequences, kept, y] = recurrence;
  for (std::int64_t s = 0; s < sequences.count; ++s) {
    const std::int64_t begin = sequences.begin.data<std::int32_t>()[s];
    const std::int64_t end = begin + sequences.length.data<std::int32_t>()[s];
    std::vector<double> states(static_cast<std::size_t>(x.columns()));
    for (std::int64_t row = begin; row < end; ++row) {
      extend_states(gate, x, y, row, states.data());
      if (kept) std::ranges::copy(states, kept.row<double>(row));
    }
  }
}

void ReferenceBackend::run(const GatedRecurrenceBackward& recurrence) {
  const auto& [gate, x, sequences, states, y] = recurrence.forward;
  for (std::int64_t s = 0; s < sequences.count; ++s) {
    const std::int64_t begin = sequences.begin.data<std::int32_t>()[s];
    const std::int64_t length = sequences.length.data<std::int32_t>()[s];
    std::vector<double> later(static_cast<std::size_t>(x.columns()));  // f_{t+1} dc_{t+1}
    for (std::int64_t row = begin + length - 1; row >= begin; --row)
      for (std::size_t f = 0; f < later.size(); ++f) {
        const double state = states.row<double>(row)[f], open = sigmoid(gate.row<double>(row)[f]);
        const double gradient = later[f] + (state > 0 ? recurrence.dy.row<double>(row)[f] : 0);
        recurrence.dx.row<double>(row)[f] = (1 - open) * gradient;
        recurrence.dgate.row<double>(row)[f] = (1 - open) * (state - x.row<double>(row)[f]) * gradient;
        later[f] = open * gradient;
      }
  }
}

void ReferenceBackend::run(const CachedGatedRecurrence& recurrence) {
  const auto& [gate, x, states, index, position, y] = recurrence;
  for (std::int64_t r = 0; r < x.rows(); ++r)
    extend_states(gate, x, y, r, continued(states, index, position, r));
}

void ReferenceBackend::run(const GatedSum& sum) {
  for (std::int64_t r = 0; r < sum.y.rows(); ++r)
    for (std::int64_t f = 0; f < sum.y.columns(); ++f)
      sum.y.row<double>(r)[f] = sigmoid(sum.a.row<double>(r)[f]) * sum.x.row<double>(r)[f] +
                                sigmoid(sum.b.row<double>(r)[f]) * sum.z.row<double>(r)[f];
}

void ReferenceBackend::run(const GatedSumBackward& sum) {
  const auto differentiate = [&](const Tensor& a, const Tensor& x, const Tensor& da, const Tensor& dx) {
    for (std::int64_t r = 0; r < sum.dy.rows(); ++r)
      for (std::int64_t f = 0; f < sum.dy.columns(); ++f) {
        const double dy = sum.dy.row<double>(r)[f], open = sigmoid(a.row<double>(r)[f]);
        dx.row<double>(r)[f] = open * dy;
        da.row<double>(r)[f] = open * (1 - open) * x.row<double>(r)[f] * dy;
      }
  };
  differentiate(sum.forward.a, sum.forward.x, sum.da, sum.dx);
  differentiate(sum.forward.b, sum.forward.z, sum.db, sum.dz);
}

}  // namespace nmt
