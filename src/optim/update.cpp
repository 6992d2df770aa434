#include "optim/update.h"

#include <array>
#include <numeric>

namespace nmt {

LossSum& LossSum::operator+=(const LossSum& other) {
  loss += other.loss;
  nll += other.nll;
  tokens += other.tokens;
  return *this;
}

Update::Update(const Model& model, Backend& backend, Arena& arena, const Marks& marks,
               const LossSettings& settings)
    : model_(model),
      backend_(backend),
      arena_(arena),
      marks_(marks),
      settings_(settings),
      random_(allocate_tensor(backend, 1, 2, DType::i32)),
      scale_(allocate_tensor(backend, 1, 1, backend.precision().sum)) {}

LossSum Update::sum(const Losses& losses) {
  const std::vector<double> loss = download_reals(backend_, losses.loss);
  const std::vector<double> nll = download_reals(backend_, losses.nll);
  return {std::accumulate(loss.begin(), loss.end(), 0.0), std::accumulate(nll.begin(), nll.end(), 0.0),
          static_cast<std::int64_t>(loss.size())};
}

LossSum Update::gradients(const std::vector<Batch>& batches, std::uint32_t seed, std::uint32_t step) {
  std::int64_t tokens = 0;
  for (const Batch& batch : batches) {
    for (const Example& example : batch.examples)
      tokens += static_cast<std::int64_t>(example.target.size()) + 1;
  }
  const std::array<std::uint32_t, 2> random = {seed, step};
  backend_.upload(random_, random.data());
  upload_reals(backend_, scale_, {1 / static_cast<double>(tokens)});
  LossSum total;
  for (const Batch& batch : batches) {
    Graph g(backend_, arena_, settings_.dropout, random_);
    const TargetInput target = target_input(g, batch.examples, marks_);
    const Logits logits = model_.logits(g, source_input(g, batch.examples, marks_), target);
    total += sum(cross_entropy(g, logits, target.gold, settings_.label_smoothing, scale_));
    g.backward();
  }
  return total;
}

LossSum Update::loss(const Batch& batch) {
  Graph g(backend_, arena_);
  const TargetInput target = target_input(g, batch.examples, marks_);
  const Logits logits = model_.logits(g, source_input(g, batch.examples, marks_), target);
  return sum(cross_entropy(g, logits, target.gold, settings_.label_smoothing, {}));
}

}  // namespace nmt
