// Tests reading models of Hugging Face transformers.
#include "foreign/huggingface/huggingface_model.h"

#include <gmock/gmock.h>

#include <cmath>
#include <cstring>
#include <filesystem>
#include <functional>

#include "common/complaint.h"
#include "common/mended_mappings.h"
#include "foreign/huggingface/huggingface_fixture.h"
#include "foreign/open.h"
#include "foreign/weights_of_file.h"
#include "nn/saved/convert.h"
#include "nn/saved/saved_model.h"
#include "nn/transformer/positions.h"

namespace nmt {
namespace {

using nlohmann::json;
using ::testing::AllOf;
using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::IsSupersetOf;
using ::testing::Key;
using testing::MadeUpFolder;
using ::testing::Not;
using ::testing::Pair;
using testing::weight;

class HuggingFaceModelTest : public testing::HuggingFaceTest {
 protected:
  void expect_same_weights(const MadeUpFolder& a, const MadeUpFolder& b) {
    const ModelFile one = file(a), other = file(b);
    ASSERT_EQ(one.tensors().size(), other.tensors().size());
    for (const FileTensor& tensor : one.tensors()) {
      const FileTensor* same = other.find(tensor.name);
      ASSERT_NE(same, nullptr) << tensor.name;
      ASSERT_EQ(tensor.shape, same->shape) << tensor.name;
      EXPECT_EQ(std::memcmp(tensor.read().data(), same->read().data(), tensor.bytes()), 0) << tensor.name;
    }
  }
};

TEST_F(HuggingFaceModelTest, IsAFolderWhoseConfigTellsAClass) {
  const std::string marian = testing::marian_folder().write(folder_, "marian");
  EXPECT_TRUE(is_huggingface_model(marian));
  EXPECT_FALSE(is_huggingface_model(marian + "/model.safetensors"));
  EXPECT_FALSE(is_huggingface_model(folder_ / "missing"));
  MadeUpFolder other;
  other.config = {{"add_source_eos", true}};
  EXPECT_FALSE(is_huggingface_model(other.write(folder_, "other")));
}

TEST_F(HuggingFaceModelTest, FamiliesHaveTheirSettings) {
  EXPECT_THAT(read(testing::marian_folder()).settings,
              IsSupersetOf({Pair("norm", "post"), Pair("positions", "sinusoidal_halves"),
                            Pair("activation", "swish"), Pair("tied_embeddings", "all"),
                            Pair("decoder_start", "bos"), Pair("embedding_scale", "sqrt"),
                            Pair("layer_norm_epsilon", "1e-05"), Pair("output_bias", "true")}));
  EXPECT_THAT(read(testing::nllb_folder()).settings,
              IsSupersetOf({Pair("norm", "pre"), Pair("final_norm", "true"), Pair("embedding_norm", "false"),
                            Pair("positions", "tensor2tensor"), Pair("position_offset", "2"),
                            Pair("decoder_start", "eos"), Pair("output_bias", "false")}));
  EXPECT_THAT(read(testing::mbart_folder()).settings,
              IsSupersetOf({Pair("norm", "pre"), Pair("embedding_norm", "true"), Pair("positions", "learned"),
                            Pair("position_offset", "2"), Pair("max_positions", "34"),
                            Pair("decoder_start", "bos"), Pair("embedding_scale", "1")}));
}

TEST_F(HuggingFaceModelTest, PositionsTellTheLengthsOfTraining) {
  EXPECT_EQ(read(testing::marian_folder()).trained_length, 31) << "32 with EOS";
  EXPECT_EQ(blank_model(file(testing::marian_folder())).trained_length, 31);
  MadeUpFolder other = testing::marian_folder();
  other.config.erase("max_position_embeddings");
  EXPECT_EQ(read(other).trained_length, std::nullopt);
}

TEST_F(HuggingFaceModelTest, AttentionIsPutTogether) {
  const MadeUpFolder made_up = testing::marian_folder();
  std::vector<float> expected;
  for (const char* part : {"q", "k", "v"}) {
    const auto& values =
        made_up.tensors.at(std::string("model.decoder.layers.0.encoder_attn.") + part + "_proj.weight")
            .values;
    expected.insert(expected.end(), values.begin(), values.end());
  }
  EXPECT_EQ(weight(file(made_up), "decoder.layers.0.multihead_attn.in_proj_weight"), expected);
}

TEST_F(HuggingFaceModelTest, ATableMayHaveAnyOfItsNames) {
  for (const char* name : {"lm_head.weight", "model.decoder.embed_tokens.weight"}) {
    MadeUpFolder renamed = testing::marian_folder();
    auto node = renamed.tensors.extract("model.shared.weight");
    node.key() = name;
    renamed.tensors.insert(std::move(node));
    expect_same_weights(renamed, testing::marian_folder());
    MadeUpFolder twice = testing::marian_folder();
    twice.tensors[name] = twice.tensors["model.shared.weight"];
    expect_same_weights(twice, testing::marian_folder());
  }
}

TEST_F(HuggingFaceModelTest, SidesMayHaveTablesOfTheirOwn) {
  MadeUpFolder apart = testing::marian_folder();
  apart.config["share_encoder_decoder_embeddings"] = false;
  apart.config["decoder_vocab_size"] = apart.config["vocab_size"];
  apart.tokenizer["separate_vocabs"] = true;
  apart.files["target_vocab.json"] = apart.files["vocab.json"];
  const std::int64_t rows = apart.config["vocab_size"];
  apart.tensors.erase("model.shared.weight");
  apart.add("model.encoder.embed_tokens.weight", {rows, testing::kWidth});
  apart.add("model.decoder.embed_tokens.weight", {rows, testing::kWidth});
  EXPECT_EQ(read(apart).settings.at("tied_embeddings"), "target");
  apart.config["tie_word_embeddings"] = false;
  apart.add("lm_head.weight", {rows, testing::kWidth});
  EXPECT_EQ(read(apart).settings.at("tied_embeddings"), "none");
}

TEST_F(HuggingFaceModelTest, PositionsOfAFileAreThoseItHas) {
  const auto with_table = [](Positions kind, double error) {
    MadeUpFolder made_up = testing::marian_folder();
    for (const char* side : {"encoder", "decoder"}) {
      const std::vector<double> table = sinusoid_table(kind, 0, 32, testing::kWidth);
      std::vector<float> values(table.begin(), table.end());
      values.back() += static_cast<float>(error);
      made_up.tensors[std::string("model.") + side + ".embed_positions.weight"] = {{32, testing::kWidth},
                                                                                   values};
    }
    return made_up;
  };
  EXPECT_EQ(read(with_table(Positions::sinusoidal_halves, 1e-7)).settings.at("positions"),
            "sinusoidal_halves");
  EXPECT_EQ(read(with_table(Positions::tensor2tensor, 0)).settings.at("positions"), "tensor2tensor");
  const ForeignModel learned = read(with_table(Positions::sinusoidal_halves, 1e-3));
  EXPECT_THAT(learned.settings, IsSupersetOf({Pair("positions", "learned"), Pair("max_positions", "32")}));
}

TEST_F(HuggingFaceModelTest, PaddingIsWhatTheDecoderBeginsWith) {
  const ForeignModel model = read(testing::marian_folder());
  const Vocabulary& target = model.vocabularies.target;
  EXPECT_EQ(target.begin(), target.find("<pad>"));
  EXPECT_EQ(model.decoding.at("suppress"), std::to_string(*target.begin()));
  EXPECT_EQ(target.decode({*target.begin()}), "");
}

TEST_F(HuggingFaceModelTest, PaddingWithoutAPartInTheSoftmaxIsMaskedOrDropped) {
  MadeUpFolder made_up = testing::marian_folder();
  made_up.generation["renormalize_logits"] = true;
  const ModelFile masked = file(made_up);
  ASSERT_FALSE(weight(masked, "output.bias").empty());
  EXPECT_EQ(weight(masked, "output.bias").back(), -1e4F);
  std::vector<float>& table = made_up.tensors["model.shared.weight"].values;
  std::fill(table.end() - testing::kWidth, table.end(), 0.0F);
  const ForeignModel dropped = read(made_up);
  EXPECT_EQ(dropped.settings.at("decoder_start"), "zero");
  EXPECT_EQ(dropped.settings.at("target_vocabulary"),
            std::to_string(made_up.config["vocab_size"].get<int>() - 1));
  EXPECT_FALSE(dropped.vocabularies.target.find("<pad>"));
  EXPECT_FALSE(dropped.decoding.contains("suppress"));
  made_up.generation.erase("renormalize_logits");  // then it takes part in the softmax, zero or not
  EXPECT_EQ(read(made_up).settings.at("decoder_start"), "bos");
  made_up.tensors["final_logits_bias"].values.back() = -1e4F;
  EXPECT_EQ(read(made_up).settings.at("decoder_start"), "zero");
}

TEST_F(HuggingFaceModelTest, LanguagesAreThoseOfItsFiles) {
  MadeUpFolder made_up = testing::nllb_folder();
  const ForeignModel nllb = read(made_up);
  EXPECT_THAT(nllb.vocabularies.target.languages(), ::testing::ElementsAre("deu_Latn", "eng_Latn"));
  EXPECT_THAT(nllb.decoding, Contains(Pair("source_language", "eng_Latn")));
  EXPECT_THAT(nllb.decoding, Not(Contains(Key("target_language"))));
  made_up.config["forced_bos_token_id"] = *nllb.vocabularies.target.find("deu_Latn");
  EXPECT_THAT(read(made_up).decoding, Contains(Pair("target_language", "deu_Latn")));
  made_up.config["forced_bos_token_id"] = 5;
  EXPECT_THAT(complaint(made_up), HasSubstr("forced_bos_token_id is 5"));
  MadeUpFolder mbart = testing::mbart_folder();
  mbart.config["decoder_start_token_id"] = *read(mbart).vocabularies.target.find("de_DE");
  const ForeignModel german = read(mbart);
  EXPECT_EQ(german.settings.at("decoder_start"), "bos");
  EXPECT_THAT(german.decoding, Contains(Pair("target_language", "de_DE")));
}

TEST_F(HuggingFaceModelTest, TheClassOfATokenizerMayFollowFromTheModel) {
  for (MadeUpFolder made_up : {testing::marian_folder(), testing::nllb_folder(), testing::bart_folder()}) {
    const ForeignModel named = read(made_up);
    made_up.tokenizer.erase("tokenizer_class");
    EXPECT_EQ(read(made_up).vocabularies.target, named.vocabularies.target);
  }
}

TEST_F(HuggingFaceModelTest, BothSidesOfABartBeginWithBos) {
  const ForeignModel bart = read(testing::bart_folder());
  EXPECT_THAT(bart.settings, IsSupersetOf({Pair("decoder_start", "eos"), Pair("embedding_norm", "true"),
                                           Pair("norm", "post"), Pair("positions", "learned")}));
  const auto [source, target] = in_languages(bart.vocabularies, {});
  EXPECT_THAT(source.encode("der"), ::testing::ElementsAre(0, *source.find("d"), *source.find("er")));
  EXPECT_THAT(target.encode(" der"), ::testing::ElementsAre(0, *target.find("▁der")));
  EXPECT_THAT(target.first_tokens(), ::testing::ElementsAre(0));
  MadeUpFolder other = testing::bart_folder();
  other.config["forced_bos_token_id"] = 5;
  EXPECT_THAT(complaint(other), HasSubstr("forced_bos_token_id is 5"));
}

TEST_F(HuggingFaceModelTest, WeightsMayLieInSeveralFilesOrBeNamedByAnIndex) {
  const MadeUpFolder made_up = testing::nllb_folder();
  MadeUpFolder first = made_up, second = made_up;
  json index;
  for (const auto& [name, tensor] : made_up.tensors) {
    const bool is_first = index["weight_map"].size() % 2 == 0;
    (is_first ? second : first).tensors.erase(name);
    index["weight_map"][name] =
        is_first ? "model-00001-of-00002.safetensors" : "model-00002-of-00002.safetensors";
  }
  const std::string folder = first.write(folder_, "sharded"), other = second.write(folder_, "other");
  std::filesystem::rename(folder + "/model.safetensors", folder + "/model-00001-of-00002.safetensors");
  std::filesystem::rename(other + "/model.safetensors", folder + "/model-00002-of-00002.safetensors");
  std::ofstream(folder + "/model.safetensors.index.json") << index.dump();
  const ModelFile sharded = model_with(read_huggingface_model(folder), "sharded");
  EXPECT_EQ(weight(sharded, "encoder.norm.weight"),
            made_up.tensors.at("model.encoder.layer_norm.weight").values);
}

TEST_F(HuggingFaceModelTest, WeightsStayInTheirFileWhichMustNotChange) {
  const testing::MendedMappings mended;
  const std::string folder = testing::marian_folder().write(folder_, "mapped");
  const ModelFile model = open_model_file(folder);
  EXPECT_NE(model.find("encoder.layers.0.linear1.weight")->data, nullptr);
  EXPECT_EQ(model.find("encoder.layers.0.self_attn.in_proj_weight")->data, nullptr) << "it has three parts";
  std::filesystem::resize_file(folder + "/model.safetensors", 0);
  const auto backend = open_backend({.device = "cpu", .precision = "f32"});
  const std::string truncated = "model.safetensors' was truncated or overwritten while it was read";
  EXPECT_THAT(testing::complaint([&] { open_model(model, *backend); }), HasSubstr(truncated));
  EXPECT_THAT(testing::complaint([&] { convert_model(model, std::nullopt, folder_ / "new"); }),
              HasSubstr(truncated));
  EXPECT_FALSE(std::filesystem::exists(folder_ / "new"));
}

TEST_F(HuggingFaceModelTest, ValuesThatAreNotFiniteAreFoundInAnyType) {
  MadeUpFolder made_up = testing::marian_folder();
  made_up.tensors.at("model.decoder.layers.0.fc2.weight").values.back() = std::nanf("");
  EXPECT_THAT(complaint(made_up),
              HasSubstr("tensor 'model.decoder.layers.0.fc2.weight' holds NaN or infinity"));
}

struct Change {
  const char* name;
  std::function<void(MadeUpFolder&)> apply;
  const char* complaint;
};

TEST_F(HuggingFaceModelTest, WhatModelsHereDoNotHaveIsNamed) {
  const std::vector<Change> changes = {
      {"MoE", [](auto& f) { f.config["architectures"] = {"NllbMoeForConditionalGeneration"}; },
       "'NllbMoeForConditionalGeneration' cannot be opened"},
      {"activation", [](auto& f) { f.config["activation_function"] = "tanh"; },
       "activation_function is \"tanh\""},
      {"heads", [](auto& f) { f.config["decoder_attention_heads"] = 4; }, "decoder_attention_heads is 4"},
      {"quantized",
       [](auto& f) {
         f.config["quantization_config"] = {{"bits", 4}};
       },
       "quantization_config"},
      {"sampling", [](auto& f) { f.generation["do_sample"] = true; }, "do_sample is true"},
      {"repetition", [](auto& f) { f.generation["encoder_no_repeat_ngram_size"] = 3; },
       "encoder_no_repeat_ngram_size is 3"},
      {"groups", [](auto& f) { f.generation["num_beam_groups"] = 2; }, "num_beam_groups"},
      {"never", [](auto& f) { f.generation["early_stopping"] = "never"; }, "early_stopping"},
      {"words",
       [](auto& f) {
         f.generation["bad_words_ids"] = {{1, 2}};
       },
       "bad_words_ids"},
      {"end", [](auto& f) { f.generation["suppress_tokens"] = {0}; }, "EOS is forbidden"},
      {"renormalized",
       [](auto& f) {
         f.generation["suppress_tokens"] = {5};
         f.generation["renormalize_logits"] = true;
       },
       "renormalize_logits"},
      {"start", [](auto& f) { f.generation["decoder_start_token_id"] = 3; }, "decoder_start_token_id is 3"},
      {"tokenizer", [](auto& f) { f.tokenizer["tokenizer_class"] = "BartTokenizer"; }, "merges.txt"},
  };
  for (const Change& change : changes) {
    MadeUpFolder made_up = testing::marian_folder();
    change.apply(made_up);
    EXPECT_THAT(complaint(made_up), HasSubstr(change.complaint)) << change.name;
  }
}

TEST_F(HuggingFaceModelTest, DamagedFoldersAreRefused) {
  const std::vector<Change> changes = {
      {"no size", [](auto& f) { f.config.erase("d_model"); }, "d_model"},
      {"negative", [](auto& f) { f.config["encoder_layers"] = -1; }, "encoder_layers is -1"},
      {"absurd", [](auto& f) { f.config["encoder_layers"] = 1 << 23; }, "encoder_layers"},
      {"huge", [](auto& f) { f.config["d_model"] = 1e300; }, "d_model"},
      {"another kind", [](auto& f) { f.config["scale_embedding"] = "yes"; }, "scale_embedding is \"yes\""},
      {"indivisible",
       [](auto& f) { f.config["encoder_attention_heads"] = f.config["decoder_attention_heads"] = 3; },
       "not divisible by heads 3"},
      {"another width", [](auto& f) { f.config["d_model"] = 16; }, "shape"},
      {"missing tensor", [](auto& f) { f.tensors.erase("model.encoder.layers.0.fc1.bias"); },
       "model.encoder.layers.0.fc1.bias"},
      {"no table", [](auto& f) { f.tensors.erase("model.shared.weight"); }, "model.shared.weight"},
      {"more tensors", [](auto& f) { f.add("model.encoder.layers.1.fc1.bias", {1}); },
       "model.encoder.layers.1.fc1.bias"},
      {"short bias",
       [](auto& f) {
         f.add("final_logits_bias", {1, 2});
       },
       "output.bias"},
      {"padding", [](auto& f) { f.config["pad_token_id"] = 1 << 20; }, "pad_token_id"},
      {"other end", [](auto& f) { f.config["eos_token_id"] = 2; }, "eos_token_id is 2"},
      {"no words", [](auto& f) { f.files["vocab.json"] = "{}"; }, "no words"},
      {"no pieces", [](auto& f) { f.files["source.spm"] = "x"; }, "source.spm"},
      {"no list", [](auto& f) { f.files.erase("vocab.json"); },
       "the files of its tokenizer, MarianTokenizer, are missing; fetch vocab.json from where"},
      {"no tokenizer", [](auto& f) { f.files.clear(); },
       "fetch vocab.json, source.spm, target.spm from where the model comes from, and put them into"},
      {"huge id", [](auto& f) { f.generation["suppress_tokens"] = {UINT64_MAX}; },
       "not a list of whole numbers"},
      {"bad words", [](auto& f) { f.generation["bad_words_ids"] = 7; }, "bad_words_ids"},
      {"beams", [](auto& f) { f.generation["num_beams"] = "4"; }, "num_beams"},
  };
  for (const Change& change : changes) {
    MadeUpFolder made_up = testing::marian_folder();
    change.apply(made_up);
    EXPECT_THAT(complaint(made_up), HasSubstr(change.complaint)) << change.name;
  }
}

TEST_F(HuggingFaceModelTest, ConfigsThatAreNoneAreRefused) {
  const std::string path = testing::marian_folder().write(folder_);
  for (const std::string& text : {std::string("{\"model_type\": \"marian\""), std::string("[1]"),
                                  std::string(), std::string(100'000, '['), std::string("\xFF\xFE{}")}) {
    std::ofstream(path + "/config.json") << text;
    EXPECT_TRUE(is_huggingface_model(path)) << "reading it tells what is wrong";
    EXPECT_THAT(testing::complaint([&] { read_huggingface_model(path); }), HasSubstr("config.json"));
  }
}

TEST_F(HuggingFaceModelTest, MessagesAboutConfigsNameTheByte) {
  const std::string path = testing::marian_folder().write(folder_);
  const auto complaint_about = [&](const std::string& text) {
    std::ofstream(path + "/config.json") << text;
    return testing::complaint([&] { read_huggingface_model(path); });
  };
  const std::string name = "'" + path + "/config.json' ";
  EXPECT_EQ(complaint_about(""), name + "is empty; copy it again");
  EXPECT_EQ(complaint_about("[1]"), name + "is not a JSON object");
  EXPECT_EQ(complaint_about(R"({"d_model": NaN})"), name + "is not valid JSON at its byte 13");
  EXPECT_EQ(complaint_about(R"({"d_model": 1e400})"), name + "has a number that is too large: '1e400'");
  EXPECT_EQ(complaint_about(R"({"a": "[[\"[", "b": )" + std::string(70, '[') + std::string(70, ']') + "}"),
            name + "is nested more than 64 levels deep at its byte 84");
}

TEST_F(HuggingFaceModelTest, FilesThatReplaceATokenizerAreNamed) {
  MadeUpFolder nllb = testing::nllb_folder();
  nllb.files.clear();
  EXPECT_THAT(complaint(nllb), HasSubstr("fetch sentencepiece.bpe.model, or tokenizer.json from where"));
}

TEST_F(HuggingFaceModelTest, VocabulariesAreNotNamedByUsers) {
  const std::string path = testing::marian_folder().write(folder_);
  EXPECT_THAT(testing::complaint<UsageError>([&] { open_model_file(path, {.source_vocabulary = "x"}); }),
              HasSubstr("leave out"));
}

TEST_F(HuggingFaceModelTest, EmptyFilesAreNotTakenForMissingOnes) {
  for (const char* name : {"tokenizer_config.json", "added_tokens.json", "special_tokens_map.json"}) {
    const std::string folder = testing::marian_folder().write(folder_, name);
    std::ofstream(folder + "/" + name, std::ios::trunc);
    EXPECT_THAT(testing::complaint([&] { read_huggingface_model(folder); }),
                HasSubstr(std::string(name) + "' is empty; copy it again, or remove it"));
  }
}

}  // namespace
}  // namespace nmt
