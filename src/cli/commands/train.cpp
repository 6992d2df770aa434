// nmt train: text and vocabularies to a run directory.
#include <filesystem>

#include "backend/factory.h"
#include "cli/commands/command.h"
#include "cli/options/metric_list.h"
#include "cli/options/spelling.h"
#include "cli/program.h"
#include "cli/training/continued_run.h"
#include "cli/training/device_ranks.h"
#include "cli/training/program_ranks.h"
#include "cli/training/rehearsal.h"
#include "cli/training/run_facts.h"
#include "cli/training/run_outcome.h"
#include "cli/training/train_model.h"
#include "common/error.h"
#include "common/process/memory_usage.h"
#include "common/text/plural.h"
#include "common/text/utf8.h"
#include "data/text/long_text.h"
#include "data/text/text_corpus.h"
#include "tensor/share.h"
#include "train/memory_need.h"
#include "train/trainer.h"
#include "translate/length_limit.h"

namespace nmt {
namespace {

constexpr std::int64_t kMostValidationTokens = 4096;  // of a batch

/// Learned positions end somewhere; every pair that is kept must fit.
void check_length(const Options& options, const TrainOptions& t, const Model& model) {
  const auto limit = model.max_positions();
  if (limit && t.filter.max_length + 1 > *limit) {
    throw UsageError("{} {} and the mark need more than {} {}; lower the one, or raise the other",
                     options.origin("max-length"), t.filter.max_length, options.origin("max-positions"),
                     *limit);
  }
}

/// --overwrite removes the files of the run that was there.
void check_weights_stay(const TrainOptions& t) {
  if (!t.overwrite || !t.from_weights) return;
  const std::filesystem::path folder = std::filesystem::absolute(*t.from_weights).parent_path();
  std::error_code not_there;
  if (std::filesystem::equivalent(folder, t.output, not_there)) {
    throw UsageError(
        "--from-weights: '{}' is part of the run that --overwrite removes; copy it elsewhere first, or "
        "choose another --output",
        *t.from_weights);
  }
}

/// The state of the run in --output, where there is one to go on from.
std::optional<ModelFile> open_state(const TrainOptions& t) {
  if (t.overwrite || !RunDirectory::can_go_on(t.output)) return std::nullopt;
  const std::string path = RunDirectory::state_path(t.output);
  if (!std::filesystem::exists(path)) return std::nullopt;
  return ModelFile(path, kStateFormat);
}

/// Trains, in the directory of the run, which is new or holds `state`: closed as soon as it is taken over,
/// since the run replaces it.
void train(const Options& options, const TrainOptions& t, TrainingParts parts,
           std::optional<ModelFile>& state, const std::string& ranks) {
  std::vector<std::string> changes;
  if (state) changes = check_continued_run(options, t.output, RunDirectory::config_path(t.output));
  const RunDirectory directory(t.output, t.overwrite);
  parts.run = &directory;
  parts.config = options.resolved_without_paths();
  const bool goes_on = state.has_value();
  Trainer trainer(t.training, parts, goes_on ? &*state : nullptr);
  state.reset();
  if (t.overwrite) directory.clear();
  program_log().open_file(directory.log_path());
  directory.write_config(options.resolved());
  for (const std::string& change : changes) log_info("{}", change);
  if (t.from_weights && !goes_on) {
    log_info("training as {}{}", t.preset,
             options.given("preset") ? "" : ", which suits the weights; --preset names another recipe");
  }
  log_info("{} weights; {}; {}{}{}", parts.model.model->parameters().count(),
           count_of(parts.corpus.size(), "pair"), parts.backend.description(),
           ranks.empty() ? "" : "; " + ranks,
           goes_on ? fmt::format("; going on at step {}", trainer.step()) : "");
  trainer.run();
  log_outcome(directory, trainer.best(), t.training.best_by);
}

/// The work of a rank: the first one trains, the others do as it says.
void train_rank(const Options& options, const TrainOptions& t, RankParts parts, const std::string& ranks) {
  Communicator& communicator = parts.communicator;
  std::optional<ModelFile> state = open_state(t);
  share(communicator, "");  // before the first one writes another
  if (communicator.rank() == 0) return train(options, t, {std::move(parts), nullptr, ""}, state, ranks);
  Replica replica(t.training, std::move(parts), state ? read_state(*state) : TrainingState{},
                  state ? &*state : nullptr);
  state.reset();
  follow(replica, communicator, *program_job().stop);
}

/// The least of what the ranks say.
std::int64_t least(Hosts& hosts, std::int64_t number) {
  for (const std::string& other : share(hosts, std::to_string(number)))
    number = std::min<std::int64_t>(number, std::stoll(other));
  return number;
}

/// What the memory of the run depends on.
RunShape shape_of(const TrainOptions& t, const SavedModel& model,
                  const std::optional<ValidationText>& validation, const Corpus& corpus, int ranks) {
  RunShape shape{.model = model.settings,
                 .dropout = t.training.dropout,
                 .average = t.training.ema > 0,
                 .ranks = ranks,
                 .shard_optimizer = t.training.shard_optimizer,
                 .max_length = t.filter.max_length,
                 .batch_tokens = t.training.batch_tokens * t.training.delay,
                 .pairs = bytes_of_pairs(corpus)};
  if (!validation || t.training.valid_beam == 0) return shape;
  shape.translation = SearchSettings{.beam = t.training.valid_beam};
  const std::int64_t longest = kUsualMaxLength + 1;
  const std::int64_t most = std::min(longest, model.model->max_positions().value_or(longest));
  for (const std::string& line : validation->sources) {
    const std::int64_t tokens =
        std::ssize(model.vocabularies.source.encode(beginning_of(line, most_bytes(longest))));
    if (tokens > 0) shape.lengths.push_back(std::min(tokens + 1, most));
  }
  return shape;
}

void check_sampling(const Encoding& encoding) {
  if (encoding.sampling_alpha > 0 && !(encoding.source.samples() && encoding.target.samples())) {
    throw UsageError(
        "--sampling-alpha needs vocabularies of type unigram or bpe: those of words or characters divide a "
        "text in one way alone");
  }
}

void run(Options& options, TrainOptions& t, LaunchedRanks* launched) {
  check_weights_stay(t);
  DeviceRanks ranks(t.device, launched);
  Backend& backend = ranks.first();
  std::optional<ModelFile> state = open_state(t);
  std::optional<PackedCorpus> packed;
  if (t.train) packed.emplace(*t.train, t.filter.max_length);
  // A run from before there were these filters goes on without them.
  if (state && !options.given("max-ratio")) t.filter = {.max_length = t.filter.max_length};
  SavedModel model = model_to_train(options, t, state, packed ? &*packed : nullptr, backend);
  check_length(options, t, *model.model);
  Encoding encoding{
      model.vocabularies.source, model.vocabularies.target, {.max_length = t.filter.max_length}};
  std::optional<ValidationText> validation;
  if (t.valid_source) {
    validation = validation_text(ParallelText(*t.valid_source, *t.valid_target, program_job()), encoding,
                                 std::min(t.training.batch_tokens, kMostValidationTokens), program_log());
  }
  encoding.filter = t.filter;
  encoding.sampling_alpha = t.training.sampling_alpha;
  check_sampling(encoding);
  std::optional<TextCorpus> text;
  if (!packed) text.emplace(ParallelText(open_text(t.text, t.filter.max_length), program_log()), encoding);
  const Corpus& corpus = packed ? static_cast<const Corpus&>(*packed) : *text;
  if (launched != nullptr) {
    check_agreement(launched->communicator(), launched->names(),
                    run_facts(options.resolved_without_paths(), model, backend, corpus, validation, state));
  }
  ranks.copy(model);
  const RunShape shape = shape_of(t, model, validation, corpus, ranks.count());
  // All have allocated their weights by now.
  const std::size_t free_bytes = ranks.free_memory();
  std::int64_t& micro_batch = t.training.micro_batch_tokens;
  if (micro_batch == 0) {
    micro_batch = least(ranks.processes(), micro_batch_that_fits(shape, backend, free_bytes,
                                                                 t.training.batch_tokens, program_log()));
  }
  const MemoryNeed need = memory_need(shape, backend, micro_batch);
  if (t.dry_run) {
    write_output(rehearsal(options.resolved(), t, model, need, free_bytes, corpus, ranks.text()));
    return;
  }
  refuse_too_large(need, free_bytes, ModelRegistry::instance().type_of(model.settings).width);
  const std::size_t foreseen = resident_bytes() + need.to_come();
  check_has_pairs(corpus, *program_job().stop);
  state.reset();
  ranks.run(model, corpus, validation,
            [&](RankParts parts) { train_rank(options, t, std::move(parts), ranks.text()); });
  log_verbose("{} MiB of memory were used at most, {} were foreseen: {}", peak_resident_bytes() >> 20,
              foreseen >> 20, need.text());
}
/// As the rank of a run that a launcher has started, or alone.
void run(const Arguments& arguments, LaunchedRanks* ranks) {
  Options options(
      "nmt train", "", "Trains a model from parallel text.",
      "nmt train --preset transformer-small --vocab shared.spm --source train.en --target train.de "
      "--valid-source valid.en --valid-target valid.de -o run/");
  TrainOptions settings;
  add_train_options(options, settings, ranks != nullptr ? ranks->cores() : cores_available());
  if (!options.parse(arguments)) return;
  apply(options, settings.log);
  std::vector<std::string>& metrics = settings.training.valid_metrics;
  metrics = metric_list(options, "valid-metrics", metrics);
  check_train_options(options, settings);
  run(options, settings, ranks);
}

}  // namespace

int run_train(const Arguments& arguments) {
  LaunchedRanks* const ranks = program_ranks();
  if (ranks == nullptr) {
    run(arguments, nullptr);
  } else {
    ranks->run([&] { run(arguments, ranks); });
  }
  return 0;
}

}  // namespace nmt
