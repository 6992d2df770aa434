#include "foreign/ctranslate2/ctranslate2_export.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>
#include <utility>

#include "common/error.h"
#include "common/io/atomic_file.h"
#include "data/vocabulary/listed/listed_file.h"
#include "foreign/containers/ctranslate2_binary.h"
#include "foreign/correspondence.h"
#include "foreign/ctranslate2/ctranslate2_model.h"
#include "foreign/ctranslate2/ctranslate2_names.h"
#include "foreign/ctranslate2/ctranslate2_relative.h"
#include "foreign/ctranslate2/ctranslate2_rotary.h"
#include "foreign/layer_variants.h"
#include "foreign/position_table.h"
#include "nn/files/file_weights.h"
#include "nn/saved/saved_model.h"
#include "tensor/dtype.h"
#include "tensor/reals.h"

namespace nmt {
namespace {

// More positions than nmt translate uses by default.
constexpr std::int64_t kComputedRows = 4096;

template <class T>
std::vector<std::byte> bytes_as(const std::vector<float>& values) {
  return bytes_of(std::vector<T>(values.begin(), values.end()));
}

std::vector<std::byte> bytes_in(ElementType type, const std::vector<float>& values) {
  if (type == ElementType::f16) return bytes_as<Float16>(values);
  if (type == ElementType::bf16) return bytes_as<BFloat16>(values);
  return bytes_of(values);
}

std::vector<std::byte> quantized(const WeightSource& matrix, RowRange range) {
  const std::vector<float> values = matrix.make(range);
  std::vector<std::int8_t> integers(values.size());
  for (std::int64_t at = 0; at < std::ssize(values); at += matrix.columns)
    quantize_row(values.data() + at, matrix.columns, integers.data() + at);
  return bytes_of(integers);
}

/// Returns the multiplier for each row that makes its elements integers; 1 for rows of zeros.
std::vector<std::byte> multipliers(const WeightSource& matrix) {
  std::vector<float> values;
  each_range(matrix.rows, static_cast<std::size_t>(matrix.columns) * sizeof(float), [&](RowRange range) {
    const std::vector<float> rows = matrix.make(range);
    for (auto row = rows.begin(); row != rows.end(); row += matrix.columns) {
      float most = 0;
      for (std::int64_t i = 0; i < matrix.columns; ++i) most = std::max(most, std::abs(row[i]));
      values.push_back(most < kLeastQuantized ? 1 : kMostQuantized / most);
    }
  });
  return bytes_of(values);
}

class Variables {
 public:
  Variables(const ModelSettings& settings, ElementType type) : settings_(settings), type_(type) {}

  std::vector<OutputTensor> all(const std::map<std::string, WeightSource>& parameters) {
    for (const auto& [name, weight] : theirs_from(ctranslate2_names(settings_), parameters))
      add(name, weight);
    positions(parameters);
    if (text("attention_scale") != "inverse_sqrt") attention_scales();
    if (text("kv_heads") != "0") of_each_attention(kKeyHeads, integer("kv_heads"));
    if (text("head_size") != "0") of_each_attention(kHeadWidth, integer("head_size"));
    for (const std::string side : {"encoder/", "decoder/"}) attributes_of_both(side);
    number<std::int8_t>("encoder/embeddings_merge", ElementType::i8, 0);
    number<std::int8_t>("encoder/multi_query_attention", ElementType::i8, 0);
    for (const char* flag : {"alibi", "alibi_use_positive_positions", "scale_alibi"})
      number<std::int8_t>(std::string("decoder/") + flag, ElementType::i8, 0);
    number<std::int8_t>("decoder/start_from_zero_embedding", ElementType::i8,
                        text("decoder_start") == "zero");
    number<std::int16_t>("decoder/alignment_layer", ElementType::i16, -1);  // the last
    number<std::int16_t>("decoder/alignment_heads", ElementType::i16, 0);   // all
    return std::move(all_);
  }

 private:
  const std::string& text(const std::string& name) const { return settings_.at(name); }
  std::int64_t integer(const std::string& name) const { return integer_setting(settings_, name, 0, 1 << 24); }

  void add(const std::string& name, const WeightSource& weight) {
    if (!name.ends_with("weight")) {
      const std::vector<std::int64_t> shape =
          weight.rows == 1 ? std::vector{weight.columns} : std::vector{weight.rows, weight.columns};
      all_.push_back(
          {name, ElementType::f32, shape, [weight](RowRange range) { return bytes_of(weight.make(range)); }});
      return;
    }
    const std::vector<std::int64_t> shape = {weight.rows, weight.columns};
    if (type_ == ElementType::i8) {
      all_.push_back({name, type_, shape, [weight](RowRange range) { return quantized(weight, range); }});
      all_.push_back({name + kCTranslate2Scale, ElementType::f32, {weight.rows}, [weight](RowRange) {
                        return multipliers(weight);
                      }});
    } else {
      all_.push_back({name, type_, shape,
                      [weight, type = type_](RowRange range) { return bytes_in(type, weight.make(range)); }});
    }
  }

