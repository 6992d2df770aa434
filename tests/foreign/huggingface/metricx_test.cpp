// Tests reading and running models of MetricX. The model of tests/fixtures/metricx.py has weights by a
// formula.
#include "foreign/huggingface/metricx.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "foreign/huggingface/huggingface_fixture.h"
#include "foreign/weights_of_file.h"
#include "nn/formula_weights.h"
#include "nn/saved/saved_judge.h"
#include "translate/quality/metricx_metric.h"

namespace nmt {
namespace {

namespace fs = std::filesystem;

using nlohmann::json;
using ::testing::AllOf;
using ::testing::HasSubstr;
using testing::MadeUpFolder;
using testing::test_data;

constexpr std::int64_t kModelWidth = 8, kHeadWidth = 3, kHeads = 2, kInnerWidth = 12, kPieces = 360;
constexpr std::int64_t kScoreWord = 250089;

/// Adds a tensor by the formula of the fixture.
void add_by_formula(MadeUpFolder& folder, const std::string& name, const std::vector<std::int64_t>& shape) {
  std::int64_t size = 1;
  for (const std::int64_t n : shape) size *= n;
  const double factor = shape.size() == 1 ? 0.3 : name.ends_with(".q.weight") ? 0.5 : 1.2;
  std::vector<float> values;
  for (std::int64_t i = 0; i < size; ++i) {
    const std::uint64_t bits = testing::mix(testing::name_hash(name) + static_cast<std::uint64_t>(i)) >> 40;
    const double u = static_cast<double>(bits) / (1 << 23) - 1;
    values.push_back(static_cast<float>((shape.size() == 1 ? 1 : 0) + factor * u));
  }
  folder.tensors[name] = {shape, std::move(values)};
}

void add_layers_by_formula(MadeUpFolder& folder, const std::string& side, int layers) {
  for (int block = 0; block < layers; ++block) {
    int number = 0;
    std::string start;
    const auto next = [&] {
      start = fmt::format("{}.block.{}.layer.{}.", side, block, number++);
      add_by_formula(folder, start + "layer_norm.weight", {kModelWidth});
    };
    for (const std::string attention : {"SelfAttention.", "EncDecAttention."}) {
      if (side == "encoder" && attention == "EncDecAttention.") continue;
      next();
      for (const char* part : {"q", "k", "v"})
        add_by_formula(folder, start + attention + part + ".weight", {kHeads * kHeadWidth, kModelWidth});
      add_by_formula(folder, start + attention + "o.weight", {kModelWidth, kHeads * kHeadWidth});
    }
    next();
    for (const char* part : {"wi_0", "wi_1"})
      add_by_formula(folder, start + "DenseReluDense." + part + ".weight", {kInnerWidth, kModelWidth});
    add_by_formula(folder, start + "DenseReluDense.wo.weight", {kModelWidth, kInnerWidth});
  }
  add_by_formula(folder, side + ".block.0.layer.0.SelfAttention.relative_attention_bias.weight", {8, kHeads});
  add_by_formula(folder, side + ".final_layer_norm.weight", {kModelWidth});
}

/// Returns the model of the fixture. Tables have no rows after those that are read.
MadeUpFolder metricx_folder() {
  MadeUpFolder folder;
  folder.config = {{"architectures", {"MT5ForRegression"}},
                   {"model_type", "mt5"},
                   {"d_model", kModelWidth},
                   {"d_kv", kHeadWidth},
                   {"d_ff", kInnerWidth},
                   {"num_heads", kHeads},
                   {"num_layers", 1},
                   {"num_decoder_layers", 2},
                   {"relative_attention_num_buckets", 8},
                   {"relative_attention_max_distance", 20},
                   {"tie_word_embeddings", false}};
  add_layers_by_formula(folder, "encoder", 1);
  add_layers_by_formula(folder, "decoder", 2);
  add_by_formula(folder, "shared.weight", {kPieces, kModelWidth});
  std::vector<float> output(static_cast<std::size_t>(kScoreWord * kModelWidth));
  for (const float x : {-3.5F, 6.F, -2.F, 3.F, 9.F, -4.F, 1.75F, 5.25F}) output.push_back(x);
  folder.tensors["lm_head.weight"] = {{kScoreWord + 1, kModelWidth}, std::move(output)};
  return folder;
}

/// A model on a device.
struct OpenedMetricX {
  OpenedMetricX(const ModelFile& file, const DeviceSettings& device)
      : backend(open_backend(device)),
        judge(open_judge(file, *backend)),
        workers(*backend),
        metric(dynamic_cast<const MetricXModel&>(*judge.network), judge.vocabulary, workers) {}

  std::vector<double> scores(std::span<const JudgedTexts> texts, bool with_references) const {
    std::vector<double> scores;
    for (const Judgment& judgment : metric.judge(texts, with_references)) scores.push_back(judgment.score);
    return scores;
  }

