#include <algorithm>
#include <array>
#include <cmath>

#include "backend/parity.h"

namespace nmt::testing {
namespace {

enum class Logits { normal, tied, few_values, extreme };

/// Output layers with logits of several kinds. Ties and extreme values break faulty softmax and selection;
/// few values are integers, which are exact on all backends.
OutputLayer make_output(Logits kind, std::int64_t rows, std::int64_t d, std::int64_t vocabulary,
                        Device& device, Random& random) {
  std::vector<double> x = random.normal(rows * d), weight = random.normal(vocabulary * d),
                      bias = random.normal(vocabulary, 2);
  const auto change = [](std::vector<double>& values, const auto& to) {
    std::ranges::transform(values, values.begin(), to);
  };
  if (kind == Logits::few_values) {
    for (std::vector<double>* values : {&x, &weight, &bias})
      change(*values, [](double value) { return std::round(value); });
  }
  if (kind == Logits::tied) {
    change(weight, [](double) { return 0; });
    change(bias, [](double) { return 8192; });
  }
  if (kind == Logits::extreme) {
    change(x, [](double value) { return value > 0 ? 1 : -1; });
    change(weight, [](double value) { return value > 0 ? 8192 : -8192; });
    change(bias, [](double) { return 0; });
  }
  return {device.matrix(rows, d, x), device.matrix(vocabulary, d, weight),
          device.master(1, vocabulary, bias)};
}

struct Losses {
  std::string name;
  std::int64_t rows, d, vocabulary;
  double smoothing = 0;
  bool gradient = true;
  Logits kind = Logits::normal;
  std::int64_t workspace = 0;  // rows of it; 0: all
  bool bias = true;
  bool gaps = false;         // whether every third row, from the second on, counts for nothing
  bool has_weights = false;  // whether rows have weights, the first one 0
};

/// Weights of rows; the first one is 0.
std::vector<double> make_weights(Random& random, std::int64_t rows) {
  std::vector<double> weights = random.normal(rows);
  for (double& weight : weights) weight = std::abs(weight);
  if (!weights.empty()) weights[0] = 0;
  return weights;
}

Results run_cross_entropy(const Losses& losses, Device& device, Random& random) {
  const auto [name, rows, d, vocabulary, smoothing, gradient, kind, workspace, with_bias, gaps, has_weights] =
      losses;
  OutputLayer output = make_output(kind, rows, d, vocabulary, device, random);
  if (!with_bias) output.bias = {};
  const Tensor loss = device.sums(1, rows);
  const Tensor nll = device.sums(1, rows);
  const Tensor dx = gradient ? device.result(rows, d) : Tensor();
  const Tensor d_weight = normal_master(device, random, vocabulary, d);
  const Tensor d_bias = with_bias ? normal_master(device, random, 1, vocabulary) : Tensor();
  std::vector<std::int32_t> labels = random.integers(rows, 0, static_cast<std::int32_t>(vocabulary) - 1);
  for (std::size_t r = 1; gaps && r < labels.size(); r += 3) labels[r] = -1;
  device.backend().run(
      CrossEntropy{.output = output,
                   .labels = device.integers(1, rows, labels),
                   .weights = has_weights ? device.scales(make_weights(random, rows)) : Tensor(),
                   .label_smoothing = smoothing,
                   .scale = gradient ? device.vector({0.125}) : Tensor(),
                   .workspace = device.sums(workspace == 0 ? rows : workspace, vocabulary),
                   .loss = loss,
                   .nll = nll,
                   .dx = dx,
                   .d_weight = d_weight,
                   .d_bias = d_bias});
  return {{"loss", loss}, {"nll", nll}, {"dx", dx}, {"d_weight", d_weight}, {"d_bias", d_bias}};
}

struct PairedLosses {
  std::string name;
  std::int64_t rows, d, vocabulary;
  double smoothing = 0;
  PairFactors factors = {{1, 1}, {0.5, 0.5}};
  bool bias = true, gradient = true;
  bool gaps = false;         // whether every third row, from the second on, counts for nothing
  bool has_weights = false;  // whether rows have weights, the first one 0
};

Results run_paired_cross_entropy(const PairedLosses& losses, Device& device, Random& random) {
  const auto [name, rows, d, vocabulary, smoothing, factors, with_bias, gradient, gaps, has_weights] = losses;
  OutputLayer first = make_output(Logits::normal, rows, d, vocabulary, device, random);
  if (!with_bias) first.bias = {};
  OutputLayer second = first;
  second.x = normal_matrix(device, random, rows, d);
  const Tensor loss = device.sums(1, rows), nll = device.sums(1, rows);
  const auto result = [&] { return losses.gradient ? device.result(losses.rows, losses.d) : Tensor(); };
  const std::array dx = {result(), result()};
  const Tensor d_weight = normal_master(device, random, vocabulary, d);
  const Tensor d_bias = with_bias ? normal_master(device, random, 1, vocabulary) : Tensor();
  std::vector<std::int32_t> labels = random.integers(rows, 0, static_cast<std::int32_t>(vocabulary) - 1);
  for (std::size_t r = 1; gaps && r < labels.size(); r += 3) labels[r] = -1;
  const std::int64_t at_once = paired_rows(rows, device.backend().rows_of_sum());
  device.backend().run(
      PairedCrossEntropy{.outputs = {first, second},
                         .labels = device.integers(1, rows, labels),
                         .weights = has_weights ? device.scales(make_weights(random, rows)) : Tensor(),
                         .label_smoothing = smoothing,
                         .factors = factors,
                         .scale = gradient ? device.vector({0.125}) : Tensor(),
                         .workspace = device.sums(2 * at_once, vocabulary),
                         .loss = loss,
                         .nll = nll,
                         .dx = dx,
                         .d_weight = d_weight,
                         .d_bias = d_bias});
  return {{"loss", loss},       {"nll", nll},           {"first dx", dx[0]},
          {"second dx", dx[1]}, {"d_weight", d_weight}, {"d_bias", d_bias}};
}

struct Selection {
  std::string name;
  std::int64_t rows, d, vocabulary, k;
  Logits kind = Logits::normal;
  int models = 1;
  std::int64_t workspace = 0;  // rows of it; 0: all, of all models
  int lists = 0;               // of candidates
  bool is_masked = false;
  std::vector<double> weights = {};
  bool removes = false, penalizes = false, draws = false;
};

/// Lists of which list i omits every logit whose number modulo 3 is i, except the first k / 2.
Candidates make_candidates(const Selection& selection, Device& device, Random& random) {
  std::vector<std::int32_t> begins, lengths, ids, columns;
  for (int list = 0; list < selection.lists; ++list) {
    begins.push_back(static_cast<std::int32_t>(ids.size()));
    for (std::int32_t column = 0; column < selection.vocabulary; ++column) {
      if (column >= selection.k / 2 && column % 3 == list % 3) continue;
      columns.push_back(column);
      ids.push_back(2 * column + 5);
    }
    lengths.push_back(static_cast<std::int32_t>(ids.size()) - begins.back());
  }
  const auto row = [&](const std::vector<std::int32_t>& values) {
    return device.integers(1, std::ssize(values), values);
  };
  return {.lists = {row(begins), row(lengths), selection.lists, std::ranges::max(lengths)},
          .ids = row(ids),
          .columns = row(columns),
          .list = row(random.integers(selection.rows, 0, selection.lists - 1))};
}

/// Masks for some rows; mask i excludes every id that is i modulo 3.
TokenMasks make_masks(const Selection& selection, Device& device, Random& random) {
  constexpr int kMasks = 3;
  const std::int64_t words = (2 * selection.vocabulary + 5) / 32 + 1;
  std::vector<std::int32_t> bits(static_cast<std::size_t>(kMasks * words));
  for (std::int64_t mask = 0; mask < kMasks; ++mask) {
    for (std::int64_t id = mask; id < 32 * words; id += 3)
      bits[static_cast<std::size_t>(mask * words + id / 32)] |= static_cast<std::int32_t>(1U << (id % 32));
  }
  return {.bits = device.integers(kMasks, words, bits),
          .mask = device.integers(1, selection.rows, random.integers(selection.rows, -1, kMasks - 1))};
}

/// Some tokens for each row, the last of which does not exist, and a factor for each row.
RepetitionPenalty make_penalty(const Selection& selection, Device& device, Random& random) {
  constexpr std::int64_t kIds = 3;
  std::vector<std::int32_t> ids;
  std::vector<double> factors;
  for (std::int64_t r = 0; r < selection.rows; ++r) {
    const std::int32_t first = random.integers(1, 0, static_cast<std::int32_t>(selection.vocabulary) - 2)[0];
    ids.insert(ids.end(), {first, first + 1, -1});
    factors.push_back(1 + static_cast<double>(r % 3) / 2);
  }
  return {device.integers(selection.rows, kIds, ids), device.doubles(factors)};
}

/// Draws for all rows but every seventh, each with its own filters and numbers.
Sampling make_draws(const Selection& selection, Device& device, Random& random) {
  constexpr double kFilters[][Sampling::kFilters] = {
      {0, 0, 1, 0, 0, 1},     {1, 0, 1, 0, 0, 4},           {0.5, 3, 1, 0, 0, 9},   {2, 0, 0.7, 0, 0, 1},
      {1.3, 0, 1, 0.2, 0, 2}, {0.8, 20, 0.9, 0.05, 0.1, 1}, {1.1, 0, 1, 0, 0.02, 3}};
  constexpr std::int64_t kRows = std::ssize(kFilters);
  std::vector<double> filters;
  for (std::int64_t r = 0; r < selection.rows; ++r)
    filters.insert(filters.end(), std::begin(kFilters[r % kRows]), std::end(kFilters[r % kRows]));
  return {device.doubles(filters).reshape(selection.rows, Sampling::kFilters),
          device.integers(selection.rows, Sampling::kKeys,
                          random.integers(selection.rows * Sampling::kKeys, -2000000000, 2000000000)),
          device.integers(1, selection.rows, random.integers(selection.rows, 0, 100))};
}

Results run_top_k(const Selection& selection, Device& device, Random& random) {
  const auto& [name, rows, d, vocabulary, k, kind, models, workspace, lists, is_masked, weights, removes,
               penalizes, draws] = selection;
  std::vector<OutputLayer> outputs;
  for (int m = 0; m < models; ++m) {
    outputs.push_back(make_output(kind, rows, d + m, vocabulary, device, random));
  }
  const Tensor values = device.sums(rows, k);
  const Tensor ids =
      device.integers(rows, k, std::vector<std::int32_t>(static_cast<std::size_t>(rows * k), -1));
  device.backend().run(
      TopK{.outputs = outputs,
           .weights = weights,
           .k = k,
           .candidates = lists > 0 ? make_candidates(selection, device, random) : Candidates(),
           .masks = is_masked ? make_masks(selection, device, random) : TokenMasks(),
           .removed = removes ? make_masks(selection, device, random) : TokenMasks(),
           .penalty = penalizes ? make_penalty(selection, device, random) : RepetitionPenalty(),
           .sampling = draws ? make_draws(selection, device, random) : Sampling(),
           .workspace = device.sums(workspace == 0 ? models * rows : workspace, vocabulary),
           .values = values,
           .ids = ids});
  // Infinities cannot be compared with a tolerance.
  std::vector<double> finite = device.read(values);
  for (double& value : finite) value = std::max(value, -1e6);
  return {{"values", device.doubles(finite)}, {"ids", ids}};
}

}  // namespace

Operation cross_entropy_operation() {
  using enum Logits;
  return tabulate<Losses>("cross_entropy", 1e-5, 2,
                          {{"no rows", 0, 4, 8, 0.1},
                           {"vocabulary of one", 2, 3, 1, 0.1},
                           {"vocabulary of two", 3, 1, 2},
                           {"odd", 7, 5, 13, 0.1},
                           {"one row", 1, 16, 17},
                           {"no bias", 5, 9, 31, 0.1, true, normal, 0, false},
                           {"loss alone", 5, 8, 40, 0.1, false},
                           {"tied", 3, 4, 100, 0.1, true, tied},
                           {"few values", 9, 6, 65, 0, true, few_values},
                           {"extreme", 16, 1, 33, 0, true, extreme},
                           {"extreme, smoothing", 16, 2, 33, 0.1, true, extreme},
                           {"many rows", 700, 8, 24, 0.1},
                           {"in parts", 700, 8, 24, 0.1, true, normal, 256},
                           {"loss alone, in parts", 600, 8, 24, 0.1, false, normal, 512},
                           {"more workspace than rows", 3, 8, 24, 0.1, true, normal, 10},
                           {"large", 9, 24, 3001},
                           {"large, smoothing", 9, 2, 12003, 0.1},
                           {"large, loss alone", 5, 24, 3001, 0.1, false},
                           {"huge", 2, 2, 17003, 0.1},
                           {"no labels", 7, 5, 13, 0.1, true, normal, 0, true, true},
                           {"no labels, in parts", 600, 8, 24, 0, true, normal, 256, true, true},
                           {"large, no labels", 5, 16, 5003, 0.1, true, normal, 0, false, true},
                           {"no labels, loss alone", 5, 8, 40, 0.1, false, normal, 0, true, true},
                           {"no labels, extreme", 16, 2, 33, 0.1, true, extreme, 0, true, true},
                           {"weights", 7, 5, 13, 0.1, true, normal, 0, true, false, true},
                           {"weights, in parts", 600, 8, 24, 0, true, normal, 256, true, true, true},
                           {"weights, large", 9, 16, 5003, 0.1, true, normal, 0, false, true, true},
                           {"weights, loss alone", 5, 8, 40, 0.1, false, normal, 0, true, false, true}},
                          run_cross_entropy);
}

Operation paired_cross_entropy_operation() {
  constexpr PairFactors kEqual{{1, 1}, {2, 2}}, kOne{{1, 0}, {3, 0}}, kUnequal{{0.5, 1}, {0.25, 2}};
  return tabulate<PairedLosses>("paired_cross_entropy", 1e-5, 2,
                                {{"no rows", 0, 4, 8, 0.1},
                                 {"vocabulary of one", 2, 3, 1, 0.1},
                                 {"odd", 7, 5, 13, 0.1, kEqual},
                                 {"one pass and one divergence", 7, 5, 13, 0.1, kOne},
                                 {"no divergence", 7, 5, 13, 0.1, {}},
                                 {"no bias", 5, 9, 31, 0, kEqual, false},
                                 {"loss alone", 5, 8, 40, 0.1, kOne, true, false},
                                 {"many rows", 700, 8, 24, 0.1},
                                 {"large", 9, 24, 5003, 0.1, kUnequal},
                                 {"no labels", 7, 5, 13, 0.1, kEqual, true, true, true},
                                 {"no labels, loss alone", 7, 5, 13, 0.1, kEqual, true, false, true},
                                 {"weights", 600, 8, 24, 0.1, kUnequal, true, true, true, true}},
                                run_paired_cross_entropy);
}

Operation top_k_operation() {
  using enum Logits;
  return tabulate<Selection>(
      "top_k", 1e-5, 0,
      {{"no rows", 0, 4, 8, 2},
       {"vocabulary of one", 2, 3, 1, 1},
       {"the best alone", 7, 5, 13, 1},
       {"all of them", 3, 4, 5, 5},
       {"all of many", 2, 9, 100, 100},
       {"all of many, few values", 2, 9, 100, 100, few_values},
       {"tied", 3, 4, 50, 8, tied},
       {"few values", 33, 8, 129, 10, few_values},
       {"extreme", 9, 2, 64, 40, extreme},
       {"beam", 40, 12, 1000, 8},
       {"beam, in parts", 40, 12, 1000, 8, normal, 1, 7},
       {"large", 5, 2, 12003, 8},
       {"large, the best alone", 5, 16, 3001, 1},
       {"large, few values", 5, 16, 3001, 12, few_values},
       {"wide beam", 5, 4, 8000, 200},
       {"wide beam, few values", 5, 4, 8000, 200, few_values},
       {"wide beam, small vocabulary", 5, 16, 301, 200},
       {"two models", 7, 5, 13, 4, normal, 2},
       {"two models, in parts", 7, 5, 13, 4, normal, 2, 5},
       {"two models, tied", 3, 4, 50, 8, tied, 2},
       {"two models, few values", 33, 8, 300, 10, few_values, 2},
       {"two models, extreme", 9, 2, 64, 40, extreme, 2},
       {"three models", 5, 12, 1000, 8, normal, 3},
       {"three models, large", 3, 12, 3001, 1, normal, 3},
       {"candidates", 7, 5, 13, 3, normal, 1, 0, 2},
       {"candidates, few values", 33, 8, 129, 10, few_values, 1, 0, 3},
       {"candidates, tied", 3, 4, 50, 8, tied, 1, 0, 1},
       {"candidates, in parts", 40, 12, 1000, 8, normal, 1, 7, 3},
       {"candidates of two models, in parts", 9, 5, 3001, 4, normal, 2, 6, 2},
       {"candidates of two models, extreme", 9, 2, 64, 40, extreme, 2, 0, 3},
       {"fewer candidates than k", 9, 5, 13, 13, normal, 1, 0, 3},
       {"weighted", 7, 5, 130, 4, normal, 2, 0, 0, false, {1, 3}},
       {"weighted, in parts", 7, 5, 13, 4, few_values, 3, 6, 0, false, {0.5, 2, 1.5}},
       {"masked", 40, 12, 1000, 8, normal, 1, 0, 0, true},
       {"masked, large, few values", 9, 16, 3001, 12, few_values, 1, 0, 0, true},
       {"masked, all of them", 5, 4, 70, 70, normal, 1, 0, 0, true},
       {"masked, in parts", 40, 12, 1000, 8, normal, 1, 7, 0, true},
       {"masked, two models", 9, 5, 300, 6, normal, 2, 4, 0, true, {2, 1}},
       {"masked candidates", 20, 5, 64, 50, normal, 1, 6, 3, true},
       {"masked candidates of two models", 9, 5, 301, 20, few_values, 2, 0, 2, true},
       {"removed", 40, 12, 1000, 8, normal, 1, 0, 0, false, {}, true},
       {"removed, large", 9, 16, 3001, 12, few_values, 1, 0, 0, false, {}, true},
       {"removed and masked", 12, 5, 70, 70, normal, 2, 6, 0, true, {2, 1}, true},
       {"removed candidates", 20, 5, 64, 50, normal, 2, 6, 3, false, {}, true},
       {"penalized", 40, 12, 1000, 8, normal, 1, 7, 0, false, {}, false, true},
       {"penalized, removed", 9, 5, 300, 6, normal, 2, 4, 0, true, {}, true, true},
       {"penalized candidates", 20, 5, 64, 9, normal, 1, 0, 3, true, {}, true, true},
       {"drawn", 36, 12, 1000, 8, normal, 1, 0, 0, false, {}, false, false, true},
       {"drawn, in parts", 30, 9, 300, 1, normal, 2, 7, 0, true, {}, true, true, true},
       {"drawn, large", 12, 9, 3001, 2, normal, 1, 0, 0, false, {}, false, false, true},
       {"drawn, of one", 12, 3, 1, 1, normal, 1, 0, 0, false, {}, false, false, true},
       {"drawn candidates", 24, 5, 64, 4, normal, 2, 6, 3, true, {}, true, true, true}},
      run_top_k);
}

}  // namespace nmt::testing
