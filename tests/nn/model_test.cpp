// Properties of models that fixtures do not cover: gradients of the whole model, dropout, masks, caches, and
// the memory of a pass.
#include "nn/model.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "backend/measure/measure.h"
#include "common/error.h"
#include "data/batches/batches.h"
#include "nn/formula_weights.h"
#include "nn/lone_decoder.h"
#include "nn/whole_logits.h"
#include "optim/update.h"

namespace nmt {
namespace {

using ::testing::HasSubstr;

const std::vector<Example> kExamples = {
    {4, {5, 3, 8}, {6, 4}}, {900, {7}, {3, 3, 5, 8, 6}}, {17, {}, {}}, {2, {4, 4, 6, 3, 5}, {7}}};

struct Variant {
  std::string name;
  nlohmann::json changes;
  std::int32_t start = 1;

  nlohmann::json config() const {
    const std::string type = changes.value("type", "transformer");
    nlohmann::json all = type == "rnn" ? recurrent() : type == "lm" ? language_model() : transformer();
    all.update(changes);
    return all;
  }
  SpecialTokens special_tokens() const {
    return {.source_eos = 2,
            .target_eos = 2,
            .start = start,
            .has_source = changes.value("type", "transformer") != "lm"};
  }

 private:
  static nlohmann::json recurrent() {
    return {{"d_embedding", 6}, {"d_state", 8}, {"source_vocabulary", 9}, {"target_vocabulary", 9}};
  }
  static nlohmann::json language_model() {
    return {{"d_model", 8},        {"d_ff", 12},         {"heads", 2},
            {"decoder_layers", 2}, {"max_positions", 6}, {"target_vocabulary", 9}};
  }
  static nlohmann::json transformer() {
    return {{"d_model", 8},
            {"d_ff", 12},
            {"heads", 2},
            {"encoder_layers", 1},
            {"decoder_layers", 2},
            {"max_positions", 6},
            {"source_vocabulary", 9},
            {"target_vocabulary", 9}};
  }
};

void PrintTo(const Variant& variant, std::ostream* out) {
  *out << variant.name;
}

/// A model of a variant with workers of its own.
struct Fixture {
  Fixture(const Variant& variant, Backend& backend)
      : model(testing::formula_model(variant.config(), 1, backend, true)), workers(backend) {}

  std::unique_ptr<Model> model;
  Workers workers;
};

class ModelTest : public ::testing::TestWithParam<Variant> {
 protected:
  /// Returns the logits of all target rows of a batch.
  std::vector<double> logits(const std::vector<Example>& examples) {
    Graph g(f_.workers.whole());
    const BatchInput input = batch_input(g, examples, special_tokens_);
    return testing::whole(g, f_.model->logits(g, input.source, input.target));
  }

  /// Returns the loss of an update and its gradients, with these rates of dropout.
  std::pair<double, std::vector<double>> gradients(const std::vector<Batch>& batches, double rate,
                                                   std::uint32_t seed = 1, std::uint32_t step = 1) {
    const TrainingWeights& weights = f_.model->training_weights();
    Update update(*f_.model, f_.workers, special_tokens_, {{rate, rate, rate}, 0.1});
    backend_->zero(weights.gradients());
    DeviceStatistics statistics(*backend_, seed, step - 1);
    update.gradients({batches}, target_tokens(batches), statistics);
    std::int64_t tokens = 0;
    for (const Batch& batch : batches) tokens += size_of(batch).target;
    return {statistics.read().loss / static_cast<double>(tokens),
            download_reals(*backend_, weights.gradients())};
  }

  /// Checks that each part of the gradients that an update calls final does not change any more.
  void expect_final_from_the_tail_on(bool recompute);

