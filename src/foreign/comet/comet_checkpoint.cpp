#include "foreign/comet/comet_checkpoint.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <memory>
#include <utility>

#include "common/error.h"
#include "common/io/folder.h"
#include "common/io/memory_map.h"
#include "common/text/spelling.h"
#include "data/vocabulary/listed/listed_vocabulary.h"
#include "foreign/comet/comet_names.h"
#include "foreign/comet/comet_settings.h"
#include "foreign/containers/pytorch/torch_checkpoint.h"
#include "foreign/containers/yaml_file.h"
#include "foreign/correspondence.h"
#include "foreign/huggingface/tokenizer_json.h"
#include "foreign/tokenizer_places.h"
#include "nn/registry.h"

namespace nmt {
namespace {

namespace fs = std::filesystem;

constexpr const char *kCheckpointSuffix = ".ckpt", *kUsualCheckpoint = "model.ckpt",
                     *kHparams = "hparams.yaml", *kInCheckpoint = "hyper_parameters",
                     *kRobertaPieces = "sentencepiece.bpe.model", *kTokenizerJson = "tokenizer.json";
const std::vector<std::string> kEncoderTokenizers = {kRobertaPieces, kTokenizerJson};

bool is_there(const fs::path& path) {
  std::error_code ignored;
  return fs::exists(path, ignored);
}

bool is_folder_at(const fs::path& path) {
  std::error_code ignored;
  return fs::is_directory(path, ignored);
}

/// The files of a checkpoint; empty: there is none.
struct CometFiles {
  std::string weights, hparams;
  bool is_one_of_several = false;  // whether the weights are one of several files without a usual name
};

std::vector<std::string> weights_in(const fs::path& folder) {
  std::vector<std::string> found =
      is_folder_at(folder) ? entries_of(folder.string()) : std::vector<std::string>();
  std::erase_if(found, [](const std::string& path) {
    return !path.ends_with(kCheckpointSuffix) || is_folder_at(path);
  });
  std::ranges::sort(found);
  return found;
}

CometFiles files_at(const std::string& path) {
  const bool is_file = path.ends_with(kCheckpointSuffix) && !is_folder_at(path);
  const fs::path folder = is_file ? fs::path(parent_folder(path)) : fs::path(path);
  CometFiles files;
  for (const fs::path& place : {folder, folder / ".."}) {
    if (!files.hparams.empty() || !is_there(place / kHparams)) continue;
    if (is_file || place == folder) files.hparams = (place / kHparams).string();
  }
  if (is_file) {
    files.weights = path;
    return files;
  }
  std::vector<std::string> weights = weights_in(folder / "checkpoints");
  if (weights.empty()) weights = weights_in(folder);
  if (weights.empty()) return files;
  const auto usual = std::ranges::find_if(
      weights, [](const std::string& each) { return fs::path(each).filename() == kUsualCheckpoint; });
  files.weights = usual == weights.end() ? weights[0] : *usual;
  files.is_one_of_several = usual == weights.end() && weights.size() > 1;
  return files;
}

/// Finds the files of the encoder, which are not part of a checkpoint.
class EncoderFiles {
 public:
  EncoderFiles(const CometFiles& checkpoint, const JsonFile& hparams, const ForeignFiles& files)
      : encoder_(hparams.text("pretrained_model", "")), checkpoint_(parent_folder(checkpoint.hparams)) {
    if (files.source_vocabulary) {
      take(*files.source_vocabulary);
    } else {
      std::vector<std::string> names;
      if (!encoder_.empty()) names.push_back(encoder_);
      tokenizer_ = find_tokenizer(checkpoint_, names, kEncoderTokenizers);
    }
  }

  /// Returns the name of the encoder.
  const std::string& name() const { return encoder_; }
  bool are_there() const { return !tokenizer_.empty(); }
  /// Throws Error if there is no tokenizer.
  void require() const {
    if (are_there()) return;
    throw Error(
        "the tokenizer of {} is missing, which is not part of the checkpoint; put its {} or {}, and its "
        "config.json, into '{}', or name it once with nmt convert --vocab",
        in_quotes(encoder_), kRobertaPieces, kTokenizerJson, checkpoint_);
  }

