// nmt bleu: scores translations against references, with the same digits as sacrebleu, and by models.
#include "metrics/bleu.h"

#include <unistd.h>

#include <algorithm>
#include <functional>
#include <iterator>
#include <map>
#include <memory>

#include "cli/commands/bleu_page.h"
#include "cli/commands/bleu_report.h"
#include "cli/commands/segment_metrics.h"
#include "cli/files/segment_reader.h"
#include "cli/options/common_options.h"
#include "cli/options/metric_list.h"
#include "cli/program.h"
#include "common/error.h"
#include "common/log/progress_line.h"
#include "common/text/number.h"
#include "common/text/spelling.h"
#include "metrics/significance.h"
#include "metrics/tokenizer.h"

namespace nmt {
namespace {

constexpr std::size_t kResamples = 1000;
// Segments, or about as many bytes, that are judged at a time, so that models encode texts of similar length
// together.
constexpr std::size_t kBlock = 2000, kBlockBytes = std::size_t{16} << 20;

struct BleuSettings {
  SegmentSources sources;
  std::vector<std::string> metrics = {"bleu"};
  MetricSettings metric;
  MetricModels models;
  std::optional<std::string> vocab, page;
  DeviceSettings device;
  bool force = false, confidence = false, paired_bootstrap = false, paired_randomization = false;
  std::optional<std::size_t> trials;
  std::uint64_t seed = Trials().seed;
  ReportSettings report;
  LogOptions log;

