#include "train/validator.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <sstream>
#include <string_view>
#include <utility>

#include "common/error.h"
#include "common/log/progress_line.h"
#include "common/process/program.h"
#include "common/text/number.h"
#include "common/text/spelling.h"
#include "common/text/utf8.h"
#include "data/batches/batches.h"
#include "data/batches/example_order.h"
#include "metrics/words.h"
#include "tensor/communicator.h"
#include "train/run/checkpoints.h"

namespace nmt {

std::vector<std::int64_t> sample_lines(std::int64_t count) {
  constexpr std::int64_t kMost = 5;
  const std::int64_t chosen = std::min(count, kMost);
  std::vector<std::int64_t> numbers;
  for (std::int64_t i = 0; i < chosen; ++i) numbers.push_back((2 * i + 1) * count / (2 * chosen));
  return numbers;
}

std::string cut_short(std::string line, std::size_t longest) {
  if (line.size() <= longest) return line;
  line.resize(longest);
  while (!line.empty() && count_invalid_utf8(line) > 0) line.pop_back();
  return line + "…";
}

namespace {

constexpr std::int64_t kMostOutput = 1 << 20;

/// Runs the command and returns its number. Throws Error that says what went wrong.
double number_of_command(std::string_view command, const std::string& file, std::chrono::milliseconds timeout,
                         StopRequest& stop) {
  // A trailing line break from YAML would separate the command from its argument.
  const std::string line = fmt::format("{} \"$@\"", strip(command));
  const InterruptDeferral until_it_has_ended(stop);
  const ProgramResult result =
      run_program({"/bin/sh", "-c", line, "nmt", file}, "", stop,
                  {.standard_error = StandardError::shared, .timeout = timeout, .most_output = kMostOutput});
  if (!result.found) throw Error("/bin/sh is missing");
  if (result.is_endless) throw Error("it was stopped, because it prints more than a number");
  if (result.timed_out) {
    throw Error("it was stopped after {}; a longer `valid_timeout` gives it more time",
                format_seconds(std::chrono::duration<double>(timeout).count()));
  }
  if (result.status != 0) stop.check();  // a signal that ends a job may go to all of its processes
  if (result.status != 0) throw Error("its exit code is {}", result.status);
  const std::string_view output = strip(result.output);
  const auto number = number_of<double>(output);
  if (!number || !std::isfinite(*number))
    throw Error("it printed {}, not a number", quoted(std::string(output)));
  return *number;
}

}  // namespace

std::optional<double> command_figure(const std::string& command, const std::string& file,
                                     std::chrono::milliseconds timeout, const JobContext& job) {
  try {
    return number_of_command(command, file, timeout, *job.stop);
  } catch (const Error& error) {
    job.log->warning("`valid_command` failed, so this validation has no figure 'command': {}", error.what());
    return std::nullopt;
  }
}

ValidationText validation_text(const ParallelText& text, const Encoding& encoding, std::int64_t batch_tokens,
                               Log& log) {
  ValidationText out{.name = text.source().name(),
                     .batches = batches_of(encode_all(text, encoding, log), batch_tokens),
                     .fingerprint = text.fingerprint()};
  for (std::int64_t i = 0; i < text.size(); ++i) {
    out.sources.emplace_back(text.source()[i]);
    out.references.emplace_back(text.target()[i]);
  }
  return out;
}

ValidationSettings validation_settings(const TrainingSettings& settings) {
  std::vector<std::string> metrics = {"bleu"};
  const auto add = [&metrics](const std::string& metric) {
    if (std::ranges::count(metrics, metric) == 0) metrics.push_back(metric);
  };
  std::ranges::for_each(settings.valid_metrics, add);
  if (is_metric(settings.best_by)) add(settings.best_by);
  if (settings.valid_beam == 0) return {.translation = {}, .metrics = std::move(metrics)};
  return {.translation = SearchSettings{.beam = settings.valid_beam}, .metrics = std::move(metrics)};
}

Validator::Validator(ValidationText text, ValidationSettings settings, const SavedModel& model,
                     Workers& workers, Update& update, Communicator& communicator, const JobContext& job)
    : text_(std::move(text)),
      settings_(std::move(settings)),
      model_(model),
      workers_(workers),
      update_(update),
      communicator_(communicator),
      job_(job) {
  for (const auto& [name, metric] : settings_.of_models) {
    metric->keep(text_.sources);
    metric->keep(text_.references);
  }
  std::vector<Batch> own;
  for (auto i = static_cast<std::size_t>(communicator_.rank()); i < text_.batches.size();
       i += static_cast<std::size_t>(communicator_.size()))
    own.push_back(std::move(text_.batches[i]));
  text_.batches = std::move(own);
}

std::vector<std::string> Validator::on_all_ranks(const std::function<std::string()>& work) {
  int signal = 0;
  std::string own;
  try {
    own = work();
  } catch (const Interrupted& interrupted) {  // the other ranks learn of it where they wait
    signal = interrupted.signal();
  }
  std::vector<std::string> messages = all_gather_text(communicator_, fmt::format("{:3}", signal) + own);
  for (std::string& message : messages) {
    signal = std::max(signal, std::stoi(message.substr(0, 3)));
    message.erase(0, 3);
  }
  if (signal == 0) return messages;
  if (communicator_.rank() == 0) throw Interrupted(signal);
  return {};
}

Validation Validator::operator()() {
  Validation validation;
  const std::vector<std::string> losses = on_all_ranks([this] { return loss(); });
  for (const std::string& message : losses) {
    LossSum sum;
    std::memcpy(&sum, message.data(), sizeof sum);
    validation.loss += sum;
  }
  if (losses.empty() || !settings_.translation) return validation;
  validation.translations.resize(text_.sources.size());
  for (const std::string& message : on_all_ranks([this] { return translations(); })) {
    std::istringstream lines(message);
    for (std::size_t number = 0; lines >> number;) {
      lines.get();
      std::getline(lines, validation.translations.at(number));
    }
  }
  if (communicator_.rank() > 0) return validation;
  for (const std::string& name : settings_.metrics)
    validation.scores.push_back(score(name, validation.translations));
  validation.metrics = settings_.metrics;
  return validation;
}

Score Validator::score(const std::string& metric, const std::vector<std::string>& translations) const {
  if (!needs_model(metric)) return corpus_score(*make_metric(metric), translations, {text_.references});
  const QualityMetric& judge = *settings_.of_models.at(metric);
  std::vector<JudgedTexts> texts;
  for (std::size_t i = 0; i < translations.size(); ++i)
    texts.push_back({translations[i], text_.sources[i], text_.references[i]});
  const std::vector<Judgment> judgments =
      judge.judge(texts, judge.reads_reference(), [this](std::size_t) { job_.stop->check(); });
  Statistics sum;
  for (const Judgment& judgment : judgments) add(sum, MeanMetric::segment(judgment.score));
  return MeanMetric(judge.name(), {}, kModelMetricDigits).score(sum);
}

std::string Validator::loss() {
  std::int64_t pairs = 0, done = 0;
  for (const Batch& batch : text_.batches) pairs += std::ssize(batch.examples);
  LossSum sum;
  if (pairs > 0) {
    ProgressLine progress(*job_.log, "validating", "sentence");
    sum = update_.loss(text_.batches, [&](const Batch& batch) {
      job_.stop->check();
      done += std::ssize(batch.examples);
      progress.show(done, static_cast<double>(done) / static_cast<double>(pairs));
    });
  }
  return {reinterpret_cast<const char*>(&sum), sizeof sum};
}

std::vector<std::size_t> Validator::own_lines() const {
  std::vector<std::int64_t> lengths;
  for (const std::string& line : text_.sources) lengths.push_back(std::ssize(line));
  const std::vector<std::size_t> order = longest_first(lengths);
  std::vector<std::size_t> lines;
  for (auto i = static_cast<std::size_t>(communicator_.rank()); i < order.size();
       i += static_cast<std::size_t>(communicator_.size()))
    lines.push_back(order[i]);
  std::ranges::sort(lines);
  return lines;
}

std::string Validator::translations() {
  Translator translator(
      model_, workers_,
      {.search = *settings_.translation, .before_step = [this] { job_.stop->check(); }, .log = job_.log},
      {.too_long = TooLong::truncate});  // as in training, and searched once per line
  ProgressLine progress(*job_.log, "validating: translating", "line");
  const auto show = [&progress](std::int64_t done, std::optional<double> part) { progress.show(done, part); };
  const std::vector<std::size_t> lines = own_lines();
  std::vector<std::string> sources;
  sources.reserve(lines.size());
  for (const std::size_t line : lines) sources.push_back(text_.sources[line]);
  std::string text;
  try {
    const std::vector<Translation> translations = translator.translate(sources, show);
    for (std::size_t i = 0; i < lines.size(); ++i)
      text += fmt::format("{} {}\n", lines[i], translations[i].text);
  } catch (const Error& error) {
    throw Error("while '{}' was translated for validation: {}; `valid_beam` 0 turns translation off",
                text_.name, error.what());
  }
  return text;
}

}  // namespace nmt