  std::unique_ptr<Backend> backend_ = open_backend({.device = "reference"});
  Fixture f_{GetParam(), *backend_};
  const SpecialTokens special_tokens_ = GetParam().special_tokens();
  const std::int64_t vocabulary_ = GetParam().config()["target_vocabulary"];
};

TEST_P(ModelTest, GradientsAreThoseOfFiniteDifferences) {
  constexpr double kH = 1e-5;
  const std::vector<Batch> batches = {{{kExamples[0], kExamples[1]}}, {{kExamples[2], kExamples[3]}}};
  for (const double rate : {0.0, 0.2}) {
    const std::vector<double> analytic = gradients(batches, rate).second;
    for (const Parameters::Entry& entry : f_.model->parameters().entries()) {
      std::vector<double> values = download_reals(*backend_, entry.parameter.value);
      for (std::uint64_t sample = 0; sample < 2; ++sample) {
        const std::size_t i = testing::mix(testing::name_hash(entry.parameter.name) + sample) % values.size();
        const auto loss_at = [&, kept = values[i]](double change) {
          values[i] = kept + change;
          upload_reals(*backend_, entry.parameter.value, values);
          values[i] = kept;
          return gradients(batches, rate).first;
        };
        const double numeric = (loss_at(kH) - loss_at(-kH)) / (2 * kH);
        upload_reals(*backend_, entry.parameter.value, values);
        EXPECT_NEAR(analytic[static_cast<std::size_t>(entry.offset) + i], numeric, 1e-8)
            << entry.parameter.name << "[" << i << "], dropout " << rate;
      }
    }
  }
}

TEST_P(ModelTest, DropoutDoesNotDependOnHowAnUpdateIsSplit) {
  const auto& [a, b, c, d] = std::tie(kExamples[0], kExamples[1], kExamples[2], kExamples[3]);
  const auto [loss, gradient] = gradients({{{a, b, c, d}}}, 0.3);
  for (const std::vector<Batch>& cut : {std::vector<Batch>{{{d}}, {{c, b}}, {{a}}}, {{{a}}, {{b, d, c}}}}) {
    const auto [other_loss, other_gradient] = gradients(cut, 0.3);
    EXPECT_NEAR(other_loss, loss, 1e-12);
    for (std::size_t i = 0; i < gradient.size(); ++i) ASSERT_NEAR(other_gradient[i], gradient[i], 1e-12);
  }
}

TEST_P(ModelTest, LossOfBatchesIsTheirSum) {
  Update update(*f_.model, f_.workers, special_tokens_, {});
  const LossSum together = update.loss({{kExamples}});
  std::vector<std::size_t> sizes;
  const auto note = [&sizes](const Batch& batch) { sizes.push_back(batch.examples.size()); };
  const LossSum apart = update.loss({{{kExamples[0]}}, {{kExamples[1], kExamples[2], kExamples[3]}}}, note);
  EXPECT_NEAR(apart.loss, together.loss, 1e-12 * together.loss);
  EXPECT_NEAR(apart.nll, together.nll, 1e-12 * together.nll);
  EXPECT_EQ(apart.tokens, together.tokens);
  EXPECT_EQ(sizes, (std::vector<std::size_t>{1, 3}));
}

TEST_P(ModelTest, GradientsAreFinalFromTheTailOn) {
  for (const bool recompute : {false, true}) expect_final_from_the_tail_on(recompute);
}

void ModelTest::expect_final_from_the_tail_on(bool recompute) {
  const TrainingWeights& weights = f_.model->training_weights();
  backend_->zero(weights.gradients());
  const auto flat = [&] { return download_reals(*backend_, weights.gradients()); };
  std::vector<std::size_t> places;
  std::vector<std::vector<double>> seen;
  const auto note = [&](const void* first) {
    places.push_back(
        static_cast<std::size_t>(static_cast<const double*>(first) - weights.gradients().data<double>()));
    seen.push_back(flat());
  };
  Update update(*f_.model, f_.workers, special_tokens_,
                {.dropout = {0.2, 0.2, 0.2}, .label_smoothing = 0.1, .recompute_activations = recompute});
  DeviceStatistics statistics(*backend_, 1);
  const std::vector<Batch> batches = {{{kExamples[0], kExamples[1]}}, {{kExamples[2], kExamples[3]}}};
  update.gradients({batches}, target_tokens(batches), statistics, note);
  const std::vector<double> end = flat();
  EXPECT_TRUE(std::ranges::is_sorted(places, std::ranges::greater()));
  EXPECT_EQ(places.back(), 0U);
  const auto& entries = weights.parameters().entries();
  const auto encoder = std::ranges::find_if(
      entries, [](const Parameters::Entry& entry) { return entry.parameter.name.starts_with("encoder"); });
  const std::size_t begin = encoder == entries.end() ? 0 : static_cast<std::size_t>(encoder->offset);
  EXPECT_TRUE(std::ranges::any_of(places, [&](std::size_t place) {
    return place > begin && place < end.size() / 2 + end.size() / 4;
  })) << "those of the decoder, before the encoder's turn";
  for (std::size_t i = 0; i < places.size(); ++i) {
    const auto place = static_cast<std::ptrdiff_t>(places[i]);
    EXPECT_TRUE(std::equal(end.begin() + place, end.end(), seen[i].begin() + place)) << place;
  }
}

TEST_P(ModelTest, RecomputedActivationsGiveTheSameGradients) {
  const TrainingWeights& weights = f_.model->training_weights();
  std::vector<Example> examples = kExamples;
  for (Example& example : examples) example.links = {{0, 0}};
  const std::vector<Batch> batches = {{{examples[0], examples[1]}}, {{examples[2], examples[3]}}};
  const auto gradients = [&](bool recompute, double guided_alignment_weight, double r_drop) {
    Update update(*f_.model, f_.workers, special_tokens_,
                  {{0.2, 0.2, 0.2, guided_alignment_weight > 0 ? 0 : 0.3},
                   0.1,
                   guided_alignment_weight,
                   r_drop,
                   0,
                   recompute});
    backend_->zero(weights.gradients());
    DeviceStatistics statistics(*backend_, 1);
    f_.workers.whole().arena().reset_high_water();
    update.gradients({batches}, target_tokens(batches), statistics);
    return std::pair(download_reals(*backend_, weights.gradients()), statistics.read().loss);
  };
  for (const double guided : {0.0, 0.5}) {
    if (guided > 0 && f_.model->cross_attentions() == 0) continue;
    const auto kept = gradients(false, guided, 2);
    const std::size_t memory = f_.workers.whole().arena().high_water();
    EXPECT_EQ(gradients(true, guided, 2), kept) << "the bits differ, guided alignment " << guided;
    EXPECT_LE(f_.workers.whole().arena().high_water(), memory);
  }
}

TEST_P(ModelTest, DropoutChangesWithSeedAndStep) {
  const std::vector<Batch> batches = {{kExamples}};
  const double loss = gradients(batches, 0.3, 1, 1).first;
  EXPECT_EQ(gradients(batches, 0.3, 1, 1).first, loss);
  EXPECT_NE(gradients(batches, 0.3, 2, 1).first, loss);
  EXPECT_NE(gradients(batches, 0.3, 1, 2).first, loss);
  EXPECT_NE(gradients(batches, 0.0, 1, 1).first, loss);
}

TEST_P(ModelTest, NoSentenceSeesItsNeighbors) {
  const std::vector<double> together = logits(kExamples);
  std::vector<double> one_by_one;
  for (const Example& example : kExamples) {
    const std::vector<double> alone = logits({example});
    one_by_one.insert(one_by_one.end(), alone.begin(), alone.end());
  }
  EXPECT_EQ(one_by_one, together) << "the bits differ";
}

TEST_P(ModelTest, NoPositionSeesWhatFollows) {
  Example example = kExamples[1];
  const std::vector<double> before = logits({example});
  for (std::size_t changed = 0; changed < example.target.size(); ++changed) {
    example = kExamples[1];
    example.target[changed] = 4;
    const std::vector<double> after = logits({example});
    const auto visible =
        static_cast<std::ptrdiff_t>(changed + 1) * vocabulary_;  // it enters after the row whose label it is
    EXPECT_TRUE(std::equal(before.begin(), before.begin() + visible, after.begin())) << changed;
    EXPECT_FALSE(
        std::equal(before.begin() + visible, before.begin() + visible + vocabulary_, after.begin() + visible))
        << changed;
  }
}

TEST_P(ModelTest, IncrementalDecodingEqualsTheFullPass) {
  for (const Example& example : kExamples) {
    const std::vector<double> full = logits({example});
    Graph g(f_.workers.whole());
    testing::LoneDecoder decoder(*f_.model, g, example, special_tokens_, std::ssize(example.target) + 1);
    std::int32_t input = special_tokens_.start;
    for (std::size_t t = 0; t <= example.target.size(); ++t) {
      const std::vector<double> row = testing::whole(g, decoder.step(input));
      for (std::size_t v = 0; v < row.size(); ++v) EXPECT_NEAR(row[v], full[t * row.size() + v], 1e-12);
      if (t < example.target.size()) input = example.target[t];
    }
  }
}

TEST_P(ModelTest, AMeasuredPassTakesTheMemoryOfARealOne) {
  MeasureBackend measure(all_in(DType::f64));
  Fixture measured(GetParam(), measure);
  const LossSettings settings{{0.1, 0.1, 0.1}, 0.1};
  Update dry(*measured.model, measured.workers, special_tokens_, settings);
  Update real(*f_.model, f_.workers, special_tokens_, settings);
  DeviceStatistics nothing(measure, 1), statistics(*backend_, 1);
  dry.gradients({{{kExamples}}}, target_tokens({{kExamples}}), nothing);
  real.gradients({{{kExamples}}}, target_tokens({{kExamples}}), statistics);
  EXPECT_EQ(measured.workers.whole().arena().high_water(), f_.workers.whole().arena().high_water());
  EXPECT_GT(measured.workers.whole().arena().high_water(), 0U);
  const std::size_t training = measured.workers.whole().arena().high_water();
  measured.workers.whole().arena().reset_high_water();
  f_.workers.whole().arena().reset_high_water();
  dry.loss({{kExamples}});
  real.loss({{kExamples}});
  EXPECT_EQ(measured.workers.whole().arena().high_water(), f_.workers.whole().arena().high_water());
  EXPECT_LT(measured.workers.whole().arena().high_water(), training) << "inference keeps no activations";
}

INSTANTIATE_TEST_SUITE_P(
    Variants, ModelTest,
    ::testing::Values(
        Variant{"base", nlohmann::json::object()},
        Variant{"learned_zero",
                {{"positions", "learned"}, {"decoder_start", "zero"}, {"activation", "gelu"}},
                -1},
        Variant{"learned_pre", {{"positions", "learned"}, {"norm", "pre"}, {"tied_embeddings", "target"}}},
        Variant{"zero_pre_gelu", {{"decoder_start", "zero"}, {"norm", "pre"}, {"activation", "gelu"}}, -1},
        Variant{"untied", {{"tied_embeddings", "none"}, {"target_vocabulary", 14}}},
        Variant{"untied_pre_gelu",
                {{"tied_embeddings", "none"},
                 {"source_vocabulary", 20},
                 {"norm", "pre"},
                 {"activation", "gelu"}}},
        Variant{"target_tied", {{"tied_embeddings", "target"}, {"target_vocabulary", 11}}},
        Variant{"norm_both", {{"norm", "both"}, {"final_norm", "true"}, {"activation", "swish"}}},
        Variant{
            "norm_none",
            {{"norm", "none"}, {"embedding_norm", "true"}, {"output_bias", "false"}, {"embedding_scale", 1}}},
        Variant{"eos_offset",
                {{"positions", "learned"},
                 {"position_offset", 2},
                 {"max_positions", 8},
                 {"decoder_start", "eos"},
                 {"tied_embeddings", "inputs"}},
                2},
        Variant{"other_networks",
                {{"ffn_layers", 3}, {"decoder_ffn_layers", 1}, {"positions", "tensor2tensor"}}},
        Variant{"tied_layers",
                {{"decoder_layers", 3},
                 {"tied_decoder_layers", "3 1 3"},
                 {"decoder_d_ff", 10},
                 {"positions", "sinusoidal_halves"}}},
        Variant{"rms",
                {{"norm_kind", "rms"}, {"norm", "both"}, {"final_norm", "true"}, {"embedding_norm", "true"}}},
        Variant{"gated", {{"ffn_gate", "true"}, {"activation", "swish"}, {"norm", "pre"}}},
        Variant{"gated_gelu_without_biases",
                {{"ffn_gate", "true"}, {"activation", "gelu"}, {"linear_bias", "false"}}},
        Variant{"ssru_without_biases",
                {{"decoder_layer", "ssru"}, {"ssru_projection", "true"}, {"linear_bias", "false"}}},
        Variant{"rotary", {{"positions", "rotary"}}},
        Variant{"rotary_modern",
                {{"positions", "rotary"},
                 {"norm", "pre"},
                 {"norm_kind", "rms"},
                 {"ffn_gate", "true"},
                 {"activation", "swish"},
                 {"linear_bias", "false"}}},
        Variant{"rotary_ssru", {{"positions", "rotary"}, {"decoder_layer", "ssru"}}},
        Variant{"alibi", {{"positions", "alibi"}}},
        Variant{"alibi_ssru", {{"positions", "alibi"}, {"decoder_layer", "ssru"}}},
        Variant{"shaw", {{"positions", "shaw"}, {"max_relative_positions", 2}}},
        Variant{"shaw_shared_keys",
                {{"positions", "shaw"}, {"max_relative_positions", 1}, {"heads", 4}, {"kv_heads", 2}}},
        Variant{"shared_keys", {{"heads", 4}, {"kv_heads", 2}}},
        Variant{"one_key_rotary",
                {{"heads", 4}, {"kv_heads", 1}, {"positions", "rotary"}, {"linear_bias", "false"}}},
        Variant{"no_positions", {{"positions", "none"}}},
        Variant{"average", {{"decoder_layer", "average"}, {"activation", "swish"}, {"average_d_ff", 8}}},
        Variant{"average_pre",
                {{"decoder_layer", "average"},
                 {"norm", "pre"},
                 {"average_d_ff", 6},
                 {"average_ffn_layers", 3},
                 {"average_gate", "false"}}},
        Variant{"ssru", {{"decoder_layer", "ssru"}}},
        Variant{"ssru_tied_pre",
                {{"decoder_layer", "ssru"},
                 {"ssru_projection", "true"},
                 {"norm", "pre"},
                 {"decoder_layers", 3},
                 {"tied_decoder_layers", "1 1 2"}}},
        Variant{"lm", {{"type", "lm"}}},
        Variant{"lm_learned_zero_pre",
                {{"type", "lm"},
                 {"positions", "learned"},
                 {"decoder_start", "zero"},
                 {"norm", "pre"},
                 {"tied_embeddings", "none"},
                 {"tied_decoder_layers", "1 1"}},
                -1},
        Variant{"lm_ssru", {{"type", "lm"}, {"decoder_layer", "ssru"}, {"embedding_norm", "true"}}},
        Variant{"lm_rms", {{"type", "lm"}, {"norm_kind", "rms"}, {"norm", "pre"}}},
        Variant{"lm_gated", {{"type", "lm"}, {"ffn_gate", "true"}, {"linear_bias", "false"}}},
        Variant{"lm_rotary", {{"type", "lm"}, {"positions", "rotary"}}},
        Variant{"lm_alibi", {{"type", "lm"}, {"positions", "alibi"}}},
        Variant{"lm_shaw", {{"type", "lm"}, {"positions", "shaw"}, {"max_relative_positions", 2}}},
        Variant{"lm_shared_keys", {{"type", "lm"}, {"heads", 4}, {"kv_heads", 2}}},
        Variant{"lm_no_positions", {{"type", "lm"}, {"positions", "none"}}},
        Variant{"lm_average", {{"type", "lm"}, {"decoder_layer", "average"}}},
        Variant{"rnn", {{"type", "rnn"}}},
        Variant{"rnn_lstm_zero",
                {{"type", "rnn"},
                 {"cell", "lstm"},
                 {"decoder_start", "zero"},
                 {"tied_embeddings", "none"},
                 {"output_bias", "false"}},
                -1},
        Variant{"rnn_deep",
                {{"type", "rnn"},
                 {"decoder_cell", "lstm"},
                 {"encoder_layers", 3},
                 {"decoder_layers", 2},
                 {"encoder_directions", "alternating"},
                 {"encoder_transition_depth", 2},
                 {"decoder_base_transition_depth", 3},
                 {"decoder_high_transition_depth", 2},
                 {"skip_connections", "true"},
                 {"layer_normalization", "true"}}},
        Variant{"rnn_dot",
                {{"type", "rnn"}, {"attention", "dot"}, {"encoder_d_state", 4}, {"decoder_layers", 2}}},
        Variant{"rnn_general_feeding",
                {{"type", "rnn"},
                 {"attention", "general"},
                 {"input_feeding", "true"},
                 {"cell", "lstm"},
                 {"encoder_d_state", 5},
                 {"decoder_layers", 3},
                 {"skip_connections", "true"}}},
        Variant{"rnn_concat_feeding",
                {{"type", "rnn"},
                 {"attention", "concat"},
                 {"input_feeding", "true"},
                 {"decoder_high_transition_depth", 2},
                 {"decoder_start", "zero"},
                 {"layer_normalization", "true"}},
                -1},
        Variant{"rnn_on_both",
                {{"type", "rnn"},
                 {"cell", "lstm"},
                 {"decoder_cell", "gru"},
                 {"encoder_layers", 3},
                 {"decoder_layers", 3},
                 {"encoder_directions", "bi-unidirectional"},
                 {"tied_embeddings", "target"},
                 {"target_vocabulary", 11}}}),
    [](const auto& variant) { return variant.param.name; });

TEST(TiedLayers, AreOneWithTheNamesOfTheirSet) {
  const auto backend = open_backend({.device = "reference"});
  const Fixture f({"", {{"decoder_layers", 4}, {"tied_decoder_layers", "1 3 3 1"}}}, *backend);
  std::set<std::string> sets;
  for (const Parameters::Entry& entry : f.model->parameters().entries()) {
    const std::string& name = entry.parameter.name;
    if (name.starts_with("decoder.layers.")) sets.insert(name.substr(0, name.find('.', 15)));
  }
  EXPECT_THAT(sets, ::testing::ElementsAre("decoder.layers.0", "decoder.layers.2"));
}

class LimitTest : public ::testing::Test {
 protected:
  std::string complaint(const Example& example, bool decoding = false) {
    try {
      Graph g(f_.workers.whole());
      if (decoding) {
        testing::LoneDecoder decoder(*f_.model, g, example, variant_.special_tokens(), 7);
        for (int step = 0; step < 7; ++step) decoder.step(3);
      } else {
        const auto [source, target] = batch_input(g, {example}, variant_.special_tokens());
        f_.model->logits(g, source, target);
      }
      return "";
    } catch (const Error& error) {
      return error.what();
    }
  }

