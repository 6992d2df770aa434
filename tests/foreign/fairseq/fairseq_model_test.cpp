// Tests reading models of fairseq. The checkpoint in tests/data/fairseq has the weights of the model in
// tests/data/fsmt, so its translations are those of transformers (see tests/fixtures/fsmt.py).
#include "foreign/fairseq/fairseq_model.h"

#include <gmock/gmock.h>

#include <fstream>
#include <nlohmann/json.hpp>

#include "backend/factory.h"
#include "common/complaint.h"
#include "common/reference_data.h"
#include "common/test_data.h"
#include "foreign/containers/damage.h"
#include "foreign/containers/pytorch/torch_checkpoint.h"
#include "foreign/fairseq/fairseq_text.h"
#include "foreign/fairseq/made_up_checkpoint.h"
#include "foreign/open.h"
#include "foreign/weights_of_file.h"
#include "nn/saved/saved_model.h"
#include "translate/scoring/scorer.h"
#include "translate/service/translator.h"

namespace nmt {
namespace {

using nlohmann::json;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsSupersetOf;
using testing::MadeUpCheckpoint;
using ::testing::Pair;
using testing::pickled_dict;
using testing::pickled_object;
using testing::weight;

class FairseqModelTest : public ::testing::Test {
 protected:
  ForeignModel read(const MadeUpCheckpoint& made_up) { return read(made_up, made_up.bytes()); }
  ForeignModel read(const MadeUpCheckpoint& made_up, const std::string& bytes) {
    return read_fairseq_model(made_up.write(folder_, std::to_string(count_++), bytes));
  }
  ModelFile file(const MadeUpCheckpoint& made_up) { return model_with(read(made_up), "model"); }
  std::string complaint(const MadeUpCheckpoint& made_up) {
    return testing::complaint([&] { file(made_up); });
  }
  void expect_same_weights(const MadeUpCheckpoint& a, const MadeUpCheckpoint& b) {
    const ModelFile one = file(a), other = file(b);
    for (const FileTensor& tensor : one.tensors()) {
      const FileTensor* same = other.find(tensor.name);
      ASSERT_NE(same, nullptr) << tensor.name;
      EXPECT_EQ(std::memcmp(tensor.read().data(), same->read().data(), tensor.bytes()), 0) << tensor.name;
    }
  }

