// Tests reading models in eole's format.
#include "foreign/eole/eole_model.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <nlohmann/json.hpp>

#include "common/complaint.h"
#include "common/temporary_folder.h"
#include "foreign/containers/safetensors_file.h"
#include "foreign/made_up_tensors.h"
#include "foreign/open.h"
#include "foreign/weights_of_file.h"
#include "nn/saved/saved_model.h"
#include "nn/transformer/positions.h"

namespace nmt {
namespace {

using nlohmann::json;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using testing::kInner;
using testing::kWidth;
using testing::weight;

struct MadeUpEole {
  struct Tensor {
    std::vector<std::int64_t> shape;
    std::vector<float> values;
  };

  std::map<std::string, Tensor> tensors;
  json config = {{"model",
                  {{"architecture", "transformer"},
                   {"heads", 2},
                   {"embeddings", {{"position_encoding_type", "SinusoidalInterleaved"}}},
                   {"encoder", {{"encoder_type", "transformer"}}},
                   {"decoder", {{"decoder_type", "transformer"}}}}},
                 {"training", {{"batch_size", 8}}}};
  json vocabulary = {{"src", {"<unk>", "<blank>", "<s>", "</s>", "a", "b"}},
                     {"tgt", {"<unk>", "<blank>", "<s>", "</s>", "x"}},
                     {"decoder_start_token", "<s>"}};

  MadeUpEole() {
    add("src_emb.embeddings.weight", {6, kWidth});
    add("tgt_emb.embeddings.weight", {5, kWidth});
    add("generator.weight", {5, kWidth});
    add("generator.bias", {5});
    for (const std::string side : {"src", "tgt"}) sinusoids(side, Positions::sinusoidal);
    layer("encoder", {{"self_attn", "input_layernorm"}});
    layer("decoder", {{"self_attn", "input_layernorm"}, {"context_attn", "precontext_layernorm"}});
    add("decoder.transformer_layers.0.layer_scalar", {1}, 1);
  }

  void add(const std::string& name, std::vector<std::int64_t> shape, float around = 0) {
    std::int64_t size = 1;
    for (const std::int64_t n : shape) size *= n;
    std::vector<float> values;
    const auto seed = static_cast<double>(tensors.size() + 1);
    for (std::int64_t i = 0; i < size; ++i)
      values.push_back(around + static_cast<float>(std::sin(seed * 1.7 + static_cast<double>(i) * 2.3)));
    tensors[name] = {std::move(shape), std::move(values)};
  }
  void norm(const std::string& name) {
    add(name + ".weight", {kWidth}, 1);
    add(name + ".bias", {kWidth});
  }
  /// Linear layers have biases only if requested.
  void layer(const std::string& side, const std::map<std::string, std::string>& attentions) {
    const std::string layer = side + ".transformer_layers.0.";
    for (const auto& [attention, before] : attentions) {
      for (const char* part : {"linear_query", "linear_keys", "linear_values", "final_linear"})
        add(layer + attention + "." + part + ".weight", {kWidth, kWidth});
      norm(layer + before);
    }
    add(layer + "mlp.gate_up_proj.weight", {kInner, kWidth});
    add(layer + "mlp.down_proj.weight", {kWidth, kInner});
    norm(layer + "post_attention_layernorm");
    norm(side + ".layer_norm");
  }
  void sinusoids(const std::string& side, Positions kind) {
    constexpr std::int64_t kRows = 50;
    const std::vector<double> table = sinusoid_table(kind, 0, kRows, kWidth);
    tensors[side + "_emb.pe.pe"] = {{kRows, 1, kWidth}, {table.begin(), table.end()}};
  }

  std::string write(const TemporaryFolder& folder, std::size_t files = 1) const {
    const std::filesystem::path path = folder / "model";
    std::filesystem::remove_all(path);
    std::filesystem::create_directory(path);
    std::ofstream(path / "config.json") << config;
    std::ofstream(path / "vocab.json") << vocabulary;
    std::vector<std::vector<FileTensor>> shards(files);
    std::size_t number = 0;
    for (const auto& [name, tensor] : tensors) {
      shards[number++ % files].push_back(
          {name, DType::f32, tensor.shape, reinterpret_cast<const std::byte*>(tensor.values.data())});
    }
    for (std::size_t i = 0; i < files; ++i)
      write_safetensors((path / fmt::format("model.0{}.safetensors", i)).string(), {}, shards[i]);
    return path.string();
  }
};

class EoleModelTest : public ::testing::Test {
 protected:
  ModelFile read(const MadeUpEole& made_up, std::size_t files = 1) const {
    return model_with(read_eole_model(made_up.write(folder_, files)), "model");
  }
  template <class Change>
  ModelSettings settings_after(const Change& change) const {
    MadeUpEole made_up;
    change(made_up);
    return blank_model(read(made_up)).settings;
  }
  template <class Change>
  std::string complaint_after(const Change& change) const {
    return testing::complaint([&] { settings_after(change); });
  }

