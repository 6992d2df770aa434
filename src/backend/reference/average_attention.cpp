#include <algorithm>
#include <vector>

#include "backend/reference/reference.h"
#include "backend/reference/sigmoid.h"

namespace nmt {
namespace {

/// Row `row` is number t of its sequence, from 1, and `sums` has those before it.
void extend_average(const Tensor& x, const Tensor& y, std::int64_t row, std::int64_t t, double* sums) {
  for (std::int64_t f = 0; f < x.columns(); ++f) {
    sums[f] += x.row<double>(row)[f];
    y.row<double>(row)[f] = 1 / static_cast<double>(t) * sums[f];
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
  const std::int64_t d = average.x.columns();
  for (std::int64_t r = 0; r < average.x.rows(); ++r) {
    const auto* index = average.index.row<std::int32_t>(r);
    const std::int32_t position = average.position.data<std::int32_t>()[r];
    double* sums = average.sums.row<double>(index[position]);
    if (position == 0)
      std::fill_n(sums, d, 0.0);
    else
      std::copy_n(average.sums.row<double>(index[position - 1]), d, sums);
    extend_average(average.x, average.y, r, position + 1, sums);
  }
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
