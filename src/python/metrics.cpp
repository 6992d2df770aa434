#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/unique_ptr.h>
#include <nanobind/stl/vector.h>

#include "common/error.h"
#include "common/process/resources.h"
#include "engine/opened_metric.h"
#include "metrics/metric.h"
#include "metrics/significance.h"
#include "python/bindings.h"

namespace nb = nanobind;
using namespace nb::literals;

namespace nmt {
namespace {

constexpr int kDigits = 2;

using Texts = std::vector<std::string>;

/// Throws UsageError unless each reference has a line for each hypothesis.
void check_lines(const Texts& hypotheses, const std::vector<Texts>& references) {
  if (hypotheses.empty()) throw UsageError("there is nothing to score");
  if (references.empty()) throw UsageError("no reference is given");
  for (const Texts& texts : references) {
    if (texts.size() != hypotheses.size())
      throw UsageError("the number of hypotheses is {}, but that of references {}", hypotheses.size(),
                       texts.size());
  }
}

SegmentCounts count(const Metric& metric, const Texts& hypotheses, const std::vector<Texts>& references) {
  SegmentCounts counts;
  std::vector<std::string_view> of_segment(references.size());
  for (std::size_t i = 0; i < hypotheses.size(); ++i) {
    for (std::size_t r = 0; r < references.size(); ++r) of_segment[r] = references[r][i];
    counts.append(metric.segment(hypotheses[i], of_segment));
  }
  return counts;
}

Score corpus(const std::string& metric_name, const MetricSettings& settings, const Texts& hypotheses,
             const std::vector<Texts>& references, std::size_t resamples, std::uint64_t seed) {
  const nb::gil_scoped_release release;
  check_lines(hypotheses, references);
  const std::unique_ptr<Metric> metric = make_metric(metric_name, settings);
  const SegmentCounts counts = count(*metric, hypotheses, references);
  Score score = metric->score(counts.sum());
  if (resamples > 0) score.confidence = bootstrap(*metric, counts, {resamples, seed});
  complete_signature(score, references.size(), {.resamples = resamples, .seed = seed});
  return score;
}

/// Returns the scores of the baseline and of the system, and the probability of their difference (p-value).
/// As in sacrebleu, the bootstrap adds confidence intervals.
std::tuple<Score, Score, double> compare(const std::string& metric_name, const MetricSettings& settings,
                                         const Texts& baseline, const Texts& system,
                                         const std::vector<Texts>& references, bool by_bootstrap,
                                         std::size_t count_of_trials, std::uint64_t seed) {
  const nb::gil_scoped_release release;
  const Trials trials{count_of_trials, seed};
  if (trials.count == 0) throw UsageError("trials is 0: it must be at least 1");
  check_lines(baseline, references);
  check_lines(system, references);
  const std::unique_ptr<Metric> metric = make_metric(metric_name, settings);
  const SegmentCounts base = count(*metric, baseline, references), own = count(*metric, system, references);
  const Comparison comparison = by_bootstrap ? paired_bootstrap(*metric, base, own, trials)
                                             : paired_randomization(*metric, base, own, trials, 0);
  Score first = metric->score(base.sum()), second = metric->score(own.sum());
  if (by_bootstrap) first.confidence = baseline_confidence(*metric, base, trials);
  second.confidence = comparison.confidence;
  for (Score* score : {&first, &second}) {
    complete_signature(*score, references.size(),
                       {by_bootstrap ? trials.count : 0, by_bootstrap ? 0 : trials.count, trials.seed});
  }
  return {std::move(first), std::move(second), comparison.p_value};
}

std::vector<double> sentences(const std::string& metric_name, MetricSettings settings,
                              const Texts& hypotheses, const std::vector<Texts>& references) {
  const nb::gil_scoped_release release;
  check_lines(hypotheses, references);
  settings.sentence = true;
  const std::unique_ptr<Metric> metric = make_metric(metric_name, settings);
  const SegmentCounts counts = count(*metric, hypotheses, references);
  std::vector<double> values;
  for (std::size_t i = 0; i < counts.segments(); ++i)
    values.push_back(metric->score({counts.segment(i), counts.segment(i) + counts.width()}).value);
  return values;
}

/// Judges translations with a model. `sources` and `references` are empty if there are none.
std::vector<Judgment> judge(const OpenedMetric& opened, const Texts& hypotheses, const Texts& sources,
                            const Texts& references) {
  const nb::gil_scoped_release release;
  const QualityMetric& metric = opened.metric();
  const auto check = [&](const Texts& texts, const char* name, bool are_needed) {
    if (are_needed && texts.empty() && !hypotheses.empty())
      throw UsageError("'{}' reads {}, which are missing", opened.name(), name);
    if (!texts.empty() && texts.size() != hypotheses.size())
      throw UsageError("the number of hypotheses is {}, but that of {} {}", hypotheses.size(), name,
                       texts.size());
  };
  check(sources, "sources", metric.reads_source());
  check(references, "references", metric.needs_reference());
  const auto text = [](const Texts& texts, std::size_t i) {
    return texts.empty() ? std::string_view() : std::string_view(texts[i]);
  };
  std::vector<JudgedTexts> judged;
  for (std::size_t i = 0; i < hypotheses.size(); ++i)
    judged.push_back({hypotheses[i], text(sources, i), text(references, i)});
  return metric.judge(judged, !references.empty());
}

/// Opens a model of a metric: "comet" or "metricx".
std::unique_ptr<OpenedMetric> open_quality_model(const std::string& metric, const std::string& model,
                                                 const std::optional<std::string>& vocab,
                                                 const std::string& device, const std::string& precision,
                                                 const std::optional<int>& threads) {
  const nb::gil_scoped_release release;
  if (threads && *threads < 1) throw UsageError("threads is {}: it must be at least 1", *threads);
  auto opened = std::make_unique<OpenedMetric>(
      model,
      DeviceSettings{
          .device = device, .precision = precision, .threads = threads.value_or(cores_available())},
      ForeignFiles{.source_vocabulary = vocab, .target_vocabulary = vocab});
  opened->require(metric);
  return opened;
}

void bind_quality_models(nb::module_& module) {
  nb::class_<ErrorSpan>(module, "ErrorSpan")
      .def_ro("text", &ErrorSpan::text)
      .def_ro("severity", &ErrorSpan::severity)
      .def_ro("confidence", &ErrorSpan::confidence)
      .def_ro("start", &ErrorSpan::begin)
      .def_ro("end", &ErrorSpan::end);
  nb::class_<Judgment>(module, "Judgment")
      .def_ro("score", &Judgment::score)
      .def_ro("errors", &Judgment::errors)
      .def("__float__", [](const Judgment& judgment) { return judgment.score; });
  nb::class_<OpenedMetric>(module, "QualityModel")
      .def(nb::new_(&open_quality_model), "metric"_a, "model"_a, "vocab"_a.none(), "device"_a, "precision"_a,
           "threads"_a.none())
      .def_prop_ro("name", &OpenedMetric::name)
      .def_prop_ro("checksum", &OpenedMetric::checksum)
      .def_prop_ro("precision", &OpenedMetric::precision)
      .def("judge", judge, "hypotheses"_a, "sources"_a, "references"_a);
}

std::optional<double> half_width(const Score& score) {
  return score.confidence ? std::optional(score.confidence->half_width) : std::nullopt;
}

}  // namespace

void bind_metrics(nb::module_& module) {
  nb::class_<MetricSettings>(module, "MetricSettings")
      .def(nb::init<>())
      .def_rw("tokenizer", &MetricSettings::tokenizer)
      .def_rw("smoothing", &MetricSettings::smoothing)
      .def_rw("smoothing_value", &MetricSettings::smoothing_value, nb::arg().none())
      .def_rw("lowercase", &MetricSettings::lowercase);
  nb::class_<Score>(module, "Score")
      .def_ro("name", &Score::name)
      .def_ro("value", &Score::value)
      .def_prop_ro("score", [](const Score& score) { return score.value; })
      .def_ro("details", &Score::details)
      .def_prop_ro("signature", &Score::signature_text)
      .def_prop_ro("confidence", half_width)
      .def("__float__", [](const Score& score) { return score.value; })
      .def("__repr__", [](const Score& score) { return score.text(kDigits); })
      .def("text", &Score::text, "width"_a = kDigits);
  module.def("corpus_score", corpus, "metric"_a, "settings"_a, "hypotheses"_a, "references"_a, "resamples"_a,
             "seed"_a);
  module.def("compare", compare, "metric"_a, "settings"_a, "baseline"_a, "system"_a, "references"_a,
             "by_bootstrap"_a, "trials"_a, "seed"_a);
  bind_quality_models(module);
  module.def("sentence_scores", sentences, "metric"_a, "settings"_a, "hypotheses"_a, "references"_a);
}

}  // namespace nmt
