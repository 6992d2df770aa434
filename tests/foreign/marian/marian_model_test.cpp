#include "foreign/marian/marian_model.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "common/complaint.h"
#include "foreign/containers/numpy/npz.h"
#include "foreign/containers/zip_bytes.h"
#include "foreign/marian/marian_export.h"
#include "foreign/marian/marian_recurrent.h"
#include "translate/text_model.h"

namespace nmt {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

/// Settings of models that Marian supports.
const std::vector<nlohmann::json> kForms = {
    {{"activation", "swish"}},
    {{"source_direction", "right-to-left"}, {"target_direction", "right-to-left"}},
    {{"norm", "pre"}, {"tied_embeddings", "target"}, {"heads", 4}},
    {{"norm", "both"}, {"final_norm", "true"}, {"embedding_norm", "true"}, {"tied_embeddings", "inputs"}},
    {{"norm", "none"}, {"tied_embeddings", "none"}, {"output_bias", "false"}, {"activation", "gelu"}},
    {{"norm_kind", "rms"}, {"norm", "both"}, {"final_norm", "true"}, {"embedding_norm", "true"}},
    {{"norm_kind", "rms"}, {"decoder_layer", "average"}},
    {{"positions", "none"}, {"embedding_scale", 1}},
    {{"ffn_layers", 3}, {"decoder_ffn_layers", 1}, {"decoder_d_ff", 24}},
    {{"decoder_layer", "average"}, {"average_d_ff", 24}, {"activation", "gelu_sigmoid"}},
    {{"decoder_layer", "average"}, {"average_d_ff", 16}, {"average_gate", "false"}},
    {{"decoder_layers", 3}, {"tied_decoder_layers", "1 1 2"}},
    {{"decoder_layer", "ssru"}, {"decoder_layers", 2}, {"tied_decoder_layers", "1 1"}},
    {{"decoder_layer", "ssru"}, {"ssru_projection", "true"}, {"norm", "both"}},
    {{"type", "rnn"}},
    {{"type", "rnn"}, {"cell", "lstm"}, {"tied_embeddings", "none"}, {"output_bias", "false"}},
    {{"type", "rnn"},
     {"cell", "lstm"},
     {"encoder_layers", 3},
     {"decoder_layers", 3},
     {"encoder_directions", "alternating"},
     {"encoder_transition_depth", 2},
     {"decoder_base_transition_depth", 4},
     {"decoder_high_transition_depth", 2},
     {"skip_connections", "true"},
     {"layer_normalization", "true"}},
    {{"type", "rnn"},
     {"decoder_cell", "lstm"},
     {"encoder_layers", 3},
     {"encoder_directions", "bi-unidirectional"},
     {"layer_normalization", "true"},
     {"tied_embeddings", "inputs"}},
};

class MarianModelTest : public ::testing::TestWithParam<nlohmann::json> {
 protected:
  /// Writes a model file of these settings, with Marian's defaults for others.
  std::string written(nlohmann::json settings) {
    nlohmann::json all = {{"decoder_start", "zero"}};
    if (!settings.contains("type")) all["positions"] = "tensor2tensor";
    if (!settings.is_null()) all.update(settings);
    const SavedModel model = testing::text_model(*backend_, vocabulary_, all);
    save_model(folder_ / "m.safetensors", write_model_settings(model.settings), model.vocabularies,
               model.model->training_weights());
    return folder_ / "m.safetensors";
  }

  /// Writes the model as Marian's files in a folder.
  std::string exported(const nlohmann::json& settings = {}) {
    export_to_marian(ModelFile(written(settings)), folder_ / "");
    return folder_ / "";
  }

