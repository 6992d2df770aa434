#include "nn/input.h"

#include <algorithm>
#include <bit>
#include <numeric>
#include <utility>

#include "graph/graph.h"

namespace nmt {
namespace {

constexpr std::int32_t kNothing = -1;  // the id, the label, the key and the place of a padding row

ModelKey direction_key(const char* name, const char* help) {
  return {name, "left-to-right", help, {"left-to-right", "right-to-left"}};
}

Direction direction_of(const ModelKey& key, const ModelSettings& settings) {
  return chosen({key}, settings, key.name, {Direction::left_to_right, Direction::right_to_left});
}

}  // namespace

ModelKey source_direction_key() {
  return direction_key("source_direction",
                       "order in which the encoder reads the tokens of a source. Marian's right-left is "
                       "right-to-left here and in target_direction.");
}

ModelKey target_direction_key() {
  return direction_key("target_direction", "order in which the tokens of a target are predicted");
}

Direction source_direction_of(const ModelSettings& settings) {
  return direction_of(source_direction_key(), settings);
}

Direction target_direction_of(const ModelSettings& settings) {
  return direction_of(target_direction_key(), settings);
}

SourceRows::SourceRows(const Graph& g, const std::vector<std::int32_t>& lengths,
                       std::vector<std::int32_t> begins)
    : backend_(g.backend()) {
  begins.resize(lengths.size(), kNothing);
  std::vector<std::int32_t> rows;
  for (std::size_t i = 0; i < begins.size(); ++i)
    for (std::int32_t row = 0; row < lengths[i]; ++row)
      rows.push_back(begins[i] == kNothing ? kNothing : begins[i] + row);
  const std::vector<std::int32_t> zeros(std::max(rows.size(), begins.size()));
  Upload upload(g, 3, std::ssize(rows) + std::ssize(begins) + std::ssize(zeros));
  rows_ = upload.add(rows, std::ssize(rows), 1);
  begins_ = upload.add(begins, std::ssize(begins), 1);
  zeros_ = upload.add(zeros);
  upload.send();
}

void SourceRows::write(const Tensor& from, const Tensor& places, const Tensor& to) const {
  backend_.run(WriteStates{
      .states = from, .index = places, .position = zeros_.slice_columns(0, places.rows()), .cache = to});
}

std::int64_t padded_rows(std::int64_t rows, int step) {
  if (step == 1) return rows;
  const auto power = static_cast<std::int64_t>(std::bit_floor(static_cast<std::uint64_t>(rows)));
  const std::int64_t of_few = std::clamp<std::int64_t>(power / 2, 8, 64);
  const std::int64_t multiple = std::min<std::int64_t>(std::max(power / 8, of_few), step);
  return (rows + multiple - 1) / multiple * multiple;
}

std::int64_t padded_count(std::int64_t count, int step) {
  return step == 1 ? count : static_cast<std::int64_t>(std::bit_ceil(static_cast<std::uint64_t>(count)));
}

std::int64_t padded_length(std::int64_t longest, int step) {
  constexpr std::int64_t kLeast = 128;
  return step == 1 ? longest : padded_count(std::max(longest, kLeast), step);
}

namespace {

using Lengths = std::vector<std::int32_t>;

constexpr std::int64_t kTensors = 7;  // per side, at most: ids, labels, weights, those of Sequences

std::int64_t rows_of(const Lengths& lengths) {
  return std::accumulate(lengths.begin(), lengths.end(), std::int64_t{0});
}

/// Returns an upper limit of the numbers that one side of sentences of these lengths takes: ids, labels,
/// weights, positions and two keys per row; begin and length per sentence.
std::int64_t numbers(const Lengths& lengths) {
  return 6 * rows_of(lengths) + 2 * std::ssize(lengths);
}

Lengths source_lengths(const std::vector<Example>& examples, const SpecialTokens& special_tokens) {
  Lengths lengths;
  lengths.reserve(examples.size());
  for (const Example& example : examples)
    lengths.push_back(static_cast<std::int32_t>(special_tokens.source_rows(std::ssize(example.source))));
  return lengths;
}

Lengths target_lengths(const std::vector<Example>& examples) {
  Lengths lengths;
  lengths.reserve(examples.size());
  for (const Example& example : examples)
    lengths.push_back(static_cast<std::int32_t>(example.target.size()) + 1);
  return lengths;
}

/// Adds padding sentences: with rows, none of them longer than the longest, and without rows, which are free.
void pad(Lengths& lengths, int step) {
  if (step == 1) return;
  const std::int64_t rows = rows_of(lengths);
  auto rest = static_cast<std::int32_t>(padded_rows(rows, step) - rows);
  for (const std::int32_t longest = std::ranges::max(lengths); rest > 0; rest -= longest)
    lengths.push_back(std::min(rest, longest));
  lengths.resize(static_cast<std::size_t>(padded_count(std::ssize(lengths), step)));
}

/// Returns the number that the rows of a batch are a multiple of.
int row_step(const Graph& g, const std::vector<Example>& examples) {
  return g.training() && !examples.empty() ? g.backend().row_step() : 1;
}

/// Returns the lengths of both sides of a batch, padding sentences included.
std::pair<Lengths, Lengths> batch_lengths(const Graph& g, const std::vector<Example>& examples,
                                          const SpecialTokens& special_tokens) {
  std::pair<Lengths, Lengths> lengths{source_lengths(examples, special_tokens), target_lengths(examples)};
  const int step = row_step(g, examples);
  for (Lengths* side : {&lengths.first, &lengths.second}) pad(*side, step);
  const std::size_t count = std::max(lengths.first.size(), lengths.second.size());
  lengths.first.resize(count);
  lengths.second.resize(count);
  return lengths;
}

/// Returns the links of an example between rows instead of tokens, in ascending order.
std::vector<Link> links_by_row(const Example& example, const SpecialTokens& special_tokens) {
  std::vector<Link> links = example.links;
  for (Link& link : links) {
    link.source = static_cast<int>(special_tokens.source_row(link.source, std::ssize(example.source)));
    link.target = static_cast<int>(special_tokens.target_row(link.target, std::ssize(example.target)));
  }
  std::ranges::sort(links);
  return links;
}

/// Returns the example ids of `count` sentences, padding sentences included.
std::vector<std::int64_t> keys_of(const std::vector<Example>& examples, std::size_t count) {
  std::vector<std::int64_t> keys;
  keys.reserve(count);
  for (const Example& example : examples) keys.push_back(example.id);
  keys.resize(count, kNothing);
  return keys;
}

SequenceOffsets consecutive(Upload& upload, const Lengths& lengths) {
  std::vector<std::int32_t> begins;
  std::int32_t begin = 0, longest = 0;
  for (const std::int32_t length : lengths) {
    begins.push_back(begin);
    begin += length;
    longest = std::max(longest, length);
  }
  return {upload.add(begins), upload.add(lengths), std::ssize(lengths), longest, true};
}

Sequences pack(Upload& upload, const Lengths& lengths, const std::vector<std::int64_t>& keys) {
  std::vector<std::int32_t> positions, row_keys;
  for (std::size_t i = 0; i < lengths.size(); ++i) {
    for (std::int32_t position = 0; position < lengths[i]; ++position) {
      positions.push_back(position);
      row_keys.push_back(static_cast<std::int32_t>(keys[i]));
      row_keys.push_back(position);
    }
  }
  const std::int64_t rows = std::ssize(positions);
  const SequenceOffsets offsets = consecutive(upload, lengths);
  return {offsets, upload.add(positions), upload.add(row_keys, rows, 2), offsets.longest, rows};
}

SourceInput source_input(Upload& upload, const std::vector<Example>& examples, const Lengths& lengths,
                         const SpecialTokens& special_tokens) {
  std::vector<std::int32_t> ids;
  for (const Example& example : examples) {
    if (!special_tokens.has_source) break;
    if (special_tokens.source_bos >= 0) ids.push_back(special_tokens.source_bos);
    ids.insert(ids.end(), example.source.begin(), example.source.end());
    if (special_tokens.source_reversed) std::reverse(ids.end() - std::ssize(example.source), ids.end());
    if (special_tokens.has_source_eos(std::ssize(example.source))) ids.push_back(special_tokens.source_eos);
  }
  ids.resize(static_cast<std::size_t>(rows_of(lengths)), kNothing);
  return {upload.add(ids), pack(upload, lengths, keys_of(examples, lengths.size())), lengths};
}

/// Returns the weights of `rows` target rows; empty if no example has weights.
Tensor weights_of_rows(Upload& upload, const std::vector<Example>& examples, std::int64_t rows,
                       bool reversed) {
  if (std::ranges::all_of(examples, [](const Example& example) { return example.weights.empty(); }))
    return {};
  std::vector<float> weights;
  for (const Example& example : examples) {
    std::vector<float> own = example.weights;
    if (own.size() <= 1) own.assign(example.target.size() + 1, own.empty() ? 1 : own[0]);
    if (reversed) std::reverse(own.begin(), own.end() - 1);  // EOS stays last
    weights.insert(weights.end(), own.begin(), own.end());
  }
  weights.resize(static_cast<std::size_t>(rows));
  return upload.add(weights);
}

TargetInput target_input(Upload& upload, const std::vector<Example>& examples, const Lengths& lengths,
                         const SpecialTokens& special_tokens) {
  std::vector<std::int32_t> ids, labels;
  for (const Example& example : examples) {
    std::vector<int> target = example.target;
    if (special_tokens.target_reversed) std::ranges::reverse(target);
    ids.push_back(special_tokens.start);
    ids.insert(ids.end(), target.begin(), target.end());
    labels.insert(labels.end(), target.begin(), target.end());
    labels.push_back(special_tokens.target_eos);
  }
  for (std::vector<std::int32_t>* rows : {&ids, &labels})
    rows->resize(static_cast<std::size_t>(rows_of(lengths)), kNothing);
  const Tensor weights = weights_of_rows(upload, examples, rows_of(lengths), special_tokens.target_reversed);
  return {upload.add(ids),
          {upload.add(labels), weights},
          pack(upload, lengths, keys_of(examples, lengths.size())),
          lengths};
}

}  // namespace

SequenceOffsets consecutive(const Graph& g, const Lengths& lengths) {
  Upload upload(g, kTensors, numbers(lengths));
  SequenceOffsets offsets = consecutive(upload, lengths);
  upload.send();
  return offsets;
}

Sequences pack(const Graph& g, const Lengths& lengths, const std::vector<std::int64_t>& keys) {
  Upload upload(g, kTensors, numbers(lengths));
  Sequences sequences = pack(upload, lengths, keys);
  upload.send();
  return sequences;
}

SourceInput source_input(const Graph& g, const std::vector<Example>& examples,
                         const SpecialTokens& special_tokens) {
  const Lengths lengths = source_lengths(examples, special_tokens);
  Upload upload(g, kTensors, numbers(lengths));
  SourceInput source = source_input(upload, examples, lengths, special_tokens);
  upload.send();
  return source;
}

SourceInput padded_source_input(const Graph& g, const std::vector<Example>& examples,
                                const SpecialTokens& special_tokens) {
  Lengths lengths = source_lengths(examples, special_tokens);
  const int step = g.backend().row_step();
  pad(lengths, step);
  Upload upload(g, kTensors, numbers(lengths));
  SourceInput source = source_input(upload, examples, lengths, special_tokens);
  upload.send();
  SequenceOffsets& offsets = source.sequences.offsets;
  offsets.longest = padded_length(offsets.longest, step);
  return source;
}

AlignmentLinks alignment_links(const Graph& g, const std::vector<Example>& examples,
                               const SpecialTokens& special_tokens) {
  const auto [source, target] = batch_lengths(g, examples, special_tokens);
  Lengths lengths(static_cast<std::size_t>(rows_of(target)));
  std::vector<std::int32_t> keys;
  std::size_t row = 0;
  for (const Example& example : examples) {
    for (const Link& link : links_by_row(example, special_tokens)) {
      ++lengths[row + static_cast<std::size_t>(link.target)];
      keys.push_back(link.source);
    }
    row += example.target.size() + 1;
  }
  keys.resize(std::bit_ceil(keys.size() + 1));  // a power of two, so that shapes recur
  Upload upload(g, 3, 2 * std::ssize(lengths) + std::ssize(keys));
  AlignmentLinks links{consecutive(upload, lengths), upload.add(keys)};
  upload.send();
  return links;
}

BatchInput batch_input(const Graph& g, const std::vector<Example>& examples,
                       const SpecialTokens& special_tokens) {
  const auto [source, target] = batch_lengths(g, examples, special_tokens);
  Upload upload(g, 2 * kTensors, numbers(source) + numbers(target));
  BatchInput input{source_input(upload, examples, source, special_tokens),
                   target_input(upload, examples, target, special_tokens)};
  upload.send();
  for (SequenceOffsets* side : {&input.source.sequences.offsets, &input.target.sequences.offsets})
    side->longest = padded_length(side->longest, row_step(g, examples));
  return input;
}

}  // namespace nmt
