#include "cli/training/run_average.h"

#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <chrono>
#include <filesystem>
#include <optional>

#include "cli/options/yaml_settings.h"
#include "cli/program.h"
#include "common/error.h"
#include "common/io/atomic_file.h"
#include "common/io/temporary_name.h"
#include "common/log/progress_line.h"
#include "common/process/signals.h"
#include "common/text/spelling.h"
#include "common/text/words.h"
#include "data/text/parallel_text.h"
#include "engine/models.h"
#include "foreign/open.h"
#include "metrics/metric.h"
#include "nn/saved/average.h"
#include "train/meter.h"
#include "train/run/checkpoints.h"
#include "train/run/run_directory.h"
#include "train/run/training_state.h"
#include "translate/service/translator.h"

namespace nmt {
namespace {

namespace fs = std::filesystem;

using Clock = std::chrono::steady_clock;

constexpr std::chrono::seconds kMostTime{60};  // for all translations, unless they were asked for

/// The way in which the validations of a run measure models.
struct RunValidation {
  std::string best_by;  // from the configuration; perplexity by default
  std::string figure;   // figure for comparing models
  int beam = 0;         // 0: no translations
  ParallelFiles text;
};

RunValidation validation_of_run(const std::string& run) {
  const auto settings = flat_yaml_settings(RunDirectory::config_path(run));
  const auto setting = [&settings](const std::string& name) -> std::optional<std::string> {
    const auto found = settings.find(name);
    if (found == settings.end() || found->second.empty()) return std::nullopt;
    return join(found->second, ",");
  };
  RunValidation validation{.best_by = setting("best-by").value_or("perplexity"),
                           .text = ParallelFiles::of_validation(setting)};
  const std::optional<std::string> beam = setting("valid-beam");
  if (validation.text.has_source() && beam) validation.beam = std::stoi(*beam);
  const char* const other = validation.beam > 0 ? "bleu" : "perplexity";
  // A model that judges is not at hand here.
  const bool has_own = (is_metric(validation.best_by) && !needs_model(validation.best_by)) ||
                       is_correlation(validation.best_by);
  validation.figure = has_own ? validation.best_by : other;
  return validation;
}

/// A model that may be written.
struct Candidate {
  std::vector<std::string> files;
  std::string name;  // for messages
  double value = 0;
};

bool is_better(const Candidate& a, const Candidate& b, const std::string& figure) {
  return less_is_better(figure) ? a.value < b.value : a.value > b.value;
}

std::string steps_of(const std::vector<Checkpoint>& checkpoints) {
  std::vector<std::int64_t> steps;
  for (const Checkpoint& checkpoint : checkpoints) steps.push_back(checkpoint.step);
  return fmt::format("{}", fmt::join(steps, ", "));
}

Candidate average_of(const std::vector<Checkpoint>& checkpoints) {
  const char* const what = checkpoints.size() == 1 ? "the checkpoint of step" : "the mean of steps";
  Candidate candidate{.name = fmt::format("{} {}", what, steps_of(checkpoints))};
  for (const Checkpoint& checkpoint : checkpoints) candidate.files.push_back(checkpoint.path);
  return candidate;
}

/// Returns the best remaining checkpoint, or the newest if none was validated.
Candidate best_alone(const std::string& run, const std::string& figure) {
  const std::optional<Checkpoint> best = best_checkpoint(run, figure);
  const Checkpoint checkpoint = best ? *best : newest_checkpoints(run, 1).front();
  return {.files = {checkpoint.path},
          .name = fmt::format("the {} checkpoint (step {})", best ? "best" : "newest", checkpoint.step)};
}

/// Returns the candidates; the first one is written if they are not compared.
std::vector<Candidate> candidates_of(const std::string& run, const std::string& figure) {
  constexpr std::size_t kLeastToHalve = 4;
  const std::vector<Checkpoint> series = checkpoints_to_average(run, figure);
  std::vector<Candidate> candidates;
  if (!series.empty()) candidates.push_back(average_of(series));
  if (series.size() >= kLeastToHalve) {
    const auto half = static_cast<std::ptrdiff_t>(series.size() / 2);
    candidates.push_back(average_of({series.end() - half, series.end()}));
  }
  candidates.push_back(best_alone(run, figure));
  return candidates;
}

void write_mean(const std::vector<std::string>& files, const std::string& output, Log& log) {
  std::vector<ModelFile> models;
  models.reserve(files.size());
  for (const std::string& file : files) models.push_back(open_model_file(file));
  average_models(models, output, log);
}

/// Translates the validation text with models and scores the translations.
class Comparison {
 public:
  /// `most_time`: for all translations; none: no limit.
  Comparison(const RunValidation& validation, const ParallelText& text, const DeviceSettings& device,
             std::string folder, std::optional<std::chrono::seconds> most_time)
      : validation_(validation), device_(device), folder_(std::move(folder)), most_time_(most_time) {
    for (std::int64_t i = 0; i < text.size(); ++i) {
      sources_.emplace_back(text.source()[i]);
      references_.emplace_back(text.target()[i]);
    }
  }

