// Tests the export of models to CTranslate2.
#include "foreign/ctranslate2/ctranslate2_export.h"

#include <gmock/gmock.h>

#include "common/complaint.h"
#include "data/vocabulary/listed/listed_vocabulary.h"
#include "foreign/containers/ctranslate2_binary.h"
#include "foreign/containers/json_file.h"
#include "foreign/ctranslate2/ctranslate2_model.h"
#include "foreign/ctranslate2/made_up_ctranslate2.h"
#include "foreign/export.h"
#include "foreign/foreign_model.h"
#include "nn/saved/convert.h"
#include "translate/scoring/scorer.h"
#include "translate/text_model.h"

namespace nmt {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsNull;
using testing::MadeUpCTranslate2;

/// Settings of models that CTranslate2 supports.
const std::vector<nlohmann::json> kHeldForms = {
    {{"activation", "relu"}},
    {{"activation", "gelu_tanh"}, {"norm", "pre"}, {"tied_embeddings", "none"}, {"heads", 4}},
    {{"activation", "swish"}, {"tied_embeddings", "target"}, {"output_bias", "false"}},
    {{"activation", "gelu"}, {"tied_embeddings", "inputs"}, {"embedding_norm", "true"}},
    {{"activation", "gelu_sigmoid"}, {"final_norm", "true"}},
    {{"positions", "tensor2tensor"}, {"position_offset", 1}, {"embedding_scale", "2.5"}},
    {{"positions", "sinusoidal_halves"}, {"decoder_start", "zero"}, {"decoder_d_ff", 24}},
    {{"positions", "learned"}, {"max_positions", 40}, {"decoder_start", "eos"}},
    {{"source_special_tokens", "none"}, {"embedding_scale", "1"}, {"layer_norm_epsilon", "1e-05"}},
    {{"source_special_tokens", "both"}, {"position_offset", 2}},
    {{"norm_kind", "rms"}, {"norm", "pre"}, {"embedding_norm", "true"}},
    {{"norm_kind", "rms"}, {"layer_norm_epsilon", "1e-05"}},
    {{"ffn_gate", "true"}, {"activation", "gelu_tanh"}},
    {{"ffn_gate", "true"}, {"activation", "swish"}, {"linear_bias", "false"}, {"norm", "pre"}},
    {{"positions", "rotary"}, {"decoder_layers", 2}},
    {{"positions", "shaw"}, {"max_relative_positions", 2}, {"decoder_layers", 2}},
    {{"positions", "relative"}, {"decoder_layers", 2}, {"heads", 4}},
    {{"head_size", 6}, {"attention_scale", "0.25"}},
    {{"heads", 4}, {"kv_heads", 2}, {"linear_bias", "false"}},
    {{"heads", 4}, {"kv_heads", 1}, {"positions", "rotary"}, {"head_size", 6}},
};

class CTranslate2ExportTest : public ::testing::TestWithParam<nlohmann::json> {
 protected:
  static ModelFile read(const std::string& path) { return model_with(read_ctranslate2_model(path), "model"); }
  std::string exported(const ModelFile& file) {
    const std::string path = folder_ / fmt::format("out{}", count_++);
    export_model(file, "ctranslate2", path, false);
    return path;
  }
  /// Returns a model file of this program.
  ModelFile own(const nlohmann::json& overrides) {
    const SavedModel model = testing::text_model(*backend_, vocabulary_, overrides);
    const std::string path = folder_ / fmt::format("own{}", count_++);
    save_model(path, write_model_settings(model.settings), model.vocabularies,
               model.model->training_weights());
    return ModelFile(path);
  }
  std::vector<std::vector<double>> scores(const ModelFile& file) {
    const SavedModel model = open_model(file, *backend_);
    Worker worker(*backend_);
    std::vector<Example> examples;
    for (const std::string& line : testing::source_lines(3))
      examples.push_back({std::ssize(examples), vocabulary_.encode(line), vocabulary_.encode(line)});
    return score(*model.model, worker, examples, model.special_tokens);
  }
  static void expect_same_tensors(const ModelFile& a, const ModelFile& b) {
    ASSERT_EQ(a.tensors().size(), b.tensors().size());
    for (const FileTensor& tensor : a.tensors()) {
      const FileTensor* same = b.find(tensor.name);
      ASSERT_THAT(same, ::testing::NotNull()) << tensor.name;
      ASSERT_EQ(tensor.bytes(), same->bytes()) << tensor.name;
      EXPECT_EQ(std::memcmp(tensor.read().data(), same->read().data(), tensor.bytes()), 0) << tensor.name;
    }
  }

