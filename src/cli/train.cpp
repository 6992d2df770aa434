// nmt train: text and vocabularies to a run directory.
#include <filesystem>

#include "backend/factory.h"
#include "cli/command.h"
#include "cli/train_options.h"
#include "common/error.h"
#include "common/log.h"
#include "data/batches.h"
#include "data/text_corpus.h"
#include "train/micro_batch.h"
#include "train/trainer.h"

namespace nmt::cli {
namespace {

Vocabularies load_vocabularies(const TrainOptions& t) {
  if (t.vocab) {
    const Vocabulary shared = Vocabulary::load(*t.vocab);
    return {shared, shared};
  }
  return {Vocabulary::load(*t.source_vocab), Vocabulary::load(*t.target_vocab)};
}

/// Sets a model setting that follows from something else; refuses another value that was given.
void derive(const Options& options, ModelSettings& settings, const std::string& name,
            const std::string& value, const std::string& origin) {
  if (options.given(name) && settings[name] != value) {
    throw UsageError("{} is set to {}, but {} says {}; leave the setting out", name, settings[name], origin,
                     value);
  }
  settings[name] = value;
}

SavedModel fresh_model(const Options& options, TrainOptions& t, Backend& backend) {
  Vocabularies vocabularies = load_vocabularies(t);
  derive(options, t.model, "source_vocabulary", std::to_string(vocabularies.source.size()), "the vocabulary");
  derive(options, t.model, "target_vocabulary", std::to_string(vocabularies.target.size()), "the vocabulary");
  std::unique_ptr<Model> model = ModelRegistry::instance().make(t.model);
  const Marks marks = marks_of(vocabularies, *model);
  if (t.model.at("tied_embeddings") == "all" && !vocabularies.shared()) {
    throw UsageError(
        "tied_embeddings 'all' needs one vocabulary for both sides; use 'target' or 'none', or --vocab");
  }
  model->parameters().allocate(backend, true);
  model->parameters().initialize(t.training.seed);
  return {t.model, std::move(vocabularies), std::move(model), marks};
}

SavedModel model_from_weights(const Options& options, TrainOptions& t, Backend& backend) {
  SavedModel model = open_model(*t.from_weights, backend, true);
  for (const auto& [name, value] : model.settings) {
    derive(options, t.model, name, value, fmt::format("'{}'", *t.from_weights));
  }
  return model;
}

/// Learned positions end somewhere; every pair that is kept must fit.
void check_length(const TrainOptions& t, const Model& model) {
  const auto limit = model.max_positions();
  if (limit && t.training.max_length + 1 > *limit) {
    throw UsageError(
        "max_length {} and the mark need more than max_positions {}; lower --max-length or raise it",
        t.training.max_length, *limit);
  }
}

void run(const Options& options, TrainOptions& t) {
  const std::unique_ptr<Backend> backend = open_backend(t.device);
  SavedModel model =
      t.from_weights ? model_from_weights(options, t, *backend) : fresh_model(options, t, *backend);
  check_length(t, *model.model);
  const Encoding encoding{
      model.vocabularies.source, model.vocabularies.target, {.max_length = t.training.max_length}};
  const TextCorpus corpus(ParallelText(t.source, t.target), encoding);
  BatchStream stream(corpus, {.batch_tokens = t.training.batch_tokens, .seed = t.training.seed});
  std::vector<Batch> validation;
  if (t.valid_source) {
    const ParallelText valid(*t.valid_source, *t.valid_target);
    validation =
        batches_of(encode_all(valid, encoding), std::min<std::int64_t>(t.training.batch_tokens, 4096));
  }
  if (t.training.micro_batch_tokens == 0) {
    t.training.micro_batch_tokens =
        micro_batch_that_fits(t.model, t.training.dropout, backend->dtype(), backend->free_memory(),
                              t.training.batch_tokens, t.training.max_length);
  }
  const RunDirectory directory(t.output, t.overwrite);
  open_log_file(directory.log_path());
  const std::string config = options.resolved();
  directory.write_config(config);
  log_info("{} weights; {} pairs; {}", model.model->parameters().count(), corpus.size(),
           backend->description());
  SingleProcess alone;
  Trainer(t.training, model, *backend, alone, stream, std::move(validation), directory, config).run();
}

}  // namespace

int run_train(const Arguments& arguments) {
  Options options(
      "nmt train", "", "Trains a model from parallel text.",
      "nmt train --preset transformer-small --vocab shared.spm --source train.en --target train.de "
      "--valid-source valid.en --valid-target valid.de -o run/");
  TrainOptions settings;
  add_train_options(options, settings);
  if (!options.parse(arguments)) return 0;
  apply(settings.log);
  check_train_options(options, settings);
  run(options, settings);
  return 0;
}

}  // namespace nmt::cli
