#include "foreign/huggingface/huggingface_export.h"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>
#include <utility>
#include <vector>

#include "common/error.h"
#include "common/io/atomic_file.h"
#include "foreign/containers/safetensors_file.h"
#include "foreign/huggingface/huggingface_names.h"
#include "foreign/huggingface/huggingface_weights.h"
#include "foreign/huggingface/t5.h"
#include "foreign/huggingface/tokenizer.h"
#include "foreign/layer_variants.h"
#include "foreign/position_table.h"
#include "foreign/weight_source.h"
#include "nn/saved/saved_model.h"
#include "tensor/reals.h"

namespace nmt {
namespace {

using nlohmann::json;

// All models of transformers but T5 add this to variances; other small values make no difference.
constexpr double kTheirEpsilon = 1e-5;

/// Throws NotHeld about a value that models of a family cannot have.
[[noreturn]] void refuse_setting(const ModelSettings& settings, const std::string& name,
                                 HuggingFaceFamily family) {
  throw NotHeld("{} {} is not supported by {}", name, settings.at(name), class_of(family));
}

void add_layers(json& config, const ModelSettings& settings) {
  const auto number = [&](const char* name) { return integer_setting(settings, name, 0, 1 << 24); };
  const std::int64_t decoder_d_ff = number("decoder_d_ff");
  config.update({{"d_model", number("d_model")},
                 {"encoder_layers", number("encoder_layers")},
                 {"decoder_layers", number("decoder_layers")},
                 {"num_hidden_layers", number("encoder_layers")},
                 {"encoder_attention_heads", number("heads")},
                 {"decoder_attention_heads", number("heads")},
                 {"encoder_ffn_dim", number("d_ff")},
                 {"decoder_ffn_dim", decoder_d_ff > 0 ? decoder_d_ff : number("d_ff")},
                 {option_there(Toolkit::huggingface, "activation").name,
                  name_there(Toolkit::huggingface, "activation", settings.at("activation"))},
                 {"scale_embedding", settings.at("embedding_scale") != "1"},
                 {"encoder_layerdrop", 0.0},
                 {"decoder_layerdrop", 0.0},
                 {"dropout", 0.1},
                 {"attention_dropout", 0.0},
                 {"activation_dropout", 0.0},
                 {"init_std", 0.02}});
}

void add_tables(json& config, const ModelSettings& settings, HuggingFaceFamily family,
                const ConfigFacts& facts) {
  const std::string& tying = settings.at("tied_embeddings");
  config.update(
      {{"vocab_size", facts.source_rows}, {"tie_word_embeddings", tying == "all" || tying == "target"}});
  if (!is_t5(family)) config["max_position_embeddings"] = facts.positions;
  if (family != HuggingFaceFamily::marian) return;
  config.update({{"decoder_vocab_size", facts.target_rows},
                 {"share_encoder_decoder_embeddings", tying == "all" || tying == "inputs"},
                 {"static_position_embeddings", true}});
}

/// Returns the token ids that are the same in both files.
json token_ids(HuggingFaceFamily family, const ConfigFacts& facts) {
  json ids = {{"pad_token_id", facts.padding}, {"eos_token_id", facts.end}};
  if (facts.start) ids["decoder_start_token_id"] = *facts.start;
  if (facts.first) ids["forced_bos_token_id"] = *facts.first;
  if (family == HuggingFaceFamily::marian) {
    ids["forced_eos_token_id"] = facts.end;
  } else if (!is_t5(family)) {
    ids["bos_token_id"] = 0;
  }
  return ids;
}

bool is(const DecodingSettings& decoding, const std::string& name, const std::string& value) {
  const auto found = decoding.find(name);
  return found != decoding.end() && found->second == value;
}

/// Adds the maximum number of tokens of a translation, including the first decoder input and a final EOS.
/// Models that came from transformers without a limit have none.
void add_longest(json& generation, const DecodingSettings& decoding, HuggingFaceFamily family) {
  constexpr std::int64_t kUsual = 512;
  const std::int64_t uncounted = family == HuggingFaceFamily::marian ? 2 : 1;
  if (is(decoding, "max_length_factor", "0") && decoding.contains("max_length_extra")) {
    const double extra = real_setting(decoding, "max_length_extra", 0, 1 << 24);
    generation["max_length"] = static_cast<std::int64_t>(extra) + uncounted;
  } else if (!is(decoding, "beam_rules", "huggingface")) {
    generation["max_length"] = kUsual;
  }
}

/// Returns forbidden words, each of one token: <pad> of Marian's, and what else the model suppresses.
json bad_words(const DecodingSettings& decoding, HuggingFaceFamily family, const ConfigFacts& facts) {
  std::set<std::int64_t> ids;
  if (family == HuggingFaceFamily::marian) ids.insert(facts.padding);
  if (is(decoding, "unk", "false")) ids.insert(facts.unknown);
  if (const auto suppressed = decoding.find("suppress"); suppressed != decoding.end()) {
    std::istringstream text(suppressed->second);
    for (std::int64_t id = 0; text >> id;) ids.insert(id);
  }
  json words = json::array();
  for (const std::int64_t id : ids) words.push_back(json::array({id}));
  return words;
}

}  // namespace

HuggingFaceFamily family_for(const ModelSettings& settings, const std::string& name) {
  const HuggingFaceFamily family =
      family_of_type(check_variants(Toolkit::huggingface, settings, name, kModelType));
  if (is_t5(family)) {
    const TransformerConfig config(settings);
    if (config.decoder_feed_forward.d_ff != config.encoder_feed_forward.d_ff)
      refuse_setting(settings, "decoder_d_ff", family);
    if (settings.at("decoder_start") == "zero") refuse_setting(settings, "decoder_start", family);
    return family;
  }
  const bool is_odd = integer_setting(settings, "d_model", 1, 1 << 24) % 2 != 0;
  if (settings.at("positions") == "sinusoidal" && is_odd) refuse_setting(settings, "d_model", family);
  if (std::abs(real_setting(settings, "layer_norm_epsilon", 0, 1) - kTheirEpsilon) > kTheirEpsilon)
    refuse_setting(settings, "layer_norm_epsilon", family);
  return family;
}

std::string config_json(const ModelSettings& settings, HuggingFaceFamily family, const ConfigFacts& facts) {
  json config = {{"architectures", {class_of(family)}},
                 {kModelType, model_type_of(family)},
                 {"is_encoder_decoder", true},
                 {"torch_dtype", facts.type},
                 {"use_cache", true}};
  is_t5(family) ? config.update(t5_config(settings)) : add_layers(config, settings);
  add_tables(config, settings, family, facts);
  config.update(token_ids(family, facts));
  return config.dump(2) + "\n";
}

std::string generation_json(const DecodingSettings& decoding, HuggingFaceFamily family,
                            const ConfigFacts& facts) {
  constexpr std::int64_t kMostBeam = 1000;
  json generation = token_ids(family, facts);
  generation["num_beams"] =
      decoding.contains("beam") ? integer_setting(decoding, "beam", 1, kMostBeam) : std::int64_t{4};
  add_longest(generation, decoding, family);
  if (is(decoding, "length_normalization", "power"))
    generation["length_penalty"] = real_setting(decoding, "length_penalty", -100, 100);
  if (is(decoding, "patience", "1")) generation["early_stopping"] = true;
  if (json words = bad_words(decoding, family, facts); !words.empty())
    generation["bad_words_ids"] = std::move(words);
  return generation.dump(2) + "\n";
}

namespace {

using Weights = std::map<std::string, WeightSource>;

/// Returns the type of the matrices of a file.
DType matrix_type(const ModelFile& file) {
  for (const FileTensor& tensor : file.tensors()) {
    if (tensor.dtype == DType::i8)
      throw Error("'{}' has weights in int8, which transformers does not support; choose another `precision`",
                  file.path());
    if (tensor.dtype == DType::f16 || tensor.dtype == DType::bf16) return tensor.dtype;
  }
  return DType::f32;
}

std::string torch_name(DType type) {
  if (type == DType::f16) return "float16";
  return type == DType::bf16 ? "bfloat16" : "float32";
}

/// Returns a matrix with rows of zeros added, or a vector with elements of this value.
WeightSource lengthened(const WeightSource& weight, std::int64_t rows, float value) {
  if (weight.rows > 1) return stacked({weight, filled(rows - weight.rows, weight.columns, 0)});
  return stacked({weight, filled(1, rows - weight.columns, value)});
}

/// Adds a row for <pad>, which is the first decoder input of a MarianMTModel, where nmt begins with
/// zero. Unless the model has such a row, it is zero and excluded from the softmax, like all rows added
/// before it.
void add_padding_row(Weights& weights, std::int64_t rows) {
  for (const char* name : {"embedding.weight", "source_embedding.weight", "target_embedding.weight",
                           "output.weight", "output.bias"}) {
    const auto found = weights.find(name);
    if (found == weights.end()) continue;
    const std::int64_t size = found->second.rows > 1 ? found->second.rows : found->second.columns;
    if (size < rows) found->second = lengthened(found->second, rows, kMaskingBias);
  }
}

/// Returns all weights with both names. All families but M2M-100 and T5 have a bias of logits.
std::vector<Correspondence> names_for(ModelSettings settings, HuggingFaceFamily family) {
  if (is_t5(family)) return t5_names(settings);
  if (family != HuggingFaceFamily::m2m_100) settings["output_bias"] = "true";
  return huggingface_names(settings);
}

std::vector<std::int64_t> shape_of(const std::string& name, const WeightSource& weight) {
  const bool is_vector = name.ends_with(".bias") || name.find("norm") != std::string::npos;
  return is_vector ? std::vector{weight.columns} : std::vector{weight.rows, weight.columns};
}

FileTensor file_tensor(const std::string& name, const WeightSource& weight, DType type) {
  return {name, type, shape_of(name, weight), nullptr, [weight, type](RowRange range) {
            const std::vector<float> values = weight.make(range);
            return narrow({values.begin(), values.end()}, type);
          }};
}

/// Writes the files of a model.
class HuggingFaceWriter {
 public:
  explicit HuggingFaceWriter(const ModelFile& file)
      : file_(file),
        model_(blank_model(file)),
        settings_(model_.settings),
        family_(family_for(settings_, file.path())),
        type_(matrix_type(file)),
        decoding_(read_decoding_settings(file.config(), file.path())),
        tokenizer_(export_tokenizer(model_.vocabularies, family_, languages(), start())) {}

