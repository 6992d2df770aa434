#include "foreign/huggingface/huggingface_export.h"

#include <algorithm>
#include <filesystem>
#include <map>
#include <utility>
#include <vector>

#include "common/error.h"
#include "common/io/atomic_file.h"
#include "foreign/containers/safetensors_writer.h"
#include "foreign/huggingface/config_export.h"
#include "foreign/huggingface/huggingface_names.h"
#include "foreign/huggingface/huggingface_weights.h"
#include "foreign/huggingface/residual_halves.h"
#include "foreign/huggingface/tokenizer_export.h"
#include "foreign/position_table.h"
#include "foreign/weight_source.h"
#include "nn/saved/saved_model.h"
#include "tensor/reals.h"

namespace nmt {
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

/// Adds a row for <pad>, which is the first decoder input of a MarianMTModel, where models here begin with
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

/// Returns all weights with both names. All families but M2M-100 have a bias of logits.
std::vector<Correspondence> names_for(ModelSettings settings, HuggingFaceFamily family) {
  if (family != HuggingFaceFamily::m2m_100) settings["output_bias"] = "true";
  return huggingface_names(settings);
}

std::vector<std::int64_t> shape_of(const std::string& name, const WeightSource& weight) {
  const bool is_vector = name.ends_with(".bias") || name.find("norm") != std::string::npos;
  return is_vector ? std::vector{weight.columns} : std::vector{weight.rows, weight.columns};
}

FileTensor file_tensor(const std::string& name, const WeightSource& weight, DType type) {
  return {name, type, shape_of(name, weight), nullptr, [weight, type] {
            const std::vector<float> values = weight.values();
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

  /// Returns the type of a weight here, if it is a single weight.
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
    const WeightSource table{kUsualPositions, d_model,
                             [=] { return position_table(positions, kUsualPositions, d_model); }};
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
