#include "train/trainer.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <filesystem>
#include <iterator>
#include <utility>

#include "common/error.h"
#include "common/log/progress_line.h"
#include "common/process/resources.h"
#include "common/text/number.h"
#include "nn/files/model_file.h"
#include "train/validator.h"

namespace nmt {
namespace {

constexpr int kMostSkippedUpdates = 10;
constexpr double kStatusInterval = 0.2;  // seconds

Progress progress_of(const TrainingState& state) {
  return {.updates = state.counters.step,
          .epochs = state.epochs,
          .minutes = state.meter.seconds / 60,
          .target_tokens = state.counters.target_tokens};
}

/// Records how validations are judged. Discards previous validations if the text or the figure has changed.
void judge_by(const TrainingSettings& settings, const TrainingParts& parts, TrainingState& state) {
  const std::uint64_t text = parts.validation != 0 ? parts.validation : state.validation;
  const bool other_text = state.validation != 0 && state.validation != text;
  const bool other_figure = !state.best_by.empty() && state.best_by != settings.best_by;
  if ((other_text || other_figure) && !state.best.empty()) {
    parts.job.log->warning("{} has changed: earlier validations do not count for the best checkpoint",
                           other_text ? "the text for validation" : "`best_by`");
    state.best.clear();
    state.stalled = 0;
  }
  state.validation = text;
  state.best_by = settings.best_by;
}

/// Returns the state from which a run starts. Throws Error if the state belongs to another corpus, and
/// UsageError as changes_of_stages() does.
TrainingState start_of(const ModelFile* file, const TrainingSettings& settings, const TrainingParts& parts) {
  TrainingState state = file != nullptr ? read_state(*file) : TrainingState{};
  if (!state.stages.empty()) {  // which states of older versions do not have
    for (const std::string& change :
         changes_of_stages(state.stages, records_of(parts.stages), parts.run->path()))
      parts.job.log->info("{}", change);
  }
  if (file != nullptr && state.corpus != fingerprint_of(parts.stages)) {
    throw Error(
        "'{}' was trained on another text than '{}', or on a mixture of other ratios; give the same, or "
        "choose another directory",
        parts.run->path(), parts.stages.front().corpus->name());
  }
  if (state.stage.stage >= parts.stages.size())
    throw Error("'{}' is in a stage that is gone; give the stages with which it began", parts.run->path());
  judge_by(settings, parts, state);
  return state;
}

/// Returns all settings by name, including those of the model.
std::vector<std::pair<std::string, std::string>> all_settings(const TrainingParts& parts) {
  auto settings = read_plain_settings(parts.config);
  std::ranges::copy(parts.model, std::back_inserter(settings));
  return settings;
}

/// Ends the other ranks when this one ends, whatever the reason.
class EndOfCommands {
 public:
  explicit EndOfCommands(Communicator& communicator) : communicator_(communicator) {}
  ~EndOfCommands() {
    try {
      send({.kind = RankCommand::Kind::end}, communicator_);
    } catch (...) {  // one of them has already ended, which is the reason
    }
  }
  EndOfCommands(const EndOfCommands&) = delete;
  EndOfCommands& operator=(const EndOfCommands&) = delete;

