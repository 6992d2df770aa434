// nmt train: trains a model and writes a run directory.
#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <iterator>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "cli/options/metric_list.h"
#include "cli/options/value.h"
#include "cli/program.h"
#include "cli/training/curriculum_file.h"
#include "cli/training/judges.h"
#include "cli/training/metric_run.h"
#include "cli/training/run_average.h"
#include "cli/training/train_model.h"
#include "common/error.h"
#include "common/process/resources.h"
#include "common/process/signals.h"
#include "common/text/spelling.h"
#include "data/mixed_corpus.h"
#include "data/packed/packed_corpus.h"
#include "data/vocabulary/term_symbols.h"
#include "engine/device_ranks.h"
#include "engine/models.h"
#include "engine/training_job.h"
#include "foreign/open.h"
#include "nn/presets.h"
#include "ranks/launched_ranks.h"
#include "train/corpus_fit.h"
#include "train/run/run_directory.h"

namespace nmt {
namespace {

/// The packed corpora of --train, opened.
class PackedCorpora {
 public:
  /// Opens the files, at least one, and mixes them if there are several. Either all or none have a ratio.
  /// Throws Error as PackedCorpus and MixedCorpus do, and UsageError if two were packed with different
  /// vocabularies.
  PackedCorpora(const std::vector<MixedFile>& files, std::int64_t max_length,
                const Augmentation& augmentation);
  PackedCorpora(const PackedCorpora&) = delete;
  PackedCorpora& operator=(const PackedCorpora&) = delete;

  /// Returns the corpus to train on.
  const Corpus& corpus() const {
    return mixed_ ? static_cast<const Corpus&>(*mixed_) : static_cast<const Corpus&>(packed_.front());
  }
  /// Whether all of them have sources.
  bool has_source() const;
  /// Whether any of them has word alignments.
  bool has_links() const;
  /// Returns one of the files, for the vocabularies that all of them have.
  const PackedCorpus& first() const { return packed_.front(); }

