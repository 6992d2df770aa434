#include "nn/settings.h"

#include <yaml-cpp/yaml.h>

#include <algorithm>
#include <optional>

#include "common/error.h"
#include "common/text/number.h"

namespace nmt {
namespace {

template <class T>
T number(const ModelSettings& settings, const std::string& name, T least, T most, const char* kind) {
  const std::string& text = text_setting(settings, name);
  const std::optional<T> value = number_of<T>(text);
  if (!value || !(*value >= least && *value <= most)) {
    throw ModelSettingError({name}, "{} '{}' is not {} from {} to {}", name, text, kind, least, most);
  }
  return *value;
}

using Section = std::map<std::string, std::string>;

/// Returns the plain values of a mapping at the top level; empty if there is no such mapping.
std::optional<Section> read_section(const std::string& yaml, const std::string& name,
                                    std::size_t longest_value, const std::string& where) {
  if (yaml.size() > kLongestConfig) {
    throw Error("{}: the configuration has {} bytes, more than {}; it was not made by nmt", where,
                yaml.size(), kLongestConfig);
  }
  try {
    const YAML::Node root = YAML::Load(yaml);
    if (root.IsScalar() || root.IsSequence())
      throw Error("{}: the configuration is not a YAML mapping", where);
    const YAML::Node mapping = root[name];
    if (!mapping.IsDefined()) return std::nullopt;
    if (!mapping.IsMap()) throw Error("{}: '{}:' of the configuration is not a mapping", where, name);
    Section section;
    for (const auto& entry : mapping) {
      if (!entry.second.IsScalar() || entry.second.Scalar().size() > longest_value) {
        throw Error("{}: {} setting '{}' is not a plain value", where, name, entry.first.as<std::string>());
      }
      section[entry.first.as<std::string>()] = entry.second.Scalar();
    }
    return section;
  } catch (const YAML::Exception& error) {
    throw Error("{}: the configuration is not valid YAML: {}", where, error.msg);
  }
}

}  // namespace

ModelSettings read_model_settings(const std::string& yaml, const std::string& where) {
  const auto settings = read_section(yaml, "model", kLongestSetting, where);
  if (!settings) throw Error("{}: the configuration has no 'model:' section", where);
  return *settings;
}

DecodingSettings read_decoding_settings(const std::string& yaml, const std::string& where) {
  constexpr std::size_t kLongestValue = 10'000;  // of a list of ids
  return read_section(yaml, "decoding", kLongestValue, where).value_or(Section());
}

std::vector<std::pair<std::string, std::string>> read_plain_settings(const std::string& yaml) {
  if (yaml.size() > kLongestConfig) return {};
  try {
    std::vector<std::pair<std::string, std::string>> settings;
    for (const auto& entry : YAML::Load(yaml)) {
      if (!entry.first.IsDefined() || !entry.first.IsScalar() || !entry.second.IsScalar()) continue;
      settings.emplace_back(entry.first.Scalar(), entry.second.Scalar());
    }
    return settings;
  } catch (const YAML::Exception&) {
    return {};
  }
}

std::string read_plain_setting(const std::string& yaml, const std::string& name) {
  try {
    const YAML::Node value = YAML::Load(yaml)[name];
    return value.IsDefined() && value.IsScalar() ? value.Scalar() : "";
  } catch (const YAML::Exception&) {
    return "";
  }
}

std::string write_model_settings(const ModelSettings& settings) {
  std::string yaml = "model:\n";
  const auto type = settings.find("type");
  if (type != settings.end()) yaml += "  type: " + type->second + "\n";
  for (const auto& [name, value] : settings) {
    if (name != "type") yaml.append("  ").append(name).append(": ").append(value).append("\n");
  }
  return yaml;
}

std::string write_decoding_settings(const DecodingSettings& settings) {
  std::string yaml;
  for (const auto& [name, value] : settings) {
    YAML::Emitter scalar;  // quoted if it would otherwise be read as something else
    scalar << value;
    yaml.append(yaml.empty() ? "decoding:\n  " : "  ")
        .append(name)
        .append(": ")
        .append(scalar.c_str())
        .append("\n");
  }
  return yaml;
}

const std::string& text_setting(const ModelSettings& settings, const std::string& name) {
  const auto found = settings.find(name);
  if (found == settings.end()) throw ModelSettingError({name}, "the model setting '{}' is missing", name);
  if (found->second.size() > kLongestSetting) {
    throw ModelSettingError({name}, "{} has {} characters, more than {}", name, found->second.size(),
                            kLongestSetting);
  }
  return found->second;
}

std::int64_t integer_setting(const ModelSettings& settings, const std::string& name, std::int64_t least,
                             std::int64_t most) {
  return number<std::int64_t>(settings, name, least, most, "a whole number");
}

double real_setting(const ModelSettings& settings, const std::string& name, double least, double most) {
  return number<double>(settings, name, least, most, "a number");
}

std::string choice_setting(const ModelSettings& settings, const std::string& name,
                           const std::vector<std::string>& choices) {
  const std::string& text = text_setting(settings, name);
  if (std::find(choices.begin(), choices.end(), text) == choices.end()) {
    throw ModelSettingError({name}, "{} '{}' is not one of {}", name, text, fmt::join(choices, ", "));
  }
  return text;
}

bool has_effect(const ModelKey& key, const ModelSettings& settings) {
  const auto& [name, values] = key.where;
  const auto found = settings.find(name);
  return name.empty() || found == settings.end() || std::ranges::count(values, found->second) > 0;
}

ModelKey tying_key() {
  return {"tied_embeddings",
          "all",
          "embedding and output matrices that share their weights. all means source, target and output; "
          "target means "
          "target and output; inputs means source and target; with none, all are separate.",
          {"all", "target", "inputs", "none"}};
}

Tying tying_of(const ModelSettings& settings) {
  const auto tying = chosen({tying_key()}, settings, "tied_embeddings",
                            {Tying::all, Tying::target, Tying::inputs, Tying::none});
  constexpr std::int64_t kMostPieces = 1 << 24;
  const std::int64_t source = integer_setting(settings, "source_vocabulary", 1, kMostPieces);
  const std::int64_t target = integer_setting(settings, "target_vocabulary", 1, kMostPieces);
  if (has_one_embedding(tying) && source != target) {
    throw ModelSettingError({"tied_embeddings", "source_vocabulary", "target_vocabulary"},
                            "tied_embeddings '{}' needs one vocabulary, but the source has {} pieces and "
                            "the target {}; use 'target' or 'none'",
                            settings.at("tied_embeddings"), source, target);
  }
  return tying;
}

void refuse_two_vocabularies(Tying tying) {
  if (!has_one_embedding(tying)) return;
  throw ModelSettingError(
      {"tied_embeddings"},
      "tied_embeddings '{}' needs one vocabulary for both sides; use 'target' or 'none', or `vocab`",
      tying == Tying::all ? "all" : "inputs");
}

}  // namespace nmt
