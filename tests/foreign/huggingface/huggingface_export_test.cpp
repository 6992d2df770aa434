// Tests the export of models to Hugging Face transformers.
#include "foreign/huggingface/huggingface_export.h"

#include <gmock/gmock.h>

#include "common/complaint.h"
#include "foreign/containers/json_file.h"
#include "foreign/export.h"
#include "foreign/foreign_model.h"
#include "foreign/huggingface/huggingface_model.h"
#include "foreign/huggingface/made_up_folder.h"
#include "foreign/huggingface/made_up_t5.h"
#include "nn/saved/convert.h"
#include "translate/scoring/scorer.h"

namespace nmt {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using testing::MadeUpFolder;

class HuggingFaceExportTest : public ::testing::Test {
 protected:
  static ModelFile read(const std::string& path) { return model_with(read_huggingface_model(path), "model"); }
  std::string exported(const ModelFile& file) {
    const std::string path = folder_ / fmt::format("out{}", count_++);
    export_model(file, "huggingface", path, false);
    return path;
  }
  /// Returns a model file of this program.
  ModelFile own(const nlohmann::json& overrides, const Vocabulary& vocabulary = testing::small_pieces()) {
    const SavedModel model = testing::text_model(*backend_, vocabulary, overrides);
    const std::string path = folder_ / fmt::format("own{}", count_++);
    save_model(path, write_model_settings(model.settings), model.vocabularies,
               model.model->training_weights());
    return ModelFile(path);
  }
  std::vector<std::vector<double>> scores(const ModelFile& file) {
    const SavedModel model = open_model(file, *backend_);
    Worker worker(*backend_);
    std::vector<Example> examples;
    for (const std::string& line : testing::source_lines(5))
      examples.push_back({std::ssize(examples), model.vocabularies.source.encode(line),
                          model.vocabularies.target.encode(line)});
    return score(*model.model, worker, examples, model.special_tokens);
  }
  void expect_same_scores(const ModelFile& a, const ModelFile& b, double tolerance) {
    const auto one = scores(a), other = scores(b);
    for (std::size_t i = 0; i < one.size(); ++i) {
      ASSERT_EQ(one[i].size(), other[i].size());
      for (std::size_t j = 0; j < one[i].size(); ++j) EXPECT_NEAR(one[i][j], other[i][j], tolerance);
    }
  }

