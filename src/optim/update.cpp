#include "optim/update.h"

#include <iterator>

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

Update::Update(const Model& model, Workers& workers, const Marks& marks, const LossSettings& settings)
    : model_(model),
      workers_(workers),
      marks_(marks),
      settings_(settings),
      lane_workers_(workers),
      loss_alone_(workers.device(), 0) {}

Losses Update::losses(Graph& g, const Batch& batch, const Tensor& scale) const {
  const BatchInput input = batch_input(g, batch.examples, marks_);
  const Logits logits = model_.logits(g, input.source, input.target);
  return cross_entropy(g, logits, input.target.gold, settings_.label_smoothing, scale);
}

void Update::gradients(const std::vector<Lane>& lanes, std::int64_t tokens, DeviceFigures& figures,
                       const FinalGradients& final) {
  figures.begin(tokens);
  std::size_t count = 0;
  for (const Lane& lane : lanes) count += lane.size();
  std::vector<Losses> all(count);
  const Tensor& own = model_.training_weights().gradients();
  const auto compute = [&](const Batch& batch, std::size_t number, Worker& worker, const Tensor& gradients) {
    Graph g(worker, settings_.dropout, figures.random());
    g.divert_gradients(own, gradients);
    all[number] = losses(g, batch, figures.scale());
    g.backward(lanes.size() == 1 && number == count - 1 ? final : FinalGradients());
  };
  lane_workers_.run(lanes, own, compute);
  for (const Losses& losses : all) figures.add(losses);
}

LossSum Update::loss(const std::vector<Batch>& batches, const std::function<void(const Batch&)>& after) {
  const std::int64_t tokens = target_tokens(batches);
  loss_alone_.begin(tokens);
  for (const Batch& batch : batches) {
    Graph g(workers_.whole());
    loss_alone_.add(losses(g, batch, {}));
    if (after) after(batch);
  }
  const UpdateFigures figures = loss_alone_.read();
  return {figures.loss, figures.nll, tokens};
}

}  // namespace nmt
