#include "engine/training_job.h"

#include <algorithm>
#include <utility>

#include "common/error.h"
#include "common/process/resources.h"
#include "common/text/number.h"
#include "common/text/utf8.h"
#include "data/batches/batches.h"
#include "data/text/text_parts.h"
#include "engine/run_facts.h"
#include "nn/weights/freezing.h"
#include "tensor/communicator.h"
#include "train/corpus_fit.h"
#include "train/run/run_directory.h"
#include "train/trainer.h"
#include "translate/search/length_limit.h"

namespace nmt {
namespace {

constexpr std::int64_t kMostValidationTokens = 4096;  // of a batch

/// Returns the smallest number of all ranks.
std::int64_t least(ProcessGroup& group, std::int64_t number) {
  for (const std::string& other : all_gather_text(group, std::to_string(number)))
    number = std::min<std::int64_t>(number, std::stoll(other));
  return number;
}

/// Returns the number of frozen weights. Throws UsageError as frozen_parameters() does.
std::int64_t count_frozen(const Parameters& parameters, const std::vector<std::string>& patterns) {
  const std::set<std::string> frozen = frozen_parameters(parameters, patterns);
  std::int64_t count = 0;
  for (const Parameters::Entry& entry : parameters.entries())
    count += frozen.contains(entry.parameter.name) ? entry.size() : 0;
  return count;
}

/// Returns the maximum number of tokens of samples for sources of this length.
std::int64_t longest_sample(std::int64_t source_tokens, const Model& model) {
  const std::int64_t longest = SearchSettings{}.longest_translation(source_tokens);
  return std::min(longest, model.max_positions().value_or(longest));
}

void check_sampling(const Encoding& encoding) {
  if (encoding.sampling_alpha > 0 && !(encoding.source.samples() && encoding.target.samples())) {
    throw UsageError(
        "`sampling_alpha` needs vocabularies of type unigram or bpe: those of words or characters have only "
        "one segmentation of a text");
  }
  if (encoding.has_other_sources && !encoding.filter.has_source)
    throw UsageError(
        "`sampling_consistency` is for sources, which a language model does not have; leave it out");
}

/// Returns the number of target tokens of a text, EOS included.
std::int64_t target_tokens(const ParallelText& text, const Encoding& encoding) {
  return size_of({encode_all(text, encoding)}).target;
}

/// Warns if a multilingual model is validated on text without a language, which gives random results.
void warn_of_untold(const ValidationText& text, const Vocabulary& source, Log& log) {
  std::int64_t untold = 0, pairs = 0;
  for (const Batch& batch : text.batches) {
    pairs += std::ssize(batch.examples);
    untold += std::ranges::count_if(
        batch.examples, [&](const Example& example) { return source.lacks_language(example.source); });
  }
  if (untold > 0) log.warning("'{}': {}", text.name, untold_text(untold, pairs));
}

}  // namespace

std::optional<ModelFile> state_of_run(const std::string& directory) {
  if (!RunDirectory::has_state(directory)) return std::nullopt;
  return ModelFile(RunDirectory::state_path(directory), kStateFormat);
}

TrainingJob::TrainingJob(TrainingSettings& settings, DeviceRanks& ranks, SavedModel model,
                         TrainingTexts texts, std::optional<ModelFile> state, const std::string& config,
                         const JobContext& job)
    : settings_(settings),
      job_(job),
      ranks_(ranks),
      model_(std::move(model)),
      filter_(texts.filter),
      corpus_(texts.packed),
      goes_on_from_(state ? std::optional(read_state(*state).counters.step) : std::nullopt) {
  filter_.has_source = model_.model->has_source();
  frozen_weights_ = count_frozen(model_.model->parameters(), settings_.freeze);
  open_corpus(texts);
  open_validation(texts);
  Backend& device = ranks_.first();
  if (LaunchedRanks* launched = ranks_.launched()) {
    check_agreement(launched->communicator(), launched->names(),
                    run_facts(config, model_, device, *corpus_, validation_, state));
  }
  const RunShape of_run = shape();
  free_bytes_ = ranks_.free_memory();
  if (model_.model->has_training_weights()) {
    ranks_.copy(model_);
    free_bytes_ = ranks_.free_memory();  // after all processes have allocated their weights
  } else {
    free_bytes_ -= std::min(free_bytes_, bytes_of_weights(of_run.model, device));
  }
  std::int64_t& micro_batch = settings_.micro_batch_tokens;
  if (micro_batch == 0) {
    const std::int64_t most = std::min(settings_.batch_tokens, of_run.batch_tokens);
    micro_batch =
        least(ranks_.processes(), micro_batch_that_fits(of_run, device, free_bytes_, most, *job_.log));
  }
  need_ = nmt::memory_need(of_run, device, micro_batch);
}

void TrainingJob::open_corpus(TrainingTexts& texts) {
  Encoding encoded = encoding(filter_);
  encoded.sampling_alpha = settings_.sampling_alpha;
  encoded.has_other_sources = settings_.sampling_consistency;
  check_sampling(encoded);
  if (texts.text) {
    encoded.has_alignment = texts.text->has_alignment();
    encoded.has_weights = texts.text->has_weights();
    encoded.alignment_unit = texts.alignment_unit;
    corpus_ = &text_.emplace(ParallelText(std::move(*texts.text), *job_.log), encoded);
  }
}

void TrainingJob::open_validation(const TrainingTexts& texts) {
  std::optional<ParallelText> text;
  if (texts.validation.given()) text.emplace(texts.validation.open(job_), *job_.log);
  const Encoding encoded = encoding({.max_length = filter_.max_length, .has_source = filter_.has_source});
  if (!filter_.has_source) settings_.from_corpus.erase("r_drop");  // it is only for translation
  if (!settings_.from_corpus.empty()) {
    const double tokens = text ? static_cast<double>(target_tokens(*text, encoded)) : 0;
    settings_from_corpus_ =
        fit_to_corpus(settings_, CorpusSample::draw(*corpus_, settings_.seed, *job_.stop), tokens);
  }
  if (!text) return;
  validation_ =
      validation_text(*text, encoded, std::min(settings_.batch_tokens, kMostValidationTokens), *job_.log);
  if (filter_.has_source) warn_of_untold(*validation_, model_.vocabularies.source, *job_.log);
}

Encoding TrainingJob::encoding(const Filter& filter) const {
  return {model_.vocabularies.source, model_.vocabularies.target, filter};
}

RunShape TrainingJob::shape() const {
  RunShape shape{.model = model_.settings,
                 .dropout = settings_.dropout,
                 .average = settings_.ema > 0,
                 .ranks = ranks_.count(),
                 .shard_optimizer = settings_.shard_optimizer,
                 .guided_alignment_weight = settings_.guided_alignment_weight,
                 .r_drop = settings_.r_drop,
                 .quantization_aware = settings_.quantization_aware,
                 .max_length = std::max<std::int64_t>(corpus_->longest(), 1),
                 .batch_tokens = most_tokens_of_update(*corpus_, settings_.batch_tokens, settings_.delay),
                 .pairs = bytes_of_pairs(*corpus_)};
  if (settings_.risk.is_wanted()) {
    shape.samples = settings_.risk.samples;
    shape.batch_tokens *= shape.samples;
    shape.max_length = longest_sample(filter_.max_length, *model_.model);
  }
  if (!validation_ || settings_.valid_beam == 0) return shape;
  shape.translation = SearchSettings{.beam = settings_.valid_beam};
  const std::int64_t longest = kUsualMaxLength + 1;
  const std::int64_t most = std::min(longest, model_.model->max_positions().value_or(longest));
  for (const std::string& line : validation_->sources) {
    const std::int64_t tokens =
        std::ssize(model_.vocabularies.source.encode(beginning_of(line, most_bytes(longest))));
    if (tokens > 0) shape.lengths.push_back(std::min(tokens + 1, most));
  }
  return shape;
}

std::optional<std::vector<BestValidations::Entry>> TrainingJob::run(const TrainingOutput& output) {
  refuse_too_large(need_, free_bytes_, ModelRegistry::instance().type_of(model_.settings).width);
  const std::size_t foreseen = resident_bytes() + need_.to_come();
  check_has_pairs(*corpus_, *job_.stop);
  ranks_.run(model_, *corpus_, validation_, job_,
             [&](RankParts parts) { run_rank(std::move(parts), output); });
  job_.log->verbose("{} MiB of memory were used at most, {} were foreseen: {}", peak_resident_bytes() >> 20,
                    foreseen >> 20, need_.text());
  return std::move(best_);
}

void TrainingJob::check_state(const TrainingOutput& output) const {
  std::optional<std::int64_t> step;
  if (!output.overwrite && RunDirectory::can_go_on(output.directory)) {
    if (const auto state = peek_at_state(RunDirectory::state_path(output.directory)))
      step = state->counters.step;
  }
  if (step != goes_on_from_) {
    throw Error("another process has trained in '{}' since this one began; run the command again to go on",
                output.directory);
  }
}

void TrainingJob::run_rank(RankParts parts, const TrainingOutput& output) {
  Communicator& communicator = parts.communicator;
  std::optional<RunDirectory> directory;
  if (communicator.rank() == 0) {
    directory.emplace(output.directory, output.overwrite);
    check_state(output);
  }
  all_gather_text(communicator, "");  // no other process writes a state from here on
  std::optional<ModelFile> state;
  if (goes_on_from_) state = state_of_run(output.directory);
  all_gather_text(communicator, "");  // all have read it before the first one writes another
  if (directory) return train(std::move(parts), *directory, output, state);
  Replica replica(settings_, std::move(parts), state ? read_state(*state) : TrainingState{},
                  state ? &*state : nullptr);
  state.reset();
  worker_loop(replica, communicator, *job_.stop);
}

void TrainingJob::train(RankParts parts, const RunDirectory& directory, const TrainingOutput& output,
                        std::optional<ModelFile>& state) {
  const TrainingParts all{std::move(parts), &directory,
                          output.config_without_paths + write_decoding_settings(model_.decoding)};
  Trainer trainer(settings_, all, state ? &*state : nullptr);
  state.reset();
  if (output.overwrite) directory.clear();
  output.begin_log(directory.log_path());
  if (!trainer.has_ended()) {  // else the run stays as it is, whatever the settings
    directory.write_config(output.config);
    for (const std::string& warning : output.warnings) job_.log->warning("{}", warning);
    for (const std::string& remark : output.remarks) job_.log->info("{}", remark);
  }
  if (!settings_from_corpus_.empty())
    job_.log->info("settings that follow from the texts: {}", settings_from_corpus_);
  const std::string ranks = ranks_.text();
  job_.log->info("{} weights{}; {}; {}{}{}", model_.model->parameters().count(),
                 frozen_weights_ > 0 ? fmt::format(", {} of them frozen", frozen_weights_) : "",
                 corpus_->description(), ranks_.first().description(), ranks.empty() ? "" : "; " + ranks,
                 goes_on_from_ ? fmt::format("; going on at step {}", trainer.step()) : "");
  trainer.run();
  best_ = trainer.best();
}

}  // namespace nmt
