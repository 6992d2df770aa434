#include "nn/recurrent/target_steps.h"

#include <numeric>
#include <utility>

#include "graph/upload.h"

namespace nmt {

TargetSteps::TargetSteps(Graph& g, const SourceInput& source, const TargetInput& target)
    : order_(time_major(g, target.lengths, false)), sequences_(target.sequences) {
  const std::size_t count = order_.sequences.size();
  std::vector<std::int32_t> begins(count), inverse(count), places(count);
  std::exclusive_scan(source.lengths.begin(), source.lengths.end(), begins.begin(), 0);
  std::iota(places.begin(), places.end(), 0);
  std::vector<std::int32_t> key_begins, key_lengths;
  for (const std::int32_t place : places) {
    const auto sentence = static_cast<std::size_t>(order_.sequences[static_cast<std::size_t>(place)]);
    inverse[sentence] = place;
    key_begins.push_back(begins[sentence]);
    key_lengths.push_back(source.lengths[sentence]);
  }
  constexpr std::int64_t kTensorsOfOrder = 6;
  Upload upload(g, kTensorsOfOrder, kTensorsOfOrder * static_cast<std::int64_t>(count));
  sentences_ = upload.add(order_.sequences);
  inverse_ = upload.add(inverse);
  const Tensor of_keys[] = {upload.add(key_begins), upload.add(key_lengths)};
  const Tensor of_queries[] = {upload.add(places), upload.add(std::vector<std::int32_t>(count, 1))};
  upload.send();

  const std::int64_t longest = source.sequences.offsets.longest;
  packed_ = g.attention_weights(AttentionKind::cross, sequences_.rows, 1, longest);
  if (packed_.weights) in_time_.weights = g.allocate_sums(sequences_.rows, longest);
  if (packed_.d_scores) in_time_.d_energies = std::make_shared<Tensor>();
  const auto first = [](const Tensor(&all)[2], std::int64_t rows, std::int64_t longest_of_all) {
    return SequenceOffsets{all[0].slice_columns(0, rows), all[1].slice_columns(0, rows), rows,
                           longest_of_all};
  };
  std::int64_t begin = 0;
  for (const std::int64_t rows : order_.batch_sizes) {
    const AttentionRows traced{in_time_.weights, in_time_.d_energies, begin};
    steps_.push_back({begin, rows, {first(of_queries, rows, 1), first(of_keys, rows, longest), traced}});
    begin += rows;
  }
}

Var TargetSteps::first_step(Graph& g, const Var& x) const {
  const std::int64_t rows = steps_.empty() ? 0 : steps_[0].count;
  return slice_rows(g, permute_rows(g, x, sentences_, inverse_), 0, rows);
}

void TargetSteps::pack_weights(Graph& g) const {
  if (!packed_.weights) return;
  g.backend().run(SelectRows{.from = in_time_.weights, .ids = order_.places, .to = packed_.weights});
  g.record([&g, packed = packed_.d_scores, in_time = in_time_.d_energies, rows = order_.rows] {
    if (!*packed) return;
    *in_time = g.allocate_sums(packed->rows(), packed->columns());
    g.backend().run(SelectRows{.from = std::exchange(*packed, {}), .ids = rows, .to = *in_time});
  });
}

}  // namespace nmt
