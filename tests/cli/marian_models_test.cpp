// Tests the conversion of what Marian's configurations say of models.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cli/marian_conversions.h"

namespace nmt {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

TEST_F(MarianConversions, TasksAreWhatTheyStandFor) {
  const std::string task = "task: transformer-big-prenorm\nenc-depth: 12\n";
  const MarianOutcome outcome = convert(MarianProgram::train, task);
  EXPECT_THAT(outcome.refused, IsEmpty());
  expect_settings(outcome, {{"d-model", "1024"},
                            {"encoder-layers", "12"},
                            {"decoder-layers", "6"},
                            {"norm", "pre"},
                            {"final-norm", "true"},
                            {"activation", "relu"},
                            {"tied-embeddings", "all"},
                            {"schedule", "inverse-sqrt"},
                            {"learning-rate", "0.0002"},
                            {"warmup", "8000"},
                            {"adam-beta2", "0.998"},
                            {"adam-epsilon", "1e-09"},
                            {"ema", "0.9999"},
                            {"dropout", "0.1"},
                            {"attention-dropout", "0"}});
  EXPECT_THAT(
      [&] { convert(MarianProgram::train, "task: transformer-huge\n"); },
      ::testing::ThrowsMessage<UsageError>(HasSubstr("m.yml:1: task: expected one of transformer-base")));
}

TEST_F(MarianConversions, Models) {
  EXPECT_EQ(trained_with("tied-embeddings: true", "tied-embeddings"), "target");
  EXPECT_EQ(trained_with("tied-embeddings-src: true", "tied-embeddings"), "inputs");
  EXPECT_EQ(trained_with("tied-embeddings-src: true\ntied-embeddings: true", "tied-embeddings"), "all");
  EXPECT_EQ(trained_with("output-omit-bias: true", "output-bias"), "false");
  EXPECT_EQ(trained_with("output-omit-bias: on", "output-bias"), "false") << "YAML has several words for it";
  EXPECT_EQ(trained_with("transformer-tied-layers: [1, 1, 2, 2]", "tied-decoder-layers"), "1 1 2 2");
  EXPECT_EQ(trained_with("transformer-tied-layers: [1, 1, 2, 2]", "decoder-layers"), "4");
  EXPECT_EQ(trained_with("transformer-decoder-ffn-depth: 1", "decoder-ffn-layers"), "1");
  const MarianOutcome average = convert(MarianProgram::train,
                                        "type: transformer\ntransformer-decoder-autoreg: average-attention\n"
                                        "transformer-dim-aan: 64\ntransformer-aan-nogate: true\n");
  expect_settings(average, {{"decoder-layer", "average"},
                            {"average-d-ff", "64"},
                            {"average-ffn-layers", "2"},
                            {"average-gate", "false"}});
  const std::string recurrent = "transformer-decoder-autoreg: rnn\ndec-cell: ssru\n";
  const MarianOutcome ssru =
      convert(MarianProgram::train, "type: transformer\n" + recurrent + "transformer-rnn-projection: true\n");
  EXPECT_THAT(ssru.refused, IsEmpty());
  expect_settings(ssru, {{"decoder-layer", "ssru"}, {"ssru-projection", "true"}});
  EXPECT_EQ(trained_with(recurrent, "ssru-projection"), "false");
  EXPECT_THAT(refused("transformer-decoder-autoreg: rnn"),
              ElementsAre("m.yml:2: transformer-decoder-autoreg (ssru is the one dec-cell there is)"));
  EXPECT_THAT(refused(recurrent + "layer-normalization: true\ndropout-rnn: 0.1"),
              ElementsAre("m.yml:4: layer-normalization (an SSRU has none)",
                          "m.yml:5: dropout-rnn (an SSRU has none)"));
  EXPECT_THAT(refused("dropout-rnn: 0.1"), IsEmpty()) << "there are no such layers";
  EXPECT_THAT(refused("transformer-ffn-activation: tanh"),
              ElementsAre(HasSubstr("expected one of relu, gelu, swish")));
  EXPECT_THAT(convert(MarianProgram::train, "type: nematus\n").refused,
              ElementsAre(HasSubstr("m.yml:1: type (only transformer, s2s and amun")));
}

TEST_F(MarianConversions, GivenBeginnings) {
  expect_settings(convert(MarianProgram::translate, "tsv: true\nforce-decode: true\n"),
                  {{"input-format", "tsv"}});
  const MarianOutcome fields = convert(MarianProgram::translate, "tsv: true\n");
  EXPECT_TRUE(fields.idle.contains("tsv"));
  expect_settings(fields, {{"input-format", "nothing"}});
  EXPECT_THAT(convert(MarianProgram::translate, "force-decode: true\n").refused,
              ElementsAre("m.yml:1: force-decode (in a file of its own, or with tsv)"));
}

TEST_F(MarianConversions, RecurrentModels) {
  const MarianOutcome usual = convert(MarianProgram::train, "enc-depth: 2\n");
  EXPECT_THAT(usual.refused, IsEmpty());
  EXPECT_THAT(usual.idle, IsEmpty());
  expect_settings(usual, {{"type", "rnn"},
                          {"decoder-start", "zero"},
                          {"d-embedding", "512"},
                          {"d-state", "1024"},
                          {"cell", "gru"},
                          {"decoder-cell", "gru"},
                          {"encoder-directions", "bidirectional"},
                          {"encoder-layers", "2"},
                          {"encoder-transition-depth", "1"},
                          {"decoder-layers", "1"},
                          {"decoder-base-transition-depth", "2"},
                          {"decoder-high-transition-depth", "1"},
                          {"dropout", "0"},
                          {"activation-dropout", "0"}});
  for (const char* setting : {"d-model", "heads", "norm", "positions", "attention-dropout"})
    EXPECT_FALSE(usual.settings.contains(setting)) << setting;

  const MarianOutcome deep = convert(
      MarianProgram::train,
      "type: s2s\ndim-rnn: 96\nenc-cell: lstm\nenc-type: alternating\nenc-cell-depth: 2\nskip: true\n"
      "dec-cell-base-depth: 4\ndec-cell-high-depth: 3\nlayer-normalization: true\ntransformer-heads: 4\n");
  EXPECT_THAT(deep.refused, IsEmpty());
  EXPECT_THAT(deep.idle, ElementsAre("transformer-heads"));
  expect_settings(deep, {{"d-state", "96"},
                         {"cell", "lstm"},
                         {"decoder-cell", "gru"},
                         {"encoder-directions", "alternating"},
                         {"encoder-transition-depth", "2"},
                         {"decoder-base-transition-depth", "4"},
                         {"decoder-high-transition-depth", "3"},
                         {"skip-connections", "true"},
                         {"layer-normalization", "true"}});

  const auto why = [&](const std::string& text, const std::set<std::string>& command_line = {}) {
    return convert(MarianProgram::train, "type: s2s\n" + text + "\n", command_line).refused;
  };
  EXPECT_THAT(why("enc-cell: mlstm"), ElementsAre("m.yml:2: enc-cell (gru and lstm are there)"));
  EXPECT_THAT(why("dec-cell: ssru"), ElementsAre("m.yml:2: dec-cell (gru and lstm are there)"));
  EXPECT_THAT(why("enc-type: unidirectional"), ElementsAre(HasSubstr("bidirectional, bi-unidirectional")));
  EXPECT_THAT(why("dec-cell-base-depth: 1"), ElementsAre(HasSubstr("m.yml:2: dec-cell-base-depth (")));
  EXPECT_THAT(why("best-deep: true"), ElementsAre("m.yml:2: best-deep (give --preset)"));
  EXPECT_THAT(why("dropout-rnn: 0.2"), ElementsAre(HasSubstr("give --dropout")));
  EXPECT_THAT(why("dropout-rnn: 0.2", {"dropout"}), IsEmpty());
  EXPECT_THAT(convert(MarianProgram::train, "type: transformer\ndim-rnn: 9\n").idle, ElementsAre("dim-rnn"));
}

TEST_F(MarianConversions, OperationsAroundLayers) {
  const auto norm = [&](const std::string& before, const std::string& after) {
    return trained_with("transformer-preprocess: '" + before + "'\ntransformer-postprocess: '" + after +
                            "'\ntransformer-dropout: 0.1",
                        "norm");
  };
  EXPECT_EQ(norm("", "dan"), "post");
  EXPECT_EQ(norm("n", "da"), "pre");
  EXPECT_EQ(norm("n", "dan"), "both");
  EXPECT_EQ(norm("", "da"), "none");
  for (const auto& [before, after] :
       {std::pair("", "an"), {"", "adn"}, {"d", "dan"}, {"", "dh"}, {"a", "dan"}}) {
    EXPECT_EQ(norm(before, after), "") << before << ", " << after;
  }
  EXPECT_EQ(trained_with("transformer-postprocess: an", "norm"), "post") << "nothing is dropped";
  EXPECT_EQ(trained_with("transformer-postprocess-top: n", "final-norm"), "true");
  EXPECT_EQ(trained_with("transformer-postprocess-emb: nd", "embedding-norm"), "true");
  EXPECT_EQ(trained_with("transformer-postprocess-emb: ''", "embedding-norm"), "false");
  EXPECT_THAT(refused("transformer-postprocess-emb: dn\ntransformer-dropout: 0.1"),
              ElementsAre(HasSubstr("dropout is the last")));
  EXPECT_THAT(refused("transformer-postprocess-top: dn\ntransformer-dropout: 0.1"),
              ElementsAre(HasSubstr("no dropout after the last layer")));
}

TEST_F(MarianConversions, OneKindOfNormalization) {
  EXPECT_EQ(trained_with("transformer-postprocess: dan", "norm-kind"), "layer");
  EXPECT_EQ(trained_with("transformer-postprocess: dar", "norm-kind"), "rms");
  EXPECT_EQ(trained_with("transformer-postprocess: dar", "norm"), "post");
  EXPECT_EQ(trained_with("transformer-postprocess: da\ntransformer-postprocess-top: r", "norm-kind"), "rms");
  EXPECT_THAT(refused("transformer-postprocess: dar\ntransformer-postprocess-top: n"),
              ElementsAre(HasSubstr("all normalizations are of one kind, n or r")));
}

TEST_F(MarianConversions, Positions) {
  EXPECT_EQ(trained_with("transformer-train-position-embeddings: true", "positions"), "learned");
  const std::string none = "transformer-disable-position-embeddings: true";
  EXPECT_EQ(trained_with(none, "positions"), "none");
  EXPECT_EQ(trained_with(none, "embedding-scale"), "1");
  EXPECT_EQ(trained_with("transformer-disable-position-embeddings: false", "positions"), "tensor2tensor");
}

}  // namespace
}  // namespace nmt
