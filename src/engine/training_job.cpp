#include "engine/training_job.h"

#include <sstream>
#include <utility>
#include <vector>

#include "common/error.h"
#include "common/io/checksum.h"
#include "common/process/resources.h"
#include "ranks/joined_ranks.h"
#include "tensor/communicator.h"
#include "train/run/training_state.h"
#include "train/trainer.h"
#include "train/translation_task.h"

namespace nmt {
namespace {

std::string hexadecimal(std::uint64_t number) {
  return fmt::format("{:016x}", number);
}

/// Returns the lines "name: value" of a configuration, also those of sections.
RunFacts settings_in(const std::string& config) {
  RunFacts facts;
  std::istringstream lines(config);
  for (std::string line; std::getline(lines, line);) {
    const std::size_t begin = line.find_first_not_of(' '), colon = line.find(": ");
    if (begin == std::string::npos || colon == std::string::npos) continue;
    const std::string name = line.substr(begin, colon - begin);
    if (name != "threads") facts.emplace_back(name, line.substr(colon + 2));
  }
  return facts;
}

std::string beginning(const SavedModel& model, Backend& backend, const std::optional<ModelFile>& state) {
  if (state) {
    const TrainingState begun = read_state(*state);
    return fmt::format("the state of step {} after {} seconds", begun.counters.step, begun.meter.seconds);
  }
  // A dry run trains nothing.
  if (!model.model->has_training_weights()) return "new weights";
  const Tensor& values = model.model->training_weights().values();
  std::vector<char> bytes(values.bytes());
  backend.download(bytes.data(), values);
  return "new weights " + hexadecimal(checksum_of({bytes.data(), bytes.size()}));
}

RunFacts run_facts(const TrainingPlan& plan, const std::string& config, const std::optional<ModelFile>& state,
                   Backend& backend) {
  const SavedModel& model = plan.model();
  const std::optional<ValidationText>& validation = plan.validation();
  RunFacts facts = settings_in(config);
  facts.emplace_back("the device", backend.arithmetic());
  facts.emplace_back("the source vocabulary", hexadecimal(model.vocabularies.source.fingerprint()));
  facts.emplace_back("the target vocabulary", hexadecimal(model.vocabularies.target.fingerprint()));
  facts.emplace_back("the text", hexadecimal(fingerprint_of(plan.stages())));
  facts.emplace_back("the validation text", validation ? hexadecimal(validation->fingerprint) : "");
  facts.emplace_back("the base of low-rank updates", model.base ? model.base->checksum : "");
  facts.emplace_back("what the run begins with", beginning(model, backend, state));
  return facts;
}

}  // namespace

void check_same_plan(const TrainingPlan& plan, const std::string& config,
                     const std::optional<ModelFile>& state, DeviceRanks& ranks) {
  LaunchedRanks* const launched = ranks.launched();
  if (launched == nullptr) return;
  check_agreement(launched->communicator(), launched->names(), run_facts(plan, config, state, ranks.first()));
}

std::optional<ModelFile> state_of_run(const std::string& directory) {
  if (!RunDirectory::has_state(directory)) return std::nullopt;
  return ModelFile(RunDirectory::state_path(directory), kStateFormat);
}

void check_not_trained_since(const TrainingOutput& output, std::optional<std::int64_t> step) {
  std::optional<std::int64_t> found;
  if (!output.overwrite && RunDirectory::can_go_on(output.directory)) {
    if (const auto state = peek_at_state(RunDirectory::state_path(output.directory)))
      found = state->counters.step;
  }
  if (found != step) {
    throw Error("another process has trained in '{}' since this one began; run the command again to continue",
                output.directory);
  }
}

void begin_run(const TrainingOutput& output, const RunDirectory& directory, bool has_ended, Log& log) {
  if (output.overwrite) directory.clear();
  output.begin_log(directory.log_path());
  if (has_ended) {
    for (const std::string& remark : output.remarks)
      log.warning("{}; this does not change the model, because the run is finished", remark);
    return;
  }
  directory.write_config(output.config);
  for (const std::string& warning : output.warnings) log.warning("{}", warning);
  for (const std::string& remark : output.remarks) log.info("{}", remark);
}

TrainingJob::TrainingJob(const TrainingPlan& plan, const TrainingMemory& memory, DeviceRanks& ranks,
                         SavedModel& model)
    : plan_(plan), memory_(memory), ranks_(ranks), model_(model), settings_(plan.settings()) {
  settings_.micro_batch_tokens = memory.micro_batch_tokens;
}

std::optional<std::vector<BestValidations::Entry>> TrainingJob::run(const TrainingOutput& output) {
  const JobContext& job = plan_.job();
  const MemoryNeed& need = memory_.need;
  refuse_too_large(need, memory_.free_bytes, ModelRegistry::instance().type_of(model_.settings).width);
  const std::size_t foreseen = resident_bytes() + need.to_come();
  for (const TrainingStage& stage : plan_.stages()) check_has_pairs(*stage.corpus, *job.stop);
  ranks_.run(model_, [&](const DeviceRank& rank) { run_rank(rank, output); });
  job.log->verbose("{} MiB of memory were used at most, {} were foreseen: {}", peak_resident_bytes() >> 20,
                   foreseen >> 20, need.text());
  return std::move(best_);
}

RankParts TrainingJob::parts_of(const DeviceRank& rank, const TrainingOutput& output) const {
  TranslationParts own{rank.model, rank.communicator, plan_.job()};
  if (rank.communicator.rank() == 0) own.of_models = output.of_models;
  if (!output.utilities.empty())
    own.utility =
        output.utilities.at(static_cast<std::size_t>(rank.communicator.rank() - ranks_.first_rank()));
  const auto task = [this, own](Workers& workers) {
    return std::make_unique<TranslationTask>(settings_, own, plan_.validation(), workers);
  };
  return {*rank.model.model, rank.backend, rank.communicator, plan_.stages(), task, plan_.job()};
}

void TrainingJob::run_rank(const DeviceRank& rank, const TrainingOutput& output) {
  Communicator& communicator = rank.communicator;
  std::optional<RunDirectory> directory;
  if (communicator.rank() == 0) {
    directory.emplace(output.directory, output.overwrite);
    check_not_trained_since(output, plan_.goes_on_from());
  }
  all_gather_text(communicator, "");  // no other process writes a state from here on
  std::optional<ModelFile> state;
  if (plan_.goes_on_from()) state = state_of_run(output.directory);
  all_gather_text(communicator, "");  // all have read it before the first one writes another
  const RankParts parts = parts_of(rank, output);
  if (directory) return train(parts, *directory, output, state);
  Replica replica(settings_, parts, state ? read_state(*state) : TrainingState{}, state ? &*state : nullptr);
  state.reset();
  worker_loop(replica, communicator, *plan_.job().stop);
}

void TrainingJob::train(const RankParts& parts, const RunDirectory& directory, const TrainingOutput& output,
                        std::optional<ModelFile>& state) {
  Log& log = *plan_.job().log;
  const std::optional<ValidationText>& validation = plan_.validation();
  const TrainingParts all{
      parts,
      &directory,
      output.config_without_paths + write_decoding_settings(model_.decoding),
      model_.settings,
      model_.vocabularies,
      LossKind::tokens,
      validation ? validation->fingerprint : 0,
      model_.base ? low_rank_metadata(*model_.base) : std::map<std::string, std::string>()};
  Trainer trainer(settings_, all, state ? &*state : nullptr);
  state.reset();
  begin_run(output, directory, trainer.has_ended(), log);
  if (!plan_.settings_from_corpus().empty())
    log.info("settings that follow from the texts: {}", plan_.settings_from_corpus());
  const std::string ranks = ranks_.text();
  const WeightCounts& weights = plan_.weights();
  log.info("{} weights{}; {}; {}{}{}", weights.trained + weights.frozen,
           weights.frozen > 0 ? fmt::format(", {} of them frozen", weights.frozen) : "",
           plan_.corpus().description(), ranks_.first().description(), ranks.empty() ? "" : "; " + ranks,
           plan_.goes_on_from() ? fmt::format("; continuing at step {}", trainer.step()) : "");
  trainer.run();
  best_ = trainer.best();
}

}  // namespace nmt
