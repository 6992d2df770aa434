#include "backend/row_operations.h"

#include <algorithm>

#include "backend/parity.h"

namespace nmt::testing {
namespace {

/// Returns the dropout of rows [begin, begin + count), with its own mask.
Dropout part_of(Device& device, const Dropout& whole, std::int64_t begin, std::int64_t count,
                std::int64_t bytes) {
  Dropout piece = whole;
  piece.row_keys = whole.row_keys.slice_rows(begin, count);
  piece.mask = device.mask(count, bytes);
  return piece;
}

Piece embedding(Device& device, Random& random, std::int64_t rows) {
  const std::int64_t d = 21;
  const Tensor table = normal_matrix(device, random, 50, d);
  const Tensor ids = device.integers(1, rows, random.integers(rows, -1, 49));
  const Tensor positions = device.integers(1, rows, random.integers(rows, 0, 49));
  const Dropout whole = make_dropout(device, 0.1, rows, mask_bytes(d));
  return [=, &device](std::int64_t begin, std::int64_t count) -> std::vector<Tensor> {
    const Dropout dropout = part_of(device, whole, begin, count, mask_bytes(d));
    const Tensor y = device.result(count, d);
    device.backend().run(Embedding{.table = table,
                                   .ids = ids.slice_columns(begin, count),
                                   .positions = positions.slice_columns(begin, count),
                                   .position_table = table,
                                   .dropout = dropout,
                                   .y = y});
    return {y, dropout.mask};
  };
}

template <std::int64_t in, std::int64_t out, Activation activation = Activation::gelu>
Piece linear(Device& device, Random& random, std::int64_t rows) {
  const Tensor x = normal_matrix(device, random, rows, in);
  const Tensor weight = normal_matrix(device, random, out, in);
  const Tensor bias = normal_master(device, random, 1, out);
  const Tensor dy = normal_matrix(device, random, rows, out);
  const Dropout whole = make_dropout(device, 0.1, rows, mask_bytes(out));
  return [=, &device](std::int64_t begin, std::int64_t count) -> std::vector<Tensor> {
    const Dropout dropout = part_of(device, whole, begin, count, mask_bytes(out));
    const Tensor pre_activation = device.result(count, out);
    const Tensor y = device.result(count, out);
    device.backend().run(Linear{.x = x.slice_rows(begin, count),
                                .weight = weight,
                                .bias = bias,
                                .activation = activation,
                                .dropout = dropout,
                                .pre_activation = pre_activation,
                                .y = y});
    const Tensor dz = device.result(count, out);
    device.backend().copy(dz, dy.slice_rows(begin, count));
    const Tensor dx = device.result(count, in);
    device.backend().run(LinearBackward{.x = x.slice_rows(begin, count),
                                        .weight = weight,
                                        .activation = activation,
                                        .dropout = dropout,
                                        .y = y,
                                        .pre_activation = pre_activation,
                                        .dy = dz,
                                        .dx = dx,
                                        .d_weight = {},
                                        .d_bias = {}});
    return {y, dropout.mask, dx};
  };
}

Piece quantized_linear(Device& device, Random& random, std::int64_t rows) {
  const std::int64_t in = 260, out = 140;
  const Tensor x = normal_matrix(device, random, rows, in);
  const Tensor weight = device.quantized(out, in, random.integers(out * in, -127, 127));
  const Tensor scale = device.scales(random.normal(out));
  return [=, &device](std::int64_t begin, std::int64_t count) -> std::vector<Tensor> {
    const Tensor y = device.result(count, out);
    device.backend().run(
        Linear{.x = x.slice_rows(begin, count), .weight = weight, .weight_scale = scale, .y = y});
    return {y};
  };
}

Piece element_product(Device& device, Random& random, std::int64_t rows) {
  const std::int64_t d = 21;
  const Tensor x = normal_matrix(device, random, rows, 3 * d);
  return [=, &device](std::int64_t begin, std::int64_t count) -> std::vector<Tensor> {
    const auto part = [&](int i) { return x.slice_rows(begin, count).slice_columns(i * d, d); };
    const ElementProduct product{.x = part(0), .z = part(1), .y = device.result(count, d)};
    device.backend().run(product);
    const ElementProductBackward backward{.x = part(0),
                                          .z = part(1),
                                          .dy = part(2),
                                          .dx = device.result(count, d),
                                          .dz = device.result(count, d)};
    device.backend().run(backward);
    return {product.y, backward.dx, backward.dz};
  };
}

Piece fake_quantize(Device& device, Random& random, std::int64_t rows) {
  const Tensor x = normal_matrix(device, random, rows, 77);
  return [=, &device](std::int64_t begin, std::int64_t count) -> std::vector<Tensor> {
    const Tensor y = device.result(count, x.columns());
    device.backend().run(FakeQuantize{.x = x.slice_rows(begin, count), .y = y});
    return {y};
  };
}

Piece add_norm(Device& device, Random& random, std::int64_t rows) {
  const std::int64_t d = 77;
  const Tensor x = normal_matrix(device, random, rows, d);
  const Tensor h = normal_matrix(device, random, rows, d);
  const Tensor gain = normal_master(device, random, 1, d);
  const Dropout whole = make_dropout(device, 0.3, rows, mask_bytes(d));
  return [=, &device](std::int64_t begin, std::int64_t count) -> std::vector<Tensor> {
    const Dropout dropout = part_of(device, whole, begin, count, mask_bytes(d));
    const Tensor sum = device.result(count, d);
    const Tensor y = device.result(count, d);
    device.backend().run(AddNorm{.x = x.slice_rows(begin, count),
                                 .h = h.slice_rows(begin, count),
                                 .dropout = dropout,
                                 .gain = gain,
                                 .bias = gain,
                                 .epsilon = 1e-6,
                                 .sum = sum,
                                 .y = y,
                                 .mean = {},
                                 .inverse_std = {}});
    return {sum, y, dropout.mask};
  };
}

Piece rotate(Device& device, Random& random, std::int64_t rows) {
  const std::int64_t width = 22, positions = 30;
  const Tensor x = normal_matrix(device, random, rows, 3 * width);
  const Tensor table = normal_master(device, random, positions, width);
  const Tensor position = device.integers(1, rows, random.integers(rows, 0, positions - 1));
  return [=, &device](std::int64_t begin, std::int64_t count) -> std::vector<Tensor> {
    const Tensor y = device.result(count, x.columns());
    device.backend().copy(y, x.slice_rows(begin, count));
    device.backend().run(Rotate{.x = y.slice_columns(0, 2 * width),
                                .positions = position.slice_columns(begin, count),
                                .table = table});
    return {y};
  };
}

/// Query rows can be split anywhere: the part of a sequence in a piece still attends to all keys of the
/// sequence.
/// sequence.
template <int sharing>
Piece cross_attention(Device& device, Random& random, std::int64_t rows) {
  const std::int64_t d = 40;
  const std::int32_t queries = 9;  // in a sequence
  const auto sequences = static_cast<std::int32_t>((rows + queries - 1) / queries);
  std::vector<std::int32_t> key_begins;
  std::vector<std::int32_t> key_lengths;
  std::int32_t key_rows = 0;
  for (std::int32_t s = 0; s < sequences; ++s) {
    key_begins.push_back(key_rows);
    key_lengths.push_back(s * 11 % 37);
    key_rows += key_lengths.back();
  }
  const Tensor query = normal_matrix(device, random, rows, d);
  const Tensor key = normal_matrix(device, random, key_rows, d / sharing);
  const Tensor value = normal_matrix(device, random, key_rows, d / sharing);
  const Dropout whole = make_dropout(device, 0.1, rows, 0);
  return [=, &device](std::int64_t begin, std::int64_t count) -> std::vector<Tensor> {
    std::vector<std::int32_t> begins;
    std::vector<std::int32_t> lengths;
    const auto first = static_cast<std::int32_t>(begin / queries);
    const auto last = static_cast<std::int32_t>((begin + count - 1) / queries);
    std::int32_t longest = 0;
    for (std::int32_t s = first; s <= last; ++s) {
      const std::int64_t from = std::max<std::int64_t>(begin, s * queries);
      const std::int64_t to = std::min<std::int64_t>(begin + count, (s + 1) * queries);
      begins.push_back(static_cast<std::int32_t>(from - begin));
      lengths.push_back(static_cast<std::int32_t>(to - from));
      longest = std::max(longest, key_lengths[static_cast<std::size_t>(s)]);
    }
    const auto pieces = static_cast<std::int64_t>(begins.size());
    const auto slice = [&](const std::vector<std::int32_t>& all) {
      return device.integers(1, pieces, {all.begin() + first, all.begin() + last + 1});
    };
    const int heads = 5;
    const Tensor output = device.result(count, d);
    const Attention attention{.query = query.slice_rows(begin, count),
                              .key = key,
                              .value = value,
                              .queries = {.begin = device.integers(1, pieces, begins),
                                          .length = device.integers(1, pieces, lengths),
                                          .count = pieces,
                                          .longest = *std::max_element(lengths.begin(), lengths.end())},
                              .keys = {.begin = slice(key_begins),
                                       .length = slice(key_lengths),
                                       .count = pieces,
                                       .longest = longest},
                              .heads = heads,
                              .dropout = part_of(device, whole, begin, count, heads * mask_bytes(longest)),
                              .output = output,
                              .log_sum_exp = device.sums(count, heads)};
    device.backend().run(attention);
    Attention inference = attention;  // which takes each query by itself
    inference.dropout = {};
    inference.log_sum_exp = {};
    inference.output = device.result(count, d);
    device.backend().run(inference);
    return {output, inference.output};
  };
}

/// Returns a bias whose last row is for all distances of 4 and more.
RelativeBias make_bias(Device& device, Random& random, int heads) {
  return {normal_master(device, random, 5, heads), device.integers(1, 9, {4, 3, 2, 1, 0, 1, 2, 3, 4})};
}

RelativeVectors make_vectors(Device& device, Random& random, std::int64_t width) {
  return {normal_matrix(device, random, 7, width), normal_matrix(device, random, 7, width)};
}

/// The positions of an attention.
enum class DistanceKind : std::uint8_t { none, bias, vectors };

/// Whole sequences of causal self-attention; a unit is a sequence.
template <DistanceKind kind>
Piece self_attention(Device& device, Random& random, std::int64_t sequences) {
  const std::int64_t d = 24;
  const std::int64_t length = 7;
  const RelativeBias bias = kind == DistanceKind::bias ? make_bias(device, random, 2) : RelativeBias();
  const RelativeVectors vectors =
      kind == DistanceKind::vectors ? make_vectors(device, random, d / 2) : RelativeVectors();
  const Tensor x = normal_matrix(device, random, sequences * length, 3 * d);
  return [=, &device](std::int64_t begin, std::int64_t count) -> std::vector<Tensor> {
    std::vector<std::int32_t> begins;
    for (std::int64_t s = 0; s < count; ++s) begins.push_back(static_cast<std::int32_t>(s * length));
    const std::vector<std::int32_t> lengths(static_cast<std::size_t>(count),
                                            static_cast<std::int32_t>(length));
    const SequenceOffsets all = {.begin = device.integers(1, count, begins),
                                 .length = device.integers(1, count, lengths),
                                 .count = count,
                                 .longest = length};
    const Tensor rows = x.slice_rows(begin * length, count * length);
    const Tensor output = device.result(count * length, d);
    device.backend().run(Attention{.query = rows.slice_columns(0, d),
                                   .key = rows.slice_columns(d, d),
                                   .value = rows.slice_columns(2 * d, d),
                                   .queries = all,
                                   .keys = all,
                                   .heads = 2,
                                   .bias = bias,
                                   .relative = vectors,
                                   .causal = true,
                                   .dropout = {},
                                   .output = output,
                                   .log_sum_exp = {}});
    return {output.reshape(count, length * d)};
  };
}

Piece guided_alignment(Device& device, Random& random, std::int64_t rows) {
  const std::int64_t keys = 21;
  const Tensor weights =
      device.master(rows, keys, std::vector<double>(static_cast<std::size_t>(rows * keys), 0.05));
  const std::vector<std::int32_t> counts = random.integers(rows, 0, 4);
  const Tensor scale = device.master(1, 1, {0.25});
  return [=, &device](std::int64_t begin, std::int64_t count) -> std::vector<Tensor> {
    const std::vector<std::int32_t> lengths(counts.begin() + begin, counts.begin() + begin + count);
    std::vector<std::int32_t> links;
    for (std::int64_t r = begin; r < begin + count; ++r) {
      for (std::int32_t i = 0; i < counts[static_cast<std::size_t>(r)]; ++i)
        links.push_back(static_cast<std::int32_t>((r * 5 + i) % keys));
    }
    links.push_back(0);
    const Tensor loss = device.sums(1, count), d_scores = device.sums(count, keys);
    device.backend().run(GuidedAlignment{.weights = weights.slice_rows(begin, count),
                                         .links = make_offsets(device, lengths),
                                         .keys = device.integers(1, std::ssize(links), links),
                                         .factor = 0.1,
                                         .scale = scale,
                                         .loss = loss,
                                         .d_scores = d_scores});
    return {loss.reshape(count, 1), d_scores};
  };
}

Piece sum_shared_heads(Device& device, Random& random, std::int64_t rows) {
  const std::int64_t width = 22, heads = 6, sharing = 3;
  const Tensor x = normal_matrix(device, random, rows, heads * width);
  return [=, &device](std::int64_t begin, std::int64_t count) -> std::vector<Tensor> {
    const Tensor to = device.result(count, heads / sharing * width);
    device.backend().run(SumSharedHeads{.from = x.slice_rows(begin, count), .to = to, .width = width});
    return {to};
  };
}

template <DistanceKind kind, int sharing = 1>
Piece cached_attention(Device& device, Random& random, std::int64_t rows) {
  const std::int64_t d = 40, columns = d / sharing;
  const std::int64_t longest = 35;
  const std::int32_t past = 300;  // rows of the cache, behind which each row has its own
  const Tensor query = normal_matrix(device, random, rows, d + 2 * columns);
  const Tensor key = normal_matrix(device, random, past + rows, columns);
  const Tensor value = normal_matrix(device, random, past + rows, columns);
  const std::vector<std::int32_t> positions =
      random.integers(rows, 0, static_cast<std::int32_t>(longest) - 1);
  std::vector<std::int32_t> places = random.integers(rows * longest, 0, past - 1);
  for (std::int64_t r = 0; r < rows; ++r) {
    places[static_cast<std::size_t>(r * longest + positions[static_cast<std::size_t>(r)])] =
        past + static_cast<std::int32_t>(r);
  }
  const Tensor index = device.integers(rows, longest, places);
  const Tensor position = device.integers(1, rows, positions);
  const RelativeBias bias = kind == DistanceKind::bias ? make_bias(device, random, 5) : RelativeBias();
  const RelativeVectors vectors =
      kind == DistanceKind::vectors ? make_vectors(device, random, d / 5) : RelativeVectors();
  return [=, &device](std::int64_t begin, std::int64_t count) -> std::vector<Tensor> {
    const Tensor output = device.result(count, d);
    const Tensor own = query.slice_rows(begin, count);
    device.backend().run(CachedAttention{.query = own.slice_columns(0, d),
                                         .own_key = own.slice_columns(d, columns),
                                         .own_value = own.slice_columns(d + columns, columns),
                                         .key = key,
                                         .value = value,
                                         .index = index.slice_rows(begin, count),
                                         .position = position.slice_columns(begin, count),
                                         .heads = 5,
                                         .bias = bias,
                                         .relative = vectors,
                                         .output = output});
    return {output};
  };
}

}  // namespace

std::vector<RowOperation> row_operations() {
  std::vector<RowOperation> operations = {
      {"embedding", embedding},
      {"linear", linear<36, 44>},
      {"large_linear", linear<260, 520>},
      {"linear_gelu_tanh", linear<12, 44, Activation::gelu_tanh>},
      {"linear_gelu_sigmoid", linear<12, 44, Activation::gelu_sigmoid>},
      {"linear_swish", linear<12, 44, Activation::swish>},
      {"element_product", element_product},
      {"fake_quantize", fake_quantize},
      {"add_norm", add_norm},
      {"rotate", rotate},
      {"cross_attention", cross_attention<1>},
      {"cross_attention_shared", cross_attention<5>},
      {"self_attention", self_attention<DistanceKind::none>},
      {"self_attention_bias", self_attention<DistanceKind::bias>},
      {"self_attention_vectors", self_attention<DistanceKind::vectors>},
      {"guided_alignment", guided_alignment},
      {"cached_attention", cached_attention<DistanceKind::none>},
      {"cached_attention_bias", cached_attention<DistanceKind::bias>},
      {"cached_attention_vectors", cached_attention<DistanceKind::vectors>},
      {"cached_attention_shared", cached_attention<DistanceKind::bias, 5>},
      {"sum_shared_heads", sum_shared_heads}};
  for (const std::vector<RowOperation>& others : {recurrent_row_operations(), output_row_operations()})
    operations.insert(operations.end(), others.begin(), others.end());
  return operations;
}

RowOperation quantized_row_operation() {
  return {"quantized_linear", quantized_linear};
}

}  // namespace nmt::testing
