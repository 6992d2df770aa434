#include "cli/options/yaml_settings.h"

#include <algorithm>
#include <sstream>
#include <utility>

#include "cli/options/yaml_document.h"
#include "common/error.h"
#include "common/text/spelling.h"
#include "nn/settings.h"

namespace nmt {
namespace {

std::string without_blanks(const std::string& text) {
  constexpr const char* kBlanks = " \t\r";
  const std::size_t begin = text.find_first_not_of(kBlanks);
  return begin == std::string::npos ? "" : text.substr(begin, text.find_last_not_of(kBlanks) + 1 - begin);
}

/// Converts the nodes of one file to settings.
class Reader {
 public:
  Reader(std::string path, const std::string& text) : path_(std::move(path)) {
    std::istringstream lines(text);
    for (std::string line; std::getline(lines, line);) lines_.push_back(without_blanks(line));
  }

  std::vector<YamlSetting> read_mapping(const YAML::Node& mapping, bool top_level) {
    std::vector<YamlSetting> settings;
    std::map<std::string, std::string> seen;
    for (const auto& entry : mapping) {
      settings.push_back(read_setting(entry.first, entry.second, top_level));
      const YamlSetting& setting = settings.back();
      const auto [first, is_new] = seen.try_emplace(dashed(setting.name), setting.where);
      if (!is_new) {
        throw UsageError("{}: {} is given twice, first in {}", setting.where, quoted(setting.name),
                         first->second);
      }
    }
    return settings;
  }

  std::string where(const YAML::Mark& mark) const {
    return fmt::format("{}:{}", path_, std::max(mark.line, 0) + 1);
  }

 private:
  YamlSetting read_setting(const YAML::Node& key, const YAML::Node& node, bool top_level) {
    if (!key.IsScalar()) throw UsageError("{}: expected 'name: value'", where(key.Mark()));
    count(key);
    YamlSetting setting{.name = key.Scalar(), .where = where(key.Mark()), .line = line_at(key.Mark())};
    if (node.IsMap()) {
      setting.kind = YamlSetting::Kind::mapping;
      if (top_level) setting.members = read_mapping(node, false);
    } else if (node.IsSequence()) {
      setting.kind = YamlSetting::Kind::list;
      for (const YAML::Node& item : node) {
        setting.values.push_back(read_value(item, setting.name, where(item.Mark())));
      }
    } else {
      setting.values.push_back(read_value(node, setting.name, setting.where));
    }
    return setting;
  }

  YamlSetting::Value read_value(const YAML::Node& node, const std::string& name, const std::string& place) {
    count(node);
    if (node.IsScalar()) return {node.Scalar(), place};
    if (node.IsNull()) {
      throw UsageError("{}: {} has no value; write '' for an empty text", place, quoted(name));
    }
    throw UsageError("{}: {} lists something that is not a plain value", place, quoted(name));
  }

  /// Limits aliases, which can expand to far more than the file contains.
  void count(const YAML::Node& node) {
    bytes_ += node.Scalar().size() + 1;
    if (bytes_ > 2 * kLongestConfig) {
      throw UsageError("{}: aliases expand to more than {} bytes; use fewer", where(node.Mark()),
                       kLongestConfig);
    }
  }

  std::string line_at(const YAML::Mark& mark) const {
    const auto number = static_cast<std::size_t>(std::max(mark.line, 0));
    return number < lines_.size() ? lines_[number] : "";
  }

  std::string path_;
  std::vector<std::string> lines_;
  std::size_t bytes_ = 0;
};

}  // namespace

std::vector<YamlSetting> read_yaml_settings(const std::string& path) {
  const YamlDocument document = read_yaml_document(path);
  Reader reader(path, document.text);
  const YAML::Node& root = document.root;
  if (root.IsNull()) return {};
  if (!root.IsMap()) throw UsageError("{}: expected settings as 'name: value'", reader.where(root.Mark()));
  return reader.read_mapping(root, true);
}

std::map<std::string, std::vector<std::string>> flat_yaml_settings(const std::string& path) {
  std::map<std::string, std::vector<std::string>> texts;
  const auto take = [&](const YamlSetting& setting) {
    if (setting.kind == YamlSetting::Kind::mapping) return;
    std::vector<std::string>& own = texts[dashed(setting.name)];
    for (const auto& value : setting.values) own.push_back(value.text);
  };
  for (const YamlSetting& setting : read_yaml_settings(path)) {
    take(setting);
    std::ranges::for_each(setting.members, take);
  }
  return texts;
}

}  // namespace nmt