  bool is_paired() const { return paired_bootstrap || paired_randomization; }
  Trials trials_with_default() const {
    return {trials.value_or(paired_randomization ? 10 * kResamples : kResamples), seed};
  }
  Draws draws() const {
    const std::size_t count = trials_with_default().count;
    if (paired_randomization) return {confidence ? kResamples : 0, count, seed};
    return {confidence || paired_bootstrap ? count : 0, 0, seed};
  }
};

/// Treats `-i a b` as `-i a -i b`, so that no hypothesis is taken for a reference, and `-m bleu chrf` as `-m
/// bleu -m chrf`.
Arguments repeat_list_options(const Arguments& arguments) {
  std::vector<std::string> metrics = metric_names();
  std::ranges::copy(model_metric_names(), std::back_inserter(metrics));
  Arguments repeated;
  std::string list;
  bool behind_option = false;
  for (const std::string& argument : arguments) {
    const bool is_option = argument.starts_with('-') && argument != "-";
    if (is_option) {
      const bool is_input = argument == "-i" || argument == "--input";
      const bool is_metrics = argument == "-m" || argument == "--metrics";
      list = is_input ? "-i" : is_metrics ? "-m" : "";
    } else if (!behind_option &&
               (list == "-i" || (list == "-m" && std::ranges::find_first_of(metrics, metrics_in(argument)) !=
                                                     metrics.end()))) {
      repeated.push_back(list);
    }
    behind_option = is_option;
    repeated.push_back(argument);
  }
  return repeated;
}

void check_references(const SegmentSources& sources, const std::vector<std::string>& metrics) {
  // Models may need none.
  if (!sources.references.empty() || std::ranges::all_of(metrics, needs_model)) return;
  if (sources.systems.empty())
    throw UsageError("reference is missing; usage: nmt bleu reference [reference ...] < hypothesis");
  throw UsageError(
      "reference is missing: -i takes all files after it; usage: nmt bleu reference -i hypothesis");
}

void check(const Options& options, const BleuSettings& settings) {
  check_references(settings.sources, settings.metrics);
  const auto models = settings.models.given();
  for (const std::string& metric : settings.metrics) {
    if (needs_model(metric) && !models.contains(metric))
      throw UsageError("{0} {1} needs a model; name it with --{1}", options.origin("metrics"), metric);
  }
  if (settings.vocab && models.size() > 1) {
    throw UsageError("{} is the tokenizer of one model; put the tokenizers of {} next to them instead",
                     options.origin("vocab"), options.origins({"comet", "metricx"}));
  }
  const auto exclude = [&](const std::string& a, bool has_a, const std::string& b, bool has_b) {
    if (has_a && has_b) throw UsageError("{} exclude each other; give one", options.origins({a, b}));
  };
  exclude("json", settings.report.json, "score-only", settings.report.score_only);
  exclude("paired-bs", settings.paired_bootstrap, "paired-ar", settings.paired_randomization);
  for (const auto& [name, given] :
       {std::pair("confidence", settings.confidence), std::pair("paired-bs", settings.paired_bootstrap),
        std::pair("paired-ar", settings.paired_randomization)}) {
    exclude("sentence-level", settings.metric.sentence, name, given);
    exclude("score-only", settings.report.score_only && given && settings.is_paired(), name, given);
  }
}

void add_text_options(Options& options, BleuSettings& settings) {
  options.positional(settings.sources.references, "reference",
                     "reference translation, one segment per line. Several references can be given.", 0,
                     1000);
  options.add("input,i", settings.sources.systems, "FILE",
              "files to score instead of standard input. Each is the output of one system: -i a b.");
  options.reads_standard_input("the hypothesis",
                               [&systems = settings.sources.systems] { return systems.empty(); });
  options
      .add("num-refs", settings.sources.columns, "N", "number of references in each line, separated by tabs")
      .range(1, 1000);
  options.flag("force", settings.force, "do not warn about text that looks tokenized");
}

void add_metric_options(Options& options, BleuSettings& settings) {
  const char* const group = "metrics";
  add_metric_list(options, "metrics,m", settings.metrics, "metrics to compute", model_metric_names())
      .group(group);
  options.flag("sentence-level", settings.metric.sentence, "score each segment separately, one per line")
      .group(group);
  options.flag("lowercase", settings.metric.lowercase, "lowercase the text before scoring. TER always does.")
      .group(group);
  const auto has_bleu = [&metrics = settings.metrics] {
    return std::ranges::any_of(
        metrics, [](const std::string& list) { return std::ranges::count(metrics_in(list), "bleu") > 0; });
  };
  const char* const bleu = "BLEU; add it to --metrics";
  options.add("tokenize", settings.metric.tokenizer, "", "tokenizer of BLEU")
      .choices(tokenizer_names())
      .only_where(has_bleu, bleu)
      .group(group);
  options
      .add("smooth-method", settings.metric.smoothing, "",
           "smoothing of BLEU's n-gram orders without a match")
      .choices(smoothing_names())
      .only_where(has_bleu, bleu)
      .group(group);
  options
      .add("smooth-value", settings.metric.smoothing_value, "X",
           "value for the smoothing methods floor and add-k. The default is 0.1 for floor and 1 for add-k.")
      .range(0, 1e9)
      .only_where(has_bleu, bleu)
      .group(group);
}

/// Whether one of these lists of metrics contains one that a model computes.
bool names_model(const std::vector<std::string>& lists) {
  const std::vector<std::string>& models = model_metric_names();
  return std::ranges::any_of(lists, [&](const std::string& list) {
    const auto metrics = metrics_in(list);
    return std::ranges::find_first_of(metrics, models) != metrics.end();
  });
}

void add_model_options(Options& options, BleuSettings& settings) {
  const char* const group = "COMET and MetricX";
  const std::vector<std::string>& models = model_metric_names();  // their options have the same names
  const char* const model = "a model; name it with --comet or --metricx";
  options
      .add("comet", settings.models.comet, "MODEL",
           "COMET model that judges the translations: the folder of a checkpoint, or a file made from it by "
           "nmt convert. Adds comet to --metrics.")
      .group(group);
  options
      .add("metricx", settings.models.metricx, "MODEL",
           "MetricX-23 or MetricX-24 model that judges the translations: its folder, or a file made from it "
           "by nmt convert. Its scores are errors from 0, the best, to 25. Adds metricx to --metrics.")
      .group(group);
  options.add("source", settings.sources.source, "FILE", "text that was translated, one segment per line")
      .only_where(
          [&settings] {
            return !settings.models.given().empty() || settings.page || names_model(settings.metrics);
          },
          "a model, which reads it, or a page; add --comet, --metricx or --page")
      .group(group);
  options
      .add("vocab", settings.vocab, "FILE",
           "tokenizer of the model, if it is not next to it: sentencepiece.bpe.model, spiece.model, "
           "tokenizer.json, or their folder")
      .needs(models, model)
      .group(group);
  add_device_options(options, settings.device, Work::inference);
}

void add_significance_options(Options& options, BleuSettings& settings) {
  const char* const group = "significance";
  constexpr double kMostTrials = 1e7;
  const auto add_flag = [&](const char* name, bool& target, const char* help) {
    options.flag(name, target, help).group(group);
  };
  add_flag("confidence", settings.confidence, "print 95 % confidence intervals by bootstrap resampling");
  add_flag("paired-bs", settings.paired_bootstrap,
           "compare systems with the first one by paired bootstrap resampling");
  add_flag("paired-ar", settings.paired_randomization,
           "compare systems with the first one by paired approximate randomization");
  const std::vector<std::string> tests = {"confidence", "paired-bs", "paired-ar"};
  const char* const test = "a test; give --confidence, --paired-bs or --paired-ar";
  options
      .add("trials", settings.trials, "N",
           "number of random trials. The default is 1000 for bootstrap resampling and 10000 for "
           "randomization.")
      .range(1, kMostTrials)
      .group(group)
      .needs(tests, test);
  options.add("seed", settings.seed, "N", "seed of the random numbers").group(group).needs(tests, test);
}

void add_report_options(Options& options, BleuSettings& settings) {
  ReportSettings& report = settings.report;
  options.add("width,w", report.width, "N", "digits of scores after the decimal point").range(0, 15);
  options.flag("score-only,b", report.score_only, "print only the score. Several metrics give a list.");
  options.flag("json", report.json, "print a JSON object. Several systems or metrics give a list.");
  options
      .add(
          "page", settings.page, "FILE",
          "HTML page to write: each segment with its scores, systems below each other, and the errors that a "
          "COMET model finds")
      .command_line_only()
      .writes();
}

bool parse(const Arguments& arguments, BleuSettings& settings) {
  Options options(
      "nmt bleu", "reference [reference ...] < hypothesis",
      "Scores translations by BLEU, chrF, chrF++ and TER, with the same digits as sacrebleu, and by "
      "COMET models.",
      "nmt bleu test.de --metrics bleu,chrf,ter < translated.de");
  options.writes_standard_output();
  add_text_options(options, settings);
  add_report_options(options, settings);
  add_metric_options(options, settings);
  add_model_options(options, settings);
  add_significance_options(options, settings);
  options.essential({"input", "width", "score-only", "json", "page", "metrics", "sentence-level", "lowercase",
                     "tokenize", "comet", "metricx", "source", "confidence", "paired-bs", "paired-ar"});
  if (!parse_with_log_options(options, repeat_list_options(arguments), settings.log)) return false;
  if (settings.page) check_extension(*settings.page, "a page of HTML", "html", "--page");
  settings.metrics = metric_list(options, "metrics", settings.metrics, model_metric_names());
  const auto models = settings.models.given();
  if (!models.empty() && !options.given("metrics") && settings.sources.references.empty())
    settings.metrics.clear();
  for (const auto& [metric, model] : models) {
    if (std::ranges::count(settings.metrics, metric) == 0) settings.metrics.push_back(metric);
  }
  check(options, settings);
  return true;
}

/// Opens the models, and checks that they have the texts that they read.
SegmentMetrics::Models open_models(const BleuSettings& settings) {
  const ForeignFiles files{.source_vocabulary = settings.vocab, .target_vocabulary = settings.vocab};
  SegmentMetrics::Models all;
  for (const auto& [metric, path] : settings.models.given()) {
    const auto opened = std::make_shared<const OpenedMetric>(path, settings.device, files);
    opened->require(metric);
    if (opened->metric().reads_source() && !settings.sources.source)
      throw UsageError("'{}' also reads the text that was translated; name it with --source", path);
    if (opened->metric().needs_reference() && settings.sources.references.empty())
      throw UsageError("'{}' compares with a reference; name one: nmt bleu reference < hypothesis", path);
    all[metric] = opened;
  }
  return all;
}

/// Tells the user of a terminal that the command waits for text.
void announce_reading(const SegmentSources& sources) {
  if (!sources.systems.empty() || isatty(STDIN_FILENO) != 1) return;
  log_info(
      "reading the hypothesis from the terminal, a segment a line, until Ctrl-D; or redirect it: "
      "nmt bleu reference < hypothesis");
}

void check_systems(const BleuSettings& settings, std::size_t systems) {
  if (systems == 1 && settings.is_paired()) {
    throw UsageError("a paired test compares systems; name at least two: -i baseline.txt system.txt");
  }
  if (systems > 1 && settings.metric.sentence) {
    throw UsageError("--sentence-level scores one system, not {}; name one with -i", systems);
  }
}

/// Warns of tokens set apart in the hypothesis, a common mistake that changes BLEU.
class TokenizedTextWarning {
 public:
  TokenizedTextWarning(const BleuSettings& settings, std::size_t systems)
      : lines_(settings.force || std::ranges::count(settings.metrics, "bleu") == 0 ? 0 : systems) {}

