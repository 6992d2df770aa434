#include "train/replica.h"

#include "common/interrupt.h"
#include "optim/gradient_sum.h"

namespace nmt {
namespace {

Order receive(Communicator& communicator) {
  Order order;
  communicator.broadcast(std::as_writable_bytes(std::span(&order, 1)));
  return order;
}

}  // namespace

Replica::Replica(const TrainingSettings& settings, const RankParts& parts, const TrainingState& start,
                 const ModelFile* state)
    : micro_batch_tokens_(settings.micro_batch_tokens),
      communicator_(parts.communicator),
      parameters_(parts.model.model->parameters()),
      data_(parts.corpus,
            {.batch_tokens = settings.batch_tokens,
             .seed = settings.seed,
             .rank = parts.communicator.rank(),
             .ranks = parts.communicator.size()},
            start.position),
      arena_(parts.backend),
      update_(*parts.model.model, parts.backend, arena_, parts.model.marks,
              {settings.dropout, settings.label_smoothing}),
      figures_(parts.backend, static_cast<std::uint32_t>(settings.seed), start.counters.step,
               start.loss_scale),
      adam_(parameters_, {.clip_norm = settings.clip_norm}) {
  if (settings.ema > 0) average_.emplace(parameters_, settings.ema);
  if (state == nullptr) return;
  for (const StateBuffer& buffer : buffers()) parameters_.load(*state, buffer.prefix, buffer.values);
  parameters_.values_changed();
}

void Replica::update(Batch share, const Order& order) {
  adam_.zero_gradients();
  GradientSum sum(parameters_.gradients(), communicator_);
  update_.gradients(update_.lanes(std::move(share), micro_batch_tokens_), data_.size().target, figures_,
                    [&sum](const void* first) { sum.final_from(first); });
  figures_.reduce(communicator_);
  sum.finish();
  adam_.update(figures_, order.first, order.rates);
  if (average_) average_->update(figures_);
}

std::vector<StateBuffer> Replica::buffers() const {
  std::vector<StateBuffer> buffers = {{"weights.", parameters_.values()},
                                      {"first_moment.", adam_.first_moment()},
                                      {"second_moment.", adam_.second_moment()}};
  if (average_) buffers.push_back({"average.", average_->values()});
  return buffers;
}

void follow(const TrainingSettings& settings, const RankParts& parts, const ModelFile* state) {
  const TrainingState start = state != nullptr ? read_state(*state) : TrainingState{};
  Replica replica(settings, parts, start, state);
  for (Order order = receive(parts.communicator); !order.end; order = receive(parts.communicator)) {
    const Unhurried until_done;
    replica.update(replica.data().next(), order);
  }
}

void send(const Order& order, Communicator& communicator) {
  Order copy = order;
  communicator.broadcast(std::as_writable_bytes(std::span(&copy, 1)));
}

}  // namespace nmt