  void write(const std::string& folder) const {
    const auto path = [&](const std::string& name) {
      return (std::filesystem::path(folder) / name).string();
    };
    const ConfigFacts facts = config_facts();
    write_safetensors(path("model.safetensors"), {{"format", "pt"}}, tensors());
    for (const auto& [name, bytes] : tokenizer_.files) write_file(path(name), bytes);
    write_file(path("generation_config.json"), generation_json(decoding_, family_, facts));
    write_file(path("config.json"), config_json(settings_, family_, facts));
  }

 private:
  const std::string& text(const char* name) const { return settings_.at(name); }
  std::int64_t number(const char* name) const { return integer_setting(settings_, name, 0, 1 << 24); }
  bool is_marian() const { return family_ == HuggingFaceFamily::marian; }

  Languages languages() const { return usual_languages(decoding_); }
  /// Returns the first token of the decoder input, unless it is zero or a language.
  std::optional<int> start() const {
    const Vocabulary& target = model_.vocabularies.target;
    if (text("decoder_start") == "eos") return target.end();
    return text("decoder_start") == "bos" ? target.begin() : std::nullopt;
  }

  /// Returns the number of rows of a table.
  std::int64_t rows(const char* name) const {
    return is_marian() ? std::max(number(name), tokenizer_.padding + 1) : number(name);
  }

