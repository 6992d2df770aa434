#include "insight/attention_maps.h"

#include <algorithm>

#include "translate/scoring/alignment.h"

namespace nmt {
namespace {

// Label for a zero vector, with which a target may start instead of a token.
constexpr const char* kZeroStart = "<start>";

TokenizedPair with_special_tokens(const SavedModel& model, std::vector<std::string> source,
                                  std::vector<std::string> target) {
  const Vocabulary &source_vocabulary = model.vocabularies.source,
                   &target_vocabulary = model.vocabularies.target;
  if (model.special_tokens.source_reversed) std::ranges::reverse(source);
  if (model.special_tokens.target_reversed) std::ranges::reverse(target);
  TokenizedPair pair{std::move(source), std::move(target), {}};
  pair.target_input = {model.special_tokens.start < 0
                           ? kZeroStart
                           : target_vocabulary.pieces({model.special_tokens.start}).front()};
  pair.target_input.insert(pair.target_input.end(), pair.target.begin(), pair.target.end());
  const auto source_mark = [&](std::int32_t id) { return source_vocabulary.pieces({id}).front(); };
  if (model.special_tokens.has_source_eos(std::ssize(pair.source)))
    pair.source.push_back(source_mark(model.special_tokens.source_eos));
  if (model.special_tokens.source_bos >= 0)
    pair.source.insert(pair.source.begin(), source_mark(model.special_tokens.source_bos));
  pair.target.push_back(target_vocabulary.pieces({model.special_tokens.target_eos}).front());
  return pair;
}

}  // namespace

const char* name_of(AttentionKind kind) {
  switch (kind) {
    case AttentionKind::encoder:
      return "encoder";
    case AttentionKind::decoder:
      return "decoder";
    case AttentionKind::cross:
      break;
  }
  return "cross";
}

const std::vector<std::string>& PairAttention::row_tokens(AttentionKind kind) const {
  return kind == AttentionKind::encoder ? tokens.source : tokens.target;
}

const std::vector<std::string>& PairAttention::column_tokens(AttentionKind kind) const {
  return kind == AttentionKind::decoder ? tokens.target_input : tokens.source;
}

TokenizedPair tokenize(const SavedModel& model, const std::string& source, const std::string& target) {
  return with_special_tokens(model, model.vocabularies.source.pieces(source),
                             model.vocabularies.target.pieces(target));
}

TokenizedPair tokenize(const SavedModel& model, const std::string& source, const std::vector<int>& target) {
  return with_special_tokens(model, model.vocabularies.source.pieces(source),
                             model.vocabularies.target.pieces(target));
}

std::vector<AttentionMap> attention_maps(const SavedModel& model, Worker& worker, const Example& example,
                                         const MapSelection& selection) {
  const auto wanted = [&](AttentionKind kind, int layer) {
    return selection.kind.value_or(kind) == kind && selection.layer.value_or(layer) == layer;
  };
  std::vector<AttentionMap> maps;
  for (const AttentionWeights& attention :
       forced_attention(*model.model, worker, {example}, model.special_tokens, wanted)) {
    const std::vector<double> weights = download_reals(worker.backend(), attention.weights);
    const std::int64_t width = attention.weights.columns();
    for (int head = 0; head < attention.heads; ++head) {
      if (selection.head.value_or(head) != head) continue;
      AttentionMap map{attention.kind,           attention.layer,         head,
                       attention.weights.rows(), width / attention.heads, {}};
      for (std::int64_t row = 0; row < map.rows; ++row) {
        const auto begin = weights.begin() + row * width + head * map.columns;
        map.weights.insert(map.weights.end(), begin, begin + map.columns);
      }
      maps.push_back(std::move(map));
    }
  }
  std::ranges::stable_sort(maps, {}, &AttentionMap::kind);
  return maps;
}

}  // namespace nmt
