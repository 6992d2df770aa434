// nmt report: shows runs as a page of charts.
#include <algorithm>
#include <filesystem>
#include <set>

#include "cli/files/output.h"
#include "cli/options/common_options.h"
#include "cli/options/value.h"
#include "cli/options/yaml_settings.h"
#include "cli/program.h"
#include "cli/training/train_options.h"
#include "common/error.h"
#include "common/text/number.h"
#include "common/text/spelling.h"
#include "insight/local_server.h"
#include "insight/run_record.h"
#include "train/run/run_directory.h"

namespace nmt {
namespace {

constexpr int kRefreshSeconds = 3;
constexpr std::int64_t kSearchedLines = 2048;  // of all runs together; they make up most of a page

struct RunReportSettings {
  std::vector<std::string> runs;
  std::optional<std::string> output;
  std::string lines;
  bool watch = false;
  int port = 6060;
  LogOptions log;
};

void check(const Options& options, const RunReportSettings& settings) {
  if (settings.output && settings.watch) {
    throw UsageError("{} exclude each other; give one", options.origins({"output", "watch"}));
  }
  if (!settings.output && !settings.watch) {
    throw UsageError("no page to write; give -o FILE, or --watch to look at it in a browser");
  }
}

bool parse(const Arguments& arguments, RunReportSettings& settings) {
  Options options("nmt report", "RUN/ [RUN/ ...] -o FILE | RUN/ [RUN/ ...] --watch",
                  "Shows runs of nmt train on one HTML page that needs no network: losses, scores, speed, "
                  "settings, and translations during training.",
                  "nmt report run/ -o report.html");
  constexpr std::size_t kMostRuns = 64;
  options.positional(settings.runs, "RUN", "run directories, which are shown together in each chart", 1,
                     kMostRuns);
  options.add("output,o", settings.output, "FILE", "page to write. - is standard output.")
      .command_line_only()
      .writes();
  options.flag("watch", settings.watch, "serve the page on this machine and keep it up to date, until Ctrl-C")
      .command_line_only();
  options.add("port", settings.port, "N", "port of 127.0.0.1 for --watch. 0 means any free port.")
      .range(0, 65535)
      .needs({"watch"}, "--watch");
  options
      .add("lines", settings.lines, "N,N",
           "lines of the validation text whose translations are shown, counted from 1")
      .default_text("five of them");
  if (!parse_with_log_options(options, arguments, settings.log)) return false;
  check(options, settings);
  return true;
}

std::vector<std::int64_t> line_numbers(const std::string& list) {
  std::vector<std::int64_t> numbers;
  for (const std::string& part : split_at_commas(list)) {
    std::int64_t number = 0;
    if (ValueType<std::int64_t>::read(part, number) != Reading::good || number < 1) {
      throw UsageError("--lines '{}': '{}' is not a line number; expected numbers from 1, such as 1,5,9",
                       list, part);
    }
    numbers.push_back(number);
  }
  return numbers;
}

/// Returns the settings of a run by name, with sections flattened; empty if it has no settings file.
RunConfiguration configuration_of(const std::string& run) {
  RunConfiguration configuration;
  const std::string path = RunDirectory::config_path(run);
  if (!std::filesystem::exists(path)) return configuration;
  for (const auto& [name, texts] : flat_yaml_settings(path)) configuration[name] = join(texts, " ");
  return configuration;
}

/// Returns the names of settings that equal the defaults of the run's preset.
std::set<std::string> usual_settings(const RunConfiguration& configuration) {
  const auto preset = configuration.find("preset");
  std::set<std::string> usual;
  if (preset == configuration.end()) return usual;
  for (const auto& [name, text] : default_settings(preset->second)) {
    const auto given = configuration.find(name);
    if (given != configuration.end() && given->second == text) usual.insert(name);
  }
  return usual;
}

std::vector<RunRecord> open_runs(const RunReportSettings& settings) {
  std::vector<RunRecord> runs;
  for (const std::string& run : settings.runs) {
    if (!std::filesystem::exists(RunDirectory::metrics_path(run))) {
      throw Error(
          "'{}' has no metrics.jsonl; name the directory of a run of nmt train that has reported figures",
          run);
    }
    runs.emplace_back(run, configuration_of(run),
                      LineChoice{.numbers = line_numbers(settings.lines),
                                 .searched = kSearchedLines / std::ssize(settings.runs)},
                      program_job());
  }
  return runs;
}

void refresh(std::vector<RunRecord>& runs) {
  for (RunRecord& run : runs) {
    RunConfiguration configuration = configuration_of(run.name());
    std::set<std::string> usual = usual_settings(configuration);
    run.configure(std::move(configuration), std::move(usual));
    run.refresh();
  }
}

void write(std::vector<RunRecord>& runs, const std::string& path) {
  check_extension(path, "a page of HTML", "html");
  Output output(path);  // opened early, so that failure to write is reported before the work
  refresh(runs);
  for (const RunRecord& run : runs) {
    if (run.damaged() == 0) continue;
    log_warning("'{}/metrics.jsonl': {} damaged, left out", run.name(), count_of(run.damaged(), "line"));
  }
  output.write(report_page(runs, 0));
  output.commit();
}

[[noreturn]] void serve(std::vector<RunRecord>& runs, int port) {
  LocalServer server(port, [&runs](std::string_view path) -> std::optional<Document> {
    const bool is_page = path == "/";
    if (!is_page && path != "/data.json") return std::nullopt;
    refresh(runs);
    if (is_page) return Document{.type = "text/html", .text = report_page(runs, kRefreshSeconds)};
    return Document{.type = "application/json",
                    .text = report_data(runs, kRefreshSeconds)
                                .dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace)};
  });
  refresh(runs);
  log_info("look at http://localhost:{}/ in a browser; Ctrl-C ends this", server.port());
  server.serve(*program_job().stop);
}

}  // namespace

int run_report(const Arguments& arguments) {
  RunReportSettings settings;
  if (!parse(arguments, settings)) return 0;
  std::vector<RunRecord> runs = open_runs(settings);
  if (settings.watch) serve(runs, settings.port);
  write(runs, *settings.output);
  return 0;
}

}  // namespace nmt