  ConfigFacts config_facts() const {
    const bool is_learned = text("positions") == "learned";
    ConfigFacts facts{
        .source_rows = rows("source_vocabulary"),
        .target_rows = rows("target_vocabulary"),
        .positions = is_learned ? number("max_positions") - number("position_offset") : kUsualPositions,
        .padding = tokenizer_.padding,
        .end = model_.vocabularies.target.end(),
        .unknown = model_.vocabularies.target.unknown(),
        .start = tokenizer_.begin,
        .first = tokenizer_.first,
        .type = torch_name(type_)};
    if (!tokenizer_.begins_with_language) facts.start = start() ? *start() : tokenizer_.padding;
    return facts;
  }

  /// Returns all weights by their names here, in the sizes and the order of transformers.
  Weights weights() const {
    Weights weights = weights_in(file_, model_.model->parameters());
    if (text("positions") == "sinusoidal") weights = with_halves(std::move(weights));
    if (!weights.contains("output.bias")) weights["output.bias"] = filled(1, number("target_vocabulary"), 0);
    if (!is_marian()) return weights;
    add_padding_row(weights, std::max(rows("source_vocabulary"), rows("target_vocabulary")));
    const std::int64_t offset = number("position_offset");
    for (const char* name : {"source_positions.weight", "target_positions.weight"}) {
      const auto table = weights.find(name);
      if (table != weights.end() && offset > 0)
        table->second = rows_of(table->second, offset, table->second.rows - offset);
    }
    return weights;
  }

  /// Returns the type that a weight has in nmt, if it is a single weight.
  DType type_of(const std::string& ours) const {
    const FileTensor* tensor = file_.find(ours);
    return tensor == nullptr ? DType::f32 : tensor->dtype;
  }

  /// Adds computed positions as tables if a MarianMTModel computes others.
  void add_positions(std::vector<FileTensor>& tensors) const {
    const ComputedPositions usual{.kind = "sinusoidal_halves"};
    ComputedPositions positions{.kind = text("positions"), .offset = number("position_offset")};
    if (positions.kind == "sinusoidal") positions.kind = usual.kind;  // see with_halves()
    if (!is_marian() || positions.kind == "learned" || positions == usual) return;
    const std::int64_t d_model = number("d_model");
    const WeightSource table{
        kUsualPositions, d_model, [=](RowRange range) {
          return position_table({positions.kind, positions.offset + range.begin}, range.count, d_model);
        }};
    for (const std::string side : {"encoder", "decoder"})
      tensors.push_back(file_tensor("model." + side + ".embed_positions.weight", table, DType::f32));
  }

  std::vector<FileTensor> tensors() const {
    const std::vector<Correspondence> names = names_for(settings_, family_);
    std::vector<FileTensor> tensors;
    for (const auto& [name, weight] : theirs_from(names, weights())) {
      const auto pair = std::ranges::find(names, name, &Correspondence::theirs);
      tensors.push_back(file_tensor(name, weight, type_of(pair->ours)));
    }
    add_positions(tensors);
    return tensors;
  }

  const ModelFile& file_;
  SavedModel model_;
  const ModelSettings& settings_;
  HuggingFaceFamily family_;
  DType type_;
  DecodingSettings decoding_;
  TokenizerExport tokenizer_;
};

}  // namespace

void export_to_huggingface(const ModelFile& file, const std::string& folder) {
  HuggingFaceWriter(file).write(folder);
}

}  // namespace nmt
