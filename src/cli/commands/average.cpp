// nmt average: models to their mean.
#include "nn/files/average.h"

#include <filesystem>
#include <optional>

#include "cli/commands/command.h"
#include "cli/files/output.h"
#include "cli/options/common_options.h"
#include "cli/program.h"
#include "common/error.h"
#include "foreign/open.h"
#include "train/run/best.h"
#include "train/run/checkpoints.h"

namespace nmt {
namespace {

struct AverageSettings {
  std::vector<std::string> paths;
  std::string output, by = "perplexity";
  std::optional<std::size_t> last, best;
  LogOptions log;
};

void check(const Options& options, const AverageSettings& settings) {
  std::error_code ignored;  // what cannot be looked at cannot be opened either, which says why
  if (settings.last && settings.best) {
    throw UsageError("{} exclude each other; leave one out", options.origins({"last", "best"}));
  }
  if (options.given("by") && !settings.best) throw UsageError("{} needs --best N", options.origin("by"));
  if (settings.last || settings.best) {
    if (settings.paths.size() == 1 && !std::filesystem::is_regular_file(settings.paths[0], ignored)) return;
    throw UsageError("{} chooses from one run directory; leave it out for model files",
                     options.origins({"last", "best"}));
  }
  for (const std::string& path : settings.paths) {
    if (!std::filesystem::is_directory(path, ignored)) continue;
    throw UsageError("'{}' is a directory; --last N or --best N chooses from its checkpoints", path);
  }
}

bool parse(const Arguments& arguments, AverageSettings& settings) {
  Options options("nmt average", "RUN/ --last N | RUN/ --best N | FILE ...",
                  "Averages the weights of models of one configuration.",
                  "nmt average run/ --last 5 -o averaged.safetensors");
  constexpr std::size_t kMostFiles = 10'000;
  options.positional(settings.paths, "PATH", "model files, or a run directory", 1, kMostFiles);
  options
      .add("output,o", settings.output, "FILE",
           "the model to write, with the settings of the newest; -: standard output")
      .required()
      .command_line_only()
      .writes();
  options.add("last", settings.last, "N", "the N newest checkpoints of the run directory")
      .range(1, kMostFiles);
  options.add("best", settings.best, "N", "the N best of them by validation").range(1, kMostFiles);
  options.add("by", settings.by, "", "what makes a checkpoint the best").choices(validation_figures());
  if (!parse_with_log_options(options, arguments, settings.log)) return false;
  check(options, settings);
  return true;
}

std::vector<std::string> chosen_files(const AverageSettings& settings) {
  if (!settings.last && !settings.best) return settings.paths;
  const std::string& run = settings.paths[0];
  std::vector<std::string> files;
  for (Checkpoint& checkpoint : settings.last ? newest_checkpoints(run, *settings.last)
                                              : best_checkpoints(run, *settings.best, settings.by)) {
    files.push_back(std::move(checkpoint.path));
  }
  return files;
}

}  // namespace

int run_average(const Arguments& arguments) {
  AverageSettings settings;
  if (!parse(arguments, settings)) return 0;
  const std::vector<std::string> files = chosen_files(settings);
  check_binary_output(settings.output);
  std::vector<ModelFile> models;
  for (const std::string& file : files) models.push_back(open_model_file(file));
  average_models(models, settings.output, program_log());
  log_info("'{}': the mean of {}", settings.output, fmt::join(files, ", "));
  return 0;
}

}  // namespace nmt