  /// Measures a candidate; returns false if that takes too long.
  bool measure(Candidate& candidate) {
    const std::optional<double> value = measured(candidate.files);
    if (!value) return false;
    candidate.value = *value;
    log_verbose("{}: {} {:.2f}", candidate.name, validation_.figure, candidate.value);
    return true;
  }

 private:
  /// Thrown to end a translation that takes too long.
  struct TookTooLong : Error {
    TookTooLong() : Error("it takes too long") {}
  };

  std::optional<double> measured(const std::vector<std::string>& files) {
    if (files.size() == 1) return measured(files.front());
    const TemporaryName average(fmt::format("{}/.average-{}.safetensors", folder_, ::getpid()));
    write_mean(files, average.path(), silent_log());
    return measured(average.path());
  }

  std::optional<double> measured(const std::string& file) {
    Models models({file}, device_);
    const auto check = [this] {
      InterruptGuard::check();
      if (most_time_ && Clock::now() - begin_ > *most_time_) throw TookTooLong();
    };
    Translator translator(
        models.first(), models.workers(),
        {.search = {.beam = validation_.beam}, .before_step = check, .log = &program_log()});
    ProgressLine progress(program_log(), "comparing: translating", "line");
    std::vector<std::string> translations;
    try {
      for (const Translation& translation : translator.translate(
               sources_,
               [&progress](std::int64_t lines, std::optional<double> part) { progress.show(lines, part); }))
        translations.push_back(translation.text);
    } catch (const TookTooLong&) {
      return std::nullopt;
    }
    return corpus_score(*make_metric(validation_.figure), translations, {references_}).value;
  }

