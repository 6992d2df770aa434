#include "cli/yaml_settings.h"

#include <yaml-cpp/yaml.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <map>
#include <memory>
#include <sstream>
#include <system_error>

#include "cli/spelling.h"
#include "common/error.h"
#include "common/utf8.h"

namespace nmt::cli {
namespace {

std::string read_text(const std::string& path) {
  const auto fail = [&path] {
    throw UsageError("cannot read the settings file '{}': {}", path, std::generic_category().message(errno));
  };
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> file{std::fopen(path.c_str(), "rbe"), std::fclose};
  if (file == nullptr) fail();
  std::string text;
  std::array<char, 4096> buffer{};
  while (const size_t count = std::fread(buffer.data(), 1, buffer.size(), file.get())) {
    text.append(buffer.data(), count);
  }
  if (std::ferror(file.get()) != 0) fail();
  return text;
}

bool is_control(char c) {
  return static_cast<unsigned char>(c) < ' ' && c != '\t' && c != '\n' && c != '\r';
}

/// YAML is UTF-8 without control characters; yaml-cpp would stop silently at some of them.
void check_characters(const std::string& text, const std::string& path) {
  std::istringstream lines(text);
  std::string line;
  for (int number = 1; std::getline(lines, line); ++number) {
    if (count_invalid_utf8(line) > 0) {
      throw UsageError("{}:{}: not UTF-8; save the file as UTF-8", path, number);
    }
    if (std::any_of(line.begin(), line.end(), is_control)) {
      throw UsageError("{}:{}: holds a control character; remove it", path, number);
    }
  }
}

/// An open quote escapes yaml-cpp when the text ends with a line end, hence the first pass without trailing
/// blanks.
std::vector<YAML::Node> parse_documents(const std::string& text) {
  YAML::LoadAll(text.substr(0, text.find_last_not_of(" \t\r\n") + 1));
  return YAML::LoadAll(text);
}

/// Turns the nodes of one file into settings.
class Reader {
 public:
  explicit Reader(std::string path) : path_(std::move(path)) {}

  std::vector<YamlSetting> read_mapping(const YAML::Node& mapping, bool top_level) const {
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
  YamlSetting read_setting(const YAML::Node& key, const YAML::Node& node, bool top_level) const {
    if (!key.IsScalar()) throw UsageError("{}: expected 'name: value'", where(key.Mark()));
    YamlSetting setting{key.Scalar(), where(key.Mark()), YamlSetting::Kind::value, {}, {}};
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

  static YamlSetting::Value read_value(const YAML::Node& node, const std::string& name,
                                       const std::string& place) {
    if (node.IsScalar()) return {node.Scalar(), place};
    if (node.IsNull()) {
      throw UsageError("{}: {} has no value; write '' for an empty text", place, quoted(name));
    }
    throw UsageError("{}: {} lists something that is no plain value", place, quoted(name));
  }

  std::string path_;
};

}  // namespace

std::vector<YamlSetting> read_yaml_settings(const std::string& path) {
  const std::string text = read_text(path);
  check_characters(text, path);
  const Reader reader(path);
  try {
    const std::vector<YAML::Node> documents = parse_documents(text);
    if (documents.size() > 1) {
      throw UsageError("{}: a second document starts; a settings file holds one",
                       reader.where(documents[1].Mark()));
    }
    if (documents.empty() || documents[0].IsNull()) return {};
    const YAML::Node& root = documents[0];
    if (!root.IsMap()) throw UsageError("{}: expected settings as 'name: value'", reader.where(root.Mark()));
    return reader.read_mapping(root, true);
  } catch (const YAML::Exception& error) {
    throw UsageError("{}: not valid YAML: {}", reader.where(error.mark), error.msg);
  }
}

}  // namespace nmt::cli