  TemporaryFolder folder_;
};

TEST_F(EoleModelTest, WeightsAreWhereTheyBelong) {
  const MadeUpEole made_up;
  const ModelFile file = read(made_up);
  const auto theirs = [&](const std::string& name) { return made_up.tensors.at(name).values; };
  std::vector<float> together;
  for (const std::string part : {"query", "keys", "values"}) {
    const std::vector<float> one =
        theirs("decoder.transformer_layers.0.context_attn.linear_" + part + ".weight");
    together.insert(together.end(), one.begin(), one.end());
  }
  EXPECT_EQ(weight(file, "decoder.layers.0.multihead_attn.in_proj_weight"), together);
  EXPECT_EQ(file.find("decoder.layers.0.multihead_attn.in_proj_bias"), nullptr);
  EXPECT_EQ(weight(file, "decoder.layers.0.norm2.weight"),
            theirs("decoder.transformer_layers.0.precontext_layernorm.weight"));
  EXPECT_EQ(weight(file, "decoder.layers.0.norm3.bias"),
            theirs("decoder.transformer_layers.0.post_attention_layernorm.bias"));
  EXPECT_EQ(weight(file, "encoder.layers.0.linear1.weight"),
            theirs("encoder.transformer_layers.0.mlp.gate_up_proj.weight"));
  EXPECT_EQ(weight(file, "encoder.norm.bias"), theirs("encoder.layer_norm.bias"));
  EXPECT_EQ(weight(file, "output.bias"), theirs("generator.bias"));
  EXPECT_EQ(read(made_up, 3).checksum(), file.checksum()) << "of several files";
}

TEST_F(EoleModelTest, SettingsAndVocabularies) {
  const SavedModel model = blank_model(read(MadeUpEole()));
  const ModelSettings expected = {{"d_model", "8"},
                                  {"d_ff", "12"},
                                  {"heads", "2"},
                                  {"norm", "pre"},
                                  {"final_norm", "true"},
                                  {"activation", "relu"},
                                  {"positions", "sinusoidal"},
                                  {"position_offset", "0"},
                                  {"embedding_scale", "sqrt"},
                                  {"tied_embeddings", "none"},
                                  {"source_special_tokens", "none"},
                                  {"decoder_start", "bos"},
                                  {"output_bias", "true"},
                                  {"layer_norm_epsilon", "1e-05"}};
  for (const auto& [name, value] : expected) EXPECT_EQ(model.settings.at(name), value) << name;
  EXPECT_EQ(model.decoding.at("beam"), "5");
  EXPECT_THAT(model.vocabularies.source.encode("b a c"), ElementsAre(5, 4, 0));
  EXPECT_EQ(model.vocabularies.target.decode({4, 3}), "x");
  EXPECT_EQ(model.special_tokens.start, 2);
  EXPECT_EQ(model.special_tokens.target_eos, 3);
}

TEST_F(EoleModelTest, SharedTablesAreLeftOut) {
  const auto tying = [this](const std::vector<std::string>& missing) {
    return settings_after([&](MadeUpEole& m) {
             m.vocabulary["tgt"] = m.vocabulary["src"];
             m.add("tgt_emb.embeddings.weight", {6, kWidth});
             m.add("generator.weight", {6, kWidth});
             m.add("generator.bias", {6});
             for (const std::string& name : missing) m.tensors.erase(name);
           })
        .at("tied_embeddings");
  };
  EXPECT_EQ(tying({}), "none");
  EXPECT_EQ(tying({"generator.weight"}), "target");
  EXPECT_EQ(tying({"tgt_emb.embeddings.weight"}), "inputs");
  EXPECT_EQ(tying({"tgt_emb.embeddings.weight", "generator.weight"}), "all");
}

TEST_F(EoleModelTest, OtherSettings) {
  const auto setting = [this](const std::string& name, const auto& change) {
    return settings_after([&](MadeUpEole& m) { change(m.config["model"], m); }).at(name);
  };
  EXPECT_EQ(setting("activation", [](json& model, MadeUpEole&) { model["mlp_activation_fn"] = "gelu-tanh"; }),
            "gelu_tanh");
  EXPECT_EQ(setting("heads",
                    [](json& model, MadeUpEole&) {
                      model["encoder"]["heads"] = 4;
                      model["decoder"]["heads"] = 4;
                    }),
            "4")
      << "that of a side comes before that of the model";
  EXPECT_EQ(setting("layer_norm_epsilon", [](json& model, MadeUpEole&) { model["norm_eps"] = 1e-6; }),
            "1e-06");
  EXPECT_EQ(
      setting("decoder_start", [](json&, MadeUpEole& m) { m.vocabulary["decoder_start_token"] = "</s>"; }),
      "eos");
  EXPECT_EQ(setting("positions",
                    [](json&, MadeUpEole& m) {
                      m.sinusoids("src", Positions::tensor2tensor);
                      m.sinusoids("tgt", Positions::tensor2tensor);
                    }),
            "tensor2tensor");
  const auto learned = [](json& model, MadeUpEole& m) {
    for (const std::string side : {"src", "tgt"}) {
      m.tensors.erase(side + "_emb.pe.pe");
      m.add(side + "_emb.pe.weight", {20, kWidth});
    }
    model["embeddings"] = {{"position_encoding_type", "Learned"}, {"position_shift", 2}};
  };
  EXPECT_EQ(setting("positions", learned), "learned");
  EXPECT_EQ(setting("max_positions", learned), "20");
  EXPECT_EQ(setting("position_offset", learned), "2");
  EXPECT_EQ(setting("embedding_scale", learned), "1");
}

TEST_F(EoleModelTest, RootMeanSquareNorm) {
  MadeUpEole made_up;
  made_up.config["model"]["layer_norm"] = "rms";
  std::erase_if(made_up.tensors, [](const auto& entry) { return entry.first.ends_with("norm.bias"); });
  const ModelFile file = read(made_up);
  EXPECT_EQ(blank_model(file).settings.at("norm_kind"), "rms");
  EXPECT_EQ(weight(file, "decoder.layers.0.norm2.weight"),
            made_up.tensors.at("decoder.transformer_layers.0.precontext_layernorm.weight").values);
  EXPECT_EQ(file.find("decoder.layers.0.norm2.bias"), nullptr);
  EXPECT_EQ(settings_after([](MadeUpEole&) {}).at("norm_kind"), "layer");
  EXPECT_EQ(
      settings_after([](MadeUpEole& m) { m.config["model"]["layer_norm"] = "standardFP32"; }).at("norm_kind"),
      "layer");
}

TEST_F(EoleModelTest, BiasesThatSomeLayersLackAreZeros) {
  MadeUpEole made_up;
  made_up.add("encoder.transformer_layers.0.mlp.down_proj.bias", {kWidth});
  const ModelFile file = read(made_up);
  EXPECT_EQ(blank_model(file).settings.at("linear_bias"), "true");
  EXPECT_EQ(weight(file, "encoder.layers.0.linear2.bias"),
            made_up.tensors.at("encoder.transformer_layers.0.mlp.down_proj.bias").values);
  EXPECT_EQ(weight(file, "decoder.layers.0.multihead_attn.in_proj_bias"), std::vector<float>(3 * kWidth));
}

TEST_F(EoleModelTest, GatedNetworksWithoutBiases) {
  MadeUpEole made_up;
  made_up.config["model"]["mlp_activation_fn"] = "gated-silu";
  const auto theirs = [](const std::string& side, const std::string& layer) {
    return side + ".transformer_layers.0.mlp." + layer + ".weight";
  };
  for (const char* side : {"encoder", "decoder"}) made_up.add(theirs(side, "up_proj"), {kInner, kWidth});
  const ModelFile file = read(made_up);
  const ModelSettings settings = blank_model(file).settings;
  EXPECT_EQ(settings.at("activation"), "swish");
  EXPECT_EQ(settings.at("ffn_gate"), "true");
  EXPECT_EQ(settings.at("linear_bias"), "false");
  EXPECT_EQ(weight(file, "encoder.layers.0.linear1.weight"),
            made_up.tensors.at(theirs("encoder", "gate_up_proj")).values);
  EXPECT_EQ(weight(file, "decoder.layers.0.linear_gated.weight"),
            made_up.tensors.at(theirs("decoder", "up_proj")).values);
  EXPECT_EQ(file.find("encoder.layers.0.linear1.bias"), nullptr);
}

TEST_F(EoleModelTest, HeadsMayShareKeys) {
  MadeUpEole made_up;
  EXPECT_EQ(blank_model(read(made_up)).settings.at("kv_heads"), "2");
  made_up.config["model"]["heads_kv"] = 1;
  const std::string cross = "decoder.transformer_layers.0.context_attn.linear_";
  for (const std::string attention :
       {"encoder.transformer_layers.0.self_attn", "decoder.transformer_layers.0.self_attn",
        "decoder.transformer_layers.0.context_attn"}) {
    for (const std::string part : {"keys", "values"})
      made_up.add(attention + ".linear_" + part + ".weight", {kWidth / 2, kWidth});
  }
  const ModelFile file = read(made_up);
  EXPECT_EQ(blank_model(file).settings.at("kv_heads"), "1");
  std::vector<float> expected;
  for (const std::string part : {"query", "keys", "values"})
    std::ranges::copy(made_up.tensors.at(cross + part + ".weight").values, std::back_inserter(expected));
  EXPECT_EQ(weight(file, "decoder.layers.0.multihead_attn.in_proj_weight"), expected);
  EXPECT_THAT(complaint_after([](MadeUpEole& m) { m.config["model"]["decoder"]["heads_kv"] = 1; }),
              HasSubstr("heads_kv is 1, different from that of the encoder"));
}

/// Gives a model positions that are not added to embeddings.
void set_positions(MadeUpEole& made_up, const std::string& type) {
  made_up.config["model"]["embeddings"]["position_encoding_type"] = type;
  made_up.tensors.erase("src_emb.pe.pe");
  made_up.tensors.erase("tgt_emb.pe.pe");
}

TEST_F(EoleModelTest, LinearBiases) {
  MadeUpEole made_up;
  set_positions(made_up, "Alibi");
  const ModelSettings settings = blank_model(read(made_up)).settings;
  EXPECT_EQ(settings.at("positions"), "alibi");
  EXPECT_EQ(settings.at("embedding_scale"), "1");
}

TEST_F(EoleModelTest, VectorsOfDistances) {
  constexpr std::int64_t kHead = kWidth / 2;
  MadeUpEole made_up;
  set_positions(made_up, "Relative");
  for (const std::string side : {"encoder", "decoder"})
    made_up.add(side + ".transformer_layers.0.self_attn.relative_positions_embeddings.weight", {9, kHead});
  const ModelFile file = read(made_up);
  const ModelSettings settings = blank_model(file).settings;
  EXPECT_EQ(settings.at("positions"), "shaw");
  EXPECT_EQ(settings.at("max_relative_positions"), "4");
  EXPECT_EQ(settings.at("embedding_scale"), "1");
  for (const std::string table : {"keys", "values"})
    EXPECT_EQ(
        weight(file, "decoder.layers.0.self_attn.relative_" + table + ".weight"),
        made_up.tensors.at("decoder.transformer_layers.0.self_attn.relative_positions_embeddings.weight")
            .values);
}

/// Makes the positions of a model rotary.
void rotate(MadeUpEole& made_up, const json& rope) {
  set_positions(made_up, "Rotary");
  made_up.config["model"]["rope_config"] = rope;
}

TEST_F(EoleModelTest, RotaryPositions) {
  constexpr std::size_t kRow = kWidth;
  const std::string query = "decoder.transformer_layers.0.self_attn.linear_query.weight",
                    in_proj = "decoder.layers.0.self_attn.in_proj_weight";
  MadeUpEole made_up;
  rotate(made_up, {{"rotary_interleave", false}, {"rotary_theta", 10000}, {"scaling_type", nullptr}});
  const ModelFile halves = read(made_up);
  const ModelSettings settings = blank_model(halves).settings;
  EXPECT_EQ(settings.at("positions"), "rotary");
  EXPECT_EQ(settings.at("embedding_scale"), "1");
  std::vector<float> queries = weight(halves, in_proj);
  queries.resize(kWidth * kRow);
  EXPECT_EQ(queries, made_up.tensors.at(query).values);

  rotate(made_up, nullptr);  // neighbors are usual
  const std::vector<float> ours = weight(read(made_up), in_proj), &theirs = made_up.tensors.at(query).values;
  for (std::size_t row = 0; row < kWidth; ++row) {
    const std::size_t from = std::vector<std::size_t>{0, 2, 1, 3, 4, 6, 5, 7}[row];
    EXPECT_TRUE(std::equal(theirs.begin() + static_cast<std::ptrdiff_t>(from * kRow),
                           theirs.begin() + static_cast<std::ptrdiff_t>((from + 1) * kRow),
                           ours.begin() + static_cast<std::ptrdiff_t>(row * kRow)))
        << row;
  }
}

TEST_F(EoleModelTest, RotaryPositionsThatDifferAreNamed) {
  const auto complaint = [this](const json& rope) {
    return complaint_after([&](MadeUpEole& m) { rotate(m, rope); });
  };
  EXPECT_EQ(complaint({{"rotary_dim", 4}}), "");
  EXPECT_THAT(complaint({{"rotary_dim", 2}}), HasSubstr("rotary_dim is 2"));
  EXPECT_THAT(complaint({{"rotary_theta", 500000}}), HasSubstr("rotary_theta is 500000"));
  EXPECT_THAT(complaint({{"scaling_type", "llama3"}}), HasSubstr("scaling_type is \"llama3\""));
  EXPECT_THAT(complaint_after([](MadeUpEole& m) {
                rotate(m, {{"rotary_interleave", true}});
                m.config["model"]["decoder"]["rope_config"] = {{"rotary_interleave", false}};
              }),
              HasSubstr("rotary_interleave is false, different from that of the encoder"));
}

TEST_F(EoleModelTest, WhatModelsHereDoNotHaveIsNamed) {
  const auto model = [this](const std::string& key, const json& value) {
    return complaint_after([&](MadeUpEole& m) { m.config["model"][key] = value; });
  };
  EXPECT_THAT(model("architecture", "transformer_lm"), HasSubstr("architecture is \"transformer_lm\""));
  EXPECT_THAT(model("layer_norm", "gemma-rms"), HasSubstr("layer_norm is \"gemma-rms\""));
  EXPECT_THAT(model("mlp_activation_fn", "fused-gated-silu"),
              HasSubstr("mlp_activation_fn is \"fused-gated-silu\""));
  EXPECT_THAT(model("parallel_residual", true), HasSubstr("parallel_residual"));
  EXPECT_THAT(model("num_experts", 4), HasSubstr("num_experts"));
  EXPECT_THAT(complaint_after([](MadeUpEole& m) { m.config["model"]["decoder"]["heads"] = 4; }),
              HasSubstr("heads is 4, different from that of the encoder"));
  EXPECT_THAT(complaint_after([](MadeUpEole& m) {
                m.config["model"]["embeddings"]["position_encoding_type"] = "XDRope";
                m.tensors.erase("src_emb.pe.pe");
                m.tensors.erase("tgt_emb.pe.pe");
              }),
              HasSubstr("position_encoding_type: XDRope"));
  EXPECT_THAT(complaint_after([](MadeUpEole& m) {
                m.add("estimator.weight", {1, kWidth});
              }),
              HasSubstr("'estimator.weight'"));
}

TEST_F(EoleModelTest, WhatIsMissingOrDamagedIsNamed) {
  EXPECT_THAT(complaint_after([](MadeUpEole& m) { m.vocabulary.erase("src"); }),
              HasSubstr("no list of tokens 'src'"));
  EXPECT_THAT(complaint_after([](MadeUpEole& m) {
                m.vocabulary["tgt"] = {"<unk>", 1};
              }),
              HasSubstr("contains something other than tokens"));
  EXPECT_THAT(complaint_after([](MadeUpEole& m) { m.vocabulary = json::array(); }),
              HasSubstr("not a JSON object"));
  EXPECT_THAT(complaint_after([](MadeUpEole& m) { m.tensors.erase("decoder.layer_norm.weight"); }),
              HasSubstr("no tensor 'decoder.layer_norm.weight'"));
  EXPECT_THAT(complaint_after([](MadeUpEole& m) { m.vocabulary["tgt"] = m.vocabulary["src"]; }),
              HasSubstr("6 words, but the tables of the model have 5 rows"));
  const std::string path = MadeUpEole().write(folder_);
  EXPECT_EQ(toolkit_of(path), "eole");
  std::filesystem::remove(path + "/config.json");
  EXPECT_THAT(testing::complaint([&] { open_model_file(path); }), HasSubstr("has no config.json"));
}

}  // namespace
}  // namespace nmt