  std::unique_ptr<Backend> backend;
  SavedJudge judge;
  Workers workers;
  MetricXMetric metric;
};

class MetricXFolder : public ::testing::Test {
 protected:
  MetricXFolder() { fs::copy(test_data("metricx/mt5-xl"), folder_ / "mt5-xl"); }

  std::string write(const std::string& name = "metricx-24") { return made_up_.write(folder_, name); }
  /// Returns the path of the model under another name.
  std::string named(const std::string& name) const {
    fs::create_directory_symlink("metricx-24", folder_ / name);
    return folder_ / name;
  }
  std::string complaint_at(const std::string& path, const ForeignFiles& files = {}) {
    return testing::complaint([&] { open_model_file(path, files); });
  }

  TemporaryFolder folder_;
  MadeUpFolder made_up_ = metricx_folder();
};

/// The segments of the fixture.
class Segments {
 public:
  Segments() : answers_(testing::fixture("answers.json", "metricx")) {
    for (const json& answer : answers_) {
      std::vector<std::string>& own = texts_.emplace_back();
      for (const json& text : answer.at("texts")) {
        own.emplace_back();
        for (int i = 0; i < text[1].get<int>(); ++i) own.back() += text[0].get<std::string>();
      }
    }
    for (const auto& own : texts_) judged_.push_back({own[1], own[0], own[2]});
  }

  const std::vector<JudgedTexts>& judged() const { return judged_; }
  double answer(std::size_t segment, const std::string& kind) const { return answers_[segment].at(kind); }

