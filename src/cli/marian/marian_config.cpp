#include "cli/marian/marian_config.h"

#include <yaml-cpp/yaml.h>

#include <utility>

#include "cli/marian/marian_tasks.h"
#include "cli/options/yaml_settings.h"
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

}  // namespace nmt
