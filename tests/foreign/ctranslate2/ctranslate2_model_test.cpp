// Tests reading models of CTranslate2.
#include "foreign/ctranslate2/ctranslate2_model.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "common/complaint.h"
#include "data/vocabulary/listed/listed_file.h"
#include "foreign/ctranslate2/ctranslate2_fixture.h"
#include "foreign/open.h"
#include "foreign/weights_of_file.h"
#include "nn/saved/saved_model.h"
#include "nn/transformer/positions.h"
#include "nn/weights/parameter_files.h"
#include "translate/text_model.h"

namespace nmt {
namespace {

using ::testing::AllOf;
using testing::CTranslate2Type;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::MadeUpCTranslate2;
using ::testing::Not;
using testing::weight;

class CTranslate2ModelTest : public testing::CTranslate2Fixture {};

TEST_F(CTranslate2ModelTest, WeightsAreWhereTheyBelong) {
  const MadeUpCTranslate2 made_up;
  const ModelFile file = read(made_up);
  const auto theirs = [&](const std::string& name) { return made_up.weights.at(name).values; };
  EXPECT_EQ(weight(file, "source_embedding.weight"), theirs("encoder/embeddings_0/weight"));
  EXPECT_EQ(weight(file, "output.weight"), theirs("decoder/projection/weight"));
  EXPECT_EQ(weight(file, "encoder.layers.0.self_attn.in_proj_weight"),
            theirs("encoder/layer_0/self_attention/linear_0/weight"));
  for (const std::string end : {"weight", "bias"}) {
    std::vector<float> together = theirs("decoder/layer_0/attention/linear_0/" + end);
    const std::vector<float> rest = theirs("decoder/layer_0/attention/linear_1/" + end);
    together.insert(together.end(), rest.begin(), rest.end());
    EXPECT_EQ(weight(file, "decoder.layers.0.multihead_attn.in_proj_" + end), together);
  }
  EXPECT_EQ(weight(file, "decoder.layers.0.multihead_attn.out_proj.weight"),
            theirs("decoder/layer_0/attention/linear_2/weight"));
  EXPECT_EQ(weight(file, "decoder.layers.0.norm2.weight"),
            theirs("decoder/layer_0/attention/layer_norm/gamma"));
  EXPECT_EQ(weight(file, "decoder.layers.0.norm3.bias"), theirs("decoder/layer_0/ffn/layer_norm/beta"));
  EXPECT_EQ(weight(file, "encoder.layers.0.norm2.bias"), theirs("encoder/layer_0/ffn/layer_norm/beta"));
  EXPECT_EQ(weight(file, "decoder.norm.weight"), theirs("decoder/layer_norm/gamma"));
}

TEST_F(CTranslate2ModelTest, AllVersionsHoldTheSameModel) {
  MadeUpCTranslate2 made_up;
  made_up.flag("with_source_eos", true);
  const std::string expected = read(made_up.write(folder_, made_up.bytes(5))).checksum();
  made_up.config = {};
  for (const std::uint32_t version : {1, 2, 3, 4, 5})
    EXPECT_EQ(read(made_up.write(folder_, made_up.bytes(version))).checksum(), expected) << version;
  const std::string old = made_up.bytes(2, CTranslate2Type::f32, {"TransformerBase", 2});
  EXPECT_EQ(read(made_up.write(folder_, old)).checksum(), expected);
  EXPECT_EQ(read(MadeUpCTranslate2()).checksum(), expected) << "version 6 has a config.json";
}

TEST_F(CTranslate2ModelTest, AllTypesHoldTheSameWeights) {
  const MadeUpCTranslate2 made_up;
  const std::string expected = read(made_up).checksum();
  for (const auto type :
       {CTranslate2Type::f16, CTranslate2Type::bf16, CTranslate2Type::i8, CTranslate2Type::i16})
    EXPECT_EQ(read(made_up.write(folder_, made_up.bytes(6, type))).checksum(), expected)
        << static_cast<int>(type);
}

TEST_F(CTranslate2ModelTest, WhatIsNotSaidIsAsUsual) {
  const ModelFile file = read(MadeUpCTranslate2());
  const SavedModel model = blank_model(file);
  const ModelSettings expected = {{"type", "transformer"},
                                  {"d_model", "8"},
                                  {"d_ff", "12"},
                                  {"heads", "8"},
                                  {"encoder_layers", "1"},
                                  {"decoder_layers", "1"},
                                  {"norm", "pre"},
                                  {"final_norm", "true"},
                                  {"embedding_norm", "false"},
                                  {"activation", "relu"},
                                  {"tied_embeddings", "none"},
                                  {"output_bias", "true"},
                                  {"embedding_scale", "sqrt"},
                                  {"positions", "tensor2tensor"},
                                  {"position_offset", "1"},
                                  {"decoder_start", "bos"},
                                  {"source_special_tokens", "eos"},
                                  {"layer_norm_epsilon", "1e-05"},
                                  {"source_vocabulary", "7"},
                                  {"target_vocabulary", "6"}};
  for (const auto& [name, value] : expected) EXPECT_EQ(model.settings.at(name), value) << name;
  EXPECT_EQ(model.decoding, (DecodingSettings{{"beam", "2"},
                                              {"beam_rules", "ctranslate2"},
                                              {"length_normalization", "power"},
                                              {"length_penalty", "1"},
                                              {"max_length_extra", "256"},
                                              {"max_length_factor", "0"}}));
}

TEST_F(CTranslate2ModelTest, AttributesAreSettings) {
  const auto setting = [this](const std::string& name, const auto& change) {
    return settings_after(change).at(name);
  };
  const auto both = [](const std::string& name, std::int8_t value) {
    return [=](MadeUpCTranslate2& m) {
      for (const std::string side : {"encoder/", "decoder/"}) m.number(side + name, value);
    };
  };
  EXPECT_EQ(setting("norm", both("pre_norm", 0)), "post");
  EXPECT_EQ(setting("norm", [](MadeUpCTranslate2& m) { m.flag("pre_norm", false); }), "post")
      << "as up to revision 4";
  EXPECT_EQ(setting("heads", both("num_heads", 2)), "2");
  const std::vector<std::string> activations = {"relu", "gelu_tanh", "swish", "gelu", "gelu_sigmoid"};
  for (std::size_t i = 0; i < activations.size(); ++i)
    EXPECT_EQ(setting("activation", both("activation", static_cast<std::int8_t>(i))), activations[i]);
  EXPECT_EQ(setting("embedding_scale", both("scale_embeddings", 0)), "1");
  EXPECT_EQ(setting("embedding_scale", both("scale_embeddings", 1)), "sqrt");
  EXPECT_EQ(setting("embedding_scale", both("embeddings/multiply_by_sqrt_depth", 0)), "1");
  EXPECT_EQ(setting("embedding_scale",
                    [](MadeUpCTranslate2& m) {
                      for (const std::string name : {"encoder/scale_embeddings", "decoder/scale_embeddings"})
                        m.attributes[name] = {name, {}, 0, testing::raw(2.5F)};
                    }),
            "2.5");
  EXPECT_EQ(setting("decoder_start",
                    [](MadeUpCTranslate2& m) { m.flag("decoder/start_from_zero_embedding", true); }),
            "zero");
  EXPECT_EQ(
      setting("layer_norm_epsilon", [](MadeUpCTranslate2& m) { m.config["layer_norm_epsilon"] = 1e-6; }),
      "1e-06");
  EXPECT_EQ(setting("embedding_norm",
                    [](MadeUpCTranslate2& m) {
                      m.norm("encoder/layernorm_embedding");
                      m.norm("decoder/layernorm_embedding");
                    }),
            "true");
}

TEST_F(CTranslate2ModelTest, WhatSourcesAndDecodersBeginAndEndWith) {
  const auto both = [this](const nlohmann::json& config) {
    const ModelSettings settings = settings_after([&](MadeUpCTranslate2& m) { m.config = config; });
    return settings.at("source_special_tokens") + ", " + settings.at("decoder_start");
  };
  EXPECT_EQ(both({{"decoder_start_token", "<s>"}}), "none, bos");
  EXPECT_EQ(both({{"decoder_start_token", "</s>"}, {"add_source_bos", true}}), "bos, eos");
  EXPECT_EQ(both({{"decoder_start_token", "x"}, {"add_source_bos", true}, {"add_source_eos", true}}),
            "both, bos");
  MadeUpCTranslate2 made_up;
  made_up.config["decoder_start_token"] = "x";
  EXPECT_EQ(blank_model(read(made_up)).special_tokens.start, 3);
  made_up.config["decoder_start_token"] = "none";
  EXPECT_EQ(blank_model(read(made_up)).special_tokens.start, 0) << "the unknown token";
  made_up.config.erase("decoder_start_token");
  EXPECT_THAT(testing::complaint([&] { read(made_up); }), HasSubstr("a token that comes with each text"));
  made_up.flag("with_target_bos", false);
  made_up.text("eos_token", "z");
  const std::string before = made_up.bytes(5);
  EXPECT_EQ(blank_model(read(made_up.write(folder_, before))).special_tokens.start, 5);
}

TEST_F(CTranslate2ModelTest, Vocabularies) {
  const Vocabularies vocabularies = embedded_vocabularies(read(MadeUpCTranslate2()));
  EXPECT_EQ(vocabularies.source.size(), 7);
  EXPECT_EQ(vocabularies.source.unknown(), 6) << "which stands after the list";
  EXPECT_THAT(vocabularies.source.encode("b  a </s> q"), ElementsAre(4, 3, 2, 6))
      << "special tokens stand for themselves";
  EXPECT_EQ(vocabularies.target.decode({3, 1, 5, 2}), "x z");
  EXPECT_EQ(vocabularies.target.begin(), 1);

  MadeUpCTranslate2 shared;
  shared.files = {{"shared_vocabulary.txt", "<unk>\n<s>\n</s>\nx\ny\nz\n"}};
  EXPECT_FALSE(embedded_vocabularies(read(shared)).shared()) << "tables have other rows";
  shared.weights["encoder/embeddings_0/weight"] = shared.weights["decoder/embeddings/weight"];
  EXPECT_TRUE(embedded_vocabularies(read(shared)).shared());
  shared.config.update({{"add_source_bos", true}, {"decoder_start_token", "x"}});
  const SavedModel two = blank_model(read(shared));
  EXPECT_EQ(two.special_tokens.source_bos, 1);
  EXPECT_EQ(two.special_tokens.start, 3);
}

TEST_F(CTranslate2ModelTest, TellsWhichOfItsFilesIsWrong) {
  const std::string damaged = complaint_after([](MadeUpCTranslate2& made_up) {
    made_up.files["source.spm"] = made_up.files["target.spm"] = "\1none";
  });
  EXPECT_THAT(damaged, HasSubstr("source.spm' is damaged"));
  const std::string alone =
      complaint_after([](MadeUpCTranslate2& made_up) { made_up.files["source.spm"] = "none"; });
  EXPECT_THAT(
      alone,
      HasSubstr("has source.spm, but no SentencePiece model of the target, without which translations"));
  const std::string nan = complaint_after([](MadeUpCTranslate2& made_up) {
    made_up.weights.at("decoder/layer_norm/gamma").values[1] = std::nanf("");
  });
  EXPECT_THAT(nan, AllOf(HasSubstr("model.bin': tensor 'decoder/layer_norm/gamma' holds NaN or infinity"),
                         Not(HasSubstr("write"))));
}

TEST_F(CTranslate2ModelTest, LanguagesOfTheListAreThoseOfTheModel) {
  const std::string pieces = testing::text_vocabulary().bytes();
  MadeUpCTranslate2 made_up;
  made_up.files = {{"shared_vocabulary.txt", "<s>\n<pad>\n</s>\n<unk>\ndeu_Latn\neng_Latn\n"},
                   {"sentencepiece.bpe.model", pieces}};
  made_up.weights["encoder/embeddings_0/weight"] = made_up.weights["decoder/embeddings/weight"];
  made_up.config = {{"decoder_start_token", "</s>"}, {"add_source_eos", false}};
  const SavedModel model = blank_model(read(made_up));
  EXPECT_TRUE(model.special_tokens.ends_source) << "as all do who have such pieces";
  const Vocabularies in_german = in_languages(model.vocabularies, {"eng_Latn", "deu_Latn"});
  EXPECT_THAT(in_german.source.encode("x"), ElementsAre(5, 3, 3)) << "of which the list knows no piece";
  EXPECT_THAT(in_german.target.first_tokens(), ElementsAre(4));

  made_up.files.erase("sentencepiece.bpe.model");
  EXPECT_THAT(embedded_vocabularies(read(made_up)).source.languages(), IsEmpty()) << "callers add tokens";
}

TEST_F(CTranslate2ModelTest, ASourceWithoutSpecialTokensNeedsNoEos) {
  MadeUpCTranslate2 made_up;
  made_up.files["source_vocabulary.txt"] = "<blank>\nd\ne\na\nb\nc\n";
  EXPECT_THAT(testing::complaint([&] { read(made_up); }), HasSubstr("has no '</s>'"));
  made_up.config["add_source_eos"] = false;
  const SavedModel model = blank_model(read(made_up));
  EXPECT_FALSE(model.special_tokens.ends_source);
  EXPECT_EQ(model.special_tokens.source_eos, 0) << "which no text has";
}

TEST_F(CTranslate2ModelTest, EqualTablesAreOne) {
  const auto tying = [this](const std::vector<std::string>& equal) {
    return settings_after([&](MadeUpCTranslate2& m) {
             m.files = {{"shared_vocabulary.txt", "<unk>\n<s>\n</s>\nx\ny\nz\n"}};
             m.add("encoder/embeddings_0/weight", {6, 8});
             for (const std::string& name : equal) m.weights[name] = m.weights["decoder/embeddings/weight"];
           })
        .at("tied_embeddings");
  };
  EXPECT_EQ(tying({}), "none");
  EXPECT_EQ(tying({"encoder/embeddings_0/weight"}), "inputs");
  EXPECT_EQ(tying({"decoder/projection/weight"}), "target");
  EXPECT_EQ(tying({"encoder/embeddings_0/weight", "decoder/projection/weight"}), "all");
  MadeUpCTranslate2 two_lists;
  two_lists.files["source_vocabulary.txt"] = "<unk>\n<s>\n</s>\na\nb\nc\n";
  two_lists.weights["encoder/embeddings_0/weight"] = two_lists.weights["decoder/embeddings/weight"];
  EXPECT_EQ(blank_model(read(two_lists)).settings.at("tied_embeddings"), "none");
  MadeUpCTranslate2 aliased;
  aliased.weights.erase("decoder/projection/weight");
  aliased.aliases = {{"decoder/projection/weight", "decoder/embeddings/weight"}};
  for (const auto type : {CTranslate2Type::f32, CTranslate2Type::i8}) {
    const ModelFile file = read(aliased.write(folder_, aliased.bytes(6, type)));
    EXPECT_EQ(blank_model(file).settings.at("tied_embeddings"), "target");
  }
}

TEST_F(CTranslate2ModelTest, TextOfTheT5Family) {
  MadeUpCTranslate2 made_up;
  made_up.files = {
      {"shared_vocabulary.json", R"(["<pad>", "</s>", "<unk>", "<2de>", "<extra_id_0>", "<extra_id_0>"])"},
      {"spiece.model", testing::text_vocabulary().bytes()}};
  made_up.weights["encoder/embeddings_0/weight"] = made_up.weights["decoder/embeddings/weight"];
  made_up.config = {{"decoder_start_token", "<pad>"}, {"bos_token", "<pad>"}};
  const SavedModel model = blank_model(read(made_up));
  EXPECT_TRUE(model.special_tokens.ends_source);
  EXPECT_EQ(model.special_tokens.start, 0);
  EXPECT_THAT(model.vocabularies.source.encode("<2de><extra_id_0>"), ElementsAre(3, 4));
  EXPECT_THAT(in_languages(model, {"", "de"}).source.encode("<extra_id_0>"), ElementsAre(3, 4));
  EXPECT_EQ(model.vocabularies.target.decode({4, 5}), "") << "the second one fills up the table";
}

TEST_F(CTranslate2ModelTest, BiasesMayBeMissing) {
  MadeUpCTranslate2 made_up;
  const std::string kept = "encoder/layer_0/ffn/linear_1/bias";
  std::erase_if(made_up.weights,
                [&](const auto& entry) { return entry.first.ends_with("bias") && entry.first != kept; });
  const ModelFile file = read(made_up);
  EXPECT_EQ(weight(file, "encoder.layers.0.linear1.bias"), std::vector<float>(12));
  EXPECT_EQ(weight(file, "encoder.layers.0.linear2.bias"), made_up.weights.at(kept).values);
  EXPECT_EQ(weight(file, "decoder.layers.0.multihead_attn.in_proj_bias"), std::vector<float>(24));
  EXPECT_EQ(blank_model(file).settings.at("linear_bias"), "true");
  EXPECT_EQ(blank_model(file).settings.at("output_bias"), "false");

  made_up.weights.erase(kept);
  const ModelFile without = read(made_up);
  EXPECT_EQ(blank_model(without).settings.at("linear_bias"), "false");
  EXPECT_EQ(without.find("encoder.layers.0.linear2.bias"), nullptr);
}

TEST_F(CTranslate2ModelTest, GatedNetworks) {
  MadeUpCTranslate2 made_up;
  for (const std::string side : {"encoder", "decoder"}) {
    const std::string ffn = side + "/layer_0/ffn/linear_0";
    for (const char* end : {"/weight", "/bias"}) {
      auto gated = made_up.weights.at(ffn + end);
      for (float& value : gated.values) value = 1 - value;
      made_up.weights[ffn + "_noact" + end] = std::move(gated);
    }
  }
  const ModelFile file = read(made_up);
  EXPECT_EQ(blank_model(file).settings.at("ffn_gate"), "true");
  EXPECT_EQ(weight(file, "encoder.layers.0.linear1.weight"),
            made_up.weights.at("encoder/layer_0/ffn/linear_0/weight").values);
  EXPECT_EQ(weight(file, "decoder.layers.0.linear_gated.bias"),
            made_up.weights.at("decoder/layer_0/ffn/linear_0_noact/bias").values);
}

// CTranslate2 has RMSNorm where there is no "beta", with another epsilon unless config.json states one.
TEST_F(CTranslate2ModelTest, RootMeanSquareNorm) {
  const auto without_betas = [](MadeUpCTranslate2& m) {
    std::erase_if(m.weights, [](const auto& entry) { return entry.first.ends_with("beta"); });
  };
  MadeUpCTranslate2 made_up;
  without_betas(made_up);
  const ModelFile file = read(made_up);
  const ModelSettings settings = blank_model(file).settings;
  EXPECT_EQ(settings.at("norm_kind"), "rms");
  EXPECT_EQ(settings.at("layer_norm_epsilon"), "1e-06");
  EXPECT_EQ(weight(file, "decoder.layers.0.norm3.weight"),
            made_up.weights.at("decoder/layer_0/ffn/layer_norm/gamma").values);
  EXPECT_EQ(file.find("decoder.layers.0.norm3.bias"), nullptr);
  EXPECT_EQ(settings_after([&](MadeUpCTranslate2& m) {
              without_betas(m);
              m.config["layer_norm_epsilon"] = 1e-5;
            }).at("layer_norm_epsilon"),
            "1e-05");
  EXPECT_EQ(settings_after([](MadeUpCTranslate2&) {}).at("norm_kind"), "layer");
  const auto without = [this](const std::string& name) {
    return complaint_after([&](MadeUpCTranslate2& m) { m.weights.erase(name); });
  };
  EXPECT_THAT(without("decoder/layer_0/ffn/layer_norm/beta"),
              HasSubstr("'decoder/layer_0/ffn/layer_norm/beta'"));
  EXPECT_THAT(without("encoder/layer_0/self_attention/layer_norm/beta"), HasSubstr("layer_norm/beta'"));
}

TEST_F(CTranslate2ModelTest, WhatModelsHereDoNotHaveIsNamed) {
  const auto weight = [this](const std::string& name) {
    return complaint_after([&](MadeUpCTranslate2& m) { m.add(name, {8, 8}); });
  };
  EXPECT_THAT(weight("encoder/conv1/weight"), HasSubstr("convolutions"));
  EXPECT_THAT(weight("encoder/layer_0/self_attention/relative_asymmetric_position_keys"),
              HasSubstr("relative positions"));
  EXPECT_THAT(weight("encoder/embeddings_1/weight"), HasSubstr("more than one input"));
  EXPECT_THAT(weight("decoder/layer_0/ffn/linear_1/weight_zero"), HasSubstr("AWQ"));
  EXPECT_THAT(weight("decoder/layer_0/surprise"), HasSubstr("'decoder/layer_0/surprise'"));
  const auto flag = [this](const std::string& name) {
    return complaint_after([&](MadeUpCTranslate2& m) { m.flag(name, true); });
  };
  EXPECT_THAT(flag("decoder/alibi"), HasSubstr("ALiBi"));
  EXPECT_THAT(flag("encoder/multi_query_attention"), HasSubstr("share keys"));
  EXPECT_THAT(complaint_after([](MadeUpCTranslate2& m) {
                m.number("encoder/activation", 5);
                m.number("decoder/activation", 5);
              }),
              HasSubstr("another activation, number 5"));
  EXPECT_THAT(complaint_after([](MadeUpCTranslate2& m) { m.number("encoder/num_heads", 2); }),
              HasSubstr("num_heads 2 in the encoder, but 8 in the decoder"));
  EXPECT_THAT(complaint_after([](MadeUpCTranslate2& m) { m.flag("encoder/scale_embeddings", false); }),
              HasSubstr("embeddings that are scaled"));
  EXPECT_THAT(complaint_after([](MadeUpCTranslate2& m) {
                m.weights.erase("encoder/layer_norm/gamma");
                m.weights.erase("encoder/layer_norm/beta");
              }),
              HasSubstr("normalization of one side only"));
  EXPECT_THAT(complaint_after([](MadeUpCTranslate2& m) {
                m.flag("encoder/layer_0/self_attention/layer_norm/layer_norm_use_residual", true);
              }),
              HasSubstr("RMSNorm whose gains count from 1"));
  EXPECT_THAT(complaint_after([](MadeUpCTranslate2& m) {
                std::erase_if(m.weights, [](const auto& entry) {
                  return entry.first.find("/layer_0/") != entry.first.npos &&
                         entry.first.find("/layer_norm/") != entry.first.npos;
                });
              }),
              HasSubstr("without residual connections"));
  EXPECT_THAT(complaint_after([](MadeUpCTranslate2& m) { m.config["quantization_type"] = 1; }),
              HasSubstr("AWQ"));
  EXPECT_THAT(complaint_after([](MadeUpCTranslate2& m) { m.files["source_1_vocabulary.txt"] = "a\n"; }),
              HasSubstr("more than one input"));
  const MadeUpCTranslate2 made_up;
  for (const std::string spec : {"TransformerDecoderModelSpec", "WhisperSpec"}) {
    const std::string path = made_up.write(folder_, made_up.bytes(6, CTranslate2Type::f32, {spec, 1}));
    EXPECT_THAT(testing::complaint([&] { read(path); }), HasSubstr("of the kind '" + spec + "'"));
  }
}

TEST_F(CTranslate2ModelTest, WhatIsMissingOrDamagedIsNamed) {
  const auto without = [this](const std::string& name) {
    return complaint_after([&](MadeUpCTranslate2& m) {
      m.weights.erase(name);
      m.files.erase(name);
    });
  };
  EXPECT_THAT(without("decoder/layer_0/ffn/linear_1/weight"),
              HasSubstr("no tensor 'decoder/layer_0/ffn/linear_1/weight'"));
  EXPECT_THAT(without("source_vocabulary.txt"), HasSubstr("no source_vocabulary.json or .txt"));
  EXPECT_THAT(complaint_after([](MadeUpCTranslate2& m) { m.files["source_vocabulary.txt"] += "d\ne\n"; }),
              HasSubstr("9 words, but the tables of the model have 7 rows"));
  EXPECT_THAT(complaint_after([](MadeUpCTranslate2& m) {
                m.add("encoder/layer_0/ffn/linear_1/weight", {8, 11});
              }),
              AllOf(HasSubstr("linear2.weight"), HasSubstr("[8, 11]")));
  EXPECT_THAT(complaint_after([](MadeUpCTranslate2& m) { m.config["unk_token"] = 3; }),
              HasSubstr("not text"));
  EXPECT_THAT(complaint_after([](MadeUpCTranslate2& m) {
                m.attributes["encoder/num_heads"] = {"encoder/num_heads", {2}, 1, "\2\2"};
              }),
              HasSubstr("2 numbers, not one"));
  EXPECT_THAT(testing::complaint<UsageError>([&] {
                open_model_file(MadeUpCTranslate2().write(folder_),
                                {.source_vocabulary = "x", .target_vocabulary = {}});
              }),
              HasSubstr("leave out"));
}

TEST_F(CTranslate2ModelTest, DamagedFilesAreReadOrRefused) {
  MadeUpCTranslate2 made_up;
  made_up.number("encoder/num_heads", 8);
  const std::string bytes = made_up.bytes(6, CTranslate2Type::i8);
  int refused = 0;
  for (std::size_t at = 0; at < bytes.size(); at += 97) {
    std::string changed = bytes;
    changed[at] = static_cast<char>(changed[at] ^ 1 << at % 8);
    const std::string path = made_up.write(folder_, changed);
    refused += testing::complaint([&] { read(path); }).empty() ? 0 : 1;
    const std::string cut = made_up.write(folder_, bytes.substr(0, at));
    EXPECT_NE(testing::complaint([&] { read(cut); }), "") << at;
  }
  EXPECT_GT(refused, 10);
}

}  // namespace
}  // namespace nmt
