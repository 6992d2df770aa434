// The parity table: the cases for every operation of a backend. Each case makes its inputs from seeded
// numbers, runs the operation (and its gradient) and names the results; parity_test.cpp compares those of a
// backend with those of the reference.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <numeric>
#include <ostream>
#include <string>
#include <utility>
#include <vector>

#include "backend/device.h"
#include "backend/random.h"

namespace nmt::testing {

/// Results by name. Integers and masks must be equal; floats are compared with a tolerance.
using Results = std::vector<std::pair<std::string, Tensor>>;

struct Case {
  std::string name;
  std::function<Results(Device&, Random&)> run;
};

struct Operation {
  std::string name;
  double tolerance = 0;  // in f32, relative to the largest magnitude in a result
  int roundings = 0;     // see tolerance_of()
  std::vector<Case> cases;
};

/// Returns how far a result may be from the reference, relative to its largest magnitude. In bf16 and f16,
/// inputs of an operation are exact and its arithmetic is in f32. Each number that it writes is rounded once,
/// by at most 2^-8 of itself in bf16 (8 bits, to nearest) and 2^-11 in f16. `roundings` counts the roundings
/// on the longest path from an input to a result, including those of intermediate results that the operation
/// reads again. A sum of such numbers has the relative error of its largest term, because errors have either
/// sign.
inline double tolerance_of(const Operation& operation, DType compute) {
  const double roundoff = compute == DType::bf16 ? 0x1p-8 : compute == DType::f16 ? 0x1p-11 : 0;
  return operation.tolerance + operation.roundings * roundoff;
}

/// Prints the name for GoogleTest, which would otherwise print the bytes of a parameter.
inline void PrintTo(const Operation& operation, std::ostream* stream) {
  *stream << operation.name;
}

/// Returns one case for each row of a table; a row has a `name`.
template <class Row>
Operation tabulate(std::string name, double tolerance, int roundings, const std::vector<Row>& rows,
                   Results (*run)(const Row&, Device&, Random&)) {
  Operation operation{std::move(name), tolerance, roundings, {}};
  for (const Row& row : rows)
    operation.cases.push_back(
        {row.name, [row, run](Device& device, Random& random) { return run(row, device, random); }});
  return operation;
}

Operation memory_operations();
Operation select_rows_operation();
Operation convert_operation();
Operation fake_quantize_operation();
Operation embedding_operation();
Operation linear_operation();
Operation element_product_operation();
Operation norm_operation();
Operation rotate_operation();
Operation sum_shared_heads_operation();
Operation attention_operation();
Operation guided_alignment_operation();
Operation cached_attention_operation();
Operation cumulative_average_operation();
Operation cached_average_operation();
Operation gated_recurrence_operation();
Operation cached_gated_recurrence_operation();
Operation gated_sum_operation();
Operation recurrent_step_operation();
Operation recurrent_layer_operation();
Operation recurrent_attention_operation();
Operation sequence_mean_operation();
Operation tanh_of_sum_operation();
Operation states_operations();
Operation cross_entropy_operation();
Operation paired_cross_entropy_operation();
Operation top_k_operation();
Operation rank_operation();
Operation extend_operation();
Operation statistics_operations();
Operation squared_norm_operation();
Operation adam_operation();
Operation adafactor_operations();
Operation moving_average_operation();
/// Returns the case of i8 weights.
Operation quantized_operation();

/// Returns normally distributed numbers of this shape.
inline Tensor normal_matrix(Device& device, Random& random, std::int64_t rows, std::int64_t columns,
                            double deviation = 1, double mean = 0) {
  return device.matrix(rows, columns, random.normal(rows * columns, deviation, mean));
}

/// Returns normally distributed numbers of the type of master weights.
inline Tensor normal_master(Device& device, Random& random, std::int64_t rows, std::int64_t columns,
                            double deviation = 1) {
  return device.master(rows, columns, random.normal(rows * columns, deviation));
}

/// Returns the offsets of sequences of these lengths; the maximum length is at least `longest`.
inline SequenceOffsets make_offsets(Device& device, const std::vector<std::int32_t>& lengths,
                                    std::int32_t at_least = 0) {
  std::vector<std::int32_t> begins(lengths.size());
  std::exclusive_scan(lengths.begin(), lengths.end(), begins.begin(), 0);
  const auto count = static_cast<std::int64_t>(lengths.size());
  return {.begin = device.integers(1, count, begins),
          .length = device.integers(1, count, lengths),
          .count = count,
          .longest = std::max(at_least, count == 0 ? 0 : std::ranges::max(lengths)),
          .in_order = true};
}

/// Returns dropout for `rows` rows with `bytes` mask bytes each; inactive for probability 0.
inline Dropout make_dropout(Device& device, double probability, std::int64_t rows, std::int64_t bytes) {
  if (probability == 0) return {};
  std::vector<std::int32_t> row_keys;
  for (std::int32_t r = 0; r < rows; ++r) row_keys.insert(row_keys.end(), {r / 5 * 1000003 - 7, r % 5});
  return {.probability = probability,
          .operation = 11,
          .random = device.integers(1, 2, {-1640531527, 42}),
          .row_keys = device.integers(rows, 2, row_keys),
          .mask = device.mask(rows, bytes)};
}

}  // namespace nmt::testing
