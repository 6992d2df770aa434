#include "train/trainer.h"

#include <cmath>

#include "common/error.h"
#include "common/interrupt.h"
#include "common/log.h"
#include "data/batches.h"
#include "optim/schedule.h"

namespace nmt {
namespace {

constexpr int most_skipped_updates = 10;

}  // namespace

Trainer::Trainer(const TrainingSettings& settings, SavedModel& model, Backend& backend,
                 Communicator& communicator, BatchStream& data, std::vector<Batch> validation,
                 const RunDirectory& run, std::string config)
    : settings_(settings),
      model_(model),
      communicator_(communicator),
      data_(data),
      validation_(std::move(validation)),
      run_(run),
      config_(std::move(config)),
      width_(integer_setting(model.settings, "d_model", 1, 1 << 24)),
      arena_(backend),
      update_(*model.model, backend, arena_, model.marks, {settings.dropout, settings.label_smoothing}),
      adam_(model.model->parameters(), {.clip_norm = settings.clip_norm}),
      log_due_(settings.log_every),
      valid_due_(settings.valid_every),
      save_due_(settings.save_every),
      stop_due_(settings.stop_after) {}

bool Trainer::finished() const {
  return stopped_ || (settings_.steps > 0 && counters_.step >= settings_.steps) ||
         (settings_.epochs > 0 && data_.epochs_finished() >= settings_.epochs);
}

Progress Trainer::progress() const {
  return {.updates = counters_.step,
          .epochs = data_.epochs(),
          .minutes = meter_.seconds() / 60,
          .target_tokens = counters_.target_tokens};
}

bool Trainer::update(const Batch& batch) {
  const std::int64_t step = counters_.step + 1;
  const double rate = noam_rate(step, settings_.learning_rate, width_, settings_.warmup);
  adam_.zero_gradients();
  const LossSum sum =
      update_.gradients(cut(batch.examples, settings_.micro_batch_tokens),
                        static_cast<std::uint32_t>(settings_.seed), static_cast<std::uint32_t>(step));
  communicator_.all_reduce(model_.model->parameters().gradients());
  const double norm = std::isfinite(sum.loss) ? adam_.update(rate) : sum.loss;
  if (!std::isfinite(norm)) {
    log_warning("update {} skipped: its loss or gradient is not finite", step);
    return false;
  }
  meter_.add(sum, rate, norm);
  return true;
}

void Trainer::after_update(const Batch& batch) {
  skipped_in_a_row_ = 0;
  ++counters_.step;
  counters_.epoch = data_.epoch();
  for (const Example& example : batch.examples) {
    counters_.source_tokens += static_cast<std::int64_t>(example.source.size()) + 1;
    counters_.target_tokens += static_cast<std::int64_t>(example.target.size()) + 1;
  }
  const Progress now = progress();
  if (log_due_(now)) log();
  if (valid_due_(now)) validate();
  if (save_due_(now)) save();
  stopped_ = stop_due_(now);
}

void Trainer::log() {
  if (meter_.empty()) return;
  const nlohmann::ordered_json report = meter_.report(counters_);
  run_.append_metrics(report.dump());
  log_info("{}", Meter::text(report));
}

void Trainer::validate() {
  if (validation_.empty() || validated_step_ == counters_.step) return;
  LossSum sum;
  for (const Batch& batch : validation_) {
    const LossSum part = update_.loss(batch);
    sum.loss += part.loss;
    sum.nll += part.nll;
    sum.tokens += part.tokens;
  }
  const auto tokens = static_cast<double>(sum.tokens);
  const nlohmann::ordered_json report = {{"event", "valid"},
                                         {"step", counters_.step},
                                         {"epoch", counters_.epoch},
                                         {"loss", sum.loss / tokens},
                                         {"nll", sum.nll / tokens},
                                         {"perplexity", perplexity(sum)},
                                         {"source_tokens", counters_.source_tokens},
                                         {"target_tokens", counters_.target_tokens},
                                         {"seconds", meter_.seconds()}};
  run_.append_metrics(report.dump());
  log_info("validation at step {}: loss {:.4f}  perplexity {:.2f}", counters_.step, sum.loss / tokens,
           perplexity(sum));
  validated_step_ = counters_.step;
}

void Trainer::save() {
  if (saved_step_ == counters_.step) return;
  const std::string path = run_.checkpoint_path(counters_.step);
  save_model(path, config_, model_.vocabularies, model_.model->parameters());
  run_.checkpoint_written(counters_.step, settings_.keep_last);
  log_verbose("saved {}", path);
  saved_step_ = counters_.step;
}

void Trainer::run() {
  const InterruptGuard guard;
  while (!finished()) {
    const Batch batch = data_.next();
    if (update(batch)) {
      after_update(batch);
    } else if (++skipped_in_a_row_ == most_skipped_updates) {
      const std::string newest = run_.newest_checkpoint();
      throw Error(
          "{} updates in a row were not finite at step {}; lower --learning-rate or set --clip-norm; {}",
          most_skipped_updates, counters_.step,
          newest.empty() ? "no checkpoint was saved yet" : "the last good checkpoint is '" + newest + "'");
    }
    if (const int signal = InterruptGuard::pending(); signal != 0) {
      save();
      log_info("stopped by a signal; step {} is saved in '{}'", counters_.step, run_.path());
      throw Interrupted(signal);
    }
  }
  log();
  validate();
  save();
  log_info("finished: {} updates, {} target tokens, {:.0f} seconds; the model is '{}'", counters_.step,
           counters_.target_tokens, meter_.seconds(), run_.checkpoint_path(counters_.step));
}

}  // namespace nmt
