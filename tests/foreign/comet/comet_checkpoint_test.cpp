#include "foreign/comet/comet_checkpoint.h"

#include <gmock/gmock.h>

#include <cmath>
#include <filesystem>

#include "common/complaint.h"
#include "foreign/comet/made_up_comet.h"
#include "foreign/open.h"
#include "foreign/weights_of_file.h"
#include "translate/text_model.h"

namespace nmt {
namespace {

namespace fs = std::filesystem;

using nlohmann::json;
using ::testing::AllOf;
using ::testing::AnyOf;
using ::testing::ElementsAre;
using ::testing::FloatNear;
using ::testing::HasSubstr;
using testing::kWidth;
using testing::MadeUpComet;
using testing::weight;

class CometCheckpoint : public ::testing::Test {
 protected:
  std::string write(const MadeUpComet& made_up) { return made_up.write(folder_, std::to_string(count_++)); }
  ModelSettings settings(const MadeUpComet& made_up) {
    return read_comet_checkpoint(write(made_up), {}).settings;
  }
  std::string setting(const MadeUpComet& made_up, const std::string& name) { return settings(made_up)[name]; }
  std::vector<float> mix(const MadeUpComet& made_up) {
    return weight(open_model_file(write(made_up)), "mix.weight");
  }
  std::string complaint_at(const std::string& path, const ForeignFiles& files = {}) {
    return testing::complaint([&] { open_model_file(path, files); });
  }
  std::string complaint(const MadeUpComet& made_up) { return complaint_at(write(made_up)); }
  /// Returns the complaint about a checkpoint with this hyperparameter.
  std::string complaint_with(const std::string& key, const json& value, const std::string& kind = "") {
    MadeUpComet made_up(2);
    if (!kind.empty()) made_up.unify(kind);
    if (!kind.empty()) made_up.add_linear("hidden2tag", 4, kWidth);
    made_up.hparams[key] = value;
    return complaint(made_up);
  }

