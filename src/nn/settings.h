// ModelSettings: a model's configuration as names and values, as it stands in model files and on the command
// line.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "common/error.h"

namespace nmt {

/// Most bytes of a configuration: a parser's memory is hundreds of times what it reads.
inline constexpr std::size_t kLongestConfig = std::size_t{64} << 10;
/// Most characters of the value of a model setting: aliases can repeat one many times.
inline constexpr std::size_t kLongestSetting = 400;

/// Names as in YAML (d_model) with their values as text.
using ModelSettings = std::map<std::string, std::string>;

/// What `nmt translate` does with a model unless it is told otherwise: names of its options as in YAML
/// (length_penalty) with their values as text. What they mean, and which there are, is known where models
/// translate (engine/decoding_defaults.h).
using DecodingSettings = std::map<std::string, std::string>;

/// A setting that a type of model has: its name, default value (empty: must be given), help, and the only
/// values that it takes, where it does not take any number or text.
struct ModelKey {
  std::string name, value, help;
  std::vector<std::string> choices = {};
};

/// A model setting with a bad value, or several that do not go together.
class ModelSettingError : public UsageError {
 public:
  template <class... Args>
  explicit ModelSettingError(std::vector<std::string> names, fmt::format_string<Args...> format,
                             Args&&... args)
      : UsageError(format, std::forward<Args>(args)...), names_(std::move(names)) {}

  /// As in YAML.
  const std::vector<std::string>& names() const { return names_; }

 private:
  std::vector<std::string> names_;
};

/// Reads the `model:` mapping of a YAML configuration. Throws Error, naming `where`, when there is none, when
/// it holds anything but short plain values, or when the text is longer than kLongestConfig.
ModelSettings read_model_settings(const std::string& yaml, const std::string& where);

/// Reads the `decoding:` mapping in the same way; none where it is not there.
DecodingSettings read_decoding_settings(const std::string& yaml, const std::string& where);

/// All plain values at the top level of a YAML configuration, in its order; none when it is not YAML, or
/// longer than kLongestConfig.
std::vector<std::pair<std::string, std::string>> read_plain_settings(const std::string& yaml);
/// A plain value at the top level of a YAML configuration; empty when there is none of this name.
std::string read_plain_setting(const std::string& yaml, const std::string& name);

/// The `model:` mapping as block YAML with plain scalars; `type` first.
std::string write_model_settings(const ModelSettings& settings);
/// The `decoding:` mapping in the same way; empty where there are none.
std::string write_decoding_settings(const DecodingSettings& settings);

/// Typed access to settings; each throws ModelSettingError that tells the setting, its value and what is
/// accepted.
const std::string& text_setting(const ModelSettings& settings, const std::string& name);
std::int64_t integer_setting(const ModelSettings& settings, const std::string& name, std::int64_t least,
                             std::int64_t most);
double real_setting(const ModelSettings& settings, const std::string& name, double least, double most);
/// One of the choices.
std::string choice_setting(const ModelSettings& settings, const std::string& name,
                           const std::vector<std::string>& choices);
/// What the choice of a setting among `keys` stands for; `meanings` are those of its choices, in their order.
template <class Meaning>
Meaning chosen(const std::vector<ModelKey>& keys, const ModelSettings& settings, const std::string& name,
               std::initializer_list<Meaning> meanings) {
  const std::vector<std::string>& choices = std::ranges::find(keys, name, &ModelKey::name)->choices;
  const std::string choice = choice_setting(settings, name, choices);
  return meanings.begin()[std::ranges::find(choices, choice) - choices.begin()];
}

}  // namespace nmt
