#include "optim/update.h"

#include <algorithm>
#include <iterator>
#include <optional>

namespace nmt {

LossSum& LossSum::operator+=(const LossSum& other) {
  loss += other.loss;
  nll += other.nll;
  tokens += other.tokens;
  return *this;
}

std::int64_t target_tokens(const std::vector<Batch>& batches) {
  std::int64_t tokens = 0;
  for (const Batch& batch : batches) {
    for (const Example& example : batch.examples) tokens += std::ssize(example.target) + 1;
  }
  return tokens;
}

namespace {

/// Returns the factors of the losses of two passes; nothing if batches are computed once.
std::optional<PairFactors> pair_factors(const LossSettings& settings) {
  if (settings.r_drop > 0) return PairFactors{{1, 1}, {settings.r_drop / 2, settings.r_drop / 2}};
  if (settings.simcut > 0) return PairFactors{{1, 0}, {settings.simcut, 0}};
  return std::nullopt;
}

bool has_other_input(const Example& example) {
  return !example.other_source.empty() || !example.other_target.empty();
}

/// Returns the examples as the second pass reads them. Their targets are no labels.
std::vector<Example> second_inputs(std::vector<Example> examples) {
  for (Example& example : examples) {
    if (!example.other_source.empty()) example.source = std::move(example.other_source);
    if (!example.other_target.empty()) example.target = std::move(example.other_target);
  }
  return examples;
}

}  // namespace

Update::Update(const Model& model, Workers& workers, const SpecialTokens& special_tokens,
               const LossSettings& settings)
    : model_(model),
      workers_(workers),
      special_tokens_(special_tokens),
      settings_(settings),
      accumulation_workers_(workers),
      loss_alone_(workers.device(), 0) {}

Losses Update::losses(Graph& g, const Batch& batch, const Tensor& scale) const {
  const BatchInput input = batch_input(g, batch.examples, special_tokens_);
  const Logits logits = model_.logits(g, input.source, input.target);
  const std::optional<PairFactors> factors = pair_factors(settings_);
  if (!factors || !g.training())
    return cross_entropy(g, logits, input.target.labels, settings_.label_smoothing, scale);
  // The second pass has its own dropout numbers and so other masks.
  const BatchInput second = std::ranges::any_of(batch.examples, has_other_input)
                                ? batch_input(g, second_inputs(batch.examples), special_tokens_)
                                : input;
  const Logits again = model_.logits(g, second.source, second.target);
  return paired_cross_entropy(g, {logits, again}, input.target.labels, settings_.label_smoothing, *factors,
                              scale);
}

Losses Update::guided_losses(Graph& g, const Batch& batch, const Tensor& scale) const {
  AttentionTrace trace;
  trace.wanted = [last = model_.cross_attentions() - 1](AttentionKind kind, int layer) {
    return kind == AttentionKind::cross && layer == last;
  };
  g.trace_attention(trace);
  const AlignmentLinks links = alignment_links(g, batch.examples, special_tokens_);
  const Losses losses = this->losses(g, batch, scale);
  g.backend().add(losses.loss,
                  guided_alignment(g, trace.seen.at(0), links, settings_.guided_alignment_weight, scale));
  return losses;
}

std::vector<Losses> Update::accumulate(const std::vector<AccumulationShard>& shards,
                                       const LossesOf& losses_of, const DeviceStatistics& statistics,
                                       const FinalGradients& final, const StopRequest* stop,
                                       std::uint64_t key) {
  std::vector<Losses> all(micro_batches(shards));
  accumulation_workers_.run(
      shards, model_.training_weights().gradients(),
      {settings_.dropout, settings_.recompute_activations, statistics.random(), key, final, stop},
      [&](Graph& g, const Batch& batch, std::size_t number) { all[number] = losses_of(g, batch); });
  return all;
}

void Update::gradients(const std::vector<AccumulationShard>& shards, std::int64_t tokens,
                       DeviceStatistics& statistics, const FinalGradients& final, const StopRequest* stop,
                       std::uint64_t key) {
  statistics.begin(tokens);
  const auto losses_of = [&](Graph& g, const Batch& batch) {
    return settings_.guided_alignment_weight > 0 ? guided_losses(g, batch, statistics.scale())
                                                 : losses(g, batch, statistics.scale());
  };
  for (const Losses& losses : accumulate(shards, losses_of, statistics, final, stop, key))
    statistics.add(losses);
}

void Update::add_gradients(const std::vector<AccumulationShard>& shards, double loss,
                           DeviceStatistics& statistics, const FinalGradients& final, const StopRequest* stop,
                           std::uint64_t key) {
  const auto losses_of = [&](Graph& g, const Batch& batch) {
    const BatchInput input = batch_input(g, batch.examples, special_tokens_);
    return cross_entropy(g, model_.logits(g, input.source, input.target), input.target.labels, 0,
                         statistics.scale());
  };
  accumulate(shards, losses_of, statistics, final, stop, key);
  statistics.add(loss);
}

LossSum Update::loss(const std::vector<Batch>& batches, const std::function<void(const Batch&)>& after) {
  const std::int64_t tokens = target_tokens(batches);
  loss_alone_.begin(tokens);
  for (const Batch& batch : batches) {
    Graph g(workers_.whole());
    loss_alone_.add(losses(g, batch, {}));
    if (after) after(batch);
  }
  const StepStatistics statistics = loss_alone_.read();
  return {statistics.loss, statistics.nll, tokens};
}

}  // namespace nmt
