#include "translate/scoring/forced_attention.h"

namespace nmt {

std::vector<AttentionWeights> forced_attention(const Model& model, Worker& worker,
                                               const std::vector<Example>& examples,
                                               const SpecialTokens& special_tokens,
                                               std::function<bool(AttentionKind, int layer)> wanted) {
  AttentionTrace trace{std::move(wanted), {}};
  Graph g(worker);
  g.trace_attention(trace);
  const BatchInput input = batch_input(g, examples, special_tokens);
  model.logits(g, input.source, input.target);
  return std::move(trace.seen);
}

AttentionShape attention_shape(const Model& model, Backend& backend, const SpecialTokens& special_tokens,
                               AttentionKind kind) {
  Worker worker(backend);
  AttentionShape shape;
  const auto of_kind = [kind](AttentionKind other, int) { return other == kind; };
  for (const AttentionWeights& attention :
       forced_attention(model, worker, {Example{}}, special_tokens, of_kind)) {
    ++shape.layers;
    shape.heads = attention.heads;
  }
  return shape;
}

}  // namespace nmt
