#include "cli/training/train_model.h"

#include <algorithm>
#include <array>
#include <filesystem>
#include <optional>

#include "cli/program.h"
#include "common/error.h"
#include "common/process/signals.h"
#include "common/text/spelling.h"
#include "data/vocabulary/languages.h"
#include "foreign/open.h"
#include "nn/weights/low_rank.h"
#include "train/memory_need.h"
#include "train/metric/judgment_loss.h"
#include "train/run/checkpoints.h"

namespace nmt {
namespace {

/// Sets a model setting that follows from something else; rejects a different given value.
void derive(const Options& options, ModelSettings& settings, const std::string& name,
            const std::string& value, const std::string& origin) {
  if (options.given(name) && settings[name] != value) {
    throw UsageError("{} is set to {}, but {} says {}; leave the setting out", options.origin(name),
                     settings[name], origin, value);
  }
  settings[name] = value;
}

/// Calls make(). Errors name invalid combinations of settings by their origins.
template <class Make>
auto with_origins(const Options& options, const Make& make) {
  try {
    return make();
  } catch (const ModelSettingError& error) {
    const std::string origins = options.origins(error.names());
    if (origins.empty()) throw;
    std::string_view what = error.what();
    const std::string &first = error.names().front(), named = first + " ";
    if (origins != options.origin(first) || !what.starts_with(named))
      throw UsageError("{}: {}", origins, what);
    what.remove_prefix(named.size());
    throw UsageError("{} {}", origins, what);
  }
}

/// Makes the model without weights. `has_one_vocabulary`: whether both sides share it.
std::unique_ptr<Model> make_model(const Options& options, const ModelSettings& settings,
                                  bool has_one_vocabulary) {
  return with_origins(options, [&] {
    std::unique_ptr<Model> model = ModelRegistry::instance().make(settings);
    model->check_vocabularies(has_one_vocabulary);
    return model;
  });
}

/// Allocates weights and gradients, except for a dry run. Throws Error if memory is insufficient.
void allocate(Network& model, const TrainOptions& t, Backend& backend) {
  if (t.dry_run) return;
  const ModelSettings settings = model_settings(t);
  const std::size_t bytes = bytes_of_weights(settings, backend), free_bytes = backend.free_memory();
  if (bytes > free_bytes) {
    throw Error(
        "the weights and gradients of this model take {} MiB of memory, but {} are free; train a smaller "
        "model (--preset, --{}), or one with a smaller vocabulary",
        bytes >> 20, free_bytes >> 20, dashed(ModelRegistry::instance().type_of(settings).width));
  }
  model.allocate_for_training(backend);
}

SavedModel fresh_model(const Options& options, TrainOptions& t, const PackedCorpus* packed,
                       Backend& backend) {
  auto [vocabularies, usual] =
      packed != nullptr ? VocabulariesOfFile{{packed->source_vocabulary(), packed->target_vocabulary()}, {}}
                        : load_vocabularies(t.vocabularies);
  if (!ModelRegistry::instance().type_of(t.model).has_source()) {
    vocabularies.source = vocabularies.target;
    usual.source.clear();
  }
  derive(options, t.model, "source_vocabulary", std::to_string(vocabularies.source.rows()), "the vocabulary");
  derive(options, t.model, "target_vocabulary", std::to_string(vocabularies.target.rows()), "the vocabulary");
  std::unique_ptr<Model> model = make_model(options, model_settings(t), vocabularies.shared());
  const SpecialTokens special_tokens = special_tokens_of(vocabularies, *model);
  allocate(*model, t, backend);
  if (!t.dry_run) model->training_weights().initialize(t.training.seed);
  t.languages = t.languages.or_else(usual);
  return {model_settings(t), std::move(vocabularies), std::move(model), special_tokens};
}

/// Rejects updates of a rank that no matrix of a model has.
void check_rank(const Model& model, std::int64_t rank) {
  const std::int64_t highest = highest_rank(model.parameters());
  if (rank <= highest) return;
  throw UsageError(
      "`lora`: rank {} is above {}, the smaller side of the largest matrix of the model; lower it, for "
      "instance to 16, or train all weights without `lora`",
      rank, highest);
}

/// Loads the base of updates of low rank, unless for a dry run.
void load_base(const SavedModel& model, const ModelFile& file, const TrainOptions& t, Backend& backend) {
  if (!ModelRegistry::instance().type_of(model.settings).has_low_rank_updates) {
    throw UsageError("`lora`: a model of type {} cannot be trained by updates of low rank; leave it out",
                     model.settings.at("type"));
  }
  if (!t.dry_run) load_frozen(*model.model, file, backend, model.base->settings);
}

SavedModel model_from_weights(Options& options, TrainOptions& t, Backend& backend) {
  const ModelFile file = open_model_file(*t.from_weights);
  SavedModel model = t.dry_run || t.training.lora ? blank_model(file) : open_model_to_train(file, backend);
  if (t.training.lora) {
    const std::filesystem::path base = std::filesystem::absolute(checkpoint_named_by(*t.from_weights));
    check_rank(*model.model, t.training.lora->rank);
    model.base = {*t.training.lora, base.lexically_normal().string(), checksum_of_weights(file)};
    load_base(model, file, t, backend);
    if (!t.dry_run) model.model->training_weights().initialize(t.training.seed);
  }
  if (!options.given("preset")) take_recipe(options, preset_for(file.config(), model.settings));
  const std::string& type = model.settings.at("type");
  if (options.given("preset") && t.model.at("type") != type) {
    throw UsageError(
        "{} {} is of type {}, but '{}' is of type {}; choose a preset of this type, or leave it out",
        options.origin("preset"), t.preset, t.model.at("type"), *t.from_weights, type);
  }
  for (const auto& [name, value] : t.model) {
    if (options.given(name) && !model.settings.contains(name)) {
      throw UsageError("{}: the model of '{}' is of type {}, which has no such setting; leave it out",
                       options.origin(name), *t.from_weights, model.settings.at("type"));
    }
  }
  for (const auto& [name, value] : model.settings) {
    derive(options, t.model, name, value, fmt::format("'{}'", *t.from_weights));
  }
  return model;
}

/// Checks that all sources of vocabularies agree with the model. When a run is continued, files that it once
/// used may be gone or different.
void check_vocabularies(const TrainOptions& t, const PackedCorpus* packed, const SavedModel& model,
                        bool goes_on) {
  const Vocabularies& vocabularies = model.vocabularies;
  const auto check_file = [&](const std::optional<std::string>& path,
                              const std::vector<Vocabulary Vocabularies::*>& sides) {
    if (!path) return;
    std::optional<Vocabularies> of_file;
    try {
      of_file = load_vocabularies(*path).vocabularies;
    } catch (const Error&) {
      if (!goes_on) throw;
      return;
    }
    const auto is_same = [&](Vocabulary Vocabularies::*side) { return *of_file.*side == vocabularies.*side; };
    if (std::ranges::all_of(sides, is_same)) return;
    throw UsageError("'{}' differs from the vocabulary of the {}", *path,
                     goes_on ? "run; give last.safetensors of the run as `vocab`, or choose another run"
                             : "packed text, or of the weights that training begins with; leave it out");
  };
  const auto& [both, source, target] = t.vocabularies;
  if (goes_on || packed != nullptr) {  // otherwise they are from the model itself
    check_file(both, {&Vocabularies::source, &Vocabularies::target});
    check_file(source, {&Vocabularies::source});
    check_file(target, {&Vocabularies::target});
  }
  const auto has_other = [&] {
    return !(packed->target_vocabulary() == vocabularies.target) ||
           (model.model->has_source() && !(packed->source_vocabulary() == vocabularies.source));
  };
  if (packed != nullptr && has_other()) {
    throw UsageError("'{}' was packed with other vocabularies than those of the model; pack the text again",
                     packed->name());
  }
}

/// Returns the model of a continued run; its weights are loaded with the rest of the state.
SavedModel continued_model(const Options& options, const TrainOptions& t, const ModelFile& state,
                           Backend& backend) {
  Vocabularies vocabularies = embedded_vocabularies(state);
  check_vocabulary_sizes(model_settings(t), vocabularies, fmt::format("'{}'", state.path()));
  // The initial weights of a run may have one list of pieces, but a way of dividing words for each side.
  constexpr bool kAsItBegan = true;
  std::unique_ptr<Model> model = make_model(options, model_settings(t), kAsItBegan);
  const SpecialTokens special_tokens = special_tokens_of(vocabularies, *model);
  const std::optional<LowRankBase> base = low_rank_base(state);
  if (t.training.lora != (base ? std::optional(base->settings) : std::nullopt)) {
    throw UsageError("`lora`: '{}' was saved {}; leave the setting as it was", state.path(),
                     base ? "with " + format_low_rank(base->settings) : "without it");
  }
  if (!base) allocate(*model, t, backend);
  SavedModel saved{model_settings(t), std::move(vocabularies), std::move(model), special_tokens,
                   read_decoding_settings(state.config(), state.path())};
  if (!base) return saved;
  saved.base = base;
  // The base may also be next to the checkpoints.
  load_base(saved, open_base(*base, (std::filesystem::path(t.output) / "last.safetensors").string()), t,
            backend);
  return saved;
}

/// Sets the languages of the text: the given ones, or else the model's defaults; they become the model's
/// defaults, spelled as in its vocabularies.
void take_languages(SavedModel& model, Languages& languages) {
  languages = languages.or_else(usual_languages(model.decoding));
  const std::vector<std::string> known = known_languages(model.vocabularies);
  for (std::string* code : {&languages.source, &languages.target}) {
    if (const std::string meant = code_meant(*code, known); !meant.empty()) *code = meant;
  }
  if (!languages.source.empty()) model.decoding["source_language"] = languages.source;
  if (!languages.target.empty()) model.decoding["target_language"] = languages.target;
  use_languages(model, languages);
}

}  // namespace

SavedModel model_to_train(Options& options, TrainOptions& t, const std::optional<ModelFile>& state,
                          const PackedCorpus* packed, Backend& backend) {
  SavedModel model = state            ? continued_model(options, t, *state, backend)
                     : t.from_weights ? model_from_weights(options, t, backend)
                                      : fresh_model(options, t, packed, backend);
  check_vocabularies(t, packed, model, state.has_value());
  take_languages(model, t.languages);
  return model;
}

TrainedComet metric_to_train(const Options& options, TrainOptions& t, const std::optional<ModelFile>& state,
                             Backend& backend) {
  Vocabulary vocabulary = state ? embedded_vocabularies(*state).source
                                : load_vocabularies(*t.vocabularies.vocab).vocabularies.source;
  derive(options, t.model, "source_vocabulary", std::to_string(vocabulary.rows()), "the vocabulary");
  std::unique_ptr<CometModel> model = with_origins(options, [&] {
    const CometConfig config(ModelRegistry::instance().complete(model_settings(t)));
    check_trainable(config);
    return std::make_unique<CometModel>(config);
  });
  allocate(*model, t, backend);
  if (!t.dry_run && !state) initialize_metric(*model, t.training.seed);
  return {std::move(vocabulary), std::move(model)};
}

namespace {

bool is_fixed(const OptionFacts& facts) {
  static constexpr std::array kFixed = {"preset",          "from-weights", "seed",      "source-language",
                                        "target-language", "max-length",   "languages", "sampling-alpha",
                                        "augment",         "ema",          "optimizer", "lora"};
  const auto is_its_option = [&](const FilterRow& row) {
    return row.option != nullptr && facts.name == row.option;
  };
  return facts.section == "model" || std::ranges::find(kFixed, facts.name) != kFixed.end() ||
         std::ranges::any_of(filter_table(), is_its_option);
}

/// Accepts missing vocabulary files, as a run contains its vocabularies; an existing file means another
/// vocabulary.
void check_vocabulary(const Option& option) {
  const std::string& name = option.facts().name;
  if (name != "vocab" && name != "source-vocab" && name != "target-vocab") return;
  for (const std::string& path : option.texts()) {
    std::error_code ignored;  // a file that cannot be accessed counts as missing
    if (std::filesystem::exists(path, ignored)) continue;
    throw UsageError("{}: cannot find '{}'; leave the setting out, since the run has its vocabularies",
                     option.origin(), path);
  }
}

/// Compares values; paths and codes of languages may be spelled in many ways.
bool are_same(const Option& option, const std::vector<std::string>& before) {
  const std::vector<std::string> now = option.absolute_texts();
  const std::string& name = option.facts().name;
  if ((name == "source-language" || name == "target-language") && now.size() == 1)
    return !code_meant(now[0], before).empty();
  const auto are_same_file = [](const std::string& a, const std::string& b) {
    std::error_code ignored;  // a missing file counts as different
    return a == b || std::filesystem::equivalent(a, b, ignored);
  };
  return now == before || (option.facts().is_path() && std::ranges::equal(now, before, are_same_file));
}

/// A setting that has changed.
struct Change {
  const Option* option;
  std::optional<std::string> then;  // none: it was not given
  std::string now;
};

std::vector<Change> changes_since(const std::string& config, const Options& options) {
  std::vector<Change> changes;
  const auto before = flat_yaml_settings(config);
  for (const Option& option : options.table()) {
    const OptionFacts& facts = option.facts();
    const auto was = before.find(facts.name);
    const auto is_none = [](const std::vector<std::string>& texts) {
      return std::ranges::all_of(texts, &std::string::empty);
    };
    const bool is_new = was == before.end() || is_none(was->second);
    if (is_new ? !option.given() || is_none(option.texts()) : are_same(option, was->second)) continue;
    const std::string now = join(option.absolute_texts(), " ");
    changes.push_back({.option = &option, .then = {}, .now = now.empty() ? "none" : now});
    if (!is_new) changes.back().then = join(was->second, " ");
  }
  return changes;
}

}  // namespace

void check_continued_run(const Options& options, const std::string& run, const std::string& config) {
  for (const auto& [option, then, now] : changes_since(config, options)) {
    if (option->given()) check_vocabulary(*option);
    if (!is_fixed(option->facts())) continue;
    throw UsageError(
        "{}: the run in '{}' has {} {}, not {}; leave the setting out, choose another directory, or "
        "--overwrite to start again",
        option->origin(), run, underscored(option->facts().name), then.value_or("none"), now);
  }
}

std::vector<std::string> changes_of_run(const Options& options, const std::string& config) {
  std::vector<std::string> texts;
  for (const auto& [option, then, now] : changes_since(config, options)) {
    const std::string name = underscored(option->facts().name);
    if (then) texts.push_back(fmt::format("{} changed from {} to {}", name, *then, now));
  }
  return texts;
}

namespace {

void tell(const std::string& error) {
  program_log().set_carrier({});  // errors were sent to rank 0, which is gone
  program_log().line(LogLevel::error, error);
}

/// Joins the ranks, and reports errors of this process to them during its lifetime.
class ProgramRanks {
 public:
  ProgramRanks() : ranks_(LaunchedRanks::join({.job = program_job(), .tell = tell, .end = end_at_once})) {
    if (ranks_ == nullptr) return;
    if (ranks_->communicator().rank() > 0) {
      program_log().set_carrier([this](std::string_view error) { ranks_->fail(error); });
    } else {
      set_exit_hook([this] { ranks_->end(1); });
    }
  }
  ~ProgramRanks() {
    program_log().set_carrier({});
    set_exit_hook({});
  }
  ProgramRanks(const ProgramRanks&) = delete;
  ProgramRanks& operator=(const ProgramRanks&) = delete;

  LaunchedRanks* get() const { return ranks_.get(); }

 private:
  std::unique_ptr<LaunchedRanks> ranks_;
};

}  // namespace

LaunchedRanks* program_ranks() {
  static const ProgramRanks ranks;
  return ranks.get();
}

}  // namespace nmt
