#include "cli/train_model.h"

#include <filesystem>

#include "common/error.h"

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

/// Files of vocabularies that were used once may be gone when a run goes on; those that are there must be the
/// same.
void check_same_vocabularies(const TrainOptions& t, const Vocabularies& vocabularies) {
  const auto check = [&](const std::optional<std::string>& path, const Vocabulary& vocabulary) {
    if (path && std::filesystem::exists(*path) && !(Vocabulary::load(*path) == vocabulary)) {
      throw UsageError(
          "the run in '{}' has another vocabulary than '{}'; leave the setting out, or choose another "
          "directory",
          t.output, *path);
    }
  };
  check(t.vocab, vocabularies.source);
  check(t.vocab, vocabularies.target);
  check(t.source_vocab, vocabularies.source);
  check(t.target_vocab, vocabularies.target);
}

/// The model of a run that goes on; its weights come with the rest of the state.
SavedModel continued_model(const TrainOptions& t, const ModelFile& state, Backend& backend) {
  Vocabularies vocabularies = embedded_vocabularies(state);
  check_same_vocabularies(t, vocabularies);
  check_vocabulary_sizes(t.model, vocabularies, fmt::format("'{}'", state.path()));
  std::unique_ptr<Model> model = ModelRegistry::instance().make(t.model);
  const Marks marks = marks_of(vocabularies, *model);
  model->parameters().allocate(backend, true);
  return {t.model, std::move(vocabularies), std::move(model), marks};
}

}  // namespace

SavedModel model_to_train(const Options& options, TrainOptions& t, const std::optional<ModelFile>& state,
                          Backend& backend) {
  if (state) return continued_model(t, *state, backend);
  return t.from_weights ? model_from_weights(options, t, backend) : fresh_model(options, t, backend);
}

}  // namespace nmt::cli