 private:
  Communicator& communicator_;
};

constexpr const char* kUpdating = "\r\033[Kstopping; the updates so far are saved first\n";
constexpr const char* kValidating = "\r\033[Kstopping in a validation, which the same command begins again\n";

/// Returns one of these texts to print when a signal arrives; null if messages are not shown.
const char* notice(const Log& log, const char* text) {
  constexpr std::size_t kEraseLine = 4;  // length of the prefix that clears a status line
  if (!log.shows(LogLevel::info)) return nullptr;
  return log.has_status() ? text : text + kEraseLine;
}

}  // namespace

Trainer::Trainer(const TrainingSettings& settings, const TrainingParts& parts, const ModelFile* state)
    : Trainer(settings, parts, state, start_of(state, settings, parts)) {}

Trainer::Trainer(const TrainingSettings& settings, const TrainingParts& parts, const ModelFile* state,
                 const TrainingState& start)
    : settings_(settings),
      parts_(parts),
      limits_(settings),
      schedule_{schedule_named(settings.schedule),
                settings.learning_rate,
                settings.warmup,
                settings.steps,
                ModelRegistry::instance().width(parts_.model),
                settings.decay_start},
      meter_(start.meter, *parts.job.stop, parts.loss),
      replica_(settings, static_cast<const RankParts&>(parts_), start, state),
      best_(settings.best_by, settings.keep_best, start.best, start.stalled),
      validation_text_(start.validation),
      counters_(start.counters),
      stage_(start.stage),
      rate_factor_(start.rate_factor),
      forecast_(settings, replica_.task().validates(), progress_of(start)),
      log_due_(settings.log_every, progress_of(start)),
      valid_due_(settings.valid_every, progress_of(start)),
      save_due_(settings.save_every, progress_of(start)),
      validation_due_(start.validation_due && replica_.task().validates()),
      logged_step_(start.logged),
      validated_step_(start.validated),
      state_is_saved_(state != nullptr),
      saves_answered_(parts.job.stop->save_requests()),
      status_(*parts.job.log) {
  if (parts_.loss == LossKind::tokens) divergence_.emplace(parts_.vocabularies.target.size());
  if (settings.tensorboard) {
    tensorboard_.emplace(*settings.tensorboard, step() + 1, all_settings(parts_));
  }
  if (state != nullptr && std::filesystem::exists(parts_.run->checkpoint_path(step()))) saved_step_ = step();
  if (has_ended()) {  // a finished run loses no checkpoint by other settings
    settings_.keep_last = start.keep_last;
    settings_.keep_best = start.keep_best;
  }
  if (!parts_.run->truncate_metrics(start.metrics_bytes)) {
    parts_.job.log->warning(
        "'{}/metrics.jsonl' has lost lines since the state was saved: reports lack these figures, and nmt "
        "average these validations",
        parts_.run->path());
  }
}

Progress Trainer::progress() const {
  return {.updates = counters_.step + (attempt_ ? 1 : 0),
          .epochs = stage_.begin.epochs + data().epochs(),
          .minutes = meter_.seconds() / 60,
          .target_tokens = counters_.target_tokens + (attempt_ ? attempt_->size.target : 0)};
}

std::string Trainer::plan() {
  const TrainingStage& last = parts_.stages.back();
  const bool ends = last.until.amount > 0 || last.stalled > 0;
  const bool has_limits = limits_.nearest(progress()) || settings_.early_stopping > 0;
  if (ends && !has_limits) return count_of(parts_.stages.size(), "stage");
  return limits_.plan(data().updates_per_pass());
}

std::int64_t Trainer::passes_before_stage() const {
  return static_cast<std::int64_t>(stage_.begin.epochs);
}

bool Trainer::stage_is_over() const {
  return is_over(stage(), stage_, progress(), best_.stalled());
}

std::string Trainer::limits_reached() const {
  const std::string limits = limits_.reached(progress(), best_.stalled());
  const bool is_last = stage_.stage + 1 == parts_.stages.size();
  if (!limits.empty() || !is_last || !stage_is_over()) return limits;
  return "the end of the last stage";
}

void Trainer::take_learning_rate() {
  schedule_.learning_rate = rate_factor_ * stage().learning_rate.value_or(settings_.learning_rate);
}

void Trainer::lower_learning_rate() {
  if (settings_.stalled_decay == 1 || best_.stalled() == 0 ||
      best_.stalled() % settings_.stalled_patience != 0)
    return;
  rate_factor_ *= settings_.stalled_decay;
  take_learning_rate();
  parts_.job.log->info("{} without a better {}: the learning rate is now {:.4g} of the schedule's",
                       count_of(best_.stalled(), "validation"), settings_.best_by, rate_factor_);
}

void Trainer::announce_stage() {
  take_learning_rate();
  if (stage().name.empty()) return;
  parts_.job.log->info("stage {} of {}, '{}': {}; {}", stage_.stage + 1, parts_.stages.size(), stage().name,
                       stage().corpus->description(),
                       stage().end.empty() ? "no end of its own" : "until " + stage().end);
}

void Trainer::begin_next_stage() {
  const InterruptDeferral until_begun(*parts_.job.stop);
  settle();
  stage_ = {.stage = stage_.stage + 1, .begin = progress()};
  best_.forget_stalled();
  replica_.begin_stage(stage_.stage);
  state_is_saved_ = false;
  announce_stage();
}

void Trainer::update(Batch share) {
  // While the previous attempt is not settled, this is the first or the second of these updates.
  const std::int64_t first = counters_.step + 1;
  const RankCommand command{.first = first,
                            .rates = {learning_rate(schedule_, first), learning_rate(schedule_, first + 1)}};
  send(command, parts_.communicator);
  try {
    replica_.update(std::move(share), command);
  } catch (const Interrupted&) {
    data().take_back();
    throw;
  }
  auto attempt = std::make_unique<Attempt>(
      Attempt{.size = data().size(), .epoch = passes_before_stage() + data().epoch()});
  attempt->transfer = replica_.statistics().read_later(attempt->statistics);
  settle();
  attempt_ = std::move(attempt);
}

bool Trainer::settle() {
  if (!attempt_) return false;
  const std::unique_ptr<Attempt> attempt = std::move(attempt_);
  attempt->transfer.wait();
  const StepStatistics& statistics = attempt->statistics;
  if (statistics.overflowed()) {
    parts_.job.log->verbose("update {} overflowed: the loss is scaled by {} from now on", counters_.step + 1,
                            statistics.next_scale.value);
    return false;
  }
  if (statistics.finite == 0) {
    parts_.job.log->warning("update {} skipped: its loss or gradient is not finite", counters_.step + 1);
    if (++skipped_in_a_row_ == kMostSkippedUpdates) give_up();
    return false;
  }
  skipped_in_a_row_ = 0;
  ++counters_.step;
  counters_.epoch = attempt->epoch;
  counters_.data_wait += data().take_seconds_waited();
  counters_.source_tokens += attempt->size.source;
  counters_.target_tokens += attempt->size.target;
  const LossSum sum{statistics.loss, statistics.nll, losses_in(attempt->size, parts_.loss)};
  meter_.add(sum, statistics.rate, std::sqrt(statistics.squared_norm) / statistics.gradient_scale);
  const std::string trouble = divergence_ ? divergence_->add(sum) : "";
  if (!trouble.empty()) {
    parts_.job.log->warning("{}; stop and lower `learning_rate`, raise `warmup`, or set `clip_norm`",
                            trouble);
  }
  return true;
}

void Trainer::after_update() {
  const Progress now = progress();
  const bool last = finished();
  const bool due = log_due_.is_reached(now) || valid_due_.is_reached(now) || save_due_.is_reached(now);
  if (!(due || last) || !settle()) return;
  meter_.pause();
  validation_due_ = (valid_due_(now) || last) && replica_.task().validates();
  const bool window_ends = log_due_(now);
  if (window_ends || last) log(window_ends);
  if (save_due_(now)) {
    save();
  } else if (validation_due_) {
    save_state();
  }
}

void Trainer::log(bool window_ends) {
  if (logged_step_ == counters_.step) return;
  nlohmann::ordered_json report = window_ends ? meter_.window(counters_) : meter_.two_windows(counters_);
  if (window_ends) meter_.end_window();
  if (const auto scale = replica_.statistics().loss_scale()) report["loss_scale"] = scale->value;
  record(report);
  logged_step_ = counters_.step;
  state_is_saved_ = false;
  std::vector<StatusPart> parts = Meter::parts(report);
  std::ranges::move(progress_parts(report), std::back_inserter(parts));
  const std::string text = log_text(std::move(parts));
  if (status_.visible() && !reaches_history_mark()) {
    parts_.job.log->file_line(text);
  } else {
    parts_.job.log->info("{}", text);
  }
}

bool Trainer::reaches_history_mark() {
  constexpr double kMarks = 20, kMinutesApart = 30;
  const Progress now = progress();
  const double part = limits_.part_done(now);
  const double mark = std::floor(part > 0 ? kMarks * part : now.minutes / kMinutesApart);
  return std::exchange(history_mark_, mark) < mark;
}

std::vector<StatusPart> Trainer::progress_parts(const nlohmann::ordered_json& report) const {
  const Progress now = progress();
  const auto rest = forecast_.rest(now, meter_.seconds_of_training(), validation_due_);
  if (!rest) return {moving_bar(meter_.seconds()), {Meter::speed(report), 3}};
  // Work after the last update counts as well.
  const double most = rest->seconds > 0 || rest->unknown_validation ? 0.99 : 1;
  return nmt::progress_parts(
      std::min(limits_.part_done(now), most), Meter::speed(report),
      format_seconds(rest->seconds) + (rest->unknown_validation ? " + validation" : ""));
}

void Trainer::record(nlohmann::ordered_json line) {
  if (!stage().name.empty()) line["stage"] = stage().name;
  parts_.run->append_metrics(line.dump());
  if (tensorboard_) tensorboard_->add(line);
}

void Trainer::show_status() {
  const double seconds = meter_.seconds();
  if (!status_.visible() || seconds - status_seconds_ < kStatusInterval) return;
  status_seconds_ = seconds;
  if (meter_.seconds_of_training() == 0) {
    status_.show({moving_bar(seconds), {"making the first updates", 0}});
    return;
  }
  const nlohmann::ordered_json report = meter_.two_windows(counters_);
  std::vector<StatusPart> parts = progress_parts(report);
  std::ranges::move(Meter::parts(report), std::back_inserter(parts));
  parts.push_back({fmt::format("{} MiB", resident_bytes() >> 20), 10});
  status_.show(std::move(parts));
}

void Trainer::tell_end() {
  constexpr double kSecondsOfTraining = 15;  // training time after which the forecast is reliable
  if (end_is_told_ || meter_.seconds_of_training() < kSecondsOfTraining) return;
  end_is_told_ = true;
  const auto rest = forecast_.rest(progress(), meter_.seconds_of_training(), validation_due_);
  if (!rest || rest->seconds < 1) return;
  parts_.job.log->info("expected end: in about {}{}{}", format_seconds(rest->seconds),
                       rest->unknown_validation ? " plus validations" : "",
                       settings_.early_stopping > 0 && replica_.task().validates()
                           ? fmt::format(", or after {} in a row without a better {}",
                                         count_of(settings_.early_stopping, "validation"), settings_.best_by)
                           : "");
}

Validation Trainer::measure_validation() {
  const InterruptNotice what_happens(*parts_.job.stop, notice(*parts_.job.log, kValidating));
  Validation validation = replica_.validate();
  if (validation.translations.empty()) return validation;
  const std::string file = write_translations(validation);
  if (!settings_.valid_command.empty()) {
    const std::chrono::duration<double, std::ratio<60>> timeout(settings_.valid_timeout.minutes);
    validation.command =
        command_figure(settings_.valid_command, file,
                       std::chrono::duration_cast<std::chrono::milliseconds>(timeout), parts_.job);
  }
  return validation;
}

std::string Trainer::write_translations(const Validation& validation) const {
  const InterruptDeferral until_written(*parts_.job.stop);
  return parts_.run->write_translations(counters_.step, validation.translations);
}

void Trainer::validate() {
  const double begin = meter_.seconds();
  const Validation validation = measure_validation();
  const InterruptDeferral until_noted(*parts_.job.stop);
  validation_due_ = false;
  validated_step_ = counters_.step;
  state_is_saved_ = false;
  record(validation.report(counters_, meter_.seconds()));
  if (tensorboard_ && !validation.translations.empty()) {
    const ValidationText& text = *replica_.task().validation_text();
    tensorboard_->add(counters_.step, text.sources, text.references, validation.translations);
  }
  parts_.job.log->info("validation at step {}: {}", counters_.step, validation.text());
  judge(validation);
  forecast_.validated(meter_.seconds() - begin);
}

void Trainer::judge(const Validation& validation) {
  const std::optional<double> figure = validation.figure(settings_.best_by);
  if (!figure) return;
  const bool good = best_.add(counters_.step, *figure);
  if (good && settings_.keep_best > 0) {
    save_checkpoint();
    if (best_.stalled() == 0) parts_.run->set_best(counters_.step);
  }
  lower_learning_rate();
  if (settings_.early_stopping > 0 && best_.stalled() >= settings_.early_stopping) {
    parts_.job.log->info("stopping early: {} without a better {} than {:.4f} at step {}",
                         count_of(best_.stalled(), "validation"), settings_.best_by,
                         best_.entries().front().value, best_.entries().front().step);
  }
}

TrainingState Trainer::state() const {
  return {.counters = counters_,
          .position = data().position(),
          .epochs = stage_.begin.epochs + data().epochs(),
          .stage = stage_,
          .stages = records_of(parts_.stages),
          .meter = meter_.state(),
          .loss_scale = replica_.statistics().loss_scale(),
          .best = best_.entries(),
          .stalled = best_.stalled(),
          .rate_factor = rate_factor_,
          .logged = logged_step_,
          .validated = validated_step_,
          .validation_due = validation_due_,
          .metrics_bytes = parts_.run->metrics_bytes(),
          .corpus = fingerprint_of(parts_.stages),
          .validation = validation_text_,
          .best_by = settings_.best_by,
          .keep_last = settings_.keep_last,
          .keep_best = settings_.keep_best};
}

void Trainer::save_state() {
  if (state_is_saved_) return;
  parts_.run->check_place();
  write([this] {
    write_state(parts_.run->state_path(), parts_.config, parts_.vocabularies, state(),
                replica_.state_tensors(), parts_.metadata);
  });
  state_is_saved_ = true;
}

void Trainer::write_model(const std::string& path) const {
  std::map<std::string, std::string> metadata = parts_.metadata;
  metadata.insert({{"updates", std::to_string(counters_.step)},
                   {"source_tokens", std::to_string(counters_.source_tokens)},
                   {"target_tokens", std::to_string(counters_.target_tokens)}});
  write([&] {
    save_model(path, parts_.config, parts_.vocabularies, replica_.model_tensors(), std::move(metadata));
  });
}

void Trainer::save_checkpoint() {
  if (saved_step_ == counters_.step) return;
  parts_.run->check_place();
  const std::string path = parts_.run->checkpoint_path(counters_.step);
  write_model(path);
  saved_step_ = counters_.step;
  parts_.job.log->verbose("saved {}", path);
}

void Trainer::save() {
  const double begin = meter_.seconds();
  save_checkpoint();
  save_state();
  parts_.run->checkpoint_written(counters_.step);
  std::vector<std::int64_t> best;
  for (const auto& entry : best_.entries()) best.push_back(entry.step);
  if (settings_.keep_best == 0) best.clear();
  parts_.run->tidy(settings_.keep_last, best);
  forecast_.saved(meter_.seconds() - begin);
}

void Trainer::save_last() {
  settle();
  save_state();
  if (counters_.step == 0) return;
  const std::string file = parts_.run->last_path() + ".new";
  write_model(file);
  parts_.run->move_to_last(file);
}

void Trainer::save_if_asked() {
  if (parts_.job.stop->save_requests() == saves_answered_) return;
  const InterruptDeferral until_saved(*parts_.job.stop);
  meter_.pause();
  save_last();
  saves_answered_ = parts_.job.stop->save_requests();  // includes requests that arrived while saving
  parts_.job.log->info("saved at step {} after a signal", counters_.step);
}

void Trainer::save_interrupted() {
  const InterruptDeferral until_saved(*parts_.job.stop);
  save_last();
  parts_.job.log->info("stopped by a signal at step {}{}; the same command continues from there",
                       counters_.step, validation_due_ ? ", before its validation was done" : "");
}

void Trainer::give_up() const {
  throw Error("{} updates in a row were not finite at step {}; {}", kMostSkippedUpdates, counters_.step,
              advice_when_diverged());
}

std::string Trainer::advice_when_diverged() const {
  const std::string newest = parts_.run->newest_checkpoint();
  return fmt::format(
      "lower `learning_rate` or set `clip_norm`; {}",
      newest.empty() ? "no checkpoint was saved yet" : "the newest checkpoint is '" + newest + "'");
}

void Trainer::write(const std::function<void()>& write_file) const {
  try {
    write_file();
  } catch (const NotFinite& error) {
    throw Error("training has diverged: after update {}, '{}' holds NaN or infinity; {}", counters_.step,
                error.tensor(), advice_when_diverged());
  }
}

void Trainer::start() {
  const InterruptDeferral until_saved(*parts_.job.stop);
  // Save before the first update, so that a full disk shows at once and there is always a state to resume
  // from.
  if (counters_.step == 0) save_state();
}

void Trainer::train() {
  parts_.job.log->info("planned: {}", plan());
  announce_stage();
  for (;;) {
    if (validation_due_) validate();
    if (finished()) return;
    if (stage_is_over()) begin_next_stage();
    parts_.job.stop->check();
    save_if_asked();
    Batch share = data().next();
    meter_.resume();
    const InterruptDeferral until_saved(*parts_.job.stop);
    const InterruptNotice what_happens(*parts_.job.stop, notice(*parts_.job.log, kUpdating));
    state_is_saved_ = false;
    show_status();
    update(std::move(share));
    after_update();
    tell_end();
  }
}

void Trainer::conclude() {
  {
    const InterruptDeferral until_saved(*parts_.job.stop);
    settle();
    log(log_due_(progress()));
    save();
  }
  if (!replica_.task().validates() || validated_step_ == counters_.step) return;
  validate();
  const InterruptDeferral until_saved(*parts_.job.stop);
  save();
}

bool Trainer::has_ended() const {
  const bool is_validated = !replica_.task().validates() || validated_step_ == counters_.step;
  return finished() && counters_.step > 0 && !validation_due_ && is_validated;
}

void Trainer::run() {
  const EndOfCommands at_the_end(parts_.communicator);
  start();
  const bool was_finished = has_ended();
  try {
    if (!was_finished) train();
    conclude();  // of a finished run, too, because it may have been killed within
    if (tensorboard_) tensorboard_->finish(counters_.step);
  } catch (const Interrupted&) {
    save_interrupted();
    throw;
  } catch (const Error&) {
    parts_.run->check_place();  // throws a more informative error than the failed write
    throw;
  }
  if (was_finished && limits_.reached(progress(), best_.stalled()).empty()) {
    parts_.job.log->info("'{}' is finished: {}; its last stage has ended", parts_.run->path(),
                         count_of(counters_.step, "update"));
    return;
  }
  if (was_finished) {
    parts_.job.log->info("'{}' is finished: {}; raise {} to continue, or give 0 for no limit",
                         parts_.run->path(), count_of(counters_.step, "update"), limits_reached());
    return;
  }
  parts_.job.log->info("finished: {}, {}, {}, {:.1f} of them waiting for data; the model is '{}'",
                       count_of(counters_.step, "update"), count_of(counters_.target_tokens, "target token"),
                       count_of(std::llround(meter_.seconds()), "second"), counters_.data_wait,
                       parts_.run->checkpoint_path(counters_.step));
}

}  // namespace nmt