  void add_table(const std::string& side, const WeightSource& table) {
    all_.push_back(
        {ctranslate2_positions(side), ElementType::f32, {table.rows, table.columns}, [table](RowRange range) {
           return bytes_of(table.make(range));
         }});
  }

  void positions(const std::map<std::string, WeightSource>& parameters) {
    const std::int64_t offset = integer("position_offset"), d_model = integer("d_model");
    const ComputedPositions kind = {text("positions"), offset};
    if (kind == ComputedPositions{"tensor2tensor", 1}) return;  // CTranslate2 computes these itself
    if (kind.kind == "rotary") return rotary();
    if (kind.kind == "relative") return relative();
    if (kind.kind == "shaw") return;  // its tables are weights
    if (kind.kind == "learned") {
      const auto used = [&](const char* name) {
        return rows_of(parameters.at(name), offset, integer("max_positions") - offset);
      };
      add_table("encoder", used("source_positions.weight"));
      add_table("decoder", used("target_positions.weight"));
      return;
    }
    const WeightSource table = {
        kComputedRows, d_model, [=](RowRange range) {
          return position_table({kind.kind, kind.offset + range.begin}, range.count, d_model);
        }};
    for (const char* side : {"encoder", "decoder"}) add_table(side, table);
  }

  /// Calls `use` with the beginning of the names of each self-attention.
  template <class Use>
  void for_each_self_attention(const Use& use) {
    for (const std::string side : {"encoder", "decoder"}) {
      for (std::int64_t i = 0; i < integer(side + "_layers"); ++i) use(self_attention_scope(side, i));
    }
  }

  void rotary() {
    for_each_self_attention([this](const std::string& scope) {
      number<std::int32_t>(scope + kRotaryDim, ElementType::i32, kWholeHead);
      number<std::int8_t>(scope + kRotaryInterleave, ElementType::i8, 0);
      number(scope + kRotaryBase, ElementType::f32, kSupportedRotaryBase);
    });
  }

  void relative() {
    const auto distance = static_cast<std::int32_t>(integer("relative_distance"));
    for_each_self_attention([this, distance](const std::string& scope) {
      number(scope + kRelativeDistance, ElementType::i32, distance);
    });
  }

  template <class Use>
  void for_each_attention(const Use& use) {
    for_each_self_attention(use);
    for (std::int64_t i = 0; i < integer("decoder_layers"); ++i)
      use(fmt::format("decoder/layer_{}/attention/", i));
  }

  void attention_scales() {
    const auto scale = static_cast<float>(real_setting(settings_, "attention_scale", 0, 1e6));
    for_each_attention(
        [&](const std::string& scope) { number(scope + kAttentionScale, ElementType::f32, scale); });
  }

  void of_each_attention(const char* name, std::int64_t value) {
    for_each_attention([&](const std::string& scope) {
      number(scope + name, ElementType::i32, static_cast<std::int32_t>(value));
    });
  }

  template <class T>
  void number(const std::string& name, ElementType type, T value) {
    all_.push_back({name, type, {}, [value](RowRange) { return bytes_of(std::vector<T>{value}); }});
  }

  void attributes_of_both(const std::string& side) {
    number(side + "num_heads", ElementType::i16, static_cast<std::int16_t>(integer("heads")));
    for (const char* key : {"norm", "activation"}) {
      const std::string name = name_there(Toolkit::ctranslate2, key, text(key));
      number(side + option_there(Toolkit::ctranslate2, key).name, ElementType::i8,
             static_cast<std::int8_t>(std::stoi(name)));
    }
    if (text("embedding_scale") == "sqrt") {
      number<std::int8_t>(side + "scale_embeddings", ElementType::i8, 1);
    } else {
      number(side + "scale_embeddings", ElementType::f32,
             static_cast<float>(real_setting(settings_, "embedding_scale", 0, 1e6)));
    }
  }