 private:
  std::vector<PackedCorpus> packed_;
  std::optional<MixedCorpus> mixed_;
};

PackedCorpora::PackedCorpora(const std::vector<MixedFile>& files, std::int64_t max_length,
                             const Augmentation& augmentation) {
  packed_.reserve(files.size());
  std::vector<const Corpus*> corpora;
  std::vector<double> ratios;
  for (const MixedFile& file : files) {
    const PackedCorpus& corpus = packed_.emplace_back(file.path, max_length, augmentation);
    if (!(corpus.source_vocabulary() == first().source_vocabulary() &&
          corpus.target_vocabulary() == first().target_vocabulary())) {
      throw UsageError("'{}' was packed with other vocabularies than '{}'; pack both with the same ones",
                       corpus.name(), first().name());
    }
    corpora.push_back(&corpus);
    if (file.ratio) ratios.push_back(*file.ratio);
  }
  if (corpora.size() > 1) mixed_.emplace(corpora, ratios);
}

bool PackedCorpora::has_source() const {
  return std::ranges::all_of(packed_, &PackedCorpus::has_source);
}

bool PackedCorpora::has_links() const {
  return std::ranges::any_of(packed_, &PackedCorpus::has_links);
}

/// Checks that every pair fits into the learned positions of the model.
void check_length(const Options& options, const TrainOptions& t, const Model& model) {
  const auto limit = model.max_positions();
  if (limit && t.filter.max_length + most_special_tokens(model.source_special_tokens()) > *limit) {
    throw UsageError(
        "{} {} and special tokens need more positions than the {} of {}; lower one, or raise the other",
        options.origin("max-length"), t.filter.max_length, *limit, options.origin("max-positions"));
  }
}

/// Reads the curriculum, if one is given.
std::optional<ConvertedCurriculum> read_curriculum(const TrainOptions& t) {
  if (t.stages) return ConvertedCurriculum{.curriculum = nmt::read_curriculum(*t.stages), .left_out = {}};
  if (t.opustrainer_config) return read_opustrainer(*t.opustrainer_config);
  return std::nullopt;
}

[[noreturn]] void refuse_removing(const NamedFile& input) {
  throw UsageError(
      "{}: '{}' is part of the run that --overwrite removes; copy it elsewhere first, or choose another "
      "--output",
      input.name, input.path);
}

/// Rejects a log in a text of the curriculum, and an input that is a file of the run that --overwrite
/// removes.
void check_inputs_stay(const Options& options, const TrainOptions& t,
                       const std::optional<ConvertedCurriculum>& curriculum) {
  std::vector<NamedFile> texts;
  if (curriculum) {
    for (const CurriculumText& text : curriculum->curriculum.texts)
      texts.push_back({options.origins({"stages", "opustrainer-config"}), text.file});
  }
  if (t.log.log_file) refuse_overwriting({{options.origin("log-file"), *t.log.log_file}}, texts);
  if (!t.overwrite) return;
  std::vector<NamedFile> inputs = options.files_read();
  // The run replaces its configuration by an equal one.
  std::erase_if(inputs, [](const NamedFile& input) { return input.name == "--config"; });
  std::ranges::move(texts, std::back_inserter(inputs));
  for (const std::string& file : RunDirectory::files(t.output)) {
    for (const NamedFile& input : inputs) {
      std::error_code not_there;
      if (std::filesystem::equivalent(input.path, file, not_there)) refuse_removing(input);
    }
  }
}

/// Rejects stages that wait for validations which do not come.
void check_validations(const Options& options, const TrainOptions& t,
                       const std::optional<Curriculum>& curriculum) {
  const bool has_text = t.valid.target || t.valid.tsv;
  if (!curriculum || (has_text && t.training.valid_every.amount > 0)) return;
  for (const CurriculumStage& stage : curriculum->stages) {
    const std::optional<StageEnd> end = parse_stage_end(stage.until);
    if (!end || end->stalled == 0) continue;
    throw UsageError("{}: stage {} ends when validations find nothing better, which needs {}",
                     options.origins({"stages", "opustrainer-config"}), quoted(stage.name),
                     has_text ? "validations during training; set --valid-every above 0"
                              : "a validation text: --valid-source FILE and --valid-target FILE, or "
                                "--valid-tsv FILE");
  }
}

/// Rejects filters that were asked for if a text of the curriculum is packed, as it is not filtered again.
void check_filters(const Options& options, const TrainOptions& t,
                   const std::optional<Curriculum>& curriculum) {
  if (!curriculum) return;
  const auto is_packed = [](const CurriculumText& text) { return PackedFile::is_one(text.file); };
  const auto packed = std::ranges::find_if(curriculum->texts, is_packed);
  if (packed == curriculum->texts.end()) return;
  for (const FilterRow& row : filter_table()) {
    if (row.option == nullptr || row.filter == PairFilter::too_long || !row.applies(t.filter)) continue;
    if (row.applies(kTextFilter) && row.value(t.filter) == row.value(kTextFilter)) continue;
    throw UsageError(
        "{} needs text, which is filtered when it is read, but '{}' is packed; give it to nmt batch instead",
        options.origin(row.needs_languages ? "languages" : row.option), packed->file);
  }
}

/// Checks the sides of the text: a translation model learns from pairs, a language model from targets.
void check_sides(const Options& options, const TrainOptions& t, const std::optional<PackedCorpora>& packed,
                 const SavedModel& model) {
  const std::string& type = model.settings.at("type");
  if (model.model->has_source()) {
    if (t.text.is_target_alone() || (packed && !packed->has_source())) {
      throw UsageError(
          "{} contains only targets, for training a language model (--type lm), but a model of type {} needs "
          "sources, too",
          options.origins({"train", "target"}), type);
    }
    if (t.valid.target && !t.valid.source) {
      throw UsageError(
          "--valid-source and --valid-target are needed together, but only {} is given; give both "
          "or none",
          options.origin("valid-target"));
    }
    return;
  }
  const std::string sources = options.origins({"source", "tsv", "stages", "opustrainer-config",
                                               "valid-source", "valid-tsv", "source-vocab", "target-vocab"});
  if (!sources.empty()) {
    throw UsageError(
        "{}: a model of type {} has no source: it is trained on --target or --train, with --vocab, and "
        "validated on --valid-target; leave it out",
        sources, type);
  }
  if (modifier_rates(t.augment).change_anything()) {
    throw UsageError("{} changes pairs, but a model of type {} learns from targets alone; leave it out",
                     options.origin("augment"), type);
  }
  if (t.training.risk.is_wanted()) {
    throw UsageError("{} {}: a model of type {} translates nothing; leave it out", options.origin("risk"),
                     t.training.risk.metric, type);
  }
  if (t.valid.target && t.training.valid_beam > 0) {
    throw UsageError("{} {}: a model of type {} translates nothing; set it to 0",
                     options.origin("valid-beam"), t.training.valid_beam, type);
  }
}

/// Checks that the corpus has the alignments that augmentation needs.
void check_augmentation(const Options& options, const TrainOptions& t,
                        const std::optional<PackedCorpora>& packed) {
  const ModifierRates rates = modifier_rates(t.augment);
  if (!rates.change(ModifierUnit::word)) return;
  if (packed ? packed->has_links() : t.text.has_alignment()) return;
  throw UsageError(
      "{}: placeholder, copy, tag and terms need word alignments; give --alignment{}, or leave them out",
      options.origin("augment"),
      packed ? " in nmt batch, which makes --train" : ", or a column of --tsv (--tsv-columns)");
}

/// Makes a model whose sources have translations of terms use them for glossaries, too. Throws UsageError if
/// its vocabulary has no symbols for them.
void learn_terms(const TrainOptions& t, const std::optional<Curriculum>& curriculum, SavedModel& model) {
  bool learns = modifier_rates(t.augment)[Modifier::terms] > 0;
  if (curriculum) {
    learns = std::ranges::any_of(
        curriculum->stages, [](const CurriculumStage& stage) { return stage.augment[Modifier::terms] > 0; });
  }
  if (!learns) return;
  check_term_symbols(model.vocabularies.source);
  model.decoding["glossary_by"] = name_of(GlossaryBy::annotation);
}

/// Checks that the corpus has alignments to guide attention by and that the model supports it.
void check_alignment(const Options& options, const TrainOptions& t,
                     const std::optional<PackedCorpora>& packed, const std::optional<Curriculum>& curriculum,
                     const Model& model) {
  const std::string origin = options.origin("guided-alignment-weight");
  if (t.training.guided_alignment_weight == 0) {
    if (!packed && t.text.has_alignment() && !modifier_rates(t.augment).change(ModifierUnit::word)) {
      throw UsageError("{} guides attention with the weight {}, which is 0; set it, for example to 0.1",
                       options.origin(t.text.alignment ? "alignment" : "tsv-columns"), origin);
    }
    return;
  }
  const bool has_alignment = curriculum ? curriculum->has_alignment()
                             : packed   ? packed->has_links()
                                        : t.text.has_alignment();
  if (!has_alignment) {
    throw UsageError("{} needs word alignments; give --alignment, {}", origin,
                     packed ? "in nmt batch, which makes --train" : "or a column of --tsv (--tsv-columns)");
  }
  if (model.cross_attentions() == 0) {
    throw UsageError("{}: alignments cannot guide the attention of a model of type {}", origin,
                     t.model.at("type"));
  }
}

/// Rejects R-Drop for a model whose two passes are equal.
void check_passes(const Options& options, const TrainOptions& t, const ModelSettings& model) {
  const TrainingSettings& s = t.training;
  if (s.r_drop == 0 || s.sampling_consistency || has_dropout(model, s.dropout)) return;
  throw UsageError("{} needs dropout, without which both passes are equal; set {} above 0",
                   options.origin("r-drop"), options.origin("dropout"));
}

/// Rejects standard input for several processes: a launcher gives it to one process, but all of them read the
/// text.
void check_stream(const Options& options, int processes) {
  const std::optional<NamedFile> stream = options.standard_input();
  if (processes == 1 || !stream) return;
  throw UsageError(
      "{} {}: {} processes read the text, but only one of them has standard input; name a file that all of "
      "them can open",
      stream->name, stream->path, processes);
}

/// Rejects weights from the run that --overwrite removes, and updates of low rank with their base in it.
void check_weights_stay(const TrainOptions& t) {
  if (!t.overwrite || !t.from_weights) return;
  std::vector<std::string> files = {*t.from_weights};
  if (toolkit_of(*t.from_weights).empty())
    std::ranges::move(files_of_model(*t.from_weights), std::back_inserter(files));
  for (const std::string& file : files) {
    const std::filesystem::path folder = std::filesystem::absolute(file).parent_path();
    std::error_code not_there;
    if (std::filesystem::equivalent(folder, t.output, not_there)) refuse_removing({"--from-weights", file});
  }
}

/// Warns of settings without effect instead of rejecting them, as a settings file may be for machines of any
/// size, and the file of a run has all settings with their defaults.
void warn_without_effect(const Options& options, const TrainOptions& t, const ModelSettings& model,
                         int ranks) {
  const auto warn = [&options](const char* name, bool has_none, const char* reason) {
    if (has_none && options.given(name)) log_warning("{} has no effect: {}", options.origin(name), reason);
  };
  const TrainingSettings& s = t.training;
  warn("shard-optimizer", ranks == 1 && !s.shard_optimizer, "the run has one rank");
  warn("gradient-precision", ranks == 1 && s.gradient_precision != "f32", "the run has one rank");
  const ModelKey* const positions = ModelRegistry::instance().type_of(model).key("max_positions");
  const bool has_own = positions != nullptr && model.at("max_positions") != positions->value;
  warn("max-positions", has_own && !has_effect(*positions, model), "positions are not learned");
}

/// Returns the messages for the start of the run.
std::vector<std::string> remarks(const Options& options, const TrainOptions& t, const SavedModel& model,
                                 bool goes_on) {
  std::vector<std::string> remarks;
  if (goes_on) remarks = changes_of_run(options, RunDirectory::config_path(t.output));
  if (model.base && !goes_on)
    remarks.push_back(fmt::format("the updates need their base, '{}'; keep this file", model.base->path));
  if (t.from_weights && !goes_on) {
    remarks.push_back(fmt::format(
        "training as {}{}", t.preset,
        options.given("preset") ? "" : ", which suits the weights; --preset names another recipe"));
  }
  return remarks;
}

TrainingTexts open_texts(const TrainOptions& t, const std::optional<PackedCorpora>& packed,
                         const std::optional<Curriculum>& curriculum) {
  TrainingTexts texts{.augmentation = Augmentation(modifier_rates(t.augment)),
                      .filter = t.filter,
                      .validation = t.validation()};
  if (curriculum) {
    texts.curriculum = curriculum;
    if (t.stages) texts.alignment_unit = t.text.alignment_unit;  // OpusTrainer counts words
  } else if (packed) {
    texts.packed = &packed->corpus();
  } else {
    texts.text = open_text(t.text, t.filter.max_length);
    texts.alignment_unit = t.text.alignment_unit;
  }
  return texts;
}

/// Trains as planned, and logs the outcome. `warnings`: logged at the beginning.
void carry_out(const Options& options, const TrainOptions& t, const TrainingPlan& plan,
               const TrainingMemory& memory, DeviceRanks& ranks, SavedModel& model, Judges judges,
               const std::vector<std::string>& warnings) {
  TrainingOutput output{.directory = t.output,
                        .overwrite = t.overwrite,
                        .config = options.resolved(),
                        .config_without_paths = options.resolved_without_paths(),
                        .warnings = warnings,
                        .remarks = {},
                        .of_models = std::move(judges.validation),
                        .utilities = std::move(judges.risk),
                        .begin_log = [](const std::string& path) { program_log().open_file(path); }};
  if (ranks.processes().rank() == 0)
    output.remarks = remarks(options, t, model, plan.goes_on_from().has_value());
  const auto best = TrainingJob(plan, memory, ranks, model).run(output);
  if (best) log_outcome(t.output, *best, t.training.best_by, model.model->has_source());
}

void run(Options& options, TrainOptions& t, const std::optional<Curriculum>& curriculum,
         LaunchedRanks* launched) {
  if (trains_metric(t)) return run_metric_training(options, t, launched);
  check_weights_stay(t);
  DeviceRanks ranks(t.device, launched);
  std::optional<ModelFile> state = t.overwrite ? std::nullopt : state_of_run(t.output);
  const bool goes_on = state.has_value();
  std::optional<PackedCorpora> packed;
  if (!t.train.empty()) packed.emplace(t.train, t.filter.max_length, Augmentation(modifier_rates(t.augment)));
  // A run that began before these filters existed continues without them.
  if (goes_on && !options.given("max-ratio")) t.filter = {.max_length = t.filter.max_length};
  SavedModel model = model_to_train(options, t, state, packed ? &packed->first() : nullptr, ranks.first());
  check_sides(options, t, packed, model);
  check_length(options, t, *model.model);
  check_validations(options, t, curriculum);
  check_filters(options, t, curriculum);
  check_augmentation(options, t, packed);
  learn_terms(t, curriculum, model);
  check_alignment(options, t, packed, curriculum, *model.model);
  check_passes(options, t, model.settings);
  warn_without_effect(options, t, model.settings, ranks.count());
  if (!goes_on) {  // a continued run keeps its settings
    std::set<std::string> given = options.given();
    if (curriculum) given.insert("steps");  // its stages have lengths of their own
    t.training.from_corpus = settings_left_open(given, fits_corpus(t.preset));
  }
  const TrainingPlan plan(t.training, model, open_texts(t, packed, curriculum), state, program_job());
  check_same_plan(plan, options.resolved_without_paths(), state, ranks);
  if (!t.dry_run) ranks.copy(model);
  Judges judges = open_judges(t, ranks);  // before free memory is counted
  const TrainingMemory memory = training_memory(plan, ranks);
  // The configuration of the run has the settings that were chosen for it.
  t.training = plan.settings();
  t.training.micro_batch_tokens = memory.micro_batch_tokens;
  std::vector<std::string> warnings;
  if (ranks.processes().rank() == 0) warnings = unusual_settings(options, t, plan);
  if (t.dry_run) {
    for (const std::string& warning : warnings) log_warning("{}", warning);
    write_output(dry_run_text(options.resolved(), plan, memory, ranks.text()));
    return;
  }
  state.reset();  // the run replaces its file
  carry_out(options, t, plan, memory, ranks, model, std::move(judges), warnings);
}

/// Trains, alone or as a rank of a run that a launcher has started.
void run(const Arguments& arguments, LaunchedRanks* ranks) {
  Options options(
      "nmt train", "",
      "Trains a model from parallel text, a language model from targets, or a metric from judgments.",
      "nmt train --preset transformer-small --vocab shared.spm --source train.en --target train.de "
      "--valid-source valid.en --valid-target valid.de -o run/");
  TrainOptions settings;
  options.writes_standard_output([&settings] { return settings.dry_run; });
  add_train_options(options, settings, ranks != nullptr ? ranks->cores() : cores_available());
  options.essential({"preset", "train", "source", "target", "vocab", "valid-source", "valid-target", "output",
                     "steps", "stop-after", "batch-tokens", "learning-rate", "warmup", "valid-every",
                     "threads", "device", "precision"});
  if (!options.parse(arguments)) return;
  if (settings.output.empty() && !settings.dry_run)
    throw UsageError("--output is required: the run directory; or --dry-run, to write nothing");
  std::optional<ConvertedCurriculum> curriculum = read_curriculum(settings);
  check_inputs_stay(options, settings, curriculum);
  apply(options, settings.log);
  warn_of_left_out(settings.marian);
  if (curriculum && !curriculum->left_out.empty())
    log_warning("{}: no counterpart for {}", options.origin("opustrainer-config"),
                join(curriculum->left_out, ", "));
  std::vector<std::string>& metrics = settings.training.valid_metrics;
  metrics = metric_list(options, "valid-metrics", metrics, model_metric_names());
  settings.augment = texts_of(modifier_rates(settings.augment));
  if (settings.from_weights) settings.from_weights = model_file(*settings.from_weights, program_job());
  if (!settings.overwrite && RunDirectory::has_state(settings.output))
    check_continued_run(options, settings.output, RunDirectory::config_path(settings.output));
  check_train_options(options, settings);
  if (ranks != nullptr) check_stream(options, ranks->communicator().size());
  run(options, settings, curriculum ? std::optional(std::move(curriculum->curriculum)) : std::nullopt, ranks);
}

}  // namespace

int run_train(const Arguments& arguments) {
  const SaveSignal save_signal;
  LaunchedRanks* const ranks = program_ranks();
  if (ranks == nullptr) {
    run(arguments, nullptr);
  } else {
    ranks->run([&] { run(arguments, ranks); });
  }
  return 0;
}

}  // namespace nmt
