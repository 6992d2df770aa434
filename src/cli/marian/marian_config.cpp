#include "cli/marian/marian_config.h"

#include <yaml-cpp/yaml.h>

#include <set>
#include <utility>

#include "cli/marian/conversion.h"
#include "cli/options/yaml_settings.h"
#include "cli/program.h"
#include "common/error.h"
#include "common/text/spelling.h"

namespace nmt {

std::optional<bool> marian_truth(const std::string& text) {
  bool truth = false;
  if (!YAML::convert<bool>::decode(YAML::Node(text), truth)) return std::nullopt;
  return truth;
}

bool MarianConfig::Entry::is_on() const {
  return values.size() == 1 && marian_truth(values[0]).value_or(false);
}

MarianConfig::MarianConfig(const std::vector<std::string>& files) {
  for (const std::string& file : files) read(file);
  expand_tasks();
}

const MarianConfig::Entry* MarianConfig::find(const std::string& option) const {
  const auto found = entries_.find(option);
  return found == entries_.end() ? nullptr : &found->second;
}

void MarianConfig::read(const std::string& file) {
  name_ = file;
  std::map<std::string, Entry> entries;
  for (const YamlSetting& setting : read_yaml_settings(file)) {
    if (setting.kind == YamlSetting::Kind::mapping) {
      throw UsageError("{}: {}: expected a value or a list, got a mapping", setting.where,
                       quoted(setting.name));
    }
    Entry& entry = entries[setting.name];
    entry.where = setting.where;
    entry.file = file;
    for (const auto& value : setting.values) entry.values.push_back(value.text);
  }
  const auto relative = entries.find("relative-paths");
  const bool is_relative = relative != entries.end() && relative->second.is_on();
  for (auto& [option, entry] : entries) {
    entry.has_relative_paths = is_relative;
    entries_[option] = std::move(entry);
  }
}

void MarianConfig::expand_tasks() {
  const Entry* const task = find("task");
  if (task == nullptr) return;
  for (const std::string& name : task->values) {
    const auto& tasks = marian_tasks();
    const auto found = tasks.find(name);
    if (found == tasks.end()) {
      std::vector<std::string> known;
      known.reserve(tasks.size());
      for (const auto& known_task : tasks) known.push_back(known_task.first);
      throw UsageError("{}: task: expected one of {}, got {}", task->where, join(known, ", "), quoted(name));
    }
    for (const auto& [option, values] : found->second) {
      entries_.try_emplace(option, Entry{values, task->where + ": task", task->file});
    }
  }
}

namespace {

Options::Source read(const Options::Source& command_line, MarianSource& target, MarianProgram program) {
  const auto files = command_line.find("marian-config");
  if (files == command_line.end()) return {};
  std::vector<std::string> paths;
  for (const GivenValue& file : files->second) paths.push_back(file.text);
  const MarianConfig config(paths);
  const MarianOptions table = marian_options(program);
  MarianConversion conversion(config, table, command_line);
  conversion.run();
  const auto ignores = command_line.find("ignore-unmapped");
  const bool is_strict = ignores == command_line.end() || ignores->second.back().text == "false";
  if (is_strict && !conversion.refused().empty()) {
    throw UsageError(
        "{}: no counterpart in nmt, and results differ without it; remove it from the file, or give "
        "--ignore-unmapped to continue without it",
        join(conversion.refused(), ", "));
  }
  target.ignored = conversion.refused();
  target.notes = conversion.notes();
  target.idle.assign(conversion.idle().begin(), conversion.idle().end());
  return conversion.settings();
}

/// Rejects a configuration of Marian where settings of nmt are expected: most names are the same in neither
/// program, so a few of Marian's and none of nmt's tell.
void check_is_not_of_marian(const std::string& file, const std::vector<YamlSetting>& settings,
                            const Options& options, MarianProgram program) {
  constexpr std::size_t kFewest = 2;
  std::set<std::string> theirs, ours;
  for (const MarianOption& option : marian_options(program)) theirs.insert(option.name);
  for (const Option& option : options.table()) ours.insert(option.facts().name);
  std::vector<std::string> only_theirs;
  for (const YamlSetting& setting : settings) {
    const std::string name = dashed(setting.name);
    if (setting.kind == YamlSetting::Kind::mapping || (ours.contains(name) && !theirs.contains(name))) return;
    if (theirs.contains(name) && !ours.contains(name)) only_theirs.push_back(setting.name);
  }
  if (only_theirs.size() < kFewest) return;
  throw UsageError("'{}' is a configuration of Marian, with {} and {}; give it as --marian-config", file,
                   quoted(only_theirs[0]), quoted(only_theirs[1]));
}

}  // namespace

void add_marian_options(Options& options, MarianSource& target, MarianProgram program) {
  options
      .add("marian-config", target.files, "FILE",
           "configuration of Marian (YAML) to take settings from. Marian's defaults apply to missing "
           "options. --config and the command line override it.")
      .command_line_only()
      .group(kGeneralGroup);
  options
      .flag("ignore-unmapped", target.ignores_unmapped,
            "ignore settings of --marian-config that have no counterpart in nmt. Results may then differ.")
      .command_line_only()
      .needs({"marian-config"}, "a configuration of Marian; give --marian-config")
      .group(kGeneralGroup);
  options.source_below([&target, program](const Options::Source& command_line) {
    return read(command_line, target, program);
  });
  options.check_files_with(
      [&options, program](const std::string& file, const std::vector<YamlSetting>& settings) {
        check_is_not_of_marian(file, settings, options, program);
      });
}

void warn_of_left_out(const MarianSource& source) {
  for (const std::string& note : source.notes) log_info("{}", note);
  std::vector<std::string> parts;
  if (!source.ignored.empty()) parts.push_back("results differ without " + join(source.ignored, ", "));
  if (!source.idle.empty()) parts.push_back("results stay the same without " + join(source.idle, ", "));
  if (parts.empty()) return;
  log_warning("left out, without a counterpart in nmt: {}", join(parts, "; "));
}

namespace {

using MarianTask = std::map<std::string, std::vector<std::string>>;

/// The settings of the paper, except those of the learning rate.
MarianTask transformer_base() {
  return {{"type", {"transformer"}},
          {"dim-emb", {"512"}},
          {"enc-depth", {"6"}},
          {"dec-depth", {"6"}},
          {"tied-embeddings-all", {"true"}},
          {"transformer-heads", {"8"}},
          {"transformer-dim-ffn", {"2048"}},
          {"transformer-ffn-activation", {"relu"}},
          {"transformer-preprocess", {""}},
          {"transformer-postprocess", {"dan"}},
          {"transformer-dropout", {"0.1"}},
          {"cost-type", {"ce-mean-words"}},
          {"max-length", {"100"}},
          {"mini-batch", {"1000"}},
          {"mini-batch-fit", {"true"}},
          {"maxi-batch", {"1000"}},
          {"optimizer-params", {"0.9", "0.98", "1e-09"}},
          {"sync-sgd", {"true"}},
          {"learn-rate", {"0.0003"}},
          {"lr-warmup", {"16000"}},
          {"lr-decay-inv-sqrt", {"16000"}},
          {"label-smoothing", {"0.1"}},
          {"clip-norm", {"0"}},
          {"exponential-smoothing", {"0.0001"}},
          {"beam-size", {"8"}},
          {"normalize", {"1"}},
          {"valid-mini-batch", {"16"}},
          {"workspace", {"9500"}}};
}

MarianTask changed(MarianTask task, const MarianTask& changes) {
  for (const auto& [option, values] : changes) task[option] = values;
  return task;
}

MarianTask transformer_big() {
  return changed(transformer_base(), {{"dim-emb", {"1024"}},
                                      {"transformer-heads", {"16"}},
                                      {"transformer-dim-ffn", {"4096"}},
                                      {"optimizer-params", {"0.9", "0.998", "1e-09"}},
                                      {"learn-rate", {"0.0002"}},
                                      {"lr-warmup", {"8000"}},
                                      {"lr-decay-inv-sqrt", {"8000"}},
                                      {"valid-mini-batch", {"8"}},
                                      {"workspace", {"13000"}}});
}

const MarianTask& pre_norm() {
  static const MarianTask changes = {{"transformer-preprocess", {"n"}},
                                     {"transformer-postprocess", {"da"}},
                                     {"transformer-postprocess-top", {"n"}}};
  return changes;
}

}  // namespace

const std::map<std::string, std::map<std::string, std::vector<std::string>>>& marian_tasks() {
  static const std::map<std::string, MarianTask> tasks = {
      {"transformer-base", transformer_base()},
      {"transformer-big", transformer_big()},
      {"transformer-base-prenorm", changed(transformer_base(), pre_norm())},
      {"transformer-big-prenorm", changed(transformer_big(), pre_norm())}};
  return tasks;
}

}  // namespace nmt
