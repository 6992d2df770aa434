#include "nn/input.h"

#include <algorithm>

namespace nmt {
namespace {

/// What the two sides have in common: the sentences of one side, an extra row each for the mark.
struct Side {
  std::vector<std::int32_t> lengths;
  std::vector<std::int64_t> keys;
};

Side side_of(const std::vector<Example>& examples, std::vector<int> Example::*side) {
  Side result;
  for (const Example& example : examples) {
    result.lengths.push_back(static_cast<std::int32_t>((example.*side).size()) + 1);
    result.keys.push_back(example.id);
  }
  return result;
}

Tensor upload_row(const Graph& g, const std::vector<std::int32_t>& values) {
  return g.upload(values, 1, static_cast<std::int64_t>(values.size()));
}

}  // namespace

Segments consecutive(const Graph& g, const std::vector<std::int32_t>& lengths) {
  std::vector<std::int32_t> begins;
  std::int32_t begin = 0, longest = 0;
  for (const std::int32_t length : lengths) {
    begins.push_back(begin);
    begin += length;
    longest = std::max(longest, length);
  }
  return {upload_row(g, begins), upload_row(g, lengths), static_cast<std::int64_t>(lengths.size()), longest};
}

Sequences pack(const Graph& g, const std::vector<std::int32_t>& lengths,
               const std::vector<std::int64_t>& keys) {
  std::vector<std::int32_t> positions, row_keys;
  for (std::size_t i = 0; i < lengths.size(); ++i) {
    for (std::int32_t position = 0; position < lengths[i]; ++position) {
      positions.push_back(position);
      row_keys.push_back(static_cast<std::int32_t>(keys[i]));
      row_keys.push_back(position);
    }
  }
  const auto rows = static_cast<std::int64_t>(positions.size());
  const Segments segments = consecutive(g, lengths);
  return {segments, upload_row(g, positions), g.upload(row_keys, rows, 2), segments.max_length, rows};
}

SourceInput source_input(const Graph& g, const std::vector<Example>& examples, const Marks& marks) {
  const Side side = side_of(examples, &Example::source);
  std::vector<std::int32_t> ids;
  for (const Example& example : examples) {
    ids.insert(ids.end(), example.source.begin(), example.source.end());
    ids.push_back(marks.source_end);
  }
  return {upload_row(g, ids), pack(g, side.lengths, side.keys), side.lengths};
}

TargetInput target_input(const Graph& g, const std::vector<Example>& examples, const Marks& marks) {
  const Side side = side_of(examples, &Example::target);
  std::vector<std::int32_t> ids, gold;
  for (const Example& example : examples) {
    ids.push_back(marks.start);
    ids.insert(ids.end(), example.target.begin(), example.target.end());
    gold.insert(gold.end(), example.target.begin(), example.target.end());
    gold.push_back(marks.target_end);
  }
  return {upload_row(g, ids), upload_row(g, gold), pack(g, side.lengths, side.keys)};
}

}  // namespace nmt
