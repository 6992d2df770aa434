#include "train/replica.h"

#include <algorithm>
#include <iterator>
#include <span>
#include <utility>

#include "nn/weights/parameter_files.h"
#include "nn/weights/parameters.h"
#include "optim/accumulation.h"
#include "train/update_decision.h"

namespace nmt {

void send(const RankCommand& command, Communicator& communicator) {
  RankCommand copy = command;
  communicator.broadcast(std::as_writable_bytes(std::span(&copy, 1)));
}

RankCommand receive(Communicator& communicator) {
  RankCommand command;
  communicator.broadcast(std::as_writable_bytes(std::span(&command, 1)));
  return command;
}

namespace {

/// Distributes the weights among the ranks, which update them together, freezes parameters, and returns the
/// weights.
TrainingWeights& shared(const RankParts& parts, const TrainingSettings& settings) {
  TrainingWeights& weights = parts.network.training_weights();
  weights.distribute(parts.communicator, settings.shard_optimizer);
  weights.freeze(frozen_parameters(weights.parameters(), settings.freeze));
  if (settings.quantization_aware) weights.read_as_int8();
  return weights;
}

}  // namespace

Replica::Replica(const TrainingSettings& settings, RankParts parts, const TrainingState& start,
                 const ModelFile* state)
    : travel_(settings.gradient_precision == "bf16" ? DType::bf16 : parts.backend.precision().master),
      communicator_(parts.communicator),
      stop_(parts.job.stop),
      weights_(shared(parts, settings)),
      stages_(parts.stages),
      stream_{.batch_tokens = settings.batch_tokens,
              .seed = settings.seed,
              .delay = settings.delay,
              .rank = parts.communicator.rank(),
              .ranks = parts.communicator.size(),
              .job = parts.job},
      data_(batches(start.stage.stage, start.position)),
      workers_(parts.backend),
      task_(parts.task(workers_)),
      statistics_(parts.backend, static_cast<std::uint32_t>(settings.seed), start.counters.step,
                  start.loss_scale),
      optimizer_(make_optimizer(weights_, {.name = settings.optimizer,
                                           .adam = {.beta1 = settings.adam_beta1,
                                                    .beta2 = settings.adam_beta2,
                                                    .epsilon = settings.adam_epsilon,
                                                    .weight_decay = settings.weight_decay,
                                                    .clip_norm = settings.clip_norm},
                                           .adafactor_scale = settings.adafactor_scale})) {
  if (settings.ema > 0) average_.emplace(weights_, settings.ema);
  if (state == nullptr) return;
  for (const StateBuffer& buffer : buffers()) load(weights_, *state, buffer.prefix, buffer.values);
  for (const auto& [name, values] : optimizer_->shared_state())
    upload_weights(parts.backend, values, {}, FileWeights(*state, name, {values.size()}, false));
  weights_.values_changed();
}

std::unique_ptr<BatchStream> Replica::batches(std::size_t stage, const StreamPosition& position) const {
  StreamSettings settings = stream_;
  settings.seed += stage << 32;  // stages with the same text have other orders
  settings.batch_tokens = stages_.at(stage).batch_tokens.value_or(settings.batch_tokens);
  return std::make_unique<BatchStream>(*stages_.at(stage).corpus, settings, position);
}

void Replica::begin_stage(std::size_t stage) {
  if (communicator_.rank() == 0) send({.kind = RankCommand::Kind::stage, .stage = stage}, communicator_);
  data_ = batches(stage, {});
}

void Replica::update(Batch share, const RankCommand& command) {
  optimizer_->zero_gradients();
  UpdateDecision decision(communicator_, *stop_);
  GradientSum sum(weights_.gradients(), weights_.shard(), communicator_, travel_,
                  [&decision] { decision.conclude(); });
  FinalGradients final;  // with a single rank, there is nothing to sum before the end
  if (communicator_.size() > 1) final = [&sum](const void* first) { sum.final_from(first); };
  task_->gradients(std::move(share), data_->size(), data_->update_key(), statistics_, final, decision);
  sum.finish();
  optimizer_->update(statistics_, command.first, command.rates);
  if (average_) average_->update(statistics_);
}

void Replica::carry_out(const RankCommand& command) {
  switch (command.kind) {
    case RankCommand::Kind::update:
      try {
        update(data_->next(), command);
      } catch (const Interrupted&) {  // rank 0 has canceled it, and sends the next command
      }
      break;
    case RankCommand::Kind::validation:
      task_->validate();
      break;
    case RankCommand::Kind::gather:
      weights_.gather(command.part, buffers().at(command.buffer).values, command.dtype);
      break;
    case RankCommand::Kind::exchange:
      average_->exchange();
      break;
    case RankCommand::Kind::stage:
      begin_stage(command.stage);
      break;
    case RankCommand::Kind::decision:
    case RankCommand::Kind::end:
      break;
  }
}

Replica::AverageInUse::AverageInUse(Replica& replica) : replica_(replica) {
  if (!replica_.average_) return;
  send({.kind = RankCommand::Kind::exchange}, replica_.communicator_);
  replica_.average_->exchange();
}

Replica::AverageInUse::~AverageInUse() {
  if (!replica_.average_) return;
  try {
    send({.kind = RankCommand::Kind::exchange}, replica_.communicator_);
    replica_.average_->exchange();
  } catch (...) {  // another rank has ended, which will be reported; this one ends, too
  }
}

Validation Replica::validate() {
  const AverageInUse in_use(*this);
  send({.kind = RankCommand::Kind::validation}, communicator_);
  return task_->validate();
}

std::vector<FileTensor> Replica::tensors(std::size_t buffer, const std::string& prefix, DType dtype) const {
  const Tensor values = buffers().at(buffer).values;
  return nmt::tensors(weights_.parameters(), prefix, dtype, [this, buffer, values, dtype](Part part) {
    if (weights_.shard().divided())
      send({.kind = RankCommand::Kind::gather, .buffer = buffer, .part = part, .dtype = dtype},
           communicator_);
    return weights_.gather(part, values, dtype);
  });
}

std::vector<FileTensor> Replica::state_tensors() const {
  const std::vector<StateBuffer> all = buffers();
  std::vector<FileTensor> tensors;
  for (std::size_t i = 0; i < all.size(); ++i) {
    std::ranges::move(this->tensors(i, all[i].prefix, all[i].values.dtype()), std::back_inserter(tensors));
  }
  for (const auto& [name, values] : optimizer_->shared_state()) {
    tensors.push_back({name, values.dtype(), {values.size()}, nullptr, [this, values = values](RowRange) {
                         return download_as(values.dtype(), weights_.backend(), values);
                       }});
  }
  return tensors;
}

std::vector<FileTensor> Replica::model_tensors() const {
  return tensors(average_ ? buffers().size() - 1 : 0, "", DType::f32);
}

std::vector<StateBuffer> Replica::buffers() const {
  std::vector<StateBuffer> buffers = optimizer_->buffers();
  buffers.insert(buffers.begin(), {"weights.", weights_.values()});
  if (average_) buffers.push_back({"average.", average_->values()});
  return buffers;
}

void worker_loop(Replica& replica, Communicator& communicator, StopRequest& stop) {
  for (;;) {
    const RankCommand command = receive(communicator);
    if (command.kind == RankCommand::Kind::end) return;
    const InterruptDeferral until_done(stop);
    replica.carry_out(command);
  }
}

}  // namespace nmt
