// Operations on the output layer, and the ranking after it, whose rows must be independent.
#include <array>

#include "backend/parity.h"
#include "backend/row_operations.h"

namespace nmt::testing {
namespace {

OutputLayer normal_output(Device& device, Random& random, std::int64_t rows) {
  const std::int64_t vocabulary = 333, d = 20;
  return {normal_matrix(device, random, rows, d), normal_matrix(device, random, vocabulary, d),
          normal_master(device, random, 1, vocabulary)};
}

OutputLayer part_of(const OutputLayer& whole, std::int64_t begin, std::int64_t count) {
  return {whole.x.slice_rows(begin, count), whole.weight, whole.bias};
}

Piece cross_entropy(Device& device, Random& random, std::int64_t rows) {
  const OutputLayer output = normal_output(device, random, rows);
  const std::int64_t vocabulary = output.weight.rows();
  const Tensor labels = device.integers(1, rows, random.integers(rows, 0, static_cast<int>(vocabulary) - 1));
  std::vector<double> weights = random.normal(rows);
  for (double& weight : weights) weight *= weight;
  const Tensor weight = device.scales(weights), scale = device.vector({0.5});
  return [=, &device](std::int64_t begin, std::int64_t count) -> std::vector<Tensor> {
    const Tensor dx = device.result(count, output.x.columns());
    const Tensor loss = device.sums(1, count);
    const Tensor nll = device.sums(1, count);
    device.backend().run(CrossEntropy{.output = part_of(output, begin, count),
                                      .labels = labels.slice_columns(begin, count),
                                      .weights = weight.slice_columns(begin, count),
                                      .label_smoothing = 0.1,
                                      .scale = scale,
                                      .workspace = device.sums(count, vocabulary),
                                      .loss = loss,
                                      .nll = nll,
                                      .dx = dx,
                                      .d_weight = {},
                                      .d_bias = {}});
    return {dx, loss.reshape(count, 1), nll.reshape(count, 1)};
  };
}

Piece paired_cross_entropy(Device& device, Random& random, std::int64_t rows) {
  const OutputLayer first = normal_output(device, random, rows);
  OutputLayer second = first;
  second.x = normal_matrix(device, random, rows, first.x.columns());
  const std::int64_t vocabulary = first.weight.rows();
  const Tensor labels = device.integers(1, rows, random.integers(rows, 0, static_cast<int>(vocabulary) - 1));
  const Tensor scale = device.vector({0.5});
  return [=, &device](std::int64_t begin, std::int64_t count) -> std::vector<Tensor> {
    const std::array dx = {device.result(count, first.x.columns()), device.result(count, first.x.columns())};
    const Tensor loss = device.sums(1, count), nll = device.sums(1, count);
    const std::int64_t at_once = paired_rows(count, device.backend().rows_of_sum());
    device.backend().run(
        PairedCrossEntropy{.outputs = {part_of(first, begin, count), part_of(second, begin, count)},
                           .labels = labels.slice_columns(begin, count),
                           .label_smoothing = 0.1,
                           .factors = {{1, 0.5}, {3, 2}},
                           .scale = scale,
                           .workspace = device.sums(2 * at_once, vocabulary),
                           .loss = loss,
                           .nll = nll,
                           .dx = dx});
    return {dx[0], dx[1], loss.reshape(count, 1), nll.reshape(count, 1)};
  };
}

Piece top_k(Device& device, Random& random, std::int64_t rows) {
  const std::int64_t k = 6;
  const OutputLayer output = normal_output(device, random, rows);
  return [=, &device](std::int64_t begin, std::int64_t count) -> std::vector<Tensor> {
    const Tensor values = device.sums(count, k);
    const Tensor ids =
        device.integers(count, k, std::vector<std::int32_t>(static_cast<std::size_t>(count * k)));
    device.backend().run(TopK{.outputs = {part_of(output, begin, count)},
                              .k = k,
                              .workspace = device.sums(count, output.weight.rows()),
                              .values = values,
                              .ids = ids});
    return {values, ids};
  };
}

Piece draws(Device& device, Random& random, std::int64_t rows) {
  const OutputLayer output = normal_output(device, random, rows);
  std::vector<double> filters;
  for (std::int64_t r = 0; r < rows; ++r)
    filters.insert(filters.end(),
                   {r % 4 == 0 ? 0 : 1.5, 50, 0.9, 0.01, 0.001, static_cast<double>(1 + r % 3)});
  const Tensor filter = device.doubles(filters).reshape(rows, Sampling::kFilters);
  const Tensor key = device.integers(rows, Sampling::kKeys, random.integers(rows * Sampling::kKeys, 0, 99));
  const Tensor position = device.integers(1, rows, random.integers(rows, 0, 99));
  std::vector<std::int32_t> ids;
  for (std::int32_t r = 0; r < rows; ++r) ids.insert(ids.end(), {r % 100, 100 + r % 200});
  const Tensor repeated = device.integers(rows, 2, ids);
  const Tensor factor = device.doubles(std::vector<double>(static_cast<std::size_t>(rows), 1.5));
  return [=, &device](std::int64_t begin, std::int64_t count) -> std::vector<Tensor> {
    const Tensor values = device.sums(count, 3), drawn = device.zero_integers(count, 3);
    device.backend().run(
        TopK{.outputs = {part_of(output, begin, count)},
             .k = 3,
             .penalty = {repeated.slice_rows(begin, count), factor.slice_columns(begin, count)},
             .sampling = {filter.slice_rows(begin, count), key.slice_rows(begin, count),
                          position.slice_columns(begin, count)},
             .workspace = device.sums(count, output.weight.rows()),
             .values = values,
             .ids = drawn});
    return {values, drawn};
  };
}

/// Sentences of four hypotheses; a unit is a sentence.
Piece rank_continuations(Device& device, Random& random, std::int64_t sentences) {
  const std::int64_t beam = 4, k = 9, kept = 8;
  const std::int64_t rows = sentences * beam;
  const Tensor values = device.sums(rows, k);
  upload_reals(device.backend(), values, random.normal(rows * k));
  const Tensor ids = device.integers(rows, k, random.integers(rows * k, 0, 40));
  const Tensor total = device.doubles(random.normal(rows));
  return [=, &device](std::int64_t begin, std::int64_t count) -> std::vector<Tensor> {
    std::vector<std::int32_t> begins;
    for (std::int64_t s = 0; s < count; ++s) begins.push_back(static_cast<std::int32_t>(s * beam));
    const std::vector<std::int32_t> lengths(static_cast<std::size_t>(count), beam);
    const Tensor ranking =
        device.doubles(std::vector<double>(static_cast<std::size_t>(count * kept * kContinuation)))
            .reshape(count, kept * kContinuation);
    device.backend().run(RankContinuations{
        .values = values.slice_rows(begin * beam, count * beam),
        .ids = ids.slice_rows(begin * beam, count * beam),
        .total = total.slice_columns(begin * beam, count * beam),
        .sentences = {device.integers(1, count, begins), device.integers(1, count, lengths), count, beam},
        .ranking = ranking});
    return {ranking};
  };
}

}  // namespace

std::vector<RowOperation> output_row_operations() {
  return {{"cross_entropy", cross_entropy},
          {"paired_cross_entropy", paired_cross_entropy},
          {"top_k", top_k},
          {"draws", draws},
          {"rank_continuations", rank_continuations}};
}

}  // namespace nmt::testing