  void look_at(const Segment& segment) {
    for (std::size_t s = 0; s < lines_.size(); ++s)
      lines_[s] += segment.hypotheses[s].ends_with(" .") ? 1 : 0;
  }
  void warn(const std::vector<std::string>& names) const {
    for (std::size_t s = 0; s < lines_.size(); ++s) {
      if (lines_[s] < 100) continue;
      log_warning(
          "'{}': {} with a space before the final full stop; BLEU is meant for detokenized text (--force "
          "turns this warning off)",
          names[s], count_of(lines_[s], "line"));
    }
  }

 private:
  std::vector<std::int64_t> lines_;
};

/// The counts of a metric in the segments of a system.
struct Counts {
  Statistics sum;
  SegmentCounts segments;  // only if a test needs them
};

/// Indexed by metric, then by system.
using AllCounts = std::vector<std::vector<Counts>>;

std::size_t bytes_of(const Segment& segment) {
  std::size_t bytes = segment.source.size();
  for (const auto* texts : {&segment.hypotheses, &segment.references})
    for (const std::string& text : *texts) bytes += text.size();
  return bytes;
}

/// Calls take(segments) for blocks of segments, in order.
template <class Take>
void each_block(SegmentReader& reader, const Take& take) {
  ProgressLine progress(program_log(), "scoring", "segment");
  std::vector<Segment> block;
  std::int64_t segments = 0;
  std::size_t bytes = 0;  // in the block
  const auto finish = [&] {
    if (!block.empty()) take(block);
    block.clear();
    bytes = 0;
  };
  for (Segment segment; reader.next(segment);) {
    progress.show(++segments, reader.part_read());
    bytes += bytes_of(segment);
    block.push_back(segment);
    if (block.size() == kBlock || bytes >= kBlockBytes) finish();
  }
  finish();
}

/// Adds the counts of a block of segments; `keeps_segments`: also those of each segment.
void add_counts(AllCounts& all, const SegmentMetrics::Verdicts& verdicts, bool keeps_segments) {
  for (std::size_t m = 0; m < all.size(); ++m) {
    for (std::size_t s = 0; s < all[m].size(); ++s) {
      for (const SegmentVerdict& verdict : verdicts[m][s]) {
        add(all[m][s].sum, verdict.counts);
        if (keeps_segments) all[m][s].segments.append(verdict.counts);
      }
    }
  }
}

AllCounts no_counts(const SegmentMetrics& metrics, const SegmentReader& reader) {
  return AllCounts(metrics.size(), std::vector<Counts>(reader.systems().size()));
}

AllCounts count(SegmentReader& reader, const SegmentMetrics& metrics, const BleuSettings& settings,
                BleuPage* page) {
  AllCounts all = no_counts(metrics, reader);
  TokenizedTextWarning warning(settings, reader.systems().size());
  each_block(reader, [&](const std::vector<Segment>& segments) {
    for (const Segment& segment : segments) warning.look_at(segment);
    const SegmentMetrics::Verdicts verdicts = metrics.judge(segments);
    if (page != nullptr) page->add(segments, verdicts);
    add_counts(all, verdicts, settings.confidence || settings.is_paired());
  });
  warning.warn(reader.systems());
  return all;
}

void test(Verdict& verdict, const CorpusMetric& metric, const std::vector<Counts>& systems,
          std::size_t system, const BleuSettings& settings) {
  const SegmentCounts &own = systems[system].segments, &baseline = systems[0].segments;
  const Trials trials = settings.trials_with_default();
  if (!settings.is_paired()) {
    if (settings.confidence) verdict.score.confidence = bootstrap(metric, own, trials);
    return;
  }
  const std::size_t resamples = settings.confidence ? kResamples : 0;
  if (system == 0) {
    const std::size_t count = settings.paired_bootstrap ? trials.count : resamples;
    if (count > 0) verdict.score.confidence = baseline_confidence(metric, own, {count, trials.seed});
    return;
  }
  const Comparison comparison = settings.paired_bootstrap
                                    ? paired_bootstrap(metric, baseline, own, trials)
                                    : paired_randomization(metric, baseline, own, trials, resamples);
  verdict.p_value = comparison.p_value;
  verdict.score.confidence = comparison.confidence;
}

std::vector<SystemVerdicts> judge(const SegmentReader& reader, const SegmentMetrics& metrics,
                                  const AllCounts& counts, const BleuSettings& settings) {
  std::vector<SystemVerdicts> systems;
  for (std::size_t s = 0; s < reader.systems().size(); ++s) {
    systems.push_back({reader.systems()[s], {}});
    for (std::size_t m = 0; m < metrics.size(); ++m) {
      Verdict verdict{metrics[m].score(counts[m][s].sum), {}};
      complete_signature(verdict.score, metrics.references_read(m, reader.references()), settings.draws());
      test(verdict, metrics[m], counts[m], s, settings);
      systems.back().verdicts.push_back(std::move(verdict));
    }
  }
  return systems;
}

void score_sentences(SegmentReader& reader, const SegmentMetrics& metrics, const BleuSettings& settings,
                     BleuPage* page) {
  AllCounts counts = no_counts(metrics, reader);  // for the page
  each_block(reader, [&](const std::vector<Segment>& segments) {
    const SegmentMetrics::Verdicts verdicts = metrics.judge(segments);
    if (page != nullptr) {
      page->add(segments, verdicts);
      add_counts(counts, verdicts, false);
    }
    std::string lines;
    for (std::size_t i = 0; i < segments.size(); ++i) {
      std::vector<Score> scores;
      for (std::size_t m = 0; m < metrics.size(); ++m) {
        const SegmentVerdict& verdict = verdicts[m][0][i];
        scores.push_back(metrics[m].score(verdict.counts));
        complete_signature(scores.back(), metrics.references_read(m, reader.references()), settings.draws());
        if (metrics.finds_errors(m)) scores.back().json_fields = {{"errors", errors_json(verdict.errors)}};
      }
      lines += segment_report(scores, settings.report);
    }
    write_output(lines);
  });
  if (page != nullptr) page->write(judge(reader, metrics, counts, settings), settings.report);
}

void score_text(SegmentReader& reader, const SegmentMetrics& metrics, const BleuSettings& settings,
                BleuPage* page) {
  const AllCounts counts = count(reader, metrics, settings, page);
  ReportSettings report = settings.report;
  if (settings.paired_bootstrap) report.test = "paired bootstrap resampling";
  if (settings.paired_randomization) report.test = "paired approximate randomization";
  const std::vector<SystemVerdicts> systems = judge(reader, metrics, counts, settings);
  write_output(corpus_report(systems, report));
  if (page != nullptr) page->write(systems, report);
}

}  // namespace

int run_bleu(const Arguments& arguments) {
  BleuSettings settings;
  if (!parse(arguments, settings)) return 0;
  const SegmentMetrics metrics(settings.metrics, settings.metric, open_models(settings));
  announce_reading(settings.sources);
  SegmentReader reader(settings.sources);
  check_systems(settings, reader.systems().size());
  std::optional<BleuPage> page;
  if (settings.page) page.emplace(*settings.page, reader.systems(), metrics, settings.report.width);
  if (settings.metric.sentence) {
    score_sentences(reader, metrics, settings, page ? &*page : nullptr);
  } else {
    score_text(reader, metrics, settings, page ? &*page : nullptr);
  }
  return 0;
}

}  // namespace nmt