  TemporaryFolder folder_;
  int count_ = 0;
};

TEST_F(CometCheckpoint, HasTheSettingsOfItsEncoderAndEstimator) {
  MadeUpComet made_up(2);
  made_up.mix({0, 0, 1}, 1);
  const ModelSettings all = settings(made_up);
  const std::map<std::string, std::string> expected = {{"type", "comet"},
                                                       {"kind", "regression"},
                                                       {"d_model", "8"},
                                                       {"d_ff", "12"},
                                                       {"heads", "2"},
                                                       {"encoder_layers", "2"},
                                                       {"norm", "post"},
                                                       {"final_norm", "false"},
                                                       {"embedding_norm", "true"},
                                                       {"activation", "gelu"},
                                                       {"position_offset", "2"},
                                                       {"max_positions", "20"},
                                                       {"layer_norm_epsilon", "1e-05"},
                                                       {"pooling", "mean"},
                                                       {"mix_norm", "true"},
                                                       {"estimator_sizes", "6 5"},
                                                       {"output_activation", "none"},
                                                       {"severities", "none"}};
  for (const auto& [name, value] : expected) EXPECT_EQ(all.at(name), value) << name;
}

TEST_F(CometCheckpoint, PositionsIncludeTheTokenType) {
  const MadeUpComet made_up;
  const std::vector<float> ours = weight(open_model_file(write(made_up)), "source_positions.weight");
  const std::string embeddings = "encoder.model.embeddings.";
  const std::vector<float>&positions = made_up.tensors.at(embeddings + "position_embeddings.weight").values,
        &type = made_up.tensors.at(embeddings + "token_type_embeddings.weight").values;
  ASSERT_EQ(ours.size(), positions.size());
  EXPECT_EQ(ours[kWidth + 3], positions[kWidth + 3] + type[3]);
}

// unbabel-comet takes the class and sparsemax_patch from hparams.yaml, and all else from the checkpoint.
TEST_F(CometCheckpoint, HyperparametersInTheCheckpointWin) {
  MadeUpComet made_up;
  made_up.hparams["pool"] = "max";
  EXPECT_EQ(setting(made_up, "pooling"), "max");
  made_up.in_checkpoint = {{"pool", "cls"}, {"class_identifier", "unified_metric"}};
  const ModelSettings all = settings(made_up);
  EXPECT_EQ(all.at("pooling"), "first");
  EXPECT_EQ(all.at("kind"), "regression");
  made_up.in_checkpoint.erase("pool");
  EXPECT_EQ(setting(made_up, "pooling"), "mean");
}

TEST_F(CometCheckpoint, DefaultsDependOnTheClass) {
  MadeUpComet made_up;
  EXPECT_EQ(setting(made_up, "mix_norm"), "true");
  made_up.mix({0.5, 0.1}, 1);
  EXPECT_THAT(mix(made_up), ElementsAre(FloatNear(0.5987F, 1e-4F), FloatNear(0.4013F, 1e-4F)));  // softmax
  made_up.unify();
  EXPECT_EQ(setting(made_up, "mix_norm"), "true");
  EXPECT_EQ(setting(made_up, "pooling"), "first");
  EXPECT_EQ(setting(made_up, "inputs"), "both");
  EXPECT_THAT(mix(made_up), ElementsAre(FloatNear(0.7F, 1e-6F), FloatNear(0.3F, 1e-6F)));  // sparsemax
  made_up.unify("xcomet_metric");
  made_up.add_linear("hidden2tag", 4, kWidth);
  const ModelSettings all = settings(made_up);
  EXPECT_EQ(all.at("mix_norm"), "false");
  EXPECT_EQ(all.at("severities"), "minor major critical");
  EXPECT_EQ(all.at("word_layer"), "1");
}

TEST_F(CometCheckpoint, LayersAreMixedBySoftmaxTimesGamma) {
  MadeUpComet made_up;
  made_up.mix({0, std::log(3.0F)}, 2);
  EXPECT_THAT(mix(made_up), ElementsAre(FloatNear(0.5F, 1e-6F), FloatNear(1.5F, 1e-6F)));
  made_up.mix({3e38F, -3e38F}, -1);
  EXPECT_THAT(mix(made_up), ElementsAre(-1, 0));
}

TEST_F(CometCheckpoint, LayersWithoutWeightAreLeftOut) {
  MadeUpComet made_up(2);
  made_up.hparams["layer_transformation"] = "sparsemax";
  made_up.mix({1, 0.5, -3}, 1);
  EXPECT_THAT(mix(made_up), ElementsAre(0.75, 0.25));
  EXPECT_EQ(setting(made_up, "encoder_layers"), "1");
  made_up.mix({9, 0, 0}, 1);  // the embeddings alone, but a model has a layer
  EXPECT_THAT(mix(made_up), ElementsAre(1, 0));
  made_up.mix({0, 0, 0}, 0);
  EXPECT_THAT(mix(made_up), ElementsAre(0, 0));
  // CometKiwi was trained with a sparsemax that runs as softmax.
  made_up.hparams["layer_transformation"] = "sparsemax_patch";
  made_up.in_checkpoint = {{"layer_transformation", "sparsemax"}};
  made_up.mix({0, 0, 0}, 3);
  EXPECT_THAT(mix(made_up), ElementsAre(1, 1, 1));
}

TEST_F(CometCheckpoint, ErrorsNeedTheirLayer) {
  MadeUpComet made_up(3);
  made_up.unify();
  made_up.add_linear("hidden2tag", 3, kWidth);
  made_up.mix({9, 0, 0, 0}, 1);
  EXPECT_EQ(setting(made_up, "severities"), "none");
  made_up.hparams["word_level_training"] = true;
  made_up.hparams["word_layer"] = 2;
  const ModelSettings all = settings(made_up);
  EXPECT_EQ(all.at("severities"), "minor major");
  EXPECT_EQ(all.at("word_layer"), "2");
  EXPECT_EQ(all.at("encoder_layers"), "2");
  EXPECT_THAT(mix(made_up), ElementsAre(1, 0, 0));
}

TEST_F(CometCheckpoint, OneHiddenStateCanBeChosen) {
  MadeUpComet made_up(3);
  made_up.hparams["layer"] = 2;
  EXPECT_THAT(mix(made_up), ElementsAre(0, 0, 1));
  EXPECT_EQ(setting(made_up, "mix_norm"), "false");
  made_up.hparams["layer"] = 0;
  EXPECT_THAT(mix(made_up), ElementsAre(1, 0));
  // The encoder's own vector of the sentence is that of its last layer, whatever `layer` says.
  made_up.hparams["pool"] = "default";
  EXPECT_THAT(mix(made_up), ElementsAre(0, 0, 0, 1));
  EXPECT_EQ(setting(made_up, "pooling"), "first");
}

TEST_F(CometCheckpoint, LayersOfXlNormalizeFirst) {
  MadeUpComet made_up(2, true);
  const ModelSettings all = settings(made_up);
  EXPECT_EQ(all.at("norm"), "pre");
  EXPECT_EQ(all.at("embedding_norm"), "false");
  EXPECT_EQ(all.at("final_norm"), "true");
  const std::string layer = "encoder.model.encoder.layer.0.";
  const ModelFile file = open_model_file(write(made_up));
  EXPECT_EQ(weight(file, "encoder.layers.0.norm1.weight"),
            made_up.tensors.at(layer + "attention.self_attn_layer_norm.weight").values);
  EXPECT_EQ(weight(file, "encoder.layers.0.norm2.weight"),
            made_up.tensors.at(layer + "LayerNorm.weight").values);
  made_up.hparams["layer"] = 1;  // which is not normalized
  EXPECT_EQ(setting(made_up, "final_norm"), "false");
}

TEST_F(CometCheckpoint, MiniLmCountsPositionsFromZero) {
  MadeUpComet made_up;
  made_up.hparams["encoder_model"] = "MiniLM";
  const ModelSettings all = settings(made_up);
  EXPECT_EQ(all.at("position_offset"), "0");
  EXPECT_EQ(all.at("max_positions"), "18");
  EXPECT_EQ(all.at("layer_norm_epsilon"), "1e-12");
}

TEST_F(CometCheckpoint, HeadsComeFromTheConfigurationOfTheEncoder) {
  MadeUpComet made_up;
  made_up.encoder = {{"num_attention_heads", 4}, {"layer_norm_eps", 1e-6}, {"hidden_act", "relu"}};
  const ModelSettings all = settings(made_up);
  EXPECT_EQ(all.at("heads"), "4");
  EXPECT_EQ(all.at("layer_norm_epsilon"), "1e-06");
  EXPECT_EQ(all.at("activation"), "relu");
  made_up.encoder = nullptr;
  EXPECT_THAT(complaint(made_up), AllOf(HasSubstr("how many attention heads its encoder has"),
                                        HasSubstr("config.json"), HasSubstr("some/encoder")));
  made_up.encoder = {{"num_attention_heads", 3}};
  EXPECT_THAT(complaint(made_up), AllOf(HasSubstr("model.ckpt'"), HasSubstr("heads")));
}

TEST_F(CometCheckpoint, TextsThatAUnifiedModelReads) {
  MadeUpComet made_up;
  made_up.unify();
  for (const auto& [segments, inputs] :
       {std::pair{json{"mt", "src"}, "source"}, {json{"ref", "mt"}, "reference"}, {json(), "both"}}) {
    made_up.hparams["input_segments"] = segments;
    EXPECT_EQ(setting(made_up, "inputs"), inputs);
  }
  made_up.hparams["input_segments"] = json{"mt"};
  EXPECT_THAT(complaint(made_up), HasSubstr("neither src nor ref"));
}

/// Finds which of many tokenizers is read: the others are damaged.
class CometTokenizer : public CometCheckpoint {
 protected:
  CometTokenizer() : made_up_(MadeUpComet()) {
    made_up_.files.clear();
    made_up_.encoder = nullptr;
    path_ = made_up_.write(folder_, "outer/comet");
  }
  void put(const std::string& place, const std::string& bytes) {
    const fs::path folder = folder_ / place;
    MadeUpComet::put(folder / "sentencepiece.bpe.model", bytes);
    MadeUpComet::put(folder / "config.json", R"({"num_attention_heads": 2})");
  }