  TemporaryFolder folder_;
  std::unique_ptr<Backend> backend_ = open_backend({.device = "cpu", .precision = "f32"});
  Vocabulary vocabulary_ = testing::text_vocabulary();
};

TEST_P(MarianModelTest, ComesBackAsItWas) {
  const std::string folder = exported(GetParam());
  const ModelFile before(folder_ / "m.safetensors"), after = open_model_file(folder);
  ASSERT_EQ(toolkit_of(folder), "Marian");
  EXPECT_TRUE(embedded_vocabularies(after).target == vocabulary_);
  ASSERT_EQ(after.tensors().size(), before.tensors().size());
  for (const FileTensor& tensor : before.tensors()) {
    const FileTensor* other = after.find(tensor.name);
    ASSERT_NE(other, nullptr) << tensor.name;
    ASSERT_EQ(other->shape, tensor.shape) << tensor.name;
    EXPECT_EQ(std::memcmp(other->read().data(), tensor.read().data(), tensor.bytes()), 0) << tensor.name;
  }
  const SavedModel a = blank_model(before), b = blank_model(after);
  for (const char* setting :
       {"norm", "norm_kind", "activation", "decoder_layer", "positions", "embedding_scale", "cell",
        "encoder_directions", "skip_connections", "source_direction", "target_direction"}) {
    EXPECT_EQ(b.settings.count(setting), a.settings.count(setting)) << setting;
    if (a.settings.contains(setting)) {
      EXPECT_EQ(b.settings.at(setting), a.settings.at(setting)) << setting;
    }
  }
  EXPECT_EQ(b.decoding.at("beam_rules"), "marian");
}
INSTANTIATE_TEST_SUITE_P(Forms, MarianModelTest, ::testing::ValuesIn(kForms));

// The names are those of layerNorm() and rmsNorm() in Marian's layers/generic.h.
TEST_F(MarianModelTest, NamesOfNormalizations) {
  exported({{"norm_kind", "rms"}, {"norm", "both"}, {"final_norm", "true"}, {"embedding_norm", "true"}});
  const auto file = open_npz(folder_ / "model.npz");
  for (const char* name : {"encoder_l1_self_Wo_rms_scale", "encoder_l1_self_Wo_rms_scale_pre",
                           "decoder_l1_context_Wo_rms_scale_pre", "decoder_l1_ffn_ffn_rms_scale",
                           "encoder_emb_rms_scale_pre", "decoder_top_rms_scale"})
    EXPECT_TRUE(file->entries().contains(name)) << name;
  for (const auto& [name, entry] : file->entries()) EXPECT_THAT(name, ::testing::Not(HasSubstr("_ln_")));
  const std::string config = file->read_text("special:model.yml");
  for (const char* option : {"transformer-preprocess: r\n", "transformer-postprocess: dar\n",
                             "transformer-postprocess-emb: dr\n", "transformer-postprocess-top: r\n"})
    EXPECT_THAT(config, HasSubstr(option));
}

TEST_F(MarianModelTest, PackedAsAZipArchive) {
  exported();
  std::vector<testing::ZipEntry> files;
  for (const std::string name : {"model.npz", "source.spm", "target.spm", "decoder.yml"})
    files.push_back({name, std::string(map_file(folder_ / name).text()), true});
  const std::string archive = folder_.write("model.zip", testing::zip_bytes(files));
  const ModelFile packed = open_model_file(archive), apart = open_model_file(folder_ / "");
  EXPECT_EQ(packed.checksum(), apart.checksum());
  files.erase(files.begin());
  const std::string cut = folder_.write("cut.zip", testing::zip_bytes(files));
  EXPECT_THAT(testing::complaint([&] { open_model_file(cut); }),
              HasSubstr("names the model 'model.npz', which does not exist"));
}

TEST_F(MarianModelTest, NamedByTheConfigurationOfAScorer) {
  exported();
  const std::string scorer = folder_.write(
      "scorer.yml", "relative-paths: true\nmodel: model.npz\nvocabs: [source.spm, target.spm]\n");
  const ModelFile file = open_model_file(scorer), same = open_model_file(folder_ / "");
  EXPECT_EQ(blank_model(file).settings, blank_model(same).settings);
  EXPECT_EQ(file.tensors().size(), same.tensors().size());
  EXPECT_TRUE(embedded_vocabularies(file).target == vocabulary_);
  const std::string models_alone = folder_.write("train.yml", "relative-paths: true\nmodel: model.npz\n");
  EXPECT_EQ(toolkit_of(models_alone), "");
}

TEST_F(MarianModelTest, WhatTheFormatCannotHold) {
  for (const auto& [setting, value] :
       std::vector<std::pair<std::string, std::string>>{{"positions", "sinusoidal"},
                                                        {"positions", "rotary"},
                                                        {"decoder_start", "bos"},
                                                        {"embedding_scale", "1"},
                                                        {"activation", "gelu_tanh"},
                                                        {"layer_norm_epsilon", "1e-05"}}) {
    const nlohmann::json settings = {{setting, value}};
    EXPECT_THAT(testing::complaint([&] { exported(settings); }),
                AllOf(HasSubstr("cannot become a model of Marian"), HasSubstr(setting + " " + value)));
  }
}

TEST_F(MarianModelTest, EmbeddingsWithoutPositionsAreNotScaled) {
  EXPECT_THAT(testing::complaint([&] {
                exported({{"positions", "none"}});
              }),
              HasSubstr("embedding_scale sqrt where transformer-disable-position-embeddings is true"));
}

TEST_F(MarianModelTest, WhatTheFormatOfRecurrentModelsCannotHold) {
  const auto complaint = [&](nlohmann::json settings) {
    settings["type"] = "rnn";
    return testing::complaint([&] { exported(settings); });
  };
  EXPECT_THAT(complaint({{"decoder_start", "bos"}}), HasSubstr("does not support decoder_start bos"));
  EXPECT_THAT(complaint({{"layer_normalization", "true"}, {"layer_norm_epsilon", "1e-05"}}),
              HasSubstr("does not support layer_norm_epsilon 1e-05"));
  EXPECT_EQ(complaint({{"layer_norm_epsilon", "1e-05"}}), "") << "there is none to add it to";
}

/// Returns the tensors of a file with other names.
std::vector<OutputTensor> renamed(const TensorFile& file, std::string (*name_of)(const std::string& name)) {
  std::vector<OutputTensor> tensors;
  for (const auto& [name, entry] : file.entries()) {
    if (name.starts_with("special:")) continue;
    tensors.push_back({name_of(name), ElementType::f32, entry.shape,
                       [values = file.read(name)](RowRange) { return bytes_of(values); }});
  }
  return tensors;
}

TEST_F(MarianModelTest, NamesOfAmun) {
  EXPECT_EQ(amun_name("encoder_bi_r_Wx"), "encoder_r_Wx");
  EXPECT_EQ(amun_name("encoder_bi_gamma1"), "encoder_gamma1");
  EXPECT_EQ(amun_name("decoder_cell2_Wx"), "decoder_Wcx");
  EXPECT_EQ(amun_name("decoder_W_comb_att"), "decoder_W_comb_att");
  EXPECT_EQ(amun_name("decoder_ff_state_b"), "ff_state_b");
  EXPECT_EQ(amun_name("decoder_ff_logit_l1_gamma2"), "ff_logit_l1_gamma2");
  for (const std::string tying : {"none", "all"}) {
    const nlohmann::json settings = {{"type", "rnn"}, {"tied_embeddings", tying}};
    exported(settings);
    const std::string path = folder_ / "model.npz";
    const ModelFile before = open_model_file(folder_ / "");
    const auto file = open_npz(path);
    std::string config = file->read_text("special:model.yml");
    config.replace(config.find("s2s"), 3, "amun");
    std::vector<OutputTensor> tensors = renamed(*file, amun_name);
    tensors.push_back(
        {"decoder_c_tt", ElementType::f32, {1, 0}, [](RowRange) { return std::vector<std::byte>(); }});
    write_npz(path, std::move(tensors), config);
    EXPECT_EQ(open_model_file(folder_ / "").checksum(), before.checksum());
  }
}

TEST_F(MarianModelTest, AFileAloneNeedsItsVocabularies) {
  exported();
  const std::string file = folder_ / "model.npz", source = folder_ / "source.spm";
  EXPECT_TRUE(embedded_vocabularies(open_model_file(file)).source == vocabulary_) << "decoder.yml names both";
  std::filesystem::remove(folder_ / "decoder.yml");
  EXPECT_THAT(testing::complaint([&] { open_model_file(file); }), HasSubstr("`vocab`"));
  EXPECT_EQ(embedded_vocabularies(open_model_file(file, {source, source})).shared(), true);
  EXPECT_THAT(testing::complaint([&] {
                open_model_file(folder_ / "m.safetensors", {source, source});
              }),
              HasSubstr("has its vocabularies inside"));
}

TEST_F(MarianModelTest, LengthsOfTraining) {
  exported();
  const auto trained_length = [&] { return blank_model(open_model_file(folder_ / "")).trained_length; };
  const std::string decoder(map_file(folder_ / "decoder.yml").text());
  EXPECT_EQ(trained_length(), std::nullopt) << "no file says";
  folder_.write("model.npz.yml", "type: transformer\nmax-length: 101\nmax-length-crop: true\n");
  EXPECT_EQ(trained_length(), 100) << "EOS is not counted";
  folder_.write("decoder.yml", decoder + "max-length: 1000\n");
  EXPECT_EQ(trained_length(), 100) << "a decoder may take more than training did";
  folder_.write("decoder.yml", decoder + "max-length-break: 64\n");
  EXPECT_EQ(trained_length(), 64) << "EOS is not counted here";
}

TEST_F(MarianModelTest, TensorsThatAreTooManyOrTooFew) {
  exported();
  const std::string path = folder_ / "model.npz";
  const auto file = open_npz(path);
  std::vector<OutputTensor> tensors;
  for (const auto& [name, entry] : file->entries()) {
    if (name.starts_with("special:")) continue;
    tensors.push_back({name, ElementType::f32, entry.shape,
                       [values = file->read(name)](RowRange) { return bytes_of(values); }});
  }
  const std::string config = file->read_text("special:model.yml");
  OutputTensor last = tensors.back();
  tensors.pop_back();
  write_npz(path, tensors, config);
  EXPECT_THAT(testing::complaint([&] { open_model_file(folder_ / ""); }),
              AllOf(HasSubstr(last.name), HasSubstr("not complete")));
  tensors.push_back(last);
  last.name = "encoder_l1_self_Wx";
  tensors.push_back(last);
  write_npz(path, tensors, config);
  EXPECT_THAT(testing::complaint([&] { open_model_file(folder_ / ""); }), HasSubstr("'encoder_l1_self_Wx'"));
}

}  // namespace
}  // namespace nmt
