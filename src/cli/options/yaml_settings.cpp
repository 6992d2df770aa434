#include "cli/options/yaml_settings.h"

#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/yaml.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <memory>
#include <sstream>
#include <system_error>
#include <utility>

#include "common/error.h"
#include "common/io/memory_map.h"
#include "common/text/spelling.h"
#include "common/text/utf8.h"
#include "nn/settings.h"

namespace nmt {
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
    if (text.size() > kLongestConfig) {
      throw UsageError("'{}' is longer than {} bytes; name a file of settings", path, kLongestConfig);
    }
  }
  if (std::ferror(file.get()) != 0) fail();
  refuse_lfs_pointer(text, path);
  return text;
}

bool is_control(char c) {
  return static_cast<unsigned char>(c) < ' ' && c != '\t' && c != '\n' && c != '\r';
}

/// Rejects control characters and invalid UTF-8, at some of which yaml-cpp would stop silently.
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

/// Thrown at the start of the second document of a text.
struct SecondDocument {
  YAML::Mark mark;
};

/// Throws at a second document, if there is one: for some texts that are not YAML, yaml-cpp produces
/// documents without end.
class OneDocument : public YAML::EventHandler {
 public:
  void OnDocumentStart(const YAML::Mark& mark) override {
    if (std::exchange(started_, true)) throw SecondDocument{mark};
  }
  void OnDocumentEnd() override {}
  void OnNull(const YAML::Mark& /*mark*/, YAML::anchor_t /*anchor*/) override {}
  void OnAlias(const YAML::Mark& /*mark*/, YAML::anchor_t /*anchor*/) override {}
  void OnScalar(const YAML::Mark& /*mark*/, const std::string& /*tag*/, YAML::anchor_t /*anchor*/,
                const std::string& /*value*/) override {}
  void OnSequenceStart(const YAML::Mark& /*mark*/, const std::string& /*tag*/, YAML::anchor_t /*anchor*/,
                       YAML::EmitterStyle::value /*style*/) override {}
  void OnSequenceEnd() override {}
  void OnMapStart(const YAML::Mark& /*mark*/, const std::string& /*tag*/, YAML::anchor_t /*anchor*/,
                  YAML::EmitterStyle::value /*style*/) override {}
  void OnMapEnd() override {}

 private:
  bool started_ = false;
};

/// Returns the document of a text; null if it is empty. yaml-cpp misses an open quote if the text ends with a
/// line end, hence the first pass without trailing white space.
YAML::Node parse_document(const std::string& text) {
  std::istringstream trimmed(text.substr(0, text.find_last_not_of(" \t\r\n") + 1));
  YAML::Parser parser(trimmed);
  OneDocument handler;
  while (parser.HandleNextDocument(handler)) {
  }
  return YAML::Load(text);
}

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
  const std::string text = read_text(path);
  check_characters(text, path);
  Reader reader(path, text);
  try {
    const YAML::Node root = parse_document(text);
    if (root.IsNull()) return {};
    if (!root.IsMap()) throw UsageError("{}: expected settings as 'name: value'", reader.where(root.Mark()));
    return reader.read_mapping(root, true);
  } catch (const SecondDocument& second) {
    throw UsageError("{}: a second document starts; a settings file holds one", reader.where(second.mark));
  } catch (const YAML::Exception& error) {
    throw UsageError("{}: not valid YAML: {}", reader.where(error.mark), error.msg);
  }
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
