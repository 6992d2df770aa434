// nmt average: averages the weights of models.
#include "nn/saved/average.h"

#include <cerrno>
#include <filesystem>
#include <optional>
#include <system_error>

#include "cli/files/model_file.h"
#include "cli/files/output.h"
#include "cli/options/common_options.h"
#include "cli/program.h"
#include "cli/training/run_average.h"
#include "common/error.h"
#include "common/io/folder.h"
#include "foreign/open.h"
#include "hub/hub_name.h"
#include "train/run/checkpoints.h"
#include "train/run/run_directory.h"

namespace nmt {
namespace {

struct AverageSettings {
  std::vector<std::string> paths;
  std::string output;
  std::optional<std::string> by;
  std::optional<std::size_t> last, best;
  bool greedy = false;
  DeviceSettings device;
  LogOptions log;

  /// Whether this command chooses the checkpoints of a run.
  bool chooses() const {
    std::error_code ignored;
    return !last && !best && paths.size() == 1 && std::filesystem::is_directory(paths[0], ignored);
  }
};

/// Throws Error for a path that is missing, so that no other message is about the kind of file that it would
/// be.
void check_present(const std::vector<std::string>& paths) {
  for (const std::string& path : paths) {
    std::error_code error;
    if (is_hub_name(path) || std::filesystem::exists(path, error)) continue;
    throw Error("cannot read '{}': {}", path, system_message(error ? error.value() : ENOENT));
  }
}

/// Checks what to average: --last or --best of one run, one run alone, or model files.
void check_paths(const Options& options, const AverageSettings& settings) {
  std::error_code ignored;  // opening the path reports the same failure
  if (settings.last || settings.best) {
    if (settings.paths.size() == 1 && !is_file(settings.paths[0])) return;
    throw UsageError("{} chooses from one run directory; leave it out for model files",
                     options.origins({"last", "best"}));
  }
  if (settings.chooses()) {
    if (std::filesystem::exists(RunDirectory::config_path(settings.paths[0]), ignored)) return;
    throw UsageError("'{}' is not the directory of a run: it has no config.yml", settings.paths[0]);
  }
  for (const std::string& path : settings.paths) {
    if (!std::filesystem::is_directory(path, ignored)) continue;
    throw UsageError("'{}' is a directory; give one run alone, or model files", path);
  }
}

void check(const Options& options, const AverageSettings& settings) {
  if (settings.last && settings.best) {
    throw UsageError("{} exclude each other; leave one out", options.origins({"last", "best"}));
  }
  if (options.given("by") && settings.greedy) {
    throw UsageError("{}: {} compares by the figure that selects the best model of the run; leave it out",
                     options.origin("by"), options.origin("greedy"));
  }
  if (options.given("by") && !settings.best) throw UsageError("{} needs --best N", options.origin("by"));
  check_paths(options, settings);
  if (settings.chooses()) return;
  if (settings.greedy || !options.given("output")) check_present(settings.paths);
  if (settings.greedy) {
    const std::string others = options.origins({"last", "best"});
    throw UsageError("{} chooses from a run directory alone; leave {}", options.origin("greedy"),
                     others.empty() ? "it out for model files" : "out " + others);
  }
  if (!options.given("output")) throw UsageError("--output is required; give --output FILE");
  const std::string idle = options.origins({"threads", "device", "precision", "cpu-isa"});
  if (!idle.empty())
    log_warning("{}: no effect, since only the models of a run given alone are compared", idle);
}

bool parse(const Arguments& arguments, AverageSettings& settings) {
  Options options(
      "nmt average", "RUN/ | RUN/ --greedy | RUN/ --last N | RUN/ --best N | FILE ...",
      "Averages the weights of models with the same configuration. For a run directory alone, it averages "
      "evenly spaced checkpoints that are close to the best, compares the average with the best "
      "checkpoint on the validation text, and writes the better one.",
      "nmt average run/ -o averaged.safetensors");
  constexpr std::size_t kMostFiles = 10'000;
  options.positional(settings.paths, "PATH", "model files, or a run directory", 1, kMostFiles);
  options
      .add("output,o", settings.output, "FILE",
           "averaged model to write, with the settings of the newest input. - is standard output. For a run "
           "directory alone, the default is average.safetensors in it.")
      .command_line_only()
      .writes();
  options.add("last", settings.last, "N", "average the N newest checkpoints of the run directory")
      .range(1, kMostFiles);
  options.add("best", settings.best, "N", "average the N best checkpoints of the run directory by validation")
      .range(1, kMostFiles);
  options.flag("greedy", settings.greedy,
               "for a run directory alone: begin with the best checkpoint, and add each of the others, from "
               "the best to the worst, unless translations of the validation text become worse. This "
               "translates it once for each checkpoint.");
  options.add("by", settings.by, "", "validation figure that selects the best checkpoints")
      .default_text("the --best-by of the run")
      .choices(validation_figures());
  add_device_options(options, settings.device, Work::inference);
  if (!parse_with_log_options(options, arguments, settings.log)) return false;
  check(options, settings);
  return true;
}

std::vector<std::string> chosen_files(const AverageSettings& settings) {
  std::vector<std::string> files;
  if (!settings.last && !settings.best) {
    for (const std::string& path : settings.paths) files.push_back(chosen_model(path));
    return files;
  }
  const std::string& run = settings.paths[0];
  for (Checkpoint& checkpoint :
       settings.last
           ? newest_checkpoints(run, *settings.last)
           : best_checkpoints(run, *settings.best, settings.by ? *settings.by : best_by_of_run(run))) {
    files.push_back(std::move(checkpoint.path));
  }
  return files;
}

}  // namespace

int run_average(const Arguments& arguments) {
  AverageSettings settings;
  if (!parse(arguments, settings)) return 0;
  if (settings.output.empty()) settings.output = RunDirectory::average_path(settings.paths[0]);
  check_binary_output(settings.output, "a model of nmt", "safetensors");
  if (settings.chooses()) {
    const auto write = settings.greedy ? write_greedy_average_of_run : write_average_of_run;
    write(settings.paths[0], settings.output, settings.device);
    return 0;
  }
  const std::vector<std::string> files = chosen_files(settings);
  std::vector<ModelFile> models;
  for (const std::string& file : files) models.push_back(open_model_file(file));
  average_models(models, settings.output, program_log());
  log_info("'{}': the mean of {}", settings.output, fmt::join(files, ", "));
  return 0;
}

}  // namespace nmt