 private:
  json answers_;
  std::vector<std::vector<std::string>> texts_;
  std::vector<JudgedTexts> judged_;
};

// In double precision, they are the same; texts have odd characters, or are cut.
TEST_F(MetricXFolder, ScoresAreThoseOfGoogleResearch) {
  const Segments segments;
  ASSERT_GE(segments.judged().size(), 100U);
  write();
  for (const std::string kind : {"metricx-24", "metricx-23", "metricx-23-qe"}) {
    const ModelFile file = open_model_file(kind == "metricx-24" ? folder_ / kind : named(kind));
    for (const std::string device : {"reference", "cpu"}) {
      const OpenedMetricX opened(file, {.device = device, .threads = 2});
      for (const bool with_references : {true, false}) {
        const bool can_lack = kind == "metricx-24";
        if (!can_lack && with_references != opened.metric.reads_reference()) continue;
        const std::string key = can_lack && !with_references ? kind + " without" : kind;
        const std::vector<double> scores = opened.scores(segments.judged(), with_references);
        for (std::size_t i = 0; i < scores.size(); ++i)
          EXPECT_NEAR(scores[i], segments.answer(i, key), device == "cpu" ? 2e-4 : 2e-8)
              << key << " on " << device << ", segment " << i;
      }
    }
  }
}

// A score is the same bit by bit, whatever else is judged.
TEST_F(MetricXFolder, ScoresDoNotDependOnOtherTexts) {
  const Segments segments;
  const ModelFile file = open_model_file(write());
  for (const char* precision : {"f32", "bf16", "int8"}) {
    const OpenedMetricX opened(file, {.device = "cpu", .precision = precision, .threads = 2});
    std::vector<JudgedTexts> texts(segments.judged().begin(), segments.judged().begin() + 40);
    std::vector<double> alone;
    for (const JudgedTexts& each : texts) alone.push_back(opened.scores({&each, 1}, true)[0]);
    EXPECT_EQ(opened.scores(texts, true), alone) << precision;
    std::ranges::reverse(texts);
    std::ranges::reverse(alone);
    EXPECT_EQ(opened.scores(texts, true), alone) << precision;
  }
}

TEST_F(MetricXFolder, EqualTextsAreEncodedOnce) {
  const OpenedMetricX opened(open_model_file(write()), {.device = "reference"});
  const std::vector<JudgedTexts> texts = {{"a", "b", "c"}, {"a", "b", "c"}, {"a", "b", "d"}};
  std::size_t with = 0, without = 0;
  opened.metric.judge(texts, true, [&](std::size_t count) { with += count; });
  opened.metric.judge(texts, false, [&](std::size_t count) { without += count; });
  EXPECT_EQ(with, 2U);
  EXPECT_EQ(without, 1U);
}

TEST_F(MetricXFolder, NamesSayTheGeneration) {
  write();
  const std::map<std::string, std::string> kinds = {{"metricx-24-hybrid-xl-v2p6", "metricx-24"},
                                                    {"MetricX-23-QE-Large", "metricx-23-qe"},
                                                    {"metricx_23_xl", "metricx-23"},
                                                    {"metricx24", "metricx-24"}};
  for (const auto& [name, kind] : kinds)
    EXPECT_EQ(read_metricx_model(named(name), {}).settings.at("kind"), kind) << name;
  EXPECT_THAT(complaint_at(named("other")), HasSubstr("give its folder a name with metricx-23"));
  made_up_.config["_name_or_path"] = "google/metricx-23-qe-xl-v2p0";
  EXPECT_EQ(read_metricx_model(write("mine"), {}).settings.at("kind"), "metricx-23-qe");
}

TEST_F(MetricXFolder, OnlyTheRowOfTheScoreIsKept) {
  const ModelFile file = open_model_file(write());
  EXPECT_EQ(testing::weight(file, "score.weight"),
            (std::vector<float>{-3.5F, 6.F, -2.F, 3.F, 9.F, -4.F, 1.75F, 5.25F}));
  EXPECT_EQ(testing::weight(file, "start_embedding.weight").size(), static_cast<std::size_t>(kModelWidth));
  made_up_.config["tie_word_embeddings"] = true;
  EXPECT_FLOAT_EQ(testing::weight(open_model_file(write()), "score.weight")[0], -3.5F / std::sqrt(8.F));
}

TEST_F(MetricXFolder, TheTokenizerMayBeElsewhere) {
  const std::string model = write();
  fs::create_directories(folder_ / "elsewhere");
  fs::rename(folder_ / "mt5-xl", folder_ / "elsewhere/tokens");
  EXPECT_THAT(complaint_at(model), AllOf(HasSubstr("tokenizer of mT5 is missing"), HasSubstr("--vocab")));
  EXPECT_EQ(model_with_tokenizer_of(model), "google/mt5-xl");
  const std::string tokens = folder_ / "elsewhere/tokens", pieces = tokens + "/spiece.model";
  for (const std::string& path : {tokens, pieces}) EXPECT_EQ(complaint_at(model, {path, path}), "") << path;
  EXPECT_THAT(complaint_at(model, {model, model}), HasSubstr("is not the tokenizer of an mT5"));
  EXPECT_THAT(complaint_at(model, {"missing", "missing"}), HasSubstr("cannot read 'missing'"));
  EXPECT_THAT(complaint_at(model, {pieces, std::nullopt}), HasSubstr("has one tokenizer"));
  fs::copy(pieces, fs::path(model) / "spiece.model");
  EXPECT_EQ(complaint_at(model), "");
  EXPECT_EQ(model_with_tokenizer_of(model), "");
  std::ofstream(fs::path(model) / "spiece.model") << "no pieces";
  EXPECT_THAT(complaint_at(model), HasSubstr("spiece.model"));
}

TEST_F(MetricXFolder, WhatDoesNotFitIsNamed) {
  MadeUpFolder& made_up = made_up_;
  made_up.tensors["lm_head.weight"] = {{2, kModelWidth}, std::vector<float>(2 * kModelWidth)};
  EXPECT_THAT(complaint_at(write()), AllOf(HasSubstr("'lm_head.weight' has 2 rows"), HasSubstr("250089")));
  made_up.tensors.erase("lm_head.weight");
  EXPECT_THAT(complaint_at(write()), HasSubstr("lm_head.weight"));
  made_up = metricx_folder();
  made_up.tensors["decoder.final_layer_norm.weight"].values[3] = std::numeric_limits<float>::quiet_NaN();
  EXPECT_THAT(complaint_at(write()), HasSubstr("decoder.final_layer_norm.weight"));
  made_up = metricx_folder();
  made_up.add("shared.weight", {kPieces - 1, kModelWidth});
  const auto backend = open_backend({.device = "reference"});
  const auto complaint_about = [&](const std::string& path) {
    return testing::complaint([&] { open_judge(open_model_file(path), *backend); });
  };
  EXPECT_THAT(complaint_about(write()), HasSubstr("is 359, but the vocabulary has 360 pieces"));
  made_up = metricx_folder();
  made_up.config.erase("d_kv");
  EXPECT_THAT(complaint_at(write()), HasSubstr("d_kv"));
  made_up = metricx_folder();
  made_up.config["architectures"] = {"MT5ForQuestionAnswering"};
  EXPECT_THAT(complaint_at(write()), HasSubstr("MT5ForQuestionAnswering"));
  const std::string translates = testing::marian_folder().write(folder_, "marian");
  EXPECT_THAT(complaint_about(translates),
              HasSubstr("does not judge translations; name a COMET or MetricX model"));
}

TEST_F(MetricXFolder, ScoresThatAreNotFiniteAreRefused) {
  for (float& x : made_up_.tensors["lm_head.weight"].values) x = x == 0 ? 0 : 3e38F;
  for (float& x : made_up_.tensors["decoder.final_layer_norm.weight"].values) x = 3e38F;
  const OpenedMetricX opened(open_model_file(write()), {.device = "cpu", .threads = 1});
  const std::vector<JudgedTexts> texts = {{"a", "b", "c"}};
  EXPECT_THAT(testing::complaint([&] { opened.scores(texts, true); }), HasSubstr("computes NaN or infinity"));
}

}  // namespace
}  // namespace nmt
