#include <cmath>

#include "backend/parity.h"

namespace nmt::testing {
namespace {

enum class Logits { normal, tied, few_values, extreme };

/// Ties and extremes are what breaks a softmax or a selection.
std::vector<double> make_logits(Logits kind, std::int64_t count, Random& random) {
  std::vector<double> values = random.normal(count, 2);
  for (double& value : values) {
    if (kind == Logits::tied) value = 1e4;
    if (kind == Logits::few_values) value = std::round(value);
    if (kind == Logits::extreme) value = value > 0 ? 1e4 : -1e4;
  }
  return values;
}

struct Losses {
  std::string name;
  std::int64_t rows, vocabulary;
  double smoothing = 0;
  bool gradient = true;
  Logits kind = Logits::normal;
};

Results run_cross_entropy(const Losses& losses, Device& device, Random& random) {
  const auto [name, rows, vocabulary, smoothing, gradient, kind] = losses;
  const Tensor logits = device.matrix(rows, vocabulary, make_logits(kind, rows * vocabulary, random));
  const Tensor loss = device.result(1, rows);
  const Tensor nll = device.result(1, rows);
  device.backend().run(CrossEntropy{
      .logits = logits,
      .gold = device.integers(1, rows, random.integers(rows, 0, static_cast<std::int32_t>(vocabulary) - 1)),
      .label_smoothing = smoothing,
      .gradient = gradient,
      .scale = gradient ? device.matrix(1, 1, {0.125}) : Tensor(),
      .loss = loss,
      .nll = nll});
  return {{"logits", logits}, {"loss", loss}, {"nll", nll}};
}

struct Selection {
  std::string name;
  std::int64_t rows, vocabulary, k;
  Logits kind = Logits::normal;
  int models = 1;
};

Results run_top_k(const Selection& selection, Device& device, Random& random) {
  const auto [name, rows, vocabulary, k, kind, models] = selection;
  std::vector<Tensor> logits;
  for (int m = 0; m < models; ++m) {
    logits.push_back(device.matrix(rows, vocabulary, make_logits(kind, rows * vocabulary, random)));
  }
  const Tensor values = device.result(rows, k);
  const Tensor ids =
      device.integers(rows, k, std::vector<std::int32_t>(static_cast<std::size_t>(rows * k), -1));
  device.backend().run(TopK{.logits = logits, .k = k, .values = values, .ids = ids});
  return {{"values", values}, {"ids", ids}};
}

}  // namespace

Operation cross_entropy_operation() {
  using enum Logits;
  return tabulate<Losses>("cross_entropy", 1e-5,
                          {{"no rows", 0, 8, 0.1},
                           {"vocabulary of one", 2, 1, 0.1},
                           {"vocabulary of two", 3, 2},
                           {"odd", 7, 13, 0.1},
                           {"one row", 1, 17},
                           {"loss alone", 5, 40, 0.1, false},
                           {"tied", 3, 100, 0.1, true, tied},
                           {"few values", 9, 65, 0, true, few_values},
                           {"extreme", 16, 33, 0, true, extreme},
                           {"extreme, smoothing", 16, 33, 0.1, true, extreme},
                           {"many rows", 300, 24, 0.1},
                           {"large", 9, 32003},
                           {"large, smoothing", 9, 32003, 0.1},
                           {"large, loss alone", 5, 32003, 0.1, false}},
                          run_cross_entropy);
}

Operation top_k_operation() {
  using enum Logits;
  return tabulate<Selection>("top_k", 1e-5,
                             {{"no rows", 0, 8, 2},
                              {"vocabulary of one", 2, 1, 1},
                              {"the best alone", 7, 13, 1},
                              {"all of them", 3, 5, 5},
                              {"all of many", 2, 100, 100},
                              {"all of many, few values", 2, 100, 100, few_values},
                              {"tied", 3, 50, 8, tied},
                              {"few values", 33, 129, 10, few_values},
                              {"extreme", 9, 64, 40, extreme},
                              {"beam", 40, 1000, 8},
                              {"large", 5, 32003, 8},
                              {"large, the best alone", 5, 32003, 1},
                              {"large, few values", 5, 32003, 12, few_values},
                              {"wide beam", 5, 8000, 200},
                              {"wide beam, few values", 5, 8000, 200, few_values},
                              {"wide beam, small vocabulary", 5, 301, 200},
                              {"two models", 7, 13, 4, normal, 2},
                              {"two models, tied", 3, 50, 8, tied, 2},
                              {"two models, few values", 33, 300, 10, few_values, 2},
                              {"two models, extreme", 9, 64, 40, extreme, 2},
                              {"three models", 5, 1000, 8, normal, 3},
                              {"three models, large", 3, 32003, 1, normal, 3}},
                             run_top_k);
}

}  // namespace nmt::testing
