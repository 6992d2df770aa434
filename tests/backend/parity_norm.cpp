#include "backend/parity.h"

namespace nmt::testing {
namespace {

enum class Kind { residual, norm, residual_norm };

struct NormShape {
  std::string name;
  std::int64_t rows, d;
  Kind kind = Kind::residual_norm;
  double dropout = 0;
  bool accumulate = false;
  double mean = 0;  // of x
  bool has_bias = true;
  NormKind divisor = NormKind::layer;
};

Results run_residual(const NormShape& shape, Device& device, Random& random) {
  const auto [rows, d] = std::pair(shape.rows, shape.d);
  const Dropout dropout = make_dropout(device, shape.dropout, rows, mask_bytes(d));
  const Tensor sum = device.result(rows, d);
  device.backend().run(AddNorm{.x = normal_matrix(device, random, rows, d),
                               .h = normal_matrix(device, random, rows, d),
                               .dropout = dropout,
                               .gain = {},
                               .bias = {},
                               .sum = sum,
                               .y = {},
                               .mean = {},
                               .inverse_std = {}});
  const Tensor dx = device.result(rows, d);
  device.backend().run(
      DropoutBackward{.dropout = dropout, .dy = normal_matrix(device, random, rows, d), .dx = dx});
  return {{"sum", sum}, {"mask", dropout.mask}, {"dx", dx}};
}

Results run(const NormShape& shape, Device& device, Random& random) {
  if (shape.kind == Kind::residual) return run_residual(shape, device, random);
  const auto [rows, d] = std::pair(shape.rows, shape.d);
  const bool residual = shape.kind == Kind::residual_norm;
  const Dropout dropout = make_dropout(device, shape.dropout, rows, mask_bytes(d));
  const Tensor x = normal_matrix(device, random, rows, d, 1, shape.mean);
  const Tensor gain = normal_master(device, random, 1, d);
  const Tensor sum = residual ? device.result(rows, d) : Tensor();
  const Tensor y = device.result(rows, d);
  const Tensor mean = device.sums(1, rows);
  const Tensor inverse_std = device.sums(1, rows);
  device.backend().run(AddNorm{.x = x,
                               .h = residual ? normal_matrix(device, random, rows, d) : Tensor(),
                               .dropout = dropout,
                               .gain = gain,
                               .bias = shape.has_bias ? normal_master(device, random, 1, d) : Tensor(),
                               .epsilon = 1e-6,
                               .kind = shape.divisor,
                               .sum = sum,
                               .y = y,
                               .mean = mean,
                               .inverse_std = inverse_std});
  const Tensor d_sum = shape.accumulate ? normal_matrix(device, random, rows, d) : device.result(rows, d);
  const Tensor d_h = residual ? device.result(rows, d) : Tensor();
  const Tensor d_gain = normal_master(device, random, 1, d);
  const Tensor d_bias = shape.has_bias ? normal_master(device, random, 1, d) : Tensor();
  device.backend().run(AddNormBackward{.sum = residual ? sum : x,
                                       .dropout = dropout,
                                       .kind = shape.divisor,
                                       .gain = gain,
                                       .mean = mean,
                                       .inverse_std = inverse_std,
                                       .dy = normal_matrix(device, random, rows, d),
                                       .d_sum = d_sum,
                                       .accumulate_d_sum = shape.accumulate,
                                       .d_h = d_h,
                                       .d_gain = d_gain,
                                       .d_bias = d_bias});
  return {{"sum", sum},   {"mask", dropout.mask},       {"y", y},
          {"mean", mean}, {"inverse_std", inverse_std}, {"d_sum", d_sum},
          {"d_h", d_h},   {"d_gain", d_gain},           {"d_bias", d_bias}};
}

}  // namespace

Operation norm_operation() {
  using enum Kind;
  return tabulate<NormShape>(
      "add_norm", 1e-5, 5,
      {{"no rows", 0, 8},
       {"no rows, dropout", 0, 8, residual_norm, 0.1},
       {"one row of three", 1, 3},
       {"norm alone", 3, 13, norm},
       {"norm alone, accumulate", 7, 16, norm, 0, true},
       {"residual norm", 7, 17},
       {"residual norm, accumulate", 7, 33, residual_norm, 0, true},
       {"residual norm, dropout", 13, 31, residual_norm, 0.1},
       {"residual norm, dropout, accumulate", 13, 24, residual_norm, 0.3, true},
       {"residual", 5, 9, residual},
       {"residual of one column", 5, 1, residual, 0.5},
       {"residual, dropout", 33, 100, residual, 0.1},
       {"far from zero", 9, 64, norm, 0, false, 100},
       {"no bias", 19, 48, norm, 0, false, 0, false},
       {"no bias, accumulate, wide", 5, 1304, norm, 0, true, 0, false},
       {"many rows", 700, 40, residual_norm, 0.1, true},
       {"wide", 3, 1024, residual_norm, 0.1},
       {"wider", 5, 1304, residual_norm, 0.1, true},
       {"large", 130, 512, residual_norm, 0.1},
       {"root mean square", 7, 17, norm, 0, false, 0, false, NormKind::rms},
       {"root mean square, far from zero", 9, 64, norm, 0, true, 100, false, NormKind::rms},
       {"root mean square, dropout", 13, 31, residual_norm, 0.3, false, 0, false, NormKind::rms},
       {"root mean square, bias", 9, 48, residual_norm, 0, true, 0, true, NormKind::rms},
       {"root mean square, many rows", 700, 40, norm, 0, true, 0, false, NormKind::rms},
       {"root mean square, wider", 5, 1304, residual_norm, 0.1, true, 0, false, NormKind::rms}},
      run);
}

}  // namespace nmt::testing
