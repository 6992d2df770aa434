#include "nn/input.h"

#include <algorithm>
#include <numeric>

#include "graph/upload.h"

namespace nmt {
namespace {

using Lengths = std::vector<std::int32_t>;

constexpr std::int64_t kTensors = 6;  // of a side, at most: ids, gold, and those of Sequences

/// Integers that a side of sentences of these lengths takes, at most: ids, gold, positions and two keys of
/// each row; begin and length of each sentence.
std::int64_t integers(const Lengths& lengths) {
  return 5 * std::accumulate(lengths.begin(), lengths.end(), std::int64_t{0}) + 2 * std::ssize(lengths);
}

/// The lengths of one side, an extra row each for the mark.
Lengths lengths_of(const std::vector<Example>& examples, std::vector<int> Example::*side) {
  Lengths lengths;
  lengths.reserve(examples.size());
  for (const Example& example : examples) {
    lengths.push_back(static_cast<std::int32_t>((example.*side).size()) + 1);
  }
  return lengths;
}

std::vector<std::int64_t> keys_of(const std::vector<Example>& examples) {
  std::vector<std::int64_t> keys;
  keys.reserve(examples.size());
  for (const Example& example : examples) keys.push_back(example.id);
  return keys;
}

Segments consecutive(Upload& upload, const Lengths& lengths) {
  std::vector<std::int32_t> begins;
  std::int32_t begin = 0, longest = 0;
  for (const std::int32_t length : lengths) {
    begins.push_back(begin);
    begin += length;
    longest = std::max(longest, length);
  }
  return {upload.add(begins), upload.add(lengths), std::ssize(lengths), longest};
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
  const Segments segments = consecutive(upload, lengths);
  return {segments, upload.add(positions), upload.add(row_keys, rows, 2), segments.max_length, rows};
}

SourceInput source_input(Upload& upload, const std::vector<Example>& examples, const Lengths& lengths,
                         const Marks& marks) {
  std::vector<std::int32_t> ids;
  for (const Example& example : examples) {
    ids.insert(ids.end(), example.source.begin(), example.source.end());
    ids.push_back(marks.source_end);
  }
  return {upload.add(ids), pack(upload, lengths, keys_of(examples)), lengths};
}

TargetInput target_input(Upload& upload, const std::vector<Example>& examples, const Lengths& lengths,
                         const Marks& marks) {
  std::vector<std::int32_t> ids, gold;
  for (const Example& example : examples) {
    ids.push_back(marks.start);
    ids.insert(ids.end(), example.target.begin(), example.target.end());
    gold.insert(gold.end(), example.target.begin(), example.target.end());
    gold.push_back(marks.target_end);
  }
  return {upload.add(ids), upload.add(gold), pack(upload, lengths, keys_of(examples))};
}

}  // namespace

Segments consecutive(const Graph& g, const Lengths& lengths) {
  Upload upload(g, kTensors, integers(lengths));
  Segments segments = consecutive(upload, lengths);
  upload.send();
  return segments;
}

Sequences pack(const Graph& g, const Lengths& lengths, const std::vector<std::int64_t>& keys) {
  Upload upload(g, kTensors, integers(lengths));
  Sequences sequences = pack(upload, lengths, keys);
  upload.send();
  return sequences;
}

SourceInput source_input(const Graph& g, const std::vector<Example>& examples, const Marks& marks) {
  const Lengths lengths = lengths_of(examples, &Example::source);
  Upload upload(g, kTensors, integers(lengths));
  SourceInput source = source_input(upload, examples, lengths, marks);
  upload.send();
  return source;
}

BatchInput batch_input(const Graph& g, const std::vector<Example>& examples, const Marks& marks) {
  const Lengths source = lengths_of(examples, &Example::source);
  const Lengths target = lengths_of(examples, &Example::target);
  Upload upload(g, 2 * kTensors, integers(source) + integers(target));
  BatchInput input{source_input(upload, examples, source, marks),
                   target_input(upload, examples, target, marks)};
  upload.send();
  return input;
}

}  // namespace nmt