  const Variant variant_{"", {{"positions", "learned"}}};  // six of them
  std::unique_ptr<Backend> backend_ = open_backend({.device = "reference"});
  Fixture f_{variant_, *backend_};
};

TEST_F(LimitTest, LearnedPositionsEnd) {
  EXPECT_EQ(f_.model->max_positions(), 6);
  EXPECT_EQ(complaint({0, {3, 3, 3, 3, 3}, {4, 4, 4, 4, 4}}), "");
  const std::string message = "a sequence of 7 tokens is longer than the 6 that the model has positions for";
  EXPECT_THAT(complaint({0, {3, 3, 3, 3, 3, 3}, {}}), HasSubstr(message));
  EXPECT_THAT(complaint({0, {}, {4, 4, 4, 4, 4, 4}}), HasSubstr(message));
  EXPECT_THAT(complaint({0, {}, {}}, true), HasSubstr(message));
}

TEST_F(LimitTest, PositionsBeforeTheFirstAreNoneOfThem) {
  const Fixture f({"", {{"positions", "learned"}, {"position_offset", 2}}}, *backend_);
  EXPECT_EQ(f.model->max_positions(), 4);
}

TEST(NoPositions, AnEncoderDoesNotSeeTheOrder) {
  const auto backend = open_backend({.device = "reference"});
  const auto logits = [&](const nlohmann::json& changes, const std::vector<int>& words) {
    const Variant variant{"", changes};
    Fixture f(variant, *backend);
    Graph g(f.workers.whole());
    const BatchInput input = batch_input(g, {{0, words, {6, 4}}}, variant.special_tokens());
    return testing::whole(g, f.model->logits(g, input.source, input.target));
  };
  const auto is_near =
      ::testing::Pointwise(::testing::DoubleNear(1e-9), logits({{"positions", "none"}}, {5, 3, 8}));
  EXPECT_THAT(logits({{"positions", "none"}}, {8, 5, 3}), is_near);
  EXPECT_THAT(logits({{"positions", "none"}}, {8, 5, 4}), ::testing::Not(is_near));
  const nlohmann::json usual = nlohmann::json::object();
  EXPECT_NE(logits(usual, {8, 5, 3}), logits(usual, {5, 3, 8}));
}

TEST_F(LimitTest, SinusoidsDoNotEnd) {
  Fixture f({"", nlohmann::json::object()}, *backend_);
  EXPECT_EQ(f.model->max_positions(), std::nullopt);
  Graph g(f.workers.whole());
  const Example longer{0, std::vector<int>(700, 3), std::vector<int>(3, 4)};
  const auto [source, target] = batch_input(g, {longer}, variant_.special_tokens());
  const Logits logits = f.model->logits(g, source, target);
  EXPECT_THAT(testing::whole(g, logits),
              ::testing::Each(::testing::Truly([](double x) { return std::isfinite(x); })));
}

}  // namespace
}  // namespace nmt