  Vocabulary vocabulary_ = testing::text_vocabulary();
  std::unique_ptr<Backend> backend_ = open_backend({.device = "reference"});
  TemporaryFolder folder_;
  int count_ = 0;
};

TEST_P(CTranslate2ExportTest, ComesBackAsItWas) {
  const ModelFile file = own(GetParam()), back = read(exported(file));
  for (const FileTensor& tensor : file.tensors()) {
    if (tensor.name.starts_with("vocabulary")) continue;
    const FileTensor* same = back.find(tensor.name);
    ASSERT_THAT(same, ::testing::NotNull()) << tensor.name;
    ASSERT_EQ(tensor.shape, same->shape) << tensor.name;
    EXPECT_EQ(std::memcmp(tensor.read().data(), same->read().data(), tensor.bytes()), 0) << tensor.name;
  }
  ModelSettings before = blank_model(file).settings, after = blank_model(back).settings;
  before["final_norm"] = after["final_norm"];  // instead of auto
  EXPECT_EQ(before, after);
  EXPECT_EQ(scores(file), scores(back));
}
INSTANTIATE_TEST_SUITE_P(Forms, CTranslate2ExportTest, ::testing::ValuesIn(kHeldForms));

TEST_F(CTranslate2ExportTest, InAndOutAndInAgainIsTheSame) {
  MadeUpCTranslate2 made_up;
  for (const nlohmann::json& config : std::vector<nlohmann::json>{
           {{"decoder_start_token", "<s>"}, {"add_source_eos", true}},
           {{"decoder_start_token", "</s>"}, {"layer_norm_epsilon", 1e-6}},
           {{"decoder_start_token", "x"}, {"add_source_bos", true}, {"unk_token", "y"}}}) {
    made_up.config = config;
    made_up.files["source_vocabulary.txt"] = "y\n<s>\n</s>\na\nb\nc\n<unk>\n";
    const ModelFile once = read(made_up.write(folder_)), twice = read(exported(once));
    EXPECT_EQ(once.config(), twice.config());
    expect_same_tensors(once, twice);
  }
}

TEST_F(CTranslate2ExportTest, LayersThatShareWeightsBecomeSeveral) {
  const ModelFile file = own({{"decoder_layers", 3}, {"tied_decoder_layers", "1 1 2"}});
  const std::string path = exported(file);
  const ModelFile back = read(path);
  EXPECT_EQ(blank_model(back).settings.at("tied_decoder_layers"), "none");
  EXPECT_EQ(scores(file), scores(back));
  const auto size_of = [](const std::string& folder) {
    return std::filesystem::file_size(folder + "/model.bin");
  };
  EXPECT_LT(size_of(path), size_of(exported(own({{"decoder_layers", 3}})))) << "they are aliases";
}

TEST_F(CTranslate2ExportTest, SharedTablesAreWrittenOnce) {
  const std::string path = exported(own({}));
  const CTranslate2Binary binary(path + "/model.bin");
  EXPECT_EQ(binary.version(), 6U);
  EXPECT_EQ(binary.spec(), "TransformerSpec");
  EXPECT_EQ(binary.revision(), 7U);
  const auto all = binary.read("encoder/embeddings_0/weight");
  EXPECT_EQ(binary.read("decoder/embeddings/weight"), all);
  EXPECT_EQ(binary.read("decoder/projection/weight"), all);
  EXPECT_THAT(binary.find("encoder/position_encodings/encodings")->shape, ElementsAre(4096, 16));
  EXPECT_THAT(binary.read_integers("decoder/num_heads"), ElementsAre(2));
  const std::string computed = exported(own({{"positions", "tensor2tensor"}, {"position_offset", 1}}));
  EXPECT_THAT(CTranslate2Binary(computed + "/model.bin").find("encoder/position_encodings/encodings"),
              IsNull());
}

TEST_F(CTranslate2ExportTest, WhatCallersNeedIsBesideIt) {
  const std::string path = exported(own({}));
  const JsonFile config = JsonFile::read(path, "config.json");
  EXPECT_EQ(config.text("unk_token", ""), "<unk>");
  EXPECT_EQ(config.text("decoder_start_token", ""), "<s>");
  EXPECT_TRUE(config.flag("add_source_eos", false));
  EXPECT_FALSE(config.flag("add_source_bos", true));
  EXPECT_EQ(config.real("layer_norm_epsilon", 0), 1e-6);
  const auto contents = [&](const std::string& name) { return folder_.read("out1/" + name); };
  const nlohmann::json tokens = nlohmann::json::parse(contents("shared_vocabulary.json"));
  ASSERT_EQ(std::ssize(tokens), vocabulary_.size());
  EXPECT_EQ(tokens[5], vocabulary_.piece(5));
  EXPECT_EQ(contents("source.spm"), vocabulary_.bytes());
  const Vocabulary back = embedded_vocabularies(read(path)).source;
  const std::string line = testing::source_lines(1)[0];
  EXPECT_EQ(back.encode(line), vocabulary_.encode(line));
  EXPECT_EQ(back.decode(back.encode(line)), line);
  exported(own({{"source_special_tokens", "none"}}));
  EXPECT_EQ(folder_.read("out3/source.spm"), "") << "which would mean that EOS is added";
}

TEST_F(CTranslate2ExportTest, WeightsKeepTheirType) {
  const ModelFile file = own({{"tied_embeddings", "target"}});
  const std::string name = "decoder/layer_0/ffn/linear_0/weight";
  for (const auto& [type, expected] :
       {std::pair{DType::f16, ElementType::f16}, std::pair{DType::bf16, ElementType::bf16},
        std::pair{DType::i8, ElementType::i8}}) {
    const ModelFile converted = converted_model(file, type);
    const std::string path = exported(converted);
    const CTranslate2Binary binary(path + "/model.bin");
    EXPECT_EQ(binary.find(name)->type, expected);
    EXPECT_EQ(binary.find("decoder/embeddings/weight")->type, expected);
    EXPECT_EQ(binary.find("decoder/layer_0/ffn/linear_0/bias")->type, ElementType::f32);
    const auto before = scores(converted), after = scores(read(path));
    for (std::size_t i = 0; i < before.size(); ++i) {
      for (std::size_t j = 0; j < before[i].size(); ++j) EXPECT_NEAR(before[i][j], after[i][j], 0.02);
    }
  }
}

TEST_F(CTranslate2ExportTest, QuantizedWeightsKeepTheirIntegers) {
  const ModelFile quantized = converted_model(own({}), DType::i8);
  const CTranslate2Binary binary(exported(quantized) + "/model.bin");
  const QuantizedMatrix matrix = binary.read_quantized("encoder/layer_0/ffn/linear_1/weight");
  const FileTensor* expected = quantized.find("encoder.layers.0.linear2.weight");
  ASSERT_EQ(matrix.values.size(), expected->bytes());
  EXPECT_EQ(std::memcmp(matrix.values.data(), expected->read().data(), expected->bytes()), 0);
  const FileTensor* scale = quantized.find(scale_name("encoder.layers.0.linear2.weight"));
  for (std::size_t row = 0; row < matrix.scale.size(); ++row) {
    float here = 0;
    std::memcpy(&here, scale->read().data() + row * sizeof here, sizeof here);
    EXPECT_FLOAT_EQ(matrix.scale[row], here);
  }
}

// The divisors in CTranslate2 must not be infinite.
TEST_F(CTranslate2ExportTest, QuantizedRowsOfZerosHaveTheScaleOne) {
  const SavedModel model = testing::text_model(*backend_, vocabulary_);
  for (const Parameters::Entry& entry : model.model->parameters().entries()) {
    if (entry.parameter.name != "encoder.layers.0.linear2.weight") continue;
    upload_reals(*backend_, entry.parameter.value.slice_rows(1, 1),
                 std::vector<double>(static_cast<std::size_t>(entry.columns)));
  }
  save_model(folder_ / "own", write_model_settings(model.settings), model.vocabularies,
             model.model->training_weights());
  const ModelFile quantized = converted_model(ModelFile(folder_ / "own"), DType::i8);
  const std::string path = exported(quantized);
  const CTranslate2Binary binary(path + "/model.bin");
  const QuantizedMatrix matrix = binary.read_quantized("encoder/layer_0/ffn/linear_1/weight");
  ASSERT_GT(matrix.scale.size(), 2U);
  EXPECT_EQ(matrix.scale[1], 1);
  EXPECT_LT(matrix.scale[0], 0.1);
  const std::size_t columns = matrix.values.size() / matrix.scale.size();
  for (std::size_t i = 0; i < columns; ++i) EXPECT_EQ(matrix.values[columns + i], 0);
  const auto before = scores(quantized), after = scores(read(path));
  for (std::size_t i = 0; i < before.size(); ++i) {
    for (std::size_t j = 0; j < before[i].size(); ++j) EXPECT_NEAR(before[i][j], after[i][j], 0.001);
  }
}

TEST_F(CTranslate2ExportTest, WhatCTranslate2DoesNotHaveIsNamed) {
  for (const auto& [setting, value] :
       std::vector<std::pair<std::string, std::string>>{{"norm", "both"},
                                                        {"norm", "none"},
                                                        {"ffn_layers", "3"},
                                                        {"decoder_ffn_layers", "1"},
                                                        {"decoder_layer", "average"},
                                                        {"decoder_layer", "ssru"}}) {
    const nlohmann::json settings = {{setting, value}};
    EXPECT_THAT(testing::complaint([&] { exported(own(settings)); }),
                AllOf(HasSubstr("cannot become a model of CTranslate2"), HasSubstr(setting + " " + value)));
  }
  const auto words = [](const std::string& unknown) {
    return make_word_vocabulary({"</s>", unknown, "<s>", "a"}, {.begin = 2}, "words");
  };
  SavedModel model = testing::text_model(*backend_, words("<unk>"), {{"tied_embeddings", "none"}});
  model.vocabularies.source = words("UNK");
  save_model(folder_ / "own", write_model_settings(model.settings), model.vocabularies,
             model.model->training_weights());
  EXPECT_THAT(testing::complaint([&] { exported(ModelFile(folder_ / "own")); }),
              HasSubstr("the unknown token is 'UNK' in the source vocabulary, but '<unk>'"));
}

}  // namespace
}  // namespace nmt
