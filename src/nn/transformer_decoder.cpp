#include "nn/transformer_decoder.h"

#include <algorithm>
#include <numeric>

namespace nmt {

TransformerDecoder::TransformerDecoder(const Transformer& model, Graph& g, const SourceInput& source)
    : model_(model) {
  const Var memory = model.encode(g, source);
  for (const DecoderLayer& layer : model.decoder_) {
    layers_.push_back({layer.cross_attention.key_value(g, memory), {}});
  }
  std::int32_t begin = 0;
  for (const std::int32_t length : source.lengths) {
    source_begin_.push_back(begin);
    begin += length;
  }
  source_length_ = source.lengths;
  const std::size_t sentences = source.lengths.size();
  sentences_.resize(sentences);
  std::iota(sentences_.begin(), sentences_.end(), 0);
  past_.resize(sentences);
}

void TransformerDecoder::reserve(Graph& g, std::int64_t rows) {
  const std::int64_t d = model_.config_.d_model;
  for (Layer& layer : layers_) {
    Tensor& cache = layer.cache.key_value;
    if (cache && cache.rows() >= used_ + rows) continue;
    const Tensor larger = g.allocate(std::max(2 * used_, 16 * rows), 2 * d);
    if (used_ > 0) g.backend().copy(larger.slice_rows(0, used_), cache.slice_rows(0, used_));
    cache = larger;
  }
}

Sequences TransformerDecoder::group(const Graph& g, const std::vector<std::int32_t>& sentences,
                                    Segments& memory_rows) const {
  std::vector<std::int32_t> counts, begins, lengths;
  for (std::size_t i = 0; i < sentences.size(); ++i) {
    const auto sentence = static_cast<std::size_t>(sentences[i]);
    if (i > 0 && sentences[i] == sentences[i - 1]) {
      ++counts.back();
      continue;
    }
    counts.push_back(1);
    begins.push_back(source_begin_[sentence]);
    lengths.push_back(source_length_[sentence]);
  }
  const auto groups = static_cast<std::int64_t>(counts.size());
  const auto rows = static_cast<std::int64_t>(sentences.size());
  memory_rows = {g.upload(begins, 1, groups), g.upload(lengths, 1, groups), groups,
                 lengths.empty() ? 0 : *std::max_element(lengths.begin(), lengths.end())};
  Sequences sequences;
  sequences.segments = consecutive(g, counts);
  sequences.positions = g.upload(std::vector<std::int32_t>(sentences.size(), position_), 1, rows);
  sequences.rows = rows;
  sequences.longest_position = position_ + 1;
  return sequences;
}

Logits TransformerDecoder::step(Graph& g, const std::vector<std::int32_t>& parents,
                                const std::vector<std::int32_t>& tokens) {
  const auto rows = static_cast<std::int64_t>(parents.size());
  reserve(g, rows);
  std::vector<std::int32_t> sentences, index;
  std::vector<std::vector<std::int32_t>> past;
  for (std::size_t i = 0; i < parents.size(); ++i) {
    const auto parent = static_cast<std::size_t>(parents[i]);
    sentences.push_back(sentences_[parent]);
    past.push_back(past_[parent]);
    past.back().push_back(static_cast<std::int32_t>(used_) + static_cast<std::int32_t>(i));
    index.insert(index.end(), past.back().begin(), past.back().end());
  }
  const DecodingStep step{
      .first_row = used_,
      .index = g.upload(index, rows, position_ + 1),
      .length = g.upload(std::vector<std::int32_t>(parents.size(), position_ + 1), 1, rows)};
  Segments memory_rows;
  const Sequences sequences = group(g, sentences, memory_rows);
  Var x = model_.embed(g, *model_.target_embedding_, model_.target_positions_, g.upload(tokens, 1, rows),
                       sequences);
  for (std::size_t i = 0; i < layers_.size(); ++i) {
    x = model_.decoder_[i](g, x, sequences, layers_[i].memory_key_value, memory_rows, layers_[i].cache, step);
  }
  sentences_ = std::move(sentences);
  past_ = std::move(past);
  used_ += rows;
  ++position_;
  return model_.project(g, x);
}

}  // namespace nmt