  const RunValidation& validation_;
  const DeviceSettings& device_;
  std::string folder_;  // for averages
  std::optional<std::chrono::seconds> most_time_;
  std::vector<std::string> sources_, references_;
  Clock::time_point begin_ = Clock::now();
};

/// Whether all lines are empty or consist of spaces.
bool is_blank(const LineStore& lines) {
  for (std::int64_t i = 0; i < lines.size(); ++i) {
    if (!words_in(lines[i]).empty()) return false;
  }
  return true;
}

/// Warns if the text is not the one that the validations of the run measured.
void warn_of_change(const std::string& run, const RunValidation& validation, const ParallelText& text) {
  const std::optional<TrainingState> state = peek_at_state(RunDirectory::state_path(run));
  const std::uint64_t measured = state ? state->validation : 0;  // unknown for old runs
  if (measured == 0 || measured == text.fingerprint()) return;
  log_warning(
      "the validation text '{}' has changed since the training: models are compared by the text of now, but "
      "the validations that chose them measured another one",
      validation.text.files().back());
}

/// Reads the text by whose translations models are compared. Returns why they cannot be compared, or an empty
/// text.
std::string read_text(const std::string& run, const RunValidation& validation,
                      std::optional<ParallelText>& text) {
  if (!validation.text.given()) return "the run has no validation text";
  if (validation.beam == 0) return "the validations of the run translate nothing";
  for (const std::string& file : validation.text.files()) {
    std::error_code ignored;  // a file that cannot be accessed counts as missing
    if (!fs::exists(file, ignored)) return fmt::format("the validation text '{}' no longer exists", file);
  }
  try {
    text.emplace(validation.text.open(program_job()), program_log());
  } catch (const Error& error) {
    return error.what();
  }
  if (is_blank(text->target()))
    return fmt::format("the validation text '{}' is empty", validation.text.files().back());
  warn_of_change(run, validation, *text);
  return "";
}

/// Compares candidates; returns why they cannot be compared, or an empty text.
std::string compare(const std::string& run, std::vector<Candidate>& candidates,
                    const RunValidation& validation, const DeviceSettings& device,
                    const std::string& folder) {
  std::optional<ParallelText> text;
  if (std::string why = read_text(run, validation, text); !why.empty()) return why;
  Comparison comparison(validation, *text, device, folder, kMostTime);
  if (!std::ranges::all_of(candidates, [&](Candidate& each) { return comparison.measure(each); }))
    return fmt::format("translating the validation text takes more than {} s", kMostTime.count());
  std::ranges::stable_sort(
      candidates, [&](const Candidate& a, const Candidate& b) { return is_better(a, b, validation.figure); });
  return "";
}

std::string folder_for(const std::string& output) {
  if (AtomicFile::is_stream(output)) return fs::temp_directory_path().string();
  const fs::path folder = fs::path(output).parent_path();
  return folder.empty() ? "." : folder.string();
}

}  // namespace

std::string figure_of_comparison(const std::string& run) {
  return validation_of_run(run).figure;
}

std::string best_by_of_run(const std::string& run) {
  std::error_code ignored;  // a file that cannot be accessed counts as missing
  if (!fs::exists(RunDirectory::config_path(run), ignored)) return "perplexity";
  return validation_of_run(run).best_by;
}

void write_average_of_run(const std::string& run, const std::string& output, const DeviceSettings& device) {
  const RunValidation validation = validation_of_run(run);
  std::vector<Candidate> candidates = candidates_of(run, validation.figure);
  std::string why = checkpoints_in(run).size() == 1 ? "it is the only checkpoint of the run"
                                                    : "no other checkpoints are close enough to it";
  if (candidates.size() > 1) why = compare(run, candidates, validation, device, folder_for(output));
  write_mean(candidates.front().files, output, program_log());
  std::vector<std::string> others;
  for (std::size_t i = 1; i < candidates.size(); ++i)
    others.push_back(fmt::format("{} has {:.1f}", candidates[i].name, candidates[i].value));
  if (why.empty()) {
    log_info("'{}': {} has {} {:.1f} on '{}'; {}", output, candidates.front().name, validation.figure,
             candidates.front().value, validation.text.files().back(), fmt::join(others, ", "));
  } else {
    log_info("'{}': {}; not compared: {}", output, candidates.front().name, why);
  }
}

void write_greedy_average_of_run(const std::string& run, const std::string& output,
                                 const DeviceSettings& device) {
  const RunValidation validation = validation_of_run(run);
  std::optional<ParallelText> text;
  if (const std::string why = read_text(run, validation, text); !why.empty())
    throw Error("`greedy` compares translations of the validation text, but {}; give --best N or --last N",
                why);
  const std::vector<Checkpoint> checkpoints = checkpoints_best_first(run, validation.figure);
  if (checkpoints.empty()) newest_checkpoints(run, 1);  // throws the error that says so
  Comparison comparison(validation, *text, device, folder_for(output), std::nullopt);
  std::vector<Checkpoint> kept;
  Candidate best;
  for (const Checkpoint& checkpoint : checkpoints) {
    std::vector<Checkpoint> more = kept;
    more.push_back(checkpoint);
    Candidate candidate = average_of(more);
    comparison.measure(candidate);
    if (!kept.empty() && is_better(best, candidate, validation.figure)) continue;
    kept = std::move(more);
    best = std::move(candidate);
  }
  write_mean(best.files, output, program_log());
  log_info("'{}': {} has {} {:.1f} on '{}'", output, best.name, validation.figure, best.value,
           validation.text.files().back());
}

void log_best(const std::string& run, const BestValidations::Entry& best, const std::string& best_by) {
  const bool has_few_digits = is_metric(best_by) && !needs_model(best_by);
  const std::string figure =
      best_by == "perplexity" ? perplexity_text(best.value) : figure_text(best.value, has_few_digits ? 1 : 4);
  const std::string model = RunDirectory::checkpoint_path(run, best.step);
  std::error_code ignored;  // a file that cannot be accessed counts as missing
  const bool is_kept = std::filesystem::exists(model, ignored);
  log_info("best validation: {} {} at step {}{}", best_by, figure, best.step,
           is_kept ? fmt::format("; its model is '{}'", model) : "");
}

std::string shell_word(const std::string& path) {
  const auto is_plain = [](unsigned char c) {
    return std::isalnum(c) != 0 ||
           std::string_view("./_-+,@").find(static_cast<char>(c)) != std::string_view::npos;
  };
  const std::string word = path.starts_with('-') ? "./" + path : path;
  if (!word.empty() && std::ranges::all_of(word, is_plain)) return word;
  std::string quoted = "'";
  for (const char c : word) quoted += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return quoted + "'";
}

void log_outcome(const std::string& path, const std::vector<BestValidations::Entry>& best,
                 const std::string& best_by, bool has_source) {
  const std::string use = has_source ? "nmt translate" : "nmt score --target -";
  const std::string run = without_slashes(path);
  if (!best.empty()) log_best(run, best.front(), best_by);
  std::error_code ignored;  // a file that cannot be accessed counts as missing
  const bool has_config = std::filesystem::exists(RunDirectory::config_path(run), ignored);
  if (has_config && !checkpoints_to_average(run, figure_of_comparison(run)).empty()) {
    log_info("next: nmt average {} && {} -m {}", shell_word(run), use,
             shell_word(RunDirectory::average_path(run)));
  } else {
    log_info("next: {} -m {}", use, shell_word(run));
  }
}

}  // namespace nmt