  MadeUpComet made_up_;
  std::string path_;
};

TEST_F(CometTokenizer, IsSearchedInAndNextToTheCheckpoint) {
  EXPECT_THAT(complaint_at(path_),
              AllOf(HasSubstr("the tokenizer of"), HasSubstr("some/encoder"), HasSubstr("--vocab")));
  const std::vector<std::string> places = {"outer/some/encoder",       "outer/encoder",
                                           "outer/comet/some/encoder", "outer/comet/encoder",
                                           "outer/comet/tokenizer",    "outer/comet"};
  for (const std::string& place : places) {  // each is preferred to those before it
    put(place, testing::comet_pieces().bytes());
    EXPECT_EQ(complaint_at(path_), "") << place;
    put(place, "damaged");
    EXPECT_THAT(complaint_at(path_), HasSubstr("sentencepiece.bpe.model'")) << place;
  }
}

TEST_F(CometTokenizer, IsTheOneThatIsNamed) {
  put("outer/comet", "damaged");
  put("elsewhere", testing::comet_pieces().bytes());
  const std::string folder = folder_ / "elsewhere";
  for (const std::string& named : {folder, folder + "/sentencepiece.bpe.model"})
    EXPECT_EQ(complaint_at(path_, {.source_vocabulary = named, .target_vocabulary = named}), "") << named;
  const std::string none = folder_ / "outer", missing = folder + "/missing";
  EXPECT_THAT(complaint_at(path_, {.source_vocabulary = none, .target_vocabulary = none}),
              HasSubstr("has neither sentencepiece.bpe.model nor tokenizer.json"));
  EXPECT_THAT(complaint_at(path_, {.source_vocabulary = missing, .target_vocabulary = missing}),
              HasSubstr("cannot read '" + missing + "'"));
  EXPECT_THAT(complaint_at(path_, {.source_vocabulary = folder}), HasSubstr("has one tokenizer"));
}

TEST_F(CometTokenizer, IsAtThePathThatTheHyperparametersName) {
  put("elsewhere", testing::comet_pieces().bytes());
  made_up_.hparams["pretrained_model"] = folder_ / "elsewhere";
  EXPECT_EQ(complaint_at(made_up_.write(folder_, "other")), "");
}

TEST_F(CometTokenizer, HasAtMostTheRowsOfTheTable) {
  put("outer/comet", testing::text_vocabulary(true).bytes());
  EXPECT_NE(complaint_at(path_), "");
}

TEST_F(CometCheckpoint, IsAFolderOrTheFileInIt) {
  const std::string path = write(MadeUpComet());
  EXPECT_TRUE(is_comet_checkpoint(path));
  EXPECT_TRUE(is_comet_checkpoint(path + "/"));
  EXPECT_TRUE(is_comet_checkpoint(path + "/checkpoints/model.ckpt"));
  EXPECT_EQ(complaint_at(path + "/checkpoints/model.ckpt"), "");
  EXPECT_FALSE(is_comet_checkpoint(path + "/checkpoints"));
  EXPECT_FALSE(is_comet_checkpoint(path + "/hparams.yaml"));
  fs::rename(path + "/checkpoints/model.ckpt", path + "/epoch=1.ckpt");
  EXPECT_EQ(complaint_at(path), "");
  fs::copy(path + "/epoch=1.ckpt", path + "/epoch=2.ckpt");
  EXPECT_THAT(complaint_at(path), AllOf(HasSubstr("several checkpoints"), HasSubstr("epoch=1.ckpt'")));
  EXPECT_EQ(complaint_at(path + "/epoch=2.ckpt"), "");
  fs::copy(path + "/epoch=1.ckpt", path + "/model.ckpt");
  EXPECT_EQ(complaint_at(path), "");
  fs::remove(path + "/hparams.yaml");
  EXPECT_FALSE(is_comet_checkpoint(path));
}

TEST_F(CometCheckpoint, FeaturesThatAreNotSupportedAreNamed) {
  const std::map<std::string, std::vector<json>> unsupported = {
      {"encoder_model", {"BERT", "RemBERT", 5}},
      {"class_identifier", {"ranking_metric", nullptr, 1, "regression"}},
      {"activations", {"Sigmoid", 3}},
      {"final_activation", {"Softmax", false}},
      {"pool", {"mean", 1, "", json::array()}},
      {"layer", {"last", -1, 3, 1'000'000'000, 1.5, "2", true, json::array()}},
      {"layer_norm", {"true", 1}},
      {"layer_transformation", {5}},
      {"pretrained_model", {5}}};
  for (const auto& [key, values] : unsupported) {
    for (const json& value : values) {
      EXPECT_THAT(complaint_with(key, value), AllOf(HasSubstr("hparams.yaml'"), HasSubstr(key)))
          << value.dump();
    }
  }
  EXPECT_THAT(complaint_with("class_identifier", "ranking_metric"),
              HasSubstr(R"(class_identifier is "ranking_metric", not a kind of metric that nmt supports)"));
  EXPECT_THAT(complaint_with("layer", 3), HasSubstr("layer is 3, not the number of a hidden state, 0 to 2"));
}

TEST_F(CometCheckpoint, HyperparametersOfErrorsAreChecked) {
  const std::map<std::string, std::vector<json>> wrong = {
      {"word_layer", {-1, 3, 1'000'000'000, "2", 1.0, 18446744073709551615ULL}},
      {"sent_layer", {-1, 3, "last"}},
      {"error_labels",
       {json::array({"minor"}), json::array({"a", "b", "c d"}), json::array({"a", "b", "c\nheads: 3"}),
        "minor", json::array({1, 2, 3})}}};
  for (const auto& [key, values] : wrong) {
    for (const json& value : values) {
      EXPECT_THAT(complaint_with(key, value, "xcomet_metric"),
                  AllOf(HasSubstr("hparams.yaml'"), HasSubstr(key)))
          << value.dump();
    }
  }
  // What only training reads does not matter.
  EXPECT_EQ(complaint_with("hidden_sizes", {-5, 1e300, "wide"}, "xcomet_metric"), "");
}

TEST_F(CometCheckpoint, EncodersThatAreNotSupportedAreNamed) {
  for (const auto& [key, value] : std::vector<std::pair<std::string, json>>{{"hidden_act", "mish"},
                                                                            {"hidden_act", 1},
                                                                            {"layer_norm_eps", "small"},
                                                                            {"num_attention_heads", 1.5}}) {
    MadeUpComet made_up;
    made_up.encoder[key] = value;
    EXPECT_THAT(complaint(made_up), AllOf(HasSubstr("config.json'"), HasSubstr(key))) << value.dump();
  }
  for (const json& epsilon : {json(-1), json(1e300)}) {
    MadeUpComet made_up;
    made_up.encoder["layer_norm_eps"] = epsilon;
    EXPECT_THAT(complaint(made_up), AllOf(HasSubstr("model.ckpt'"), HasSubstr("layer_norm_epsilon")));
  }
}

TEST_F(CometCheckpoint, TensorsThatDoNotFitAreNamed) {
  for (const char* name :
       {"encoder.model.embeddings.word_embeddings.weight",
        "encoder.model.embeddings.position_embeddings.weight", "encoder.model.embeddings.LayerNorm.bias",
        "encoder.model.encoder.layer.0.attention.self.query.weight",
        "encoder.model.encoder.layer.0.intermediate.dense.bias", "estimator.ff.3.bias",
        "layerwise_attention.gamma", "layerwise_attention.scalar_parameters.1"}) {
    MadeUpComet made_up;
    made_up.tensors.erase(name);
    EXPECT_THAT(complaint(made_up), AllOf(HasSubstr("model.ckpt' has no tensor"), HasSubstr(name)));
    for (const std::vector<std::int64_t>& shape :
         std::vector<std::vector<std::int64_t>>{{3, 3}, {1, 2, 1}, {}}) {
      MadeUpComet other;
      other.add(name, shape);
      EXPECT_THAT(complaint(other), AnyOf(HasSubstr("model.ckpt'"), HasSubstr("sentencepiece.bpe.model'")))
          << name;
    }
    MadeUpComet infinite;
    infinite.tensors.at(name).values.back() = INFINITY;
    EXPECT_THAT(complaint(infinite), AllOf(HasSubstr("model.ckpt'"), HasSubstr(name)));
  }
}

TEST_F(CometCheckpoint, TokenTypesAreAsWideAsPositions) {
  for (const std::int64_t width : {std::int64_t{1}, kWidth - 1, kWidth + 1}) {
    MadeUpComet made_up;
    made_up.add("encoder.model.embeddings.token_type_embeddings.weight", {1, width});
    EXPECT_THAT(complaint(made_up), AllOf(HasSubstr("model.ckpt'"), HasSubstr("token types")));
  }
}

TEST_F(CometCheckpoint, SequencesHaveRoomForTexts) {
  for (const std::int64_t positions : {1, 2, 3, 5}) {
    MadeUpComet made_up;
    made_up.add("encoder.model.embeddings.position_embeddings.weight", {positions, kWidth});
    EXPECT_THAT(complaint(made_up), AllOf(HasSubstr("model.ckpt'"), HasSubstr("position"))) << positions;
    made_up.hparams["encoder_model"] = "MiniLM";
    EXPECT_THAT(complaint(made_up), AllOf(HasSubstr("model.ckpt'"), HasSubstr("position"))) << positions;
  }
}

TEST_F(CometCheckpoint, EstimatorHasOneOutput) {
  MadeUpComet made_up;
  made_up.add_linear("estimator.ff.6", 2, 5);
  EXPECT_THAT(complaint(made_up), HasSubstr("the estimator is not a network with one output"));
  made_up.add_linear("estimator.ff.6", 1, 4);
  EXPECT_THAT(complaint(made_up), HasSubstr("estimator.output.weight"));
  for (const char* name : {"estimator.ff.3.weight", "estimator.ff.6.weight"}) made_up.tensors.erase(name);
  EXPECT_THAT(complaint(made_up), HasSubstr("the estimator is not a network with one output"));
}

TEST_F(CometCheckpoint, DamagedFilesAreNamed) {
  const MadeUpComet made_up;
  const std::string path = write(made_up), checkpoint = path + "/checkpoints/model.ckpt";
  const std::string bytes = made_up.bytes();
  for (const std::size_t size :
       {std::size_t{0}, std::size_t{1}, std::size_t{100}, bytes.size() / 2, bytes.size() - 1}) {
    MadeUpComet::put(checkpoint, bytes.substr(0, size));
    EXPECT_THAT(complaint_at(path), HasSubstr("model.ckpt'")) << size;
  }
  MadeUpComet::put(checkpoint, testing::training_checkpoint(made_up.tensors, "model", {}));
  EXPECT_THAT(complaint_at(path), HasSubstr("model.ckpt'"));
  MadeUpComet::put(checkpoint, bytes);
  EXPECT_EQ(complaint_at(path), "");
  for (const std::string text : {"", "just text", "- a\n", "a: [", "\xFF\xFE", "class_identifier: ~\n"}) {
    MadeUpComet::put(path + "/hparams.yaml", text);
    EXPECT_THAT(complaint_at(path), HasSubstr("hparams.yaml'")) << text;
  }
}

// Only a dictionary is read.
TEST_F(CometCheckpoint, HyperparametersOfAnotherTypeAreLeftOut) {
  for (const json& value : {json("text"), json(5), json::array({1})}) {
    MadeUpComet made_up;
    made_up.hparams["pool"] = "max";
    made_up.in_checkpoint = value;
    EXPECT_EQ(setting(made_up, "pooling"), "max");
  }
}

TEST_F(CometCheckpoint, MessagesNameTheFileOfASetting) {
  MadeUpComet made_up;
  made_up.in_checkpoint = {{"pool", "mean"}};
  EXPECT_THAT(complaint(made_up), HasSubstr("model.ckpt': pool is \"mean\", none of avg"));
}

}  // namespace
}  // namespace nmt
