#include <algorithm>
#include <cmath>
#include <numeric>

#include "backend/parity.h"

namespace nmt::testing {
namespace {

using Lengths = std::vector<std::int32_t>;

struct RotatedShape {
  std::string name;
  std::int64_t rows, heads, width;
};

Results run_rotate(const RotatedShape& shape, Device& device, Random& random) {
  constexpr std::int64_t kPositions = 9;
  const auto [name, rows, heads, width] = shape;
  const Rotate rotation{.x = normal_matrix(device, random, rows, heads * width),
                        .positions = device.integers(1, rows, random.integers(rows, 0, kPositions - 1)),
                        .table = normal_master(device, random, kPositions, width)};
  device.backend().run(rotation);
  Rotate back = rotation;
  back.x = normal_matrix(device, random, rows, heads * width);
  back.inverse = true;
  device.backend().run(back);
  return {{"x", rotation.x}, {"back", back.x}};
}

struct AttentionShape {
  std::string name;
  std::int64_t d;
  int heads;
  Lengths queries, keys;
  bool causal = false;
  double dropout = 0;
  double deviation = 1;       // of queries: large ones make sharp weights
  std::int32_t at_least = 0;  // what the longest sequences count as
  bool backwards = false;     // the last sequence of keys lies first
  double scale = 0;
  std::int32_t farthest = 0;  // distance with a bias of its own; 0: there is no bias
  int sharing = 1;            // heads that share a head of keys and values
  std::int32_t vectors = 0;   // distance with relative vectors of its own; 0: there are none
};

/// Returns a bias with a bucket for every two distances.
RelativeBias make_bias(Device& device, Random& random, std::int32_t farthest, int heads) {
  if (farthest == 0) return {};
  std::vector<std::int32_t> buckets;
  for (std::int32_t distance = -farthest; distance <= farthest; ++distance)
    buckets.push_back((distance + farthest) / 2);
  const std::int64_t count = buckets.back() + 1;
  return {normal_master(device, random, count, heads), device.integers(1, std::ssize(buckets), buckets)};
}

/// Returns vectors for the distances -farthest, ..., farthest.
RelativeVectors make_vectors(Device& device, Random& random, std::int32_t farthest, std::int64_t width) {
  if (farthest == 0) return {};
  return {normal_matrix(device, random, 2 * farthest + 1, width),
          normal_matrix(device, random, 2 * farthest + 1, width)};
}

/// Adds what the gradients of relative vectors are computed from to what is wanted.
void want_sums_of_distances(Device& device, AttentionBackward& attention) {
  if (!attention.forward.relative) return;
  const std::int64_t columns = attention.forward.heads * attention.forward.relative.distances();
  for (Tensor* sums : {&attention.d_products, &attention.weight_sums})
    *sums = device.result(attention.forward.query.rows(), columns);
}

/// Adds a gradient of the bias, which begins with ones, to those that are wanted.
void want_bias_gradient(Device& device, AttentionBackward& attention) {
  const RelativeBias& bias = attention.forward.bias;
  if (!bias) return;
  const auto numbers = [&](std::int64_t rows, std::int64_t columns, double value) {
    return device.vector(std::vector<double>(static_cast<std::size_t>(rows * columns), value))
        .reshape(rows, columns);
  };
  attention.d_bias = numbers(bias.table.rows(), bias.table.columns(), 1);
  attention.bias_sums = numbers(attention.forward.queries.count, bias.table.size(), 0);
}

/// Makes the offsets of sequences in reverse order. (The sources of a search come in any order.)
SequenceOffsets make_backwards(Device& device, const Lengths& lengths) {
  SequenceOffsets offsets = make_offsets(device, lengths);
  Lengths begins(lengths.size());
  std::exclusive_scan(lengths.rbegin(), lengths.rend(), begins.rbegin(), 0);
  offsets.begin = device.integers(1, offsets.count, begins);
  offsets.in_order = false;
  return offsets;
}

/// Computes attention as in inference, and as in training when the weights are not needed.
void run_plain(const AttentionBackward& whole, Device& device, Results& results) {
  const auto again = [&](const Tensor& x) { return device.result(x.rows(), x.columns()); };
  Attention inference = whole.forward;
  inference.log_sum_exp = {};
  inference.weights = {};
  inference.output = again(inference.output);
  device.backend().run(inference);
  AttentionBackward training = whole;
  training.forward.weights = {};
  training.forward.output = again(inference.output);
  training.forward.log_sum_exp = device.sums(whole.forward.log_sum_exp.rows(), whole.forward.heads);
  device.backend().run(training.forward);
  for (Tensor* gradient : {&training.d_query, &training.d_key, &training.d_value})
    *gradient = again(*gradient);
  want_bias_gradient(device, training);
  want_sums_of_distances(device, training);
  device.backend().run(training);
  results.insert(results.end(), {{"output alone", inference.output},
                                 {"plain output", training.forward.output},
                                 {"plain log_sum_exp", training.forward.log_sum_exp},
                                 {"plain d_query", training.d_query},
                                 {"plain d_key", training.d_key},
                                 {"plain d_value", training.d_value}});
  if (training.d_bias) results.push_back({"plain d_bias", training.d_bias});
  if (training.d_products)
    results.insert(results.end(),
                   {{"plain d_products", training.d_products}, {"plain weight_sums", training.weight_sums}});
}

Results run(const AttentionShape& shape, Device& device, Random& random) {
  const std::int64_t d = shape.d;
  const std::int64_t rows = std::reduce(shape.queries.begin(), shape.queries.end());
  const std::int64_t key_rows = std::reduce(shape.keys.begin(), shape.keys.end());
  const SequenceOffsets keys =
      shape.backwards ? make_backwards(device, shape.keys) : make_offsets(device, shape.keys, shape.at_least);
  const Attention attention{
      .query = normal_matrix(device, random, rows, d, shape.deviation),
      .key = normal_matrix(device, random, key_rows, d / shape.sharing),
      .value = normal_matrix(device, random, key_rows, d / shape.sharing),
      .queries = make_offsets(device, shape.queries, shape.at_least),
      .keys = keys,
      .heads = shape.heads,
      .scale = shape.scale,
      .bias = make_bias(device, random, shape.farthest, shape.heads),
      .relative = make_vectors(device, random, shape.vectors, d / shape.heads),
      .causal = shape.causal,
      .dropout = make_dropout(device, shape.dropout, rows, shape.heads * mask_bytes(keys.longest)),
      .output = device.result(rows, d),
      .log_sum_exp = device.sums(rows, shape.heads),
      .weights = device.sums(rows, shape.heads * keys.longest)};
  device.backend().run(attention);
  AttentionBackward backward{.forward = attention,
                             .d_output = normal_matrix(device, random, rows, d),
                             .d_scores = {},
                             .d_query = device.result(rows, d),
                             .d_key = device.result(key_rows, d),
                             .d_value = device.result(key_rows, d),
                             .d_bias = {},
                             .bias_sums = {},
                             .d_products = {},
                             .weight_sums = {}};
  want_bias_gradient(device, backward);
  want_sums_of_distances(device, backward);
  device.backend().run(backward);
  AttentionBackward guided = backward;
  guided.d_scores = normal_master(device, random, rows, keys.longest, 0.1);
  for (Tensor* gradient : {&guided.d_query, &guided.d_key, &guided.d_value})
    *gradient = device.result(gradient->rows(), d);
  want_bias_gradient(device, guided);
  want_sums_of_distances(device, guided);
  device.backend().run(guided);

  Results results = {{"output", attention.output},   {"log_sum_exp", attention.log_sum_exp},
                     {"weights", attention.weights}, {"mask", attention.dropout.mask},
                     {"d_query", backward.d_query},  {"d_key", backward.d_key},
                     {"d_value", backward.d_value},  {"guided d_query", guided.d_query},
                     {"guided d_key", guided.d_key}, {"guided d_value", guided.d_value}};
  if (attention.bias)
    results.insert(results.end(), {{"d_bias", backward.d_bias}, {"guided d_bias", guided.d_bias}});
  if (attention.relative)
    results.insert(results.end(), {{"d_products", backward.d_products},
                                   {"weight_sums", backward.weight_sums},
                                   {"guided d_products", guided.d_products}});
  if (!attention.dropout.active()) run_plain(backward, device, results);
  return results;
}

struct SharedShape {
  std::string name;
  std::int64_t rows, heads, width, sharing;
};

Results run_shared(const SharedShape& shape, Device& device, Random& random) {
  const auto [name, rows, heads, width, sharing] = shape;
  const SumSharedHeads sum{.from = normal_matrix(device, random, rows, heads * width),
                           .to = device.result(rows, heads / sharing * width),
                           .width = width};
  device.backend().run(sum);
  return {{"to", sum.to}};
}

struct GuidedShape {
  std::string name;
  int heads;
  Lengths links;  // of each row
  std::int32_t keys;
  bool gradient = true;
};

Results run_guided(const GuidedShape& shape, Device& device, Random& random) {
  const auto rows = std::ssize(shape.links);
  std::vector<std::int32_t> keys;
  for (const std::int32_t links : shape.links) {
    const std::int32_t first = random.integers(1, 0, shape.keys - 1).front();
    for (std::int32_t i = 0; i < links; ++i) keys.push_back((first + i) % shape.keys);
  }
  keys.push_back(0);  // of no row
  std::vector<double> weights = random.normal(rows * shape.heads * shape.keys, 0.2);
  for (double& weight : weights) weight = weight < -0.3 ? 0 : std::abs(weight);
  const GuidedAlignment guided{.weights = device.master(rows, shape.heads * shape.keys, weights),
                               .links = make_offsets(device, shape.links),
                               .keys = device.integers(1, std::ssize(keys), keys),
                               .factor = 0.1,
                               .scale = device.master(1, 1, {0.375}),
                               .loss = device.sums(1, rows),
                               .d_scores = shape.gradient ? device.sums(rows, shape.keys) : Tensor()};
  device.backend().run(guided);
  return {{"loss", guided.loss}, {"d_scores", guided.d_scores}};
}

struct CachedShape {
  std::string name;
  std::int64_t d;
  int heads;
  std::int64_t cache_rows;
  Lengths lengths;  // of the past of each row, itself included
  double deviation = 1;
  double scale = 0;
  std::int32_t farthest = 0;  // as in AttentionShape
  int sharing = 1;
  std::int32_t vectors = 0;  // as in AttentionShape
};

Results run_cached(const CachedShape& shape, Device& device, Random& random) {
  const std::int64_t d = shape.d, columns = d / shape.sharing;
  const auto rows = static_cast<std::int64_t>(shape.lengths.size());
  const std::int64_t longest = rows == 0 ? 1 : *std::max_element(shape.lengths.begin(), shape.lengths.end());
  // The last rows of the cache belong to this step.
  const auto last = static_cast<std::int32_t>(shape.cache_rows) - 1;
  std::vector<std::int32_t> index = random.integers(rows * longest, 0, last), positions;
  for (std::int64_t r = 0; r < rows; ++r) {
    positions.push_back(shape.lengths[static_cast<std::size_t>(r)] - 1);
    index[static_cast<std::size_t>(r * longest + positions.back())] = last + 1 + static_cast<std::int32_t>(r);
  }
  const CachedAttention attention{.query = normal_matrix(device, random, rows, d, shape.deviation),
                                  .own_key = normal_matrix(device, random, rows, columns),
                                  .own_value = normal_matrix(device, random, rows, columns),
                                  .key = normal_matrix(device, random, shape.cache_rows + rows, columns),
                                  .value = normal_matrix(device, random, shape.cache_rows + rows, columns),
                                  .index = device.integers(rows, longest, index),
                                  .position = device.integers(1, rows, positions),
                                  .heads = shape.heads,
                                  .scale = shape.scale,
                                  .bias = make_bias(device, random, shape.farthest, shape.heads),
                                  .relative = make_vectors(device, random, shape.vectors, d / shape.heads),
                                  .output = device.result(rows, d)};
  device.backend().run(attention);
  return {{"output", attention.output}, {"key", attention.key}, {"value", attention.value}};
}

Lengths ramp(std::int32_t count, std::int32_t step, std::int32_t modulus, std::int32_t least = 0) {
  Lengths lengths;
  for (std::int32_t i = 0; i < count; ++i) lengths.push_back(least + i * step % modulus);
  return lengths;
}

/// Enough sequences that each has one block, instead of one per 32 queries; one sequence needs two.
Lengths short_ones() {
  Lengths lengths = ramp(64, 1, 3, 1);
  lengths.insert(lengths.begin() + 5, 40);
  return lengths;
}

}  // namespace

/// Roundings: matrix instructions read rounded weights and gradients of scores, and cuDNN a rounded output.
Operation rotate_operation() {
  return tabulate<RotatedShape>("rotate", 1e-5, 1,
                                {{"no rows", 0, 2, 4},
                                 {"one pair", 1, 1, 2},
                                 {"heads of 6 columns", 7, 3, 6},
                                 {"heads of 16 columns", 5, 4, 16},
                                 {"heads of 24 columns", 9, 4, 24},
                                 {"heads of 80 columns", 33, 6, 80},
                                 {"wide heads", 3, 2, 514},
                                 {"large", 300, 16, 64}},
                                run_rotate);
}

Operation attention_operation() {
  return tabulate<AttentionShape>(
      "attention", 1e-5, 3,
      {{"no sequences", 8, 2, {}, {}},
       {"one key", 8, 1, {1}, {1}},
       {"one column", 1, 1, {3}, {2}},
       {"heads of one column", 5, 5, {3, 2}, {4, 1}},
       {"heads of odd width", 15, 3, {3, 1, 5}, {3, 1, 5}, true},
       {"causal", 32, 2, {3, 1, 9}, {3, 1, 9}, true},
       {"cross", 32, 4, {3, 1, 9}, {17, 5, 2}},
       {"no keys, no queries", 16, 2, {2, 3, 0, 4}, {0, 4, 2, 1}},
       {"no keys, dropout", 16, 2, {2, 3, 0}, {0, 4, 2}, false, 0.1},
       {"nothing but empty keys", 16, 2, {2, 1}, {0, 0}},
       {"causal with fewer keys", 16, 2, {9, 2}, {4, 6}, true},
       {"dropout", 32, 4, {3, 1, 9}, {17, 5, 8}, false, 0.1},
       {"causal, dropout", 64, 8, {7, 16, 1}, {7, 16, 1}, true, 0.3},
       {"heads of 40 columns", 80, 2, {35, 4}, {35, 4}, true, 0.1},
       {"wide heads", 256, 2, {5, 35}, {40, 3}, false, 0.1},
       {"very wide heads", 340, 2, {3, 18}, {35, 18}, true, 0.1},
       {"sharp", 64, 4, {7, 16}, {40, 20}, false, 0, 30},
       {"long", 128, 2, {70, 3}, {130, 65}, false, 0.1},
       {"long, causal", 128, 2, {131, 64}, {131, 64}, true, 0.1},
       {"beyond 256 keys", 32, 2, {3, 40}, {517, 257}},
       {"beyond 256 keys, causal", 24, 3, {300, 5}, {300, 5}, true},
       {"beyond 256 keys, dropout", 32, 2, {9, 2}, {300, 513}, false, 0.1},
       {"beyond 256 keys, causal, dropout", 16, 1, {290, 2}, {290, 2}, true, 0.1},
       {"many sequences", 40, 5, ramp(50, 7, 23), ramp(50, 5, 19), false, 0.1},
       {"many short sequences", 128, 16, short_ones(), short_ones(), true, 0.1},
       {"large", 512, 8, {30, 25, 33}, {30, 25, 33}, true, 0.1},
       {"shorter than told", 32, 2, {3, 0, 9}, {4, 5, 0}, false, 0.1, 1, 128},
       {"shorter than told, causal", 32, 2, {33, 2}, {33, 2}, true, 0, 1, 256},
       {"keys backwards", 32, 2, {3, 1, 9}, {17, 5, 2}, false, 0, 1, 0, true},
       {"scale", 24, 2, {3, 9}, {3, 9}, true, 0, 1, 0, false, 0.7},
       {"bias", 32, 2, {9, 0, 35}, {9, 2, 35}, false, 0.1, 1, 0, false, 1, 8},
       {"bias, causal", 24, 3, {70, 2}, {70, 2}, true, 0, 1, 0, false, 0, 20},
       {"bias, many", 128, 16, short_ones(), short_ones(), true, 0.1, 1, 0, false, 1, 3},
       {"bias, long", 128, 2, {131, 64}, {131, 64}, false, 0.1, 1, 0, false, 0.5, 90},
       {"bias, very wide", 340, 2, {3, 18}, {35, 0}, false, 0, 1, 0, false, 0, 200},
       {"shared heads of odd width", 18, 6, {3, 1, 5}, {3, 1, 5}, true, 0, 1, 0, false, 0, 0, 2},
       {"shared heads", 64, 4, {3, 1, 9}, {17, 5, 2}, false, 0.1, 1, 0, false, 0, 0, 2},
       {"shared heads, one for all", 128, 4, {35, 4}, {35, 4}, true, 0.1, 1, 0, false, 0, 0, 4},
       {"shared heads, bias", 64, 4, {9, 0, 35}, {9, 2, 35}, false, 0, 1, 0, false, 1, 8, 2},
       {"shared heads, long", 128, 2, {131, 64}, {131, 64}, true, 0.1, 1, 0, false, 0, 0, 2},
       {"shared heads, wide", 512, 2, {5, 35}, {40, 3}, false, 0, 1, 0, false, 0, 0, 2},
       {"shared heads, large", 512, 8, {30, 25, 33}, {30, 25, 33}, true, 0.1, 1, 0, false, 0, 0, 4},
       {"vectors", 32, 2, {9, 0, 35}, {9, 2, 35}, false, 0.1, 1, 0, false, 1, 0, 1, 4},
       {"vectors, causal", 24, 3, {70, 2}, {70, 2}, true, 0, 1, 0, false, 0, 0, 1, 16},
       {"vectors, causal, dropout", 30, 2, {7, 16, 1}, {7, 16, 1}, true, 0.3, 1, 0, false, 0, 0, 1, 1},
       {"vectors, very wide", 340, 2, {3, 18}, {35, 0}, false, 0, 1, 0, false, 0, 0, 1, 100},
       {"vectors, shared heads", 64, 4, {9, 0, 35}, {9, 2, 35}, false, 0, 1, 0, false, 1, 0, 2, 8}},
      run);
}

Operation sum_shared_heads_operation() {
  return tabulate<SharedShape>("sum_shared_heads", 1e-5, 1,
                               {{"no rows", 0, 4, 8, 2},
                                {"one column", 1, 2, 1, 2},
                                {"none shared", 3, 3, 5, 1},
                                {"odd width", 7, 6, 5, 3},
                                {"heads of 24 columns", 9, 4, 24, 2},
                                {"one for all", 5, 8, 64, 8},
                                {"large", 300, 32, 64, 4}},
                               run_shared);
}

Operation guided_alignment_operation() {
  return tabulate<GuidedShape>("guided_alignment", 1e-6, 0,
                               {{"no rows", 2, {}, 3},
                                {"one link", 1, {1}, 1},
                                {"ragged", 4, {1, 0, 3, 2, 0, 5, 1}, 7},
                                {"no links", 2, {0, 0, 0}, 9},
                                {"of all keys", 8, {70, 2, 70}, 70},
                                {"many rows", 2, ramp(90, 7, 40), 45},
                                {"loss alone", 2, ramp(9, 2, 5), 12, false}},
                               run_guided);
}

Operation cached_attention_operation() {
  return tabulate<CachedShape>("cached_attention", 1e-5, 1,
                               {{"no rows", 8, 2, 3, {}},
                                {"one key", 8, 1, 1, {1}},
                                {"one column", 1, 1, 4, {2, 3}},
                                {"heads of odd width", 15, 3, 9, {3, 1, 5}},
                                {"very wide heads", 340, 2, 9, {3, 40}},
                                {"ragged", 64, 8, 40, {1, 7, 16, 17, 33}},
                                {"sharp", 64, 4, 40, {20, 30}, 30},
                                {"long", 128, 2, 300, {250, 3, 129}},
                                {"beams", 512, 8, 200, ramp(40, 7, 60, 1)},
                                {"scale", 24, 2, 9, {3, 5}, 1, 0.7},
                                {"bias", 64, 8, 40, {1, 7, 16, 33}, 1, 1, 9},
                                {"bias of odd width", 15, 3, 9, {3, 1, 5}, 1, 0, 40},
                                {"shared heads", 64, 8, 40, {1, 7, 16, 17, 33}, 1, 0, 0, 2},
                                {"shared heads of odd width", 30, 6, 9, {3, 1, 5}, 1, 0, 0, 3},
                                {"shared heads, bias", 64, 4, 40, {1, 33}, 1, 0, 9, 4},
                                {"shared heads, very wide", 340, 2, 9, {3, 40}, 1, 0, 0, 2},
                                {"vectors", 64, 8, 40, {1, 7, 16, 33}, 1, 1, 0, 1, 9},
                                {"vectors of odd width", 15, 3, 9, {3, 1, 5}, 1, 0, 0, 1, 1},
                                {"vectors, shared heads", 340, 4, 40, {1, 33}, 1, 0, 0, 2, 16}},
                               run_cached);
}

}  // namespace nmt::testing
