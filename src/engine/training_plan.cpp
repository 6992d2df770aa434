#include "engine/training_plan.h"

#include <algorithm>
#include <set>
#include <string>
#include <utility>

#include "common/error.h"
#include "common/text/utf8.h"
#include "data/batches/batches.h"
#include "data/text/text_parts.h"
#include "nn/weights/low_rank.h"
#include "nn/weights/parameters.h"
#include "tensor/communicator.h"
#include "train/corpus_fit.h"
#include "train/run/training_state.h"
#include "translate/search/length_limit.h"

namespace nmt {
namespace {

constexpr std::int64_t kMostValidationTokens = 4096;  // of a batch

/// Returns the numbers of weights that are trained and that are frozen. Throws UsageError as
/// frozen_parameters() does.
WeightCounts count_weights(const Parameters& of_model, const TrainingSettings& settings) {
  Parameters updates;
  if (settings.lora) add_low_rank_updates(of_model, settings.lora->rank, updates);
  const Parameters& parameters = settings.lora ? updates : of_model;
  const std::set<std::string> frozen = frozen_parameters(parameters, settings.freeze);
  std::int64_t count = 0;
  for (const Parameters::Entry& entry : parameters.entries())
    count += frozen.contains(entry.parameter.name) ? entry.size() : 0;
  return {.trained = parameters.count() - count, .frozen = count + (settings.lora ? of_model.count() : 0)};
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

TrainingPlan::TrainingPlan(TrainingSettings settings, const SavedModel& model, TrainingTexts texts,
                           const std::optional<ModelFile>& state, const JobContext& job)
    : settings_(std::move(settings)),
      model_(model),
      job_(job),
      filter_(texts.filter),
      weights_(count_weights(model.model->parameters(), settings_)),
      goes_on_from_(state ? std::optional(read_state(*state).counters.step) : std::nullopt),
      stages_{{.corpus = texts.packed}} {
  filter_.has_source = model_.model->has_source();
  open_corpus(texts);
  open_validation(texts);
}

void TrainingPlan::open_corpus(TrainingTexts& texts) {
  Encoding encoded = encoding(filter_);
  encoded.sampling_alpha = settings_.sampling_alpha;
  encoded.has_other_sources = settings_.sampling_consistency;
  check_sampling(encoded);
  if (texts.curriculum) {
    encoded.has_alignment = settings_.guided_alignment_weight > 0;
    encoded.alignment_unit = texts.alignment_unit;
    stages_ = curriculum_.emplace(*texts.curriculum, encoded, job_).stages();
  }
  if (texts.text) {
    encoded.has_alignment = texts.text->has_alignment() && settings_.guided_alignment_weight > 0;
    encoded.has_weights = texts.text->has_weights();
    encoded.alignment_unit = texts.alignment_unit;
    stages_.front().corpus =
        &text_.emplace(ParallelText(std::move(*texts.text), *job_.log), encoded, texts.augmentation);
  }
}

void TrainingPlan::open_validation(const TrainingTexts& texts) {
  std::optional<ParallelText> text;
  if (texts.validation.given()) text.emplace(texts.validation.open(job_), *job_.log);
  const Encoding encoded = encoding({.max_length = filter_.max_length, .has_source = filter_.has_source});
  // R-Drop is only for translation, and compares passes with different dropout.
  if (!filter_.has_source || !has_dropout(model_.settings, settings_.dropout))
    settings_.from_corpus.erase("r_drop");
  if (!settings_.from_corpus.empty()) {
    const double tokens = text ? static_cast<double>(target_tokens(*text, encoded)) : 0;
    settings_from_corpus_ = fit_to_corpus(
        settings_, CorpusSample::draw(*stages_.front().corpus, settings_.seed, *job_.stop), tokens);
  }
  if (!text) return;
  validation_ =
      validation_text(*text, encoded, std::min(settings_.batch_tokens, kMostValidationTokens), *job_.log);
  if (filter_.has_source) warn_of_untold(*validation_, model_.vocabularies.source, *job_.log);
}

Encoding TrainingPlan::encoding(const Filter& filter) const {
  return {model_.vocabularies.source, model_.vocabularies.target, filter};
}

std::int64_t TrainingPlan::largest_batch() const {
  std::int64_t largest = 0;
  for (const TrainingStage& stage : stages_)
    largest = std::max(largest, stage.batch_tokens.value_or(settings_.batch_tokens));
  return largest;
}

RunShape TrainingPlan::shape(int ranks) const {
  RunShape shape{.model = model_.settings,
                 .dropout = settings_.dropout,
                 .low_rank = settings_.lora,
                 .optimizer = settings_.optimizer,
                 .average = settings_.ema > 0,
                 .ranks = ranks,
                 .shard_optimizer = settings_.shard_optimizer,
                 .guided_alignment_weight = settings_.guided_alignment_weight,
                 .r_drop = settings_.r_drop,
                 .simcut = settings_.simcut,
                 .recompute_activations = settings_.activation_checkpointing,
                 .quantization_aware = settings_.quantization_aware,
                 .max_length = 1};
  for (const TrainingStage& stage : stages_) {
    shape.max_length = std::max(shape.max_length, stage.corpus->longest());
    shape.batch_tokens =
        std::max(shape.batch_tokens,
                 most_tokens_of_update(*stage.corpus, stage.batch_tokens.value_or(settings_.batch_tokens),
                                       settings_.delay));
    shape.pairs = std::max(shape.pairs, bytes_of_pairs(*stage.corpus));
  }
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

namespace {

/// Returns the smallest number of all ranks.
std::int64_t least(ProcessGroup& group, std::int64_t number) {
  for (const std::string& other : all_gather_text(group, std::to_string(number)))
    number = std::min<std::int64_t>(number, std::stoll(other));
  return number;
}

/// Returns the bytes that are free beside the weights, which may not be in memory yet.
std::size_t bytes_beside_weights(const SavedModel& model, const std::optional<LowRankSettings>& low_rank,
                                 const DeviceRanks& ranks) {
  const std::size_t free = ranks.free_memory();
  if (model.model->has_training_weights()) return free;
  return free - std::min(free, bytes_of_weights(model.settings, ranks.first(), low_rank));
}

}  // namespace

TrainingMemory training_memory(const TrainingPlan& plan, DeviceRanks& ranks) {
  const RunShape shape = plan.shape(ranks.count());
  TrainingMemory memory{.micro_batch_tokens = plan.settings().micro_batch_tokens,
                        .need = {},
                        .free_bytes = bytes_beside_weights(plan.model(), plan.settings().lora, ranks)};
  if (memory.micro_batch_tokens == 0) {
    const std::int64_t most = std::min(plan.largest_batch(), shape.batch_tokens);
    memory.micro_batch_tokens =
        least(ranks.processes(),
              micro_batch_that_fits(shape, ranks.first(), memory.free_bytes, most, *plan.job().log));
  }
  memory.need = memory_need(shape, ranks.first(), memory.micro_batch_tokens);
  return memory;
}

}  // namespace nmt
