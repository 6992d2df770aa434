#include "foreign/containers/yaml_file.h"

#include <yaml-cpp/yaml.h>

#include "common/error.h"
#include "common/io/memory_map.h"
#include "common/text/number.h"
#include "nn/settings.h"

namespace nmt {
namespace {

using nlohmann::json;

// Aliases can repeat a value many times, and values can be nested.
constexpr int kMostYamlValues = 100'000, kDeepestYaml = 20;

class YamlConverter {
 public:
  json operator()(const YAML::Node& node, int depth = 0) {
    if (++values_ > kMostYamlValues || depth > kDeepestYaml)
      throw YAML::Exception(node.Mark(), "it has too many values");
    if (node.IsMap()) {
      json object = json::object();
      for (const auto& entry : node) object[entry.first.as<std::string>()] = (*this)(entry.second, depth + 1);
      return object;
    }
    if (node.IsSequence()) {
      json list = json::array();
      for (const auto& entry : node) list.push_back((*this)(entry, depth + 1));
      return list;
    }
    return node.IsScalar() ? scalar(node) : json();
  }

 private:
  static json scalar(const YAML::Node& node) {
    const std::string& text = node.Scalar();
    // In quotes, or called a text.
    if (node.Tag() == "!" || node.Tag() == "tag:yaml.org,2002:str") return text;
    if (bool truth = false; YAML::convert<bool>::decode(node, truth)) return truth;
    if (const auto integer = nmt::number_of<std::int64_t>(text)) return *integer;
    if (const auto real = nmt::number_of<double>(text)) return *real;
    return text;
  }

  int values_ = 0;
};

}  // namespace

JsonFile read_yaml_file(const std::string& path) {
  const std::string text = map_file(path).copy();
  if (text.size() > kLongestConfig)
    throw Error("'{}' has {} bytes, which is far more than a configuration has", path, text.size());
  try {
    const YAML::Node root = YAML::Load(text);
    if (!root.IsMap()) throw Error("'{}' is not a YAML mapping", path);
    return JsonFile::from_values(YamlConverter()(root), path);
  } catch (const YAML::Exception& error) {
    throw Error("'{}' is not valid YAML: {}", path, error.msg);
  }
}

}  // namespace nmt
