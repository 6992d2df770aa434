#include "train/metric/judgment_loss.h"

#include <cmath>
#include <vector>

#include "graph/recurrent.h"
#include "nn/comet/comet_features.h"
#include "nn/input.h"
#include "nn/settings.h"
#include "tensor/reals.h"

namespace nmt {
namespace {

Var uploaded(Graph& g, const std::vector<double>& values, std::int64_t rows) {
  const Tensor tensor = g.allocate(rows, std::ssize(values) / rows);
  g.backend().upload(tensor, narrow(values, tensor.dtype()).data());
  return g.variable(tensor);
}

/// Returns |a - b|, as s a - s b, where s has the signs of a - b.
Var magnitude_of_difference(Graph& g, const Var& a, const Var& b) {
  std::vector<double> signs = download_reals(g.backend(), a.value);
  const std::vector<double> others = download_reals(g.backend(), b.value);
  for (std::size_t i = 0; i < signs.size(); ++i)
    signs[i] = signs[i] == others[i] ? 0 : std::copysign(1.0, signs[i] - others[i]);
  const Var plus = uploaded(g, signs, a.value.rows());
  for (double& sign : signs) sign = -sign;
  const Var minus = uploaded(g, signs, a.value.rows());
  return residual(g, Dropout{}, element_product(g, a, plus), element_product(g, b, minus));
}

/// Returns what the estimator reads. `vectors`: of the translation, its source and, unless the model reads
/// none, its reference.
Var features_of(Graph& g, const std::vector<Var>& vectors) {
  return concatenate_columns(
      g, comet_features(
             vectors[0], vectors[1], vectors.size() == 3 ? &vectors[2] : nullptr,
             [&](const Var& a, const Var& b) { return element_product(g, a, b); },
             [&](const Var& a, const Var& b) { return magnitude_of_difference(g, a, b); }));
}

/// Returns the derivative of an activation where its value is y.
double derivative(double y, OutputActivation activation) {
  if (activation == OutputActivation::none) return 1;
  return activation == OutputActivation::tanh ? 1 - y * y : y * (1 - y);
}

}  // namespace

void check_trainable(const CometConfig& config) {
  if (!config.encodes_apart()) {
    throw ModelSettingError({"kind"}, "only metrics of kind regression and referenceless can be trained");
  }
  if (config.pooling != Pooling::mean)
    throw ModelSettingError({"pooling"}, "metrics can be trained with pooling 'mean' only");
  if (config.mix_norm) throw ModelSettingError({"mix_norm"}, "metrics can be trained without mix_norm only");
}

void initialize_metric(CometModel& model, std::uint64_t seed) {
  TrainingWeights& weights = model.training_weights();
  weights.initialize(seed);
  for (const Parameters::Entry& entry : model.parameters().entries()) {
    if (entry.parameter.name != model.mix().name) continue;
    std::vector<double> mix(static_cast<std::size_t>(entry.size()));
    mix.back() = 1;
    upload_reals(weights.backend(), entry.master, mix);
  }
  weights.values_changed();
}

Var JudgmentLoss::outputs(Graph& g, const Batch& batch) const {
  const bool has_reference = model_.config().kind == CometKind::regression;
  const std::int64_t count = std::ssize(batch.examples), texts = has_reference ? 3 : 2;
  // Each text has an id of its own, which seeds its dropout.
  std::vector<Example> sequences;
  for (std::int64_t text = 0; text < texts; ++text) {
    for (const Example& example : batch.examples) {
      const EncodedJudgment& judgment = corpus_[example.id];
      sequences.push_back({.id = texts * example.id + text,
                           .source = text == 0   ? judgment.translation
                                     : text == 1 ? judgment.source
                                                 : judgment.reference,
                           .target = {}});
    }
  }
  const SourceInput input = source_input(g, sequences, {.ends_source = false});
  Var last;
  model_.encode(g, input, [&](std::int64_t /*number*/, const Var& x) { last = x; });
  const Var means = sequence_mean(g, last, input.sequences.offsets);
  std::vector<Var> vectors;
  for (std::int64_t text = 0; text < texts; ++text)
    vectors.push_back(slice_rows(g, means, text * count, count));
  return model_.estimate(g, features_of(g, vectors));
}

double JudgmentLoss::operator()(Graph& g, const Batch& batch, const Tensor& scale) const {
  const Var out = outputs(g, batch);
  const std::vector<double> values = download_reals(g.backend(), out.value);
  const double factor = 2 * download_reals(g.backend(), scale)[0];
  double sum = 0;
  std::vector<double> gradients;
  for (std::size_t i = 0; i < values.size(); ++i) {
    const OutputActivation activation = model_.config().output_activation;
    const double score = activated(values[i], activation);
    const double error = score - corpus_[batch.examples[i].id].score;
    sum += error * error;
    gradients.push_back(factor * error * derivative(score, activation));
  }
  const Tensor gradient = uploaded(g, gradients, out.value.rows()).value;
  g.record([&g, out, gradient] { g.deposit(out, gradient); });
  return sum;
}

}  // namespace nmt