  const ModelSettings& settings_;
  ElementType type_;
  std::vector<OutputTensor> all_;
};

}  // namespace

std::vector<OutputTensor> ctranslate2_variables(const ModelSettings& settings,
                                                const std::map<std::string, WeightSource>& parameters,
                                                ElementType weights) {
  return Variables(settings, weights).all(parameters);
}

namespace {

/// A vocabulary in the form of CTranslate2 and its callers.
struct ExportedList {
  WordList tokens;
  std::string sentencepiece;  // divides text into the tokens; empty: at spaces
};

bool is_listed(const Vocabulary& vocabulary) {
  return vocabulary.bytes().starts_with("nmt.vocabulary ");
}

ExportedList exported(const Vocabulary& vocabulary) {
  ExportedList list;
  if (is_listed(vocabulary)) {
    ListedFile file = parse_listed_file(vocabulary.bytes());
    list.sentencepiece = std::move(file.sentencepiece);
    if (list.sentencepiece.empty()) list.tokens = std::move(file.words);
  } else {
    list.sentencepiece = vocabulary.bytes();
  }
  if (list.tokens.empty()) {
    for (int id = 0; id < vocabulary.size(); ++id) list.tokens.push_back(vocabulary.piece(id));
  }
  // Adds tokens without text until each row has one.
  list.tokens.resize(static_cast<std::size_t>(std::max(vocabulary.rows(), vocabulary.size())));
  return list;
}

const std::string& token(const ExportedList& list, int id) {
  return list.tokens.at(static_cast<std::size_t>(id));
}

/// Checks that CTranslate2's callers can express languages, by adding tokens around those of a text.
void check_languages(const Vocabulary& source, const std::string& name) {
  if (!is_listed(source)) return;
  const LanguageUse use = parse_listed_file(source.bytes()).facts.languages;
  if (use.source == LanguageUse::Source::own_at_end || use.target == LanguageUse::Target::begin) {
    throw NotHeld(
        "'{}' cannot become a model of CTranslate2: its decoder or its source has a language where "
        "others have BOS or EOS",
        name);
  }
}

/// Returns a special token, for which CTranslate2 has one name for both sides.
std::string name_of_both(const char* what, const std::string& source, const std::string& target,
                         const std::string& name) {
  if (source == target) return source;
  throw NotHeld(
      "'{}' cannot become a model of CTranslate2: {} is {} in the source vocabulary, but {} in that "
      "of the target",
      name, what, in_quotes(source), in_quotes(target));
}

class CTranslate2Exporter {
 public:
  CTranslate2Exporter(const ModelFile& file, const std::string& folder)
      : file_(file),
        folder_(folder),
        model_(blank_model(file)),
        source_(exported(model_.vocabularies.source)),
        target_(exported(model_.vocabularies.target)) {}

  void run() const {
    check_variants(Toolkit::ctranslate2, model_.settings, file_.path());
    check_languages(model_.vocabularies.source, file_.path());
    const std::string config = json_of(this->config());
    write_ctranslate2_binary(
        path("model.bin"), kCTranslate2Spec, kCTranslate2Revision,
        ctranslate2_variables(model_.settings, weights_in(file_, model_.model->parameters()), type()));
    write_file(path("config.json"), config);
    write_lists();
  }

 private:
  std::string path(const std::string& name) const { return (std::filesystem::path(folder_) / name).string(); }
  bool has_mark(const char* mark) const {
    const std::string& tokens = model_.settings.at("source_special_tokens");
    return tokens == mark || tokens == "both";
  }

  /// Returns the type of the weights: that of the largest matrix, the table of target words.
  ElementType type() const {
    if (is_quantized(file_)) return ElementType::i8;
    const FileTensor* table = file_.find("target_embedding.weight");
    if (table == nullptr) table = file_.find("embedding.weight");
    if (table->dtype == DType::f16) return ElementType::f16;
    return table->dtype == DType::bf16 ? ElementType::bf16 : ElementType::f32;
  }

  CTranslate2Config config() const {
    const auto& [source, target] = model_.vocabularies;
    const auto named = [&](const char* what, int in_source, int in_target) {
      return name_of_both(what, token(source_, in_source), token(target_, in_target), file_.path());
    };
    CTranslate2Config config;
    config.tokens.unk = named("the unknown token", source.unknown(), target.unknown());
    config.tokens.source_has_bos = has_mark("bos");
    config.tokens.source_has_eos = has_mark("eos");
    config.tokens.eos = config.tokens.source_has_eos ? named("EOS", source.end(), target.end())
                                                     : token(target_, target.end());
    const std::optional<int> bos = config.tokens.source_has_bos ? source.begin() : target.begin();
    if (bos) config.tokens.bos = token(config.tokens.source_has_bos ? source_ : target_, *bos);
    const std::int32_t start = model_.special_tokens.start;
    config.tokens.decoder_start = start < 0 ? config.tokens.eos : token(target_, start);
    config.layer_norm_epsilon = real_setting(model_.settings, "layer_norm_epsilon", 0, 1);
    return config;
  }

  void write_list(const std::string& side, const ExportedList& list) const {
    write_file(path(side + "_vocabulary.json"), nlohmann::json(list.tokens).dump(0) + "\n");
  }

  void write_lists() const {
    if (source_.tokens == target_.tokens) {
      write_list("shared", source_);
    } else {
      write_list("source", source_);
      write_list("target", target_);
    }
    // Callers that divide text by these files add EOS as well.
    if (source_.sentencepiece.empty() || target_.sentencepiece.empty() || !has_mark("eos")) return;
    write_file(path("source.spm"), source_.sentencepiece);
    write_file(path("target.spm"), target_.sentencepiece);
  }

  const ModelFile& file_;
  const std::string& folder_;
  SavedModel model_;
  ExportedList source_, target_;
};

}  // namespace

void export_to_ctranslate2(const ModelFile& file, const std::string& folder) {
  CTranslate2Exporter(file, folder).run();
}

}  // namespace nmt