  const std::string& tokenizer() const { return tokenizer_; }
  /// Whether its tokenizer counts the space before a word as part of the word's place. Tokenizers that
  /// transformers makes from a SentencePiece model do.
  bool counts_spaces() const {
    const std::string json = (fs::path(parent_folder(tokenizer_)) / kTokenizerJson).string();
    return !is_there(json) || !TokenizerJson(map_file(json).text(), json).splits_at_spaces();
  }
  JsonFile config() const { return JsonFile::read(parent_folder(tokenizer_), "config.json"); }

 private:
  void take(const std::string& named) {
    if (!is_folder_at(named)) {
      static_cast<void>(map_file(named));  // reports that it is missing before anything else
      tokenizer_ = named;
      return;
    }
    tokenizer_ = tokenizer_in(named, kEncoderTokenizers);
    if (tokenizer_.empty()) throw Error("'{}' has neither {} nor {}", named, kRobertaPieces, kTokenizerJson);
  }

  std::string encoder_, checkpoint_, tokenizer_;
};

/// Returns the hyperparameters of a checkpoint. COMET takes those in the checkpoint itself, but the kind of
/// metric, and whether sparsemax is patched, from hparams.yaml. `path`: of the checkpoint.
JsonFile hparams_of(const JsonFile& yaml, const nlohmann::json& checkpoint, const std::string& path) {
  const auto own = checkpoint.find(kInCheckpoint);
  if (own == checkpoint.end() || !own->is_object()) return yaml;
  nlohmann::json all = *own;
  all["class_identifier"] = *yaml.find("class_identifier");
  if (const auto* transformation = yaml.find("layer_transformation");
      transformation != nullptr && *transformation == "sparsemax_patch")
    all["layer_transformation"] = *transformation;
  return JsonFile::from_values(std::move(all), path);
}

/// Returns the vocabulary of XLM-RoBERTa. `rows`: of the model's table.
Vocabulary vocabulary_of(const std::string& path, int rows) {
  std::string bytes = map_file(path).copy();
  if (path.ends_with(".json")) bytes = TokenizerJson(bytes, path).fairseq_sentencepiece();
  const int first = first_added_of_fairseq(bytes, path);
  WordList added;
  if (rows > first) {
    added.resize(static_cast<std::size_t>(rows - first));
    added[0] = "<mask>";
  }
  return make_fairseq_vocabulary(std::move(bytes), std::move(added), {}, rows, path);
}

/// Returns a table of positions with the embedding of the only token type that COMET uses.
WeightSource with_type(const WeightSource& positions, const WeightSource& types) {
  return {positions.rows, positions.columns, [positions, types](RowRange range) {
            std::vector<float> values = positions.make(range);
            const std::vector<float> type = types.values();
            for (std::size_t i = 0; i < values.size(); ++i)
              values[i] += type[i % static_cast<std::size_t>(positions.columns)];
            return values;
          }};
}

class WeightNames {
 public:
  explicit WeightNames(const CometFacts& facts) : facts_(facts) {}

  std::vector<Correspondence> all() {
    add("source_embedding.weight", kCometWords);
    const bool has_embedding_norm = facts_.settings.at("embedding_norm") == "true";
    if (has_embedding_norm) pair("encoder.embedding_norm", kCometNorm);
    const std::int64_t layers = integer_setting(facts_.settings, "encoder_layers", 1, 1 << 16);
    for (std::int64_t i = 0; i < layers; ++i) layer(fmt::format("encoder.layers.{}", i), comet_layer(i));
    if (facts_.settings.at("final_norm") == "true") pair("encoder.norm", kCometFinalNorm);
    for (std::size_t i = 0; i + 1 < facts_.estimator.size(); ++i)
      pair(fmt::format("estimator.layers.{}", i), facts_.estimator[i]);
    pair("estimator.output", facts_.estimator.back());
    if (facts_.settings.contains("severities")) pair("tags", kCometTags);
    return std::move(list_);
  }

 private:
  void add(const std::string& ours, const std::string& theirs, int part = 0, int parts = 1) {
    list_.push_back({ours, theirs, Form::same, part, parts});
  }
  void pair(const std::string& ours, const std::string& theirs) {
    for (const char* end : {".weight", ".bias"}) add(ours + end, theirs + end);
  }
  void layer(const std::string& ours, const std::string& theirs) {
    int part = 0;
    for (const char* name : {"query", "key", "value"}) {
      add(ours + ".self_attn.in_proj_weight", fmt::format("{}attention.self.{}.weight", theirs, name), part,
          3);
      add(ours + ".self_attn.in_proj_bias", fmt::format("{}attention.self.{}.bias", theirs, name), part++, 3);
    }
    pair(ours + ".self_attn.out_proj", theirs + "attention.output.dense");
    pair(ours + ".linear1", theirs + "intermediate.dense");
    pair(ours + ".linear2", theirs + "output.dense");
    const bool is_pre = facts_.is_pre_norm;
    pair(ours + ".norm1",
         theirs + (is_pre ? "attention.self_attn_layer_norm" : "attention.output.LayerNorm"));
    pair(ours + ".norm2", theirs + (is_pre ? "LayerNorm" : "output.LayerNorm"));
  }