  TemporaryFolder folder_;
  int count_ = 0;
};

TEST(FairseqAnswers, AreThoseOfTransformersWithTheSameWeights) {
  const std::string folder = testing::test_data("fairseq");
  const std::unique_ptr<Backend> backend = open_backend({.device = "cpu", .threads = 1});
  const SavedModel model = open_model(open_model_file(folder), *backend);
  std::vector<std::string> sources, greedy, beam;
  std::vector<Example> examples;
  std::vector<std::vector<double>> scores;
  for (const json& answer : json::parse(testing::contents_of(testing::test_data("fsmt/answers.json")))) {
    if (!answer["is_normal"].get<bool>()) continue;  // fairseq does not normalize text
    sources.push_back(answer["source"]);
    greedy.push_back(answer["greedy"]);
    beam.push_back(answer["beam4"]);
    scores.push_back(answer["logprobs"]);
    examples.push_back({std::ssize(examples), model.vocabularies.source.encode(sources.back()),
                        model.vocabularies.target.encode(answer["reference"].get<std::string>())});
  }
  ASSERT_GT(sources.size(), 20);
  Workers workers(*backend);
  for (const auto& [width, expected] : {std::pair{1, greedy}, std::pair{4, beam}}) {
    const SearchSettings search{.beam = width,
                                .length_penalty = 1,
                                .length_normalization = LengthNormalization::power,
                                .beam_rules = BeamRules::huggingface,
                                .max_length_factor = 0,
                                .max_length_extra = 38};
    Translator translator(model, workers, {.search = search});
    const std::vector<Translation> found = translator.translate(sources);
    for (std::size_t i = 0; i < found.size(); ++i) EXPECT_EQ(found[i].text, expected[i]) << sources[i];
  }
  Worker worker(*backend);
  const auto found = score(*model.model, worker, examples, model.special_tokens);
  for (std::size_t i = 0; i < found.size(); ++i) {
    ASSERT_EQ(found[i].size(), scores[i].size());
    for (std::size_t j = 0; j < found[i].size(); ++j) EXPECT_NEAR(found[i][j], scores[i][j], 1e-4);
  }
}

TEST_F(FairseqModelTest, IsACheckpointOrAFolderWithDictionaries) {
  const std::string folder = testing::test_data("fairseq");
  EXPECT_EQ(toolkit_of(folder), "fairseq");
  EXPECT_EQ(toolkit_of(folder + "/model.pt"), "fairseq");
  EXPECT_EQ(toolkit_of(testing::test_data("fsmt")), "Hugging Face");
  EXPECT_THAT(files_of_model(folder + "/model.pt"),
              ::testing::UnorderedElementsAre(folder + "/model.pt", folder + "/dict.en.txt",
                                              folder + "/dict.de.txt"));
}

TEST_F(FairseqModelTest, SettingsAreThoseOfTheArguments) {
  const ForeignModel model = read(MadeUpCheckpoint());
  EXPECT_THAT(
      model.settings,
      IsSupersetOf({Pair("norm", "post"), Pair("final_norm", "false"), Pair("activation", "relu"),
                    Pair("positions", "tensor2tensor"), Pair("position_offset", "2"),
                    Pair("tied_embeddings", "target"), Pair("decoder_start", "eos"), Pair("d_ff", "12"),
                    Pair("heads", "2"), Pair("source_vocabulary", "7"), Pair("target_vocabulary", "6")}));
  EXPECT_THAT(model.decoding, IsSupersetOf({Pair("beam", "5"), Pair("patience", "1"), Pair("suppress", "1"),
                                            Pair("max_length_extra", "200")}));
  MadeUpCheckpoint other;
  other.settings.insert_or_assign("activation_fn", "gelu_accurate");
  other.settings.insert_or_assign("no_scale_embedding", true);
  other.settings.insert_or_assign("layernorm_embedding", true);
  for (const std::string side : {"encoder", "decoder"}) {
    other.settings[side + "_normalize_before"] = true;
    other.settings[side + "_learned_pos"] = true;
    other.add_norm(side + ".layer_norm");
    other.add_norm(side + ".layernorm_embedding");
  }
  other.add("encoder.embed_positions.weight", {34, testing::kWidth});
  other.add("decoder.embed_positions.weight", {30, testing::kWidth});
  EXPECT_THAT(read(other).settings,
              IsSupersetOf({Pair("norm", "pre"), Pair("final_norm", "true"), Pair("embedding_norm", "true"),
                            Pair("activation", "gelu_tanh"), Pair("embedding_scale", "1"),
                            Pair("positions", "learned"), Pair("max_positions", "30")}));
}

TEST_F(FairseqModelTest, NewVersionsHaveAConfiguration) {
  MadeUpCheckpoint made_up;
  testing::PickledSettings model = made_up.settings, encoder, decoder;
  for (const auto& [key, value] : made_up.settings) {
    if (key.starts_with("encoder_")) encoder[key.substr(8)] = value;
    if (key.starts_with("decoder_")) decoder[key.substr(8)] = value;
  }
  std::erase_if(model, [](const auto& entry) {
    return entry.first.starts_with("encoder_") || entry.first.starts_with("decoder_") ||
           entry.first.ends_with("_lang") || entry.first == "task" || entry.first == "arch";
  });
  std::map<std::string, std::string> parts = {{"_name", testing::pickled_text("transformer")},
                                              {"encoder", pickled_dict(encoder)},
                                              {"decoder", pickled_dict(decoder)}};
  for (const auto& [key, value] : model) parts[key] = testing::pickled(value);
  const std::string task = pickled_dict(
      testing::PickledSettings{{"_name", "translation"}, {"source_lang", "en"}, {"target_lang", "de"}});
  const std::string plain = pickled_dict(std::map<std::string, std::string>{
      {"model", pickled_dict(parts)}, {"task", task}, {"bpe", "N"}, {"tokenizer", "N"}});
  EXPECT_EQ(read(made_up, made_up.bytes({{"args", "N"}, {"cfg", plain}})).settings, read(made_up).settings);
  // Or the settings are a Namespace within an object of OmegaConf.
  const auto wrapped = [](const std::string& name, const std::string& key, const std::string& contents) {
    return pickled_object(
        "omegaconf", name,
        pickled_dict(std::map<std::string, std::string>{{key, contents}, {"_parent", "N"}}));
  };
  const std::string arguments = pickled_object("argparse", "Namespace", pickled_dict(made_up.settings));
  const std::string objects = wrapped(
      "DictConfig", "_content",
      pickled_dict(std::map<std::string, std::string>{{"model", wrapped("AnyNode", "_val", arguments)}}));
  EXPECT_EQ(read(made_up, made_up.bytes({{"cfg", objects}})).settings, read(made_up).settings);
}

TEST_F(FairseqModelTest, OldVersionsHaveOtherNames) {
  MadeUpCheckpoint old;
  old.settings["share_decoder_input_output_embed"] = false;
  old.add("decoder.output_projection.weight", {6, testing::kWidth});
  const MadeUpCheckpoint expected = old;
  old.rename("decoder.output_projection.weight", "decoder.embed_out");
  for (const std::string attention :
       {"encoder.layers.0.self_attn.", "decoder.layers.0.self_attn.", "decoder.layers.0.encoder_attn."}) {
    for (const std::string end : {"weight", "bias"}) {
      std::vector<float> all;
      for (const std::string part : {"q", "k", "v"}) {
        const auto node = old.tensors.extract(attention + part + "_proj." + end);
        all.insert(all.end(), node.mapped().values.begin(), node.mapped().values.end());
      }
      std::vector<std::int64_t> shape = {3 * testing::kWidth};
      if (end == "weight") shape.push_back(testing::kWidth);
      old.tensors[attention + "in_proj_" + end] = {shape, all};
    }
  }
  for (const std::string end : {".weight", ".bias"}) {
    old.rename("encoder.layers.0.self_attn_layer_norm" + end, "encoder.layers.0.layer_norms.0" + end);
    old.rename("encoder.layers.0.final_layer_norm" + end, "encoder.layers.0.layer_norms.1" + end);
    old.rename("decoder.layers.0.self_attn_layer_norm" + end, "decoder.layers.0.layer_norms.0" + end);
    old.rename("decoder.layers.0.encoder_attn_layer_norm" + end, "decoder.layers.0.layer_norms.1" + end);
    old.rename("decoder.layers.0.final_layer_norm" + end, "decoder.layers.0.layer_norms.2" + end);
  }
  old.add("encoder.version", {1}, 2);
  old.add("decoder.embed_positions._float_tensor", {1});
  expect_same_weights(old, expected);
}

TEST_F(FairseqModelTest, AllTablesMayBeOne) {
  MadeUpCheckpoint tied;
  tied.settings["share_all_embeddings"] = true;
  tied.files["dict.de.txt"] = tied.files["dict.en.txt"];
  tied.tensors["decoder.embed_tokens.weight"] = tied.tensors["encoder.embed_tokens.weight"];
  tied.tensors["decoder.output_projection.weight"] = tied.tensors["encoder.embed_tokens.weight"];
  EXPECT_EQ(weight(file(tied), "embedding.weight"), tied.tensors["encoder.embed_tokens.weight"].values);
}

TEST_F(FairseqModelTest, OtherModelsAreRefusedByName) {
  const auto with = [](const std::string& key, const testing::PickledSetting& value) {
    MadeUpCheckpoint changed;
    changed.settings[key] = value;
    return changed;
  };
  EXPECT_THAT(complaint(with("arch", "fconv_iwslt_de_en")),
              HasSubstr("arch is \"fconv_iwslt_de_en\", not a"));
  EXPECT_THAT(complaint(with("arch", "transformer_lm_big")), HasSubstr("arch is"));
  EXPECT_THAT(complaint(with("task", "translation_multi_simple_epoch")), HasSubstr("task is"));
  EXPECT_THAT(complaint(with("adaptive_softmax_cutoff", "1000,5000")),
              HasSubstr("adaptive_softmax_cutoff is"));
  EXPECT_THAT(complaint(with("cross_self_attention", true)), HasSubstr("cross_self_attention is true"));
  EXPECT_THAT(complaint(with("decoder_output_dim", 4)), HasSubstr("decoder_output_dim is 4, but"));
  EXPECT_THAT(complaint(with("decoder_normalize_before", true)), HasSubstr("decoder_normalize_before is"));
  EXPECT_THAT(complaint(with("decoder_attention_heads", 4)), HasSubstr("the encoder has 2"));
  EXPECT_THAT(complaint(with("activation_fn", "relu_squared")), HasSubstr("activation_fn is"));
  EXPECT_THAT(complaint(with("encoder_layers", 0)), HasSubstr("encoder_layers is 0, not a size"));
  EXPECT_THAT(complaint(with("bpe", "gpt2")), HasSubstr("bpe is \"gpt2\", which nmt does not support"));
  EXPECT_THAT(complaint(with("bpe", "sentencepiece")), HasSubstr("has no sentencepiece.bpe.model"));
  EXPECT_THAT(complaint(with("source_lang", std::monostate())), HasSubstr("source_lang is not a language"));
  MadeUpCheckpoint more;
  more.add("encoder.layers.0.self_attn.bias_k", {1, testing::kWidth});
  EXPECT_THAT(complaint(more), HasSubstr("bias_k"));
}

TEST_F(FairseqModelTest, SeveralCheckpointsAreNotTaken) {
  const MadeUpCheckpoint made_up;
  const std::string folder = made_up.write(folder_, "several", made_up.bytes());
  std::ofstream(folder + "/checkpoint_last.pt") << "x";
  EXPECT_THAT(testing::complaint([&] { read_fairseq_model(folder); }),
              HasSubstr("has 2 checkpoints, checkpoint_last.pt, model.pt; name the file of one"));
  EXPECT_EQ(read_fairseq_model(folder + "/model.pt").settings, read(made_up).settings);
}

TEST_F(FairseqModelTest, WhatIsMissingIsNamed) {
  MadeUpCheckpoint without;
  without.files.erase("dict.de.txt");
  EXPECT_THAT(complaint(without), AllOf(HasSubstr("dict.de.txt' is missing")));
  MadeUpCheckpoint shorter;
  shorter.files["dict.de.txt"] = "x 5\n";
  EXPECT_THAT(complaint(shorter),
              HasSubstr("has 5 words with the special ones, but the table of the model has 6"));
  const MadeUpCheckpoint made_up;
  EXPECT_THAT(testing::complaint([&] { read(made_up, made_up.bytes({})); }),
              HasSubstr("has neither args nor cfg, so it is not a checkpoint of fairseq"));
  EXPECT_THAT(testing::complaint([&] { read(made_up, testing::torch_zip(testing::pickle("}"), {})); }),
              HasSubstr("not a dictionary of tensors"));
}

TEST_F(FairseqModelTest, WithoutCodesTextIsWords) {
  const Vocabulary source = read(MadeUpCheckpoint()).vocabularies.source;
  EXPECT_THAT(source.encode("a b@@ a c"), ElementsAre(4, 5, 4, 3));
  MadeUpCheckpoint with_codes;
  with_codes.files["code"] = "b a</w> 3\n";
  EXPECT_THAT(read(with_codes).vocabularies.source.encode("a bc a"), ElementsAre(4, 5, 3, 4));
}

TEST(FairseqDictionary, HasWordsAfterTheSpecialOnes) {
  EXPECT_THAT(fairseq_dictionary("a b 5\r\nc 0\n", "d"),
              ElementsAre("<s>", "<pad>", "</s>", "<unk>", "a b", "c"));
  EXPECT_THAT(fairseq_dictionary("<unk> 1 #fairseq:overwrite\n", "d").size(), 5);
  const auto complaint = [](const char* text) {
    return testing::complaint([&] { fairseq_dictionary(text, "d"); });
  };
  EXPECT_THAT(complaint("a 1\nb\n"), HasSubstr("'d', line 2 is not a word and its count"));
  EXPECT_THAT(complaint("a x\n"), HasSubstr("line 1"));
  EXPECT_THAT(complaint("a 1\na 2\n"), HasSubstr("line 2: 'a' occurs twice"));
  EXPECT_THAT(complaint(" 1\n"), HasSubstr("the word is missing"));
  EXPECT_THAT(complaint("\xFF 1\n"), HasSubstr("not UTF-8"));
}

TEST_F(FairseqModelTest, DamagedFilesAreReadOrRefused) {
  const testing::OpenTensors open = [](const std::string& path) {
    return open_training_checkpoint(path, "model", {"args", "cfg"}).tensors;
  };
  const std::string bytes = MadeUpCheckpoint().bytes();
  testing::expect_no_part_is_read(open, bytes);
  EXPECT_GT(testing::refused_after_flips(open, bytes), 0);
  testing::expect_no_part_is_read(open, testing::contents_of(testing::test_data("fairseq/model.pt")));
}

TEST_F(FairseqModelTest, NothingInACheckpointIsExecuted) {
  const MadeUpCheckpoint made_up;
  std::map<std::string, std::string> entries = made_up.arguments();
  entries["extra_state"] =
      testing::pickled_global("os", "system") + "(" + testing::pickled_text("false") + "tR";
  EXPECT_EQ(read(made_up, made_up.bytes(entries)).settings, read(made_up).settings);
  // Values that contain each other many times.
  std::string lists = "]q" + std::string(1, '\0');
  for (int i = 0; i < 12; ++i) {
    const std::string get = std::string("h") + static_cast<char>(i);
    lists += "]q" + std::string(1, static_cast<char>(i + 1)) + "(" + get + get + get + get + "e";
  }
  entries = {
      {"args", pickled_object("argparse", "Namespace", "}" + testing::pickled_text("a") + lists + "s")}};
  EXPECT_THAT(testing::complaint([&] { read(made_up, made_up.bytes(entries)); }), HasSubstr("is damaged"));
}

}  // namespace
}  // namespace nmt