  std::unique_ptr<Backend> backend_ = open_backend({.device = "reference"});
  TemporaryFolder folder_;
  int count_ = 0;
};

/// Returns a configuration without the length of training sentences. It is not exported, since transformers
/// would refuse longer text.
std::string without_length(std::string config) {
  if (config.starts_with("max_length: ")) config.erase(0, config.find('\n') + 1);
  return config;
}

TEST_F(HuggingFaceExportTest, InAndOutAndInAgainIsTheSame) {
  MadeUpFolder untied = testing::gated_t5_folder("gated-silu");
  untied.config["tie_word_embeddings"] = false;
  untied.add("lm_head.weight", {testing::kT5Rows, testing::kWidth});
  for (const MadeUpFolder& made_up :
       {testing::marian_folder(), testing::nllb_folder(), testing::mbart_folder(), testing::bart_folder(),
        testing::t5_folder(), testing::gated_t5_folder("gated-gelu"), untied, testing::byt5_folder()}) {
    SCOPED_TRACE(made_up.config.dump());
    const ModelFile once = read(made_up.write(folder_, std::to_string(count_++)));
    const ModelFile twice = read(exported(once));
    EXPECT_EQ(without_length(once.config()), without_length(twice.config()));
    ASSERT_EQ(once.tensors().size(), twice.tensors().size());
    for (const FileTensor& tensor : once.tensors()) {
      const FileTensor* same = twice.find(tensor.name);
      ASSERT_NE(same, nullptr) << tensor.name;
      ASSERT_EQ(tensor.bytes(), same->bytes()) << tensor.name;
      EXPECT_EQ(std::memcmp(tensor.read().data(), same->read().data(), tensor.bytes()), 0) << tensor.name;
    }
  }
}

TEST_F(HuggingFaceExportTest, ModelsOfItsOwnComputeTheSame) {
  const nlohmann::json same = {{"layer_norm_epsilon", "1e-05"}};
  for (nlohmann::json overrides : std::vector<nlohmann::json>{
           {{"decoder_start", "bos"}},
           {{"decoder_start", "zero"}, {"activation", "gelu"}},
           {{"decoder_start", "eos"}, {"positions", "sinusoidal_halves"}, {"activation", "swish"}},
           {{"positions", "tensor2tensor"}, {"embedding_scale", "1"}},
           {{"positions", "learned"}, {"max_positions", 40}, {"position_offset", 1}},
           {{"positions", "sinusoidal"}, {"position_offset", 3}, {"output_bias", "false"}},
           {{"tied_embeddings", "none"}},
           {{"tied_embeddings", "target"}},
           {{"tied_embeddings", "inputs"}}}) {
    overrides.update(same);
    SCOPED_TRACE(overrides.dump());
    const ModelFile file = own(overrides);
    expect_same_scores(file, read(exported(file)), 1e-6);  // in f32
  }
}

// In transformers, "gated-gelu" names another activation than "gelu" does.
TEST_F(HuggingFaceExportTest, NetworksOfT5HaveTheirNames) {
  for (const std::string name : {"relu", "gelu", "gelu_new"}) {
    MadeUpFolder made_up = testing::t5_folder();
    made_up.config["feed_forward_proj"] = name;
    const std::string path = exported(read(made_up.write(folder_, std::to_string(count_++))));
    EXPECT_EQ(JsonFile::read(path, "config.json").text("feed_forward_proj", ""), name);
  }
  for (const std::string name : {"gated-gelu", "gated-gelu_python", "gated-swish"}) {
    const MadeUpFolder made_up = testing::gated_t5_folder(name);
    const std::string path = exported(read(made_up.write(folder_, std::to_string(count_++))));
    EXPECT_EQ(JsonFile::read(path, "config.json").text("feed_forward_proj", ""), name);
  }
}

TEST_F(HuggingFaceExportTest, TokensAddedToT5AreWritten) {
  const ModelFile file = read(testing::t5_folder().write(folder_, "t5"));
  const std::string path = exported(file);
  EXPECT_FALSE(JsonFile::read(path, "config.json").flag("scale_decoder_outputs", true));
  const nlohmann::json added = JsonFile::read(path, "tokenizer_config.json").find("added_tokens_decoder")[0];
  EXPECT_EQ(added.at("10").at("content"), "<2de>");
  EXPECT_EQ(added.at("10").at("special"), false);
  EXPECT_EQ(added.at("11").at("special"), true);
  const Vocabulary before = embedded_vocabularies(file).source,
                   after = embedded_vocabularies(read(path)).source;
  for (const char* line : {"<2de> ab", "a<extra_id_0>b", "e b ab"})
    EXPECT_EQ(before.encode(line), after.encode(line));
}

TEST_F(HuggingFaceExportTest, LanguagesOfAVocabularyAreToldTheSameWay) {
  VocabularySettings settings;
  settings.inputs = {folder_.write("text", GeneratedText(1).text(300).source)};
  settings.size = 40;
  settings.user_symbols = {"▁>>de<<", "▁>>fr<<"};
  const Vocabulary pieces = train_vocabulary(settings).vocabulary;
  const std::string path = exported(own({{"layer_norm_epsilon", "1e-05"}}, pieces));
  EXPECT_NE(JsonFile::read(path, "vocab.json").find(">>de<<"), nullptr) << "as MarianTokenizer wants it";
  const Vocabulary back = embedded_vocabularies(read(path)).source;
  EXPECT_EQ(back.languages(), pieces.languages());
  const Languages french{.target = "fr"};
  for (const std::string& line : testing::source_lines(5)) {
    EXPECT_EQ(back.for_languages(Side::source, french).encode(line),
              pieces.for_languages(Side::source, french).encode(line));
    EXPECT_EQ(back.encode(">>fr<< " + line), pieces.encode(">>fr<< " + line));
  }
}

TEST_F(HuggingFaceExportTest, TheDecoderBeginsWithPaddingWhereItBeganWithZero) {
  const ModelFile file = own({{"decoder_start", "zero"}, {"layer_norm_epsilon", "1e-05"}});
  const std::string path = exported(file);
  const JsonFile config = JsonFile::read(path, "config.json");
  const std::int64_t padding = testing::small_pieces().size();
  EXPECT_EQ(config.integer("pad_token_id", -1), padding);
  EXPECT_EQ(config.integer("decoder_start_token_id", -1), padding);
  EXPECT_EQ(config.integer("vocab_size", -1), padding + 1);
  EXPECT_EQ(JsonFile::read(path, "vocab.json").integer("<pad>", -1), padding);
  const std::string yaml = read(path).config();
  EXPECT_THAT(yaml, HasSubstr("decoder_start: zero"));
  EXPECT_THAT(yaml, HasSubstr(fmt::format("target_vocabulary: {}\n", padding)));
}

TEST_F(HuggingFaceExportTest, WeightsKeepTheirType) {
  const std::string path = exported(converted_model(own({}), DType::f16));
  EXPECT_EQ(JsonFile::read(path, "config.json").text("torch_dtype", ""), "float16");
  EXPECT_THAT(testing::complaint([&] { exported(converted_model(own({}), DType::i8)); }), HasSubstr("int8"));
}

TEST_F(HuggingFaceExportTest, WhatTransformersDoesNotHaveIsNamed) {
  const std::vector<std::pair<nlohmann::json, std::string>> refused = {
      {{{"norm", "both"}}, "norm both"},
      {{{"norm", "none"}}, "norm none"},
      {{{"norm_kind", "rms"}}, "norm_kind rms"},
      {{{"ffn_gate", "true"}}, "ffn_gate true"},
      {{{"linear_bias", "false"}}, "linear_bias false"},
      {{{"positions", "rotary"}}, "positions rotary"},
      {{{"final_norm", "true"}}, "final_norm"},
      {{{"ffn_layers", 3}}, "ffn_layers 3"},
      {{{"decoder_layer", "ssru"}}, "decoder_layer ssru"},
      {{{"layer_norm_epsilon", "0.001"}}, "layer_norm_epsilon"},
      {{{"embedding_scale", "2"}}, "embedding_scale 2"},
      {{{"norm", "pre"}}, "norm pre, final_norm true where model_type is marian"},
      {{{"norm", "pre"}, {"positions", "tensor2tensor"}, {"position_offset", 2}}, "output_bias"},
      {{{"norm", "pre"}, {"positions", "tensor2tensor"}, {"position_offset", 2}, {"output_bias", "false"}},
       "no languages"},
      {{{"norm", "pre"},
        {"norm_kind", "rms"},
        {"linear_bias", "false"},
        {"output_bias", "false"},
        {"positions", "relative"},
        {"attention_scale", "1"},
        {"embedding_scale", "1"}},
       "no <pad>"}};
  for (const auto& [overrides, message] : refused) {
    const ModelFile file = own(overrides);
    EXPECT_THAT(testing::complaint([&] { exported(file); }),
                AllOf(HasSubstr(message), HasSubstr("see doc/toolkits.md for other toolkits")))
        << overrides.dump();
  }
}

TEST_F(HuggingFaceExportTest, AFolderIsReplacedWhenThatIsAskedFor) {
  const ModelFile file = own({}), other = own({{"activation", "gelu"}});
  const std::string path = exported(file);
  EXPECT_THAT(testing::complaint([&] { export_model(other, "huggingface", path, false); }),
              HasSubstr("has files"));
  export_model(other, "huggingface", path, true);
  EXPECT_EQ(JsonFile::read(path, "config.json").text("activation_function", ""), "gelu");
  std::ofstream(path + "/notes") << "mine";
  EXPECT_THAT(testing::complaint([&] { export_model(file, "huggingface", path, true); }),
              HasSubstr("'notes'"));
  EXPECT_EQ(JsonFile::read(path, "config.json").text("activation_function", ""), "gelu");
  EXPECT_EQ(folder_.count(), 3) << "something temporary is left";
}

}  // namespace
}  // namespace nmt
