#include "backend/parity.h"

namespace nmt::testing {
namespace {

struct LinearShape {
  std::string name;
  std::int64_t rows, in, out;
  Activation activation = Activation::none;
  double dropout = 0;
  bool bias = true;
  bool accumulate_dx = false;
  bool dx = true;        // whether the gradient of x is asked for
  double deviation = 1;  // of x
};

Results run(const LinearShape& shape, Device& device, Random& random) {
  const auto [name, rows, in, out, activation, probability, with_bias, accumulate_dx, with_dx, deviation] =
      shape;
  const Dropout dropout = make_dropout(device, probability, rows, mask_bytes(out));
  const Tensor x = normal_matrix(device, random, rows, in, deviation);
  const Tensor weight = normal_matrix(device, random, out, in, 0.5);
  const Tensor bias = with_bias ? normal_master(device, random, 1, out) : Tensor();
  const Tensor pre_activation = needs_pre_activation(activation) ? device.result(rows, out) : Tensor();
  const Tensor y = device.result(rows, out);
  device.backend().run(Linear{.x = x,
                              .weight = weight,
                              .bias = bias,
                              .activation = activation,
                              .dropout = dropout,
                              .pre_activation = pre_activation,
                              .y = y});
  const Tensor dx = !with_dx        ? Tensor()
                    : accumulate_dx ? normal_matrix(device, random, rows, in)
                                    : device.result(rows, in);
  const Tensor d_weight = normal_master(device, random, out, in);
  const Tensor d_bias = with_bias ? normal_master(device, random, 1, out) : Tensor();
  device.backend().run(LinearBackward{.x = x,
                                      .weight = weight,
                                      .activation = activation,
                                      .dropout = dropout,
                                      .y = y,
                                      .pre_activation = pre_activation,
                                      .dy = normal_matrix(device, random, rows, out),
                                      .dx = dx,
                                      .accumulate_dx = accumulate_dx,
                                      .d_weight = d_weight,
                                      .d_bias = d_bias});
  return {{"y", y},
          {"pre_activation", pre_activation},
          {"mask", dropout.mask},
          {"dx", dx},
          {"d_weight", d_weight},
          {"d_bias", d_bias}};
}

struct ProductShape {
  std::string name;
  std::int64_t rows, d;
};

Results run_product(const ProductShape& shape, Device& device, Random& random) {
  const auto [name, rows, d] = shape;
  const Tensor x = normal_matrix(device, random, rows, d), z = normal_matrix(device, random, rows, d);
  const ElementProduct product{.x = x, .z = z, .y = device.result(rows, d)};
  device.backend().run(product);
  const ElementProductBackward backward{.x = x,
                                        .z = z,
                                        .dy = normal_matrix(device, random, rows, d),
                                        .dx = device.result(rows, d),
                                        .dz = device.result(rows, d)};
  device.backend().run(backward);
  return {{"y", product.y}, {"dx", backward.dx}, {"dz", backward.dz}};
}

}  // namespace

Operation linear_operation() {
  using enum Activation;
  return tabulate<LinearShape>("linear", 1e-5, 4,
                               {{"no rows", 0, 8, 16},
                                {"no rows, gelu, dropout", 0, 8, 16, gelu, 0.1},
                                {"one element", 1, 1, 1},
                                {"one row", 1, 64, 100},
                                {"two rows", 2, 7, 9, relu},
                                {"no bias", 3, 16, 17, none, 0, false},
                                {"accumulate dx", 5, 31, 33, none, 0, true, true},
                                {"without dx", 5, 31, 33, relu, 0.1, true, false, false},
                                {"relu", 13, 24, 40, relu},
                                {"relu, dropout", 13, 24, 41, relu, 0.1},
                                {"gelu", 13, 24, 40, gelu},
                                {"gelu, dropout, accumulate", 13, 23, 39, gelu, 0.3, true, true},
                                {"gelu_tanh", 13, 24, 40, gelu_tanh},
                                {"gelu_tanh, dropout", 7, 23, 39, gelu_tanh, 0.3},
                                {"gelu_tanh, far", 5, 1, 65, gelu_tanh, 0, true, false, true, 1e3},
                                {"gelu_sigmoid", 13, 24, 40, gelu_sigmoid},
                                {"gelu_sigmoid, dropout", 7, 23, 39, gelu_sigmoid, 0.3},
                                {"gelu_sigmoid, far", 5, 1, 65, gelu_sigmoid, 0, true, false, true, 1e3},
                                {"swish", 13, 24, 40, swish},
                                {"swish, dropout", 7, 23, 39, swish, 0.3},
                                {"swish, far", 5, 1, 65, swish, 0, true, false, true, 1e3},
                                {"dropout alone", 33, 50, 15, none, 0.5, false},
                                {"in of one", 17, 1, 65, gelu},
                                {"out of one", 17, 65, 1, relu},
                                {"multiples of 16", 64, 128, 256, relu, 0.1},
                                {"more rows than columns", 700, 48, 31, gelu, 0.1},
                                {"large", 129, 300, 515, relu, 0.1}},
                               run);
}

Operation element_product_operation() {
  return tabulate<ProductShape>(
      "element_product", 1e-5, 1,
      {{"no rows", 0, 8}, {"one element", 1, 1}, {"odd width", 7, 23}, {"large", 40, 515}}, run_product);
}

}  // namespace nmt::testing