  const CometFacts& facts_;
  std::vector<Correspondence> list_;
};

std::map<std::string, WeightSource> comet_weights(const CometFacts& facts, ForeignTensors& tensors) {
  std::map<std::string, WeightSource> weights = ours_from(WeightNames(facts).all(), tensors);
  WeightSource positions = tensors(kCometPositions);
  if (tensors.has(kCometTypes)) {
    const WeightSource types = rows_of(tensors(kCometTypes), 0, 1);
    if (types.columns != positions.columns) {
      throw Error("'{}': embeddings of positions have {} columns, but those of token types {}",
                  tensors.file().path(), positions.columns, types.columns);
    }
    positions = with_type(positions, types);
  }
  const std::int64_t rows = integer_setting(facts.settings, "max_positions", 1, 1 << 24);
  weights["source_positions.weight"] = rows_of(positions, 0, rows);
  weights["mix.weight"] = {1, std::ssize(facts.mix), [mix = facts.mix](RowRange) { return mix; }};
  return weights;
}

ForeignModel read_comet(const CometFiles& own, const ForeignFiles& files) {
  const JsonFile yaml = read_yaml_file(own.hparams);
  check_comet_class(yaml);
  TrainingCheckpoint checkpoint = open_training_checkpoint(own.weights, "state_dict", {kInCheckpoint});
  const JsonFile hparams = hparams_of(yaml, checkpoint.settings, own.weights);
  check_comet_encoder(hparams);
  const EncoderFiles encoder(own, hparams, files);
  encoder.require();
  ForeignTensors tensors(std::move(checkpoint.tensors));
  CometFacts facts = comet_facts(hparams, encoder.config(), tensors);
  if (facts.settings.contains("severities"))
    facts.settings["spans_have_space"] = encoder.counts_spaces() ? "true" : "false";
  std::map<std::string, WeightSource> weights = comet_weights(facts, tensors);
  ModelSettings settings = ModelRegistry::instance().complete(std::move(facts.settings));
  const auto rows = static_cast<int>(integer_setting(settings, "source_vocabulary", 1, 1 << 24));
  const Vocabulary vocabulary = vocabulary_of(encoder.tokenizer(), rows);
  return {.tensors = tensors,
          .settings = settings,
          .decoding = {},
          .vocabularies = {vocabulary, vocabulary},
          .weights = weights_from(weights, settings, own.weights)};
}

}  // namespace

bool is_comet_checkpoint(const std::string& path) {
  const CometFiles files = files_at(path);
  return !files.weights.empty() && !files.hparams.empty();
}

ForeignModel read_comet_checkpoint(const std::string& path, const ForeignFiles& files) {
  const CometFiles own = files_at(path);
  if (own.is_one_of_several)
    throw Error("'{}' has several checkpoints; name one, such as '{}'", path, own.weights);
  if (files.source_vocabulary != files.target_vocabulary)
    throw UsageError("'{}' has one tokenizer; name it with `vocab`", path);
  try {
    return read_comet(own, files);
  } catch (const UsageError& error) {  // a setting that does not fit concerns the file
    throw Error("'{}': {}", own.weights, error.what());
  }
}

std::string model_with_tokenizer_of_comet(const std::string& path) {
  const CometFiles own = files_at(path);
  const JsonFile hparams = read_yaml_file(own.hparams);
  const EncoderFiles encoder(own, hparams, {});
  return encoder.are_there() ? "" : encoder.name();
}

std::vector<std::string> files_of_comet_checkpoint(const std::string& path) {
  const CometFiles own = files_at(path);
  std::vector<std::string> files = {own.weights, own.hparams};
  try {
    const EncoderFiles encoder(own, read_yaml_file(own.hparams), {});
    if (encoder.are_there())
      std::ranges::move(entries_of(parent_folder(encoder.tokenizer())), std::back_inserter(files));
  } catch (const Error&) {  // opening the checkpoint reports it
  }
  return files;
}

}  // namespace nmt
