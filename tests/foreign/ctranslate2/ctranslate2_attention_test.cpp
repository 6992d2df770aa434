// Tests the positions and the attention of models of CTranslate2.
#include <gmock/gmock.h>

#include "foreign/ctranslate2/ctranslate2_fixture.h"
#include "nn/transformer/positions.h"

namespace nmt {
namespace {

using ::testing::HasSubstr;
using testing::MadeUpCTranslate2;
using testing::weight;

class CTranslate2AttentionTest : public testing::CTranslate2Fixture {};

TEST_F(CTranslate2AttentionTest, PositionsOfATable) {
  const auto positions = [this](const std::vector<double>& encoder, const std::vector<double>& decoder) {
    const ModelSettings settings = settings_after([&](MadeUpCTranslate2& m) {
      const auto put = [&](const std::string& side, const std::vector<double>& table) {
        m.weights[side + "/position_encodings/encodings"] = {
            {static_cast<std::uint32_t>(table.size() / 8), 8}, {table.begin(), table.end()}};
      };
      put("encoder", encoder);
      put("decoder", decoder);
    });
    return settings.at("positions") + " from " + settings.at("position_offset") + " of " +
           settings.at("max_positions");
  };
  const auto table = [](Positions kind, std::int64_t offset, std::int64_t rows) {
    return sinusoid_table(kind, offset, rows, 8);
  };
  const auto halves = table(Positions::sinusoidal_halves, 0, 9);
  EXPECT_EQ(positions(halves, halves), "sinusoidal_halves from 0 of 1024");
  const auto m2m = table(Positions::tensor2tensor, 2, 9);
  EXPECT_EQ(positions(m2m, table(Positions::tensor2tensor, 2, 5)), "tensor2tensor from 2 of 1024");
  EXPECT_EQ(positions(halves, m2m), "learned from 0 of 9");
  std::vector<double> learned = table(Positions::sinusoidal, 0, 7);
  EXPECT_EQ(positions(learned, learned), "sinusoidal from 0 of 1024");
  learned[20] += 0.01;
  EXPECT_EQ(positions(halves, learned), "learned from 0 of 7");
}

/// Adds rotary positions of this number of columns to both sides; the heads are 4 wide.
void rotate(MadeUpCTranslate2& made_up, std::int8_t columns, bool of_neighbors) {
  for (const std::string side : {"encoder", "decoder"}) {
    made_up.number(side + "/num_heads", 2);
    made_up.number(side + "/layer_0/self_attention/rotary_dim", columns);
    made_up.flag(side + "/layer_0/self_attention/rotary_interleave", of_neighbors);
  }
}

TEST_F(CTranslate2AttentionTest, RotaryPositions) {
  const std::string theirs = "decoder/layer_0/self_attention/linear_0/",
                    ours = "decoder.layers.0.self_attn.in_proj_";
  MadeUpCTranslate2 made_up;
  for (const std::int8_t columns : {0, 4}) {
    rotate(made_up, columns, false);
    const ModelFile file = read(made_up);
    EXPECT_EQ(blank_model(file).settings.at("positions"), "rotary");
    EXPECT_EQ(weight(file, ours + "weight"), made_up.weights.at(theirs + "weight").values);
  }
  rotate(made_up, 0, true);
  const std::vector<float> bias = made_up.weights.at(theirs + "bias").values;
  std::vector<float> expected;  // queries and keys of two heads each, then values
  for (const std::size_t head : {0, 4, 8, 12}) {
    for (const std::size_t i : {0, 2, 1, 3}) expected.push_back(bias[head + i]);
  }
  expected.insert(expected.end(), bias.begin() + 16, bias.end());
  EXPECT_EQ(weight(read(made_up), ours + "bias"), expected);
  made_up.attributes.erase("decoder/layer_0/self_attention/rotary_interleave");
  made_up.attributes.erase("encoder/layer_0/self_attention/rotary_interleave");
  EXPECT_EQ(weight(read(made_up), ours + "bias"), expected) << "as usual";
}

TEST_F(CTranslate2AttentionTest, RotaryPositionsThatDifferAreNamed) {
  const std::string layer = "decoder/layer_0/self_attention/";
  const auto complaint = [&](const auto& change) {
    return complaint_after([&](MadeUpCTranslate2& m) {
      rotate(m, 0, false);
      change(m);
    });
  };
  EXPECT_THAT(complaint([&](MadeUpCTranslate2& m) { m.attributes.erase(layer + "rotary_dim"); }),
              HasSubstr("rotary positions that differ between layers"));
  EXPECT_THAT(complaint([&](MadeUpCTranslate2& m) { m.flag(layer + "rotary_interleave", true); }),
              HasSubstr("rotary positions that differ between layers"));
  EXPECT_THAT(complaint([&](MadeUpCTranslate2& m) { rotate(m, 2, false); }),
              HasSubstr("rotary positions in 2 of 4 columns of a head"));
  EXPECT_THAT(complaint([&](MadeUpCTranslate2& m) {
                m.attributes[layer + "rotary_base"] = {layer + "rotary_base", {}, 0, testing::raw(5e5F)};
              }),
              HasSubstr("rotary positions of another base than 10000"));
  EXPECT_THAT(complaint([&](MadeUpCTranslate2& m) { m.number(layer + "rotary_scaling_type", 0); }),
              HasSubstr("rotary positions that are scaled"));
}

/// Makes a model like those of the T5 family, with heads of 3 columns.
void become_t5(MadeUpCTranslate2& made_up) {
  std::erase_if(made_up.weights, [](const auto& entry) {
    return entry.first.ends_with("beta") || entry.first.ends_with("bias");
  });
  constexpr std::uint32_t kModel = MadeUpCTranslate2::kWidth, kHeads = 6;
  for (const std::string side : {"encoder", "decoder"}) {
    const std::string scope = side + "/layer_0/self_attention/";
    made_up.number(side + "/num_heads", 2);
    made_up.add(scope + "linear_0/weight", {3 * kHeads, kModel});
    made_up.add(scope + "linear_1/weight", {kModel, kHeads});
    made_up.add(scope + "relative_attention_bias", {8, 2});
    const std::string distance = scope + "relative_attention_max_distance";
    made_up.attributes[distance] = {distance, {}, 3, testing::raw(std::int32_t{20})};
    made_up.real(scope + "queries_scale", 1);
  }
  const std::string cross = "decoder/layer_0/attention/";
  made_up.add(cross + "linear_0/weight", {kHeads, kModel});
  made_up.add(cross + "linear_1/weight", {2 * kHeads, kModel});
  made_up.add(cross + "linear_2/weight", {kModel, kHeads});
  made_up.real(cross + "queries_scale", 1);
  made_up.real("decoder/scale_outputs", 0.5F);
}

/// Gives the eight heads of a model two heads of keys.
void share_keys(MadeUpCTranslate2& made_up) {
  constexpr std::uint32_t kModel = MadeUpCTranslate2::kWidth, kKeys = 2 * (2 * kModel / 8);
  const auto number = [&](const std::string& scope) {
    made_up.attributes[scope + "num_heads_kv"] = {
        scope + "num_heads_kv", {}, 3, testing::raw(std::int32_t{2})};
  };
  for (const std::string scope : {"encoder/layer_0/self_attention/", "decoder/layer_0/self_attention/"}) {
    number(scope);
    made_up.linear(scope + "linear_0", kModel + kKeys, kModel);
  }
  number("decoder/layer_0/attention/");
  made_up.linear("decoder/layer_0/attention/linear_1", kKeys, kModel);
}

TEST_F(CTranslate2AttentionTest, HeadsMayShareKeys) {
  MadeUpCTranslate2 made_up;
  share_keys(made_up);
  made_up.flag("encoder/multi_query_attention", true);
  const ModelFile file = read(made_up);
  const ModelSettings settings = blank_model(file).settings;
  EXPECT_EQ(settings.at("heads"), "8");
  EXPECT_EQ(settings.at("kv_heads"), "2");
  EXPECT_EQ(settings.at("head_size"), "0");
  const auto theirs = [&](const std::string& name) { return made_up.weights.at(name).values; };
  EXPECT_EQ(weight(file, "encoder.layers.0.self_attn.in_proj_weight"),
            theirs("encoder/layer_0/self_attention/linear_0/weight"));
  std::vector<float> together = theirs("decoder/layer_0/attention/linear_0/bias");
  const std::vector<float> keys = theirs("decoder/layer_0/attention/linear_1/bias");
  together.insert(together.end(), keys.begin(), keys.end());
  EXPECT_EQ(weight(file, "decoder.layers.0.multihead_attn.in_proj_bias"), together);
  EXPECT_THAT(complaint_after([](MadeUpCTranslate2& m) {
                share_keys(m);
                m.attributes.erase("decoder/layer_0/attention/num_heads_kv");
              }),
              HasSubstr("another number of heads of keys in some layers"));
  const auto stated = [this](std::int32_t width) {
    return complaint_after([&](MadeUpCTranslate2& m) {
      for (const std::string attention : {"encoder/layer_0/self_attention", "decoder/layer_0/self_attention",
                                          "decoder/layer_0/attention"}) {
        const std::string name = attention + "/head_dim";
        m.attributes[name] = {name, {}, 3, testing::raw(width)};
      }
    });
  };
  EXPECT_EQ(stated(1), "");
  EXPECT_THAT(stated(2), HasSubstr("heads of 2 columns, but matrices for 1"));
}

TEST_F(CTranslate2AttentionTest, ModelsOfTheT5Family) {
  MadeUpCTranslate2 made_up;
  become_t5(made_up);
  const ModelFile file = read(made_up);
  const ModelSettings settings = blank_model(file).settings;
  const ModelSettings expected = {{"positions", "relative"},
                                  {"relative_buckets", "8"},
                                  {"relative_distance", "20"},
                                  {"attention_scale", "1"},
                                  {"heads", "2"},
                                  {"head_size", "3"},
                                  {"norm_kind", "rms"}};
  for (const auto& [name, value] : expected) EXPECT_EQ(settings.at(name), value) << name;
  for (const std::string side : {"encoder", "decoder"})
    EXPECT_EQ(weight(file, side + ".relative_bias.weight"),
              made_up.weights.at(side + "/layer_0/self_attention/relative_attention_bias").values);
  std::vector<float> gain = made_up.weights.at("decoder/layer_norm/gamma").values;
  for (float& value : gain) value /= 2;
  EXPECT_EQ(weight(file, "decoder.norm.weight"), gain);
}

TEST_F(CTranslate2AttentionTest, VectorsOfDistances) {
  MadeUpCTranslate2 made_up;
  for (const std::string side : {"encoder", "decoder"}) {
    for (const char* table : {"keys", "values"})
      made_up.add(side + "/layer_0/self_attention/relative_position_" + table,
                  {7, MadeUpCTranslate2::kWidth / 8});
  }
  const ModelFile file = read(made_up);
  const ModelSettings settings = blank_model(file).settings;
  EXPECT_EQ(settings.at("positions"), "shaw");
  EXPECT_EQ(settings.at("max_relative_positions"), "3");
  EXPECT_EQ(weight(file, "decoder.layers.0.self_attn.relative_values.weight"),
            made_up.weights.at("decoder/layer_0/self_attention/relative_position_values").values);
  EXPECT_THAT(complaint_after([&](MadeUpCTranslate2& m) {
                m = made_up;
                m.add("decoder/layer_0/self_attention/relative_position_keys", {5, 1});
              }),
              HasSubstr("'decoder.layers.0.self_attn.relative_keys.weight' has shape [5, 1]"));
}

TEST_F(CTranslate2AttentionTest, AttentionThatDiffersBetweenLayersIsNamed) {
  const auto complaint = [this](const auto& change) {
    return complaint_after([&](MadeUpCTranslate2& m) {
      become_t5(m);
      change(m);
    });
  };
  EXPECT_THAT(complaint([](MadeUpCTranslate2& m) { m.real("decoder/layer_0/attention/queries_scale", 2); }),
              HasSubstr("another factor in some layers"));
  EXPECT_THAT(
      complaint([](MadeUpCTranslate2& m) { m.attributes.erase("decoder/layer_0/attention/queries_scale"); }),
      HasSubstr("another factor in some layers"));
  EXPECT_THAT(complaint([](MadeUpCTranslate2& m) {
                m.add("decoder/layer_0/self_attention/relative_attention_bias", {10, 2});
              }),
              HasSubstr("biases of relative positions that differ"));
  EXPECT_THAT(complaint([](MadeUpCTranslate2& m) {
                m.weights.erase("encoder/layer_0/self_attention/relative_attention_bias");
              }),
              HasSubstr("biases of relative positions that differ"));
}
}  // namespace
}  // namespace nmt
