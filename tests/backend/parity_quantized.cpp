// Operations on i8 weights, which exist only for inference, and their replacements in training.
#include "backend/parity.h"

namespace nmt::testing {
namespace {

struct QuantizedShape {
  std::string name;
  std::int64_t rows, in, out;
  Activation activation = Activation::none;
  bool bias = true;
};

Tensor integer_matrix(Device& device, Random& random, std::int64_t rows, std::int64_t columns) {
  return device.quantized(rows, columns, random.integers(rows * columns, -127, 127));
}

/// The weight as that of a linear layer, of an output layer, and as a table; and rows of it.
Results run_quantized(const QuantizedShape& shape, Device& device, Random& random) {
  const auto [name, rows, in, out, activation, with_bias] = shape;
  const Tensor x = normal_matrix(device, random, rows, in);
  const Tensor weight = integer_matrix(device, random, out, in);
  const Tensor scale = device.scales(random.normal(out, 0.01));
  const Tensor bias = with_bias ? normal_master(device, random, 1, out) : Tensor();
  const Tensor y = device.result(rows, out);
  device.backend().run(Linear{
      .x = x, .weight = weight, .weight_scale = scale, .bias = bias, .activation = activation, .y = y});
  const OutputLayer output{.x = x, .weight = weight, .bias = bias, .weight_scale = scale};
  const CrossEntropy entropy{
      .output = output,
      .labels = device.integers(1, rows, random.integers(rows, 0, static_cast<int>(out) - 1)),
      .workspace = device.sums(rows, out),
      .loss = device.sums(1, rows),
      .nll = device.sums(1, rows)};
  device.backend().run(entropy);
  const TopK top{.outputs = {output},
                 .k = 1,
                 .workspace = device.sums(rows, out),
                 .values = device.sums(rows, 1),
                 .ids = device.integers(rows, 1, std::vector<std::int32_t>(static_cast<std::size_t>(rows)))};
  device.backend().run(top);
  const Tensor words = device.result(rows, in);
  device.backend().run(
      Embedding{.table = weight,
                .table_scale = scale,
                .ids = device.integers(1, rows, random.integers(rows, -1, static_cast<int>(out) - 1)),
                .positions = device.integers(1, rows, random.integers(rows, 0, 3)),
                .position_table = normal_matrix(device, random, 4, in),
                .scale = 2.5,
                .y = words});
  const Tensor chosen = integer_matrix(device, random, rows, in);
  device.backend().run(
      SelectRows{.from = weight,
                 .ids = device.integers(1, rows, random.integers(rows, 0, static_cast<int>(out) - 1)),
                 .to = chosen});
  return {{"y", y},         {"nll", entropy.nll}, {"values", top.values},
          {"ids", top.ids}, {"words", words},     {"chosen", chosen}};
}

struct RoundedShape {
  std::string name;
  std::int64_t rows, columns;
  double size = 1;  // about that of the numbers
  bool in_place = false;
};

Results run_fake_quantize(const RoundedShape& shape, Device& device, Random& random) {
  const auto& [name, rows, columns, size, in_place] = shape;
  const Tensor x = device.matrix(rows, columns, random.normal(rows * columns, size));
  const Tensor y = in_place ? x : device.result(rows, columns);
  device.backend().run(FakeQuantize{.x = x, .y = y});
  return {{"y", y}};
}

}  // namespace

Operation fake_quantize_operation() {
  return tabulate<RoundedShape>("fake_quantize", 1e-6, 1,
                                {{"no rows", 0, 8},
                                 {"one element", 1, 1},
                                 {"odd", 7, 13},
                                 {"next to nothing", 3, 20, 1e-35},
                                 {"in place", 5, 300, 1, true},
                                 {"large", 40, 1030, 100}},
                                run_fake_quantize);
}

Operation quantized_operation() {
  using enum Activation;
  return tabulate<QuantizedShape>("quantized", 1e-5, 0,
                                  {{"no rows", 0, 8, 16},
                                   {"one element", 1, 1, 1},
                                   {"one row", 1, 64, 100, relu},
                                   {"no bias", 3, 16, 17, none, false},
                                   {"gelu", 13, 31, 41, gelu},
                                   {"relu", 37, 65, 63, relu},
                                   {"large", 129, 300, 515, relu},
                                   {"steps of four", 20, 64, 36, gelu}},
                                  run_quantized);
}

}  // namespace nmt::testing
