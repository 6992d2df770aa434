#include "cli/training/train_options.h"

#include <algorithm>
#include <cmath>
#include <filesystem>

#include "cli/options/model_options.h"
#include "cli/program.h"
#include "common/error.h"
#include "common/io/folder.h"
#include "common/text/spelling.h"
#include "data/augmentation/modifier.h"
#include "nn/presets.h"
#include "optim/optimizer.h"
#include "optim/schedule.h"
#include "train/corpus_fit.h"
#include "train/run/checkpoints.h"
#include "train/run/run_directory.h"
#include "translate/service/minimum_risk.h"

namespace nmt {
namespace {

constexpr double kMany = 1e15;
constexpr double kMostKept = 0.999999;  // largest decay of a moving average

void add_data(Options& options, TrainOptions& t) {
  const char* const group = "data";
  options
      .add("train", t.train, "FILE.nmtc[:RATIO]",
           "packed corpus to train on, made by nmt batch. Several corpora are mixed by their ratios, or by "
           "size if they have none.")
      .group(group);
  add_text_options(options, t.text, group, TargetAlone::accepted);
  add_annotation_options(options, t.text, group);
  options
      .add("stages", t.stages, "FILE",
           "curriculum: texts by name, and stages that mix them by ratios, each with its noise, maximum "
           "length, "
           "learning rate and end")
      .group(group);
  options
      .add("opustrainer-config", t.opustrainer_config, "FILE",
           "configuration of OpusTrainer whose datasets, stages and modifiers are used instead of a text. A "
           "warning names what has no counterpart.")
      .group(group);
  add_vocabulary_options(options, t.vocabularies, group);
  add_language_options(options, t.languages, group);
  options.add("valid-source", t.valid.source, "FILE", "source side of the validation text").group(group);
  options
      .add("valid-target", t.valid.target, "FILE",
           "target side of the validation text. A language model needs only this side.")
      .group(group);
  options
      .add("valid-tsv", t.valid.tsv, "FILE",
           "validation text with both sides in one file. The columns are source, tab, target, unless "
           "--tsv-columns names others.")
      .group(group);
  options
      .add(
          "judgments", t.judgments, "FILE",
          "judgments on which a metric is trained, instead of text: a table with the columns src, mt, ref "
          "and "
          "score, which its first line names. Columns are separated by tabs, or by commas as in the files of "
          "unbabel-comet. Needs a preset such as comet-small; comet-qe-small ignores ref.")
      .group(group);
  options.add("valid-judgments", t.valid_judgments, "FILE", "judgments for the validation of a metric")
      .group(group)
      .needs({"judgments"}, "--judgments, on which a metric is trained");
  options.add("output,o", t.output, "DIR", "run directory. Only --dry-run needs none.")
      .command_line_only()
      .group(group);
  options.flag("overwrite", t.overwrite, "replace a run that the directory already contains")
      .command_line_only()
      .group(group);
}

void add_limits(Options& options, TrainingSettings& s) {
  const char* const group = "training";
  options
      .add("steps", s.steps, "N",
           "maximum number of updates. 0 means no limit. Presets for little text choose a number that suits "
           "the corpus.")
      .range(0, kMany)
      .group(group);
  options.add("epochs", s.epochs, "N", "maximum number of passes over the text. 0 means no limit.")
      .range(0, kMany)
      .group(group);
  options
      .add("stop-after", s.stop_after, "INTERVAL",
           "stop and save after this time or amount of text. Examples are 10m and 50Mt. 0 means no limit.")
      .default_text("0")
      .group(group);
}

void add_batches(Options& options, TrainingSettings& s) {
  const char* const group = "training";
  options.add("batch-tokens", s.batch_tokens, "N", "maximum padded tokens per side in one update")
      .range(1, 1e9)
      .group(group);
  options
      .add("delay", s.delay, "N",
           "number of batches of --batch-tokens per update. The last update of a pass may have fewer.")
      .range(1, 1e6)
      .group(group);
  options
      .add("micro-batch-tokens", s.micro_batch_tokens, "N",
           "maximum padded tokens per side to compute at a time. Larger updates are computed in several "
           "parts. 0 means as many as fit into memory.")
      .range(0, 1e9)
      .group(group);
  options
      .flag(
          "activation-checkpointing", s.activation_checkpointing,
          "keep only the input of each layer, and compute the layer again for its gradients. This takes less "
          "memory and more time; the results are the same.")
      .group(group);
}

void add_rates(Options& options, TrainingSettings& s) {
  const char* const group = "optimizer";
  options
      .add("schedule", s.schedule, "",
           "learning rate schedule after warmup. noam and inverse-sqrt fall with step^-0.5; linear and "
           "cosine reach 0 at the end of --steps.")
      .choices(schedule_names())
      .group(group);
  options
      .add("learning-rate", s.learning_rate, "X",
           "highest learning rate; with noam, a factor. noam multiplies it by d_model^-0.5 * "
           "min(step^-0.5, step * warmup^-1.5).")
      .range(0, kMostLearningRate)
      .group(group);
  options.add("warmup", s.warmup, "N", "number of updates until the highest learning rate")
      .range(0, kMany)
      .group(group);
  options
      .add("decay-start", s.decay_start, "N",
           "update after which the learning rate of the schedule inverse-sqrt falls, like Marian's "
           "lr-decay-inv-sqrt. 0 means the end of --warmup.")
      .range(0, kMany)
      .only_where([&s] { return s.schedule == "inverse-sqrt"; },
                  "the schedule inverse-sqrt; give --schedule inverse-sqrt")
      .group(group);
}

void add_objective(Options& options, TrainingSettings& s) {
  const char* const group = "loss";
  options
      .add("label-smoothing", s.label_smoothing, "X",
           "share of the target probability that label smoothing spreads over the vocabulary")
      .range(0, 1)
      .idle_where([&r = s.risk] { return r.is_wanted() && r.weight == 1; },
                  "--risk leaves nothing of the usual loss")
      .group(group);
  options
      .add(
          "guided-alignment-weight", s.guided_alignment_weight, "X",
          "weight of a loss that trains attention towards word alignments, such as 0.1. It applies to the "
          "first head of the last layer. The alignments come from --alignment, here or in nmt batch. 0 turns "
          "it off.")
      .range(0, 1e6)
      .group(group);
  options
      .add("freeze", s.freeze, "PATTERN",
           "parts or tensors of the model to leave unchanged, such as encoder, embedding, decoder.layers.0 "
           "or '*.bias'")
      .group(group);
  options
      .add("lora", s.lora, "rank=R[,alpha=A]",
           "train only updates of low rank (LoRA) of the model of --from-weights, such as rank=16. Each "
           "matrix of attention and feed-forward layers gets an update alpha / rank times the product of two "
           "matrices; alpha is the rank by default. Saved models contain the updates and refer to the model.")
      .group(group);
  options
      .flag("quantization-aware", s.quantization_aware,
            "train for int8. Matrix products round weights and activations to 8 bits, as int8 models do; "
            "gradients are not rounded.")
      .group(group);
  options
      .add("r-drop", s.r_drop, "A",
           "weight of the R-Drop loss, such as 5. Each batch is computed twice with different dropout, and "
           "the divergence of the two distributions is added to the loss. 0 turns it off.")
      .range(0, 1e6)
      .group(group);
  options
      .add("simcut", s.simcut, "A",
           "weight of the SimCut loss, such as 3. Each batch is computed a second time with some tokens cut, "
           "and the divergence from the distribution without cuts is added to the loss. 0 turns it off.")
      .range(0, 1e6)
      .group(group);
  options
      .add("simcut-rate", s.simcut_rate, "P",
           "share of the source and target tokens that --simcut cuts: their embeddings become zero")
      .range(1e-6, 1)
      .only_where([&s] { return s.simcut > 0; }, "SimCut; give --simcut")
      .group(group);
}

void add_regularization(Options& options, TrainOptions& t) {
  const char* const group = "regularization";
  TrainingSettings& s = t.training;
  options.add("dropout", s.dropout.sublayer, "P", "dropout of sublayer outputs and embedding sums")
      .range(0, 0.99)
      .group(group);
  const auto has_attention_dropout = [&type = t.model["type"]] {
    return ModelRegistry::instance().type(type).has_attention_dropout;
  };
  const auto has_layer_drop = [&type = t.model["type"]] {
    return ModelRegistry::instance().type(type).has_layer_drop;
  };
  options.add("attention-dropout", s.dropout.attention, "P", "dropout of attention weights")
      .range(0, 0.99)
      .only_where(has_attention_dropout, "a model whose attention has dropout")
      .group(group);
  options
      .add("activation-dropout", s.dropout.activation, "P",
           "dropout inside the feed-forward networks, and before the output layer of a recurrent model")
      .range(0, 0.99)
      .group(group);
  options
      .add("layer-drop", s.dropout.layer, "P",
           "share of the layers of encoder and decoder that each update leaves out (LayerDrop), such as 0.1. "
           "At least one layer of each stays. Models use all layers.")
      .range(0, 0.99)
      .only_where(has_layer_drop, "a Transformer")
      .group(group);
  std::vector<std::string> modifiers = names_of<Modifier>();
  for (std::string& name : modifiers) name += '=';
  options
      .add("augment", t.augment, "NAME=RATE,...",
           "random changes of the training text, new ones in each pass, such as "
           "upper=0.05,title=0.05,typo=0.1. "
           "merge, noise, strip-end, add-end, upper, title, lower and typo change a share of the pairs; "
           "placeholder, copy, tag and terms a share of the words that alignments link one to one "
           "(--alignment); "
           "drop, "
           "mask and switch a share of the source tokens. Validation text stays as it is.")
      .elements(modifiers)
      .mapping()
      .group(group);
  options
      .add(
          "sampling-alpha", s.sampling_alpha, "A",
          "sample new segmentations of raw text in every pass. The value, such as 0.1, is the smoothing of "
          "SentencePiece's unigram sampling or the dropout of its BPE. 0 always takes the best segmentation.")
      .range(0, 1)
      .group(group);
  options
      .flag("sampling-consistency", s.sampling_consistency,
            "let the second pass of --r-drop read another sampled segmentation of each source. The model "
            "learns to give the same answer for both. Needs --sampling-alpha.")
      .only_where([&s] { return s.r_drop > 0 && s.sampling_alpha > 0; },
                  "two passes over segmentations that are drawn; give --r-drop and --sampling-alpha")
      .group(group);
}

void add_risk(Options& options, RiskSettings& r) {
  const char* const group = "loss";
  std::vector<std::string> metrics = utility_names();
  metrics.insert(metrics.begin(), "none");
  const std::vector<std::string>& of_models = model_metric_names();
  metrics.insert(metrics.end(), of_models.begin(), of_models.end());
  metrics.emplace_back(RiskSettings::kQualityName);
  const char* const kind = "minimum risk training; give --risk";
  const auto is_wanted = [&r] { return r.is_wanted(); };
  options
      .add("risk", r.metric, "",
           "metric for minimum risk training, which fine-tunes a trained model (--from-weights). Among the "
           "model's own samples it favors those that the metric rates closest to the target. comet and "
           "metricx are the quality by --risk-model with the target as reference, and quality is that "
           "without references.")
      .choices(metrics)
      .group(group);
  options
      .add("risk-model", r.model, "MODEL",
           "model that judges samples for minimum risk training by comet, metricx or quality. It stays in "
           "memory, on each device.")
      .only_where([&r] { return r.needs_model(); },
                  "minimum risk training by a model; give --risk comet, metricx or quality")
      .group(group);
  options.add("risk-samples", r.samples, "N", "samples per sentence for minimum risk training")
      .range(2, 1000)
      .only_where(is_wanted, kind)
      .group(group);
  options
      .add("risk-sharpness", r.sharpness, "A",
           "exponent of the samples' probabilities in the risk. Near 0, all samples count alike; with a "
           "large value, only the most probable one counts.")
      .range(1e-9, 1e3)
      .only_where(is_wanted, kind)
      .group(group);
  options.add("risk-weight", r.weight, "W", "share of the risk in the loss. The rest is the usual loss.")
      .range(0, 1)
      .only_where(is_wanted, kind)
      .group(group);
}

void add_optimizer(Options& options, TrainingSettings& s) {
  const char* const group = "optimizer";
  const auto is_adam = [&s] { return s.optimizer == "adam"; };
  const char* const kAdam = "Adam; give --optimizer adam";
  options
      .add("optimizer", s.optimizer, "",
           "how gradients change the weights. adafactor needs half the memory of adam: of the squared "
           "gradients of a matrix it keeps only means of rows and of columns.")
      .choices(optimizer_names())
      .group(group);
  options
      .flag(
          "adafactor-scale", s.adafactor_scale,
          "multiply the learning rate for each weight matrix by the root mean square of its elements, as in "
          "the paper. Rates are then some twenty times those for Adam.")
      .only_where([is_adam] { return !is_adam(); }, "Adafactor; give --optimizer adafactor")
      .group(group);
  options.add("adam-beta1", s.adam_beta1, "X", "decay of Adam's mean of gradients")
      .range(0, kMostKept)
      .only_where(is_adam, kAdam)
      .group(group);
  options.add("adam-beta2", s.adam_beta2, "X", "decay of Adam's mean of squared gradients")
      .range(0, kMostKept)
      .only_where(is_adam, kAdam)
      .group(group);
  options
      .add("adam-epsilon", s.adam_epsilon, "X",
           "number added to Adam's denominator, the root of the mean of squared gradients")
      .range(1e-30, 1)
      .only_where(is_adam, kAdam)
      .group(group);
  options
      .add("weight-decay", s.weight_decay, "X",
           "decoupled weight decay, as in AdamW, such as 0.01. Each update subtracts this share of a weight "
           "times the learning rate. 0 turns it off.")
      .range(0, 1)
      .group(group);
  options
      .add("clip-norm", s.clip_norm, "X",
           "maximum norm of the gradient. Larger gradients are scaled down. 0 means no maximum.")
      .range(0, 1e30)
      .group(group);
  options
      .add("ema", s.ema, "D",
           "decay of a moving average of the weights, such as 0.999. Validations and saved models use the "
           "average. 0 uses the weights themselves.")
      .range(0, kMostKept)
      .group(group);
}

void add_ranks(Options& options, TrainingSettings& s) {
  const char* const group = "several ranks";
  options
      .flag("shard-optimizer", s.shard_optimizer,
            "divide the optimizer state and the weight updates among the ranks")
      .group(group);
  options
      .add("gradient-precision", s.gradient_precision, "", "precision of the gradients that ranks exchange")
      .choices({"f32", "bf16"})
      .group(group);
}

bool is_trained(const ModelType& type, const std::string& key) {
  return type.is_trained && type.key(key) != nullptr && std::ranges::count(type.untrained, key) == 0;
}

/// Returns the types of model that are trained with this key.
std::vector<std::string> types_with(const std::string& key) {
  std::vector<std::string> names;
  for (const ModelType& type : ModelRegistry::instance().types()) {
    if (is_trained(type, key)) names.push_back(type.name);
  }
  return names;
}

void add_model(Options& options, TrainOptions& t) {
  const std::vector<ModelType>& all = ModelRegistry::instance().types();
  Choices types;
  for (const ModelType& type : all) {
    if (type.is_trained) types.push_back(type.name);
  }
  t.model["type"] = types.front();
  options.add("type", t.model["type"], "", "kind of model").choices(types).section("model").group("model");
  for (const ModelType& type : all) {
    const bool is_first = &type == &all.front();
    for (const ModelKey& key : type.keys) {
      if (t.model.contains(key.name) || !is_trained(type, key.name)) continue;
      t.model[key.name] = key.value;
      const std::vector<std::string> having = types_with(key.name);
      const auto applies = [&chosen = t.model["type"], having] {
        return std::ranges::count(having, chosen) > 0;
      };
      options.add(key.name, t.model[key.name], key.choices.empty() ? "VALUE" : "", key.help)
          .choices(key.choices)
          .plain()
          .only_where(applies, "a model of type " + join(having, " or "))
          .section("model")
          .group(is_first ? "model" : "model of type " + type.name);
    }
  }
}

/// Makes the values of the preset the defaults that files and the command line override, on top of those of
/// its type.
void apply_preset(Options& options, const Preset& preset) {
  const ModelType& type = ModelRegistry::instance().type_of(preset.model);
  options.set_default("preset", preset.name);
  options.set_default("type", type.name);
  for (const ModelKey& key : type.keys) {
    if (is_trained(type, key.name)) options.set_default(key.name, key.value);
  }
  for (const auto* settings : {&preset.model, &preset.training}) {
    for (const auto& [name, value] : *settings) options.set_default(name, value);
  }
  for (const std::string& name : settings_left_open({"best_by"}, fits_corpus(preset.name)))
    options.describe_default(name, "from the corpus size");
}

/// If the model type differs from the default preset's and no preset is named, uses the first preset of that
/// type.
void apply_type(Options& options, const TrainOptions& t) {
  const ModelRegistry& registry = ModelRegistry::instance();
  const auto is_of_type = [&, type = t.model.at("type")](const Preset& preset) {
    return registry.type_of(preset.model).name == type;
  };
  if (is_of_type(registry.preset(t.preset))) return;
  if (options.given("preset")) {
    std::vector<std::string> fitting;
    for (const Preset& preset : registry.presets()) {
      if (is_of_type(preset)) fitting.push_back(preset.name);
    }
    throw UsageError("{} {} is of type {}, not {}; leave out {}, or choose a preset of this type ({})",
                     options.origin("preset"), t.preset,
                     registry.type_of(registry.preset(t.preset).model).name, t.model.at("type"),
                     options.origin("type"), join(fitting, ", "));
  }
  const auto preset = std::ranges::find_if(registry.presets(), is_of_type);
  if (preset == registry.presets().end()) throw Error("type {} has no preset", t.model.at("type"));
  apply_preset(options, *preset);
}

void print_presets() {
  std::string text;
  for (const Preset& preset : ModelRegistry::instance().presets()) {
    text += fmt::format("{}: {}\n", preset.name, preset.summary);
    for (const auto* settings : {&preset.model, &preset.training}) {
      text += ' ';
      for (const auto& [name, value] : *settings) text += fmt::format(" {} {}", name, value);
      text += '\n';
    }
  }
  write_output(text);
}

/// The settings that concern the text, the loss or the weights of models that translate.
const std::vector<std::string>& settings_of_translation() {
  static const std::vector<std::string> names = {"from-weights",
                                                 "label-smoothing",
                                                 "guided-alignment-weight",
                                                 "lora",
                                                 "activation-checkpointing",
                                                 "r-drop",
                                                 "simcut",
                                                 "quantization-aware",
                                                 "sampling-alpha",
                                                 "risk",
                                                 "train",
                                                 "augment",
                                                 "stages",
                                                 "opustrainer-config",
                                                 "max-length",
                                                 "source-language",
                                                 "target-language"};
  return names;
}

/// Throws Error if the configuration of a run that has begun is an empty file.
void check_config_of_run(const std::string& run) {
  std::error_code none;
  const std::string config = RunDirectory::config_path(run);
  if (!RunDirectory::has_state(run) || !is_file(config) || !std::filesystem::is_empty(config, none)) return;
  throw Error(
      "the run in '{}' cannot continue, because its config.yml is empty; restore the file, or --overwrite to "
      "start again",
      run);
}

}  // namespace

bool trains_metric(const TrainOptions& options) {
  return options.judgments || options.model.at("type") == "comet";
}

ModelSettings model_settings(const TrainOptions& options) {
  ModelSettings settings = options.model;
  const ModelType& type = ModelRegistry::instance().type_of(settings);
  std::erase_if(settings, [&](const auto& setting) {
    return setting.first != "type" && !is_trained(type, setting.first);
  });
  return settings;
}

std::map<std::string, std::string> default_settings(const std::string& preset) {
  std::map<std::string, std::string> settings;
  const auto& presets = ModelRegistry::instance().presets();
  const auto found = std::ranges::find(presets, preset, &Preset::name);
  if (found == presets.end()) return settings;
  TrainOptions target;
  Options options("nmt train", "", "", "");
  add_train_options(options, target);
  apply_preset(options, *found);
  for (const Option& option : options.table()) settings[option.facts().name] = join(option.texts(), " ");
  return settings;
}

void add_train_options(Options& options, TrainOptions& target, int cores) {
  Choices presets;
  for (const Preset& preset : ModelRegistry::instance().presets()) presets.push_back(preset.name);
  options
      .add("preset", target.preset, "",
           "model and recipe to start from. Every setting can be overridden. Presets for little text "
           "(transformer-tiny, the small ones, rnn) choose the length of the run, its batches and its "
           "intervals by the size of the corpus. If --steps or --epochs is given, they choose only the "
           "intervals.")
      .choices(presets)
      .group("model");
  options.before_others("preset", [&options, &target] {
    apply_preset(options, ModelRegistry::instance().preset(target.preset));
  });
  options
      .add(
          "from-weights", target.from_weights, "FILE",
          "model file or run directory to start from. Its weights, vocabularies and model settings are used. "
          "For a run directory, the best model is taken, or the last if there is no best. All other "
          "settings come from --preset. By default, this is the preset of the file, or else the preset of "
          "the nearest width.")
      .group("model");
  add_data(options, target);
  add_filter_options(options, target.filter, "filters (besides pairs with an empty side)",
                     {"source", "tsv", "stages", "opustrainer-config"});
  add_limits(options, target.training);
  add_batches(options, target.training);
  add_rates(options, target.training);
  add_optimizer(options, target.training);
  add_objective(options, target.training);
  add_risk(options, target.training.risk);
  add_regularization(options, target);
  add_ranks(options, target.training);
  add_report_options(options, target.training);
  add_model(options, target);
  options.before_others("type", [&options, &target] { apply_type(options, target); });
  options.only_where(
      settings_of_translation(), [&target] { return !trains_metric(target); },
      "a model that translates, not a metric; leave it out");
  options
      .flag("dry-run", target.dry_run,
            "print the resolved configuration and the resources that the run needs, without training")
      .command_line_only()
      .group(kGeneralGroup);
  options.action("list-presets", "print the presets with their settings and exit", print_presets);
  options.config_below([](const Options::CommandLine& given) -> std::string {
    const std::string run = given("output");
    if (given("overwrite") == "true") return "";
    RunDirectory::check_state(run);
    check_config_of_run(run);
    return RunDirectory::can_go_on(run) ? RunDirectory::config_path(run) : "";
  });
  add_device_options(options, target.device, Work::training, cores);
  add_seed_option(options, target.training.seed);
  add_marian_options(options, target.marian, MarianProgram::train);
  add_log_options(options, target.log);
}

const Preset& preset_for(const std::string& config, const ModelSettings& settings) {
  const ModelRegistry& registry = ModelRegistry::instance();
  const std::vector<Preset>& presets = registry.presets();
  const auto named = std::ranges::find(presets, read_plain_setting(config, "preset"), &Preset::name);
  if (named != presets.end()) return *named;
  const auto distance = [&](const Preset& preset) {
    if (&registry.type_of(preset.model) != &registry.type_of(settings)) return HUGE_VAL;
    const auto width = static_cast<double>(registry.width(settings));
    return std::abs(std::log2(width / static_cast<double>(registry.width(registry.complete(preset.model)))));
  };
  return *std::ranges::min_element(presets, {}, distance);
}

void take_recipe(Options& options, const Preset& preset) {
  options.set_default("preset", preset.name);
  for (const auto& [name, value] : preset.training) {
    if (!options.given(name)) options.set_default(name, value);
  }
}

ParallelFiles TrainOptions::validation() const {
  ParallelFiles files = valid;
  files.columns = text.columns();
  return files;
}

}  // namespace nmt
