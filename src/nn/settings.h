// ModelSettings: the configuration of a model as names and values, as in model files and on the command line.
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

/// Maximum bytes of a configuration. The limit exists because a parser needs hundreds of times the memory of
/// its input.
inline constexpr std::size_t kLongestConfig = std::size_t{64} << 10;
/// Maximum characters of the value of a model setting. The limit exists because YAML aliases can repeat a
/// value many times.
inline constexpr std::size_t kLongestSetting = 400;

/// Names as in YAML (d_model) with their values as text.
using ModelSettings = std::map<std::string, std::string>;

/// Default options of a model for `nmt translate`: option names as in YAML (length_penalty) with their values
/// as text. The options are defined in engine/decoding_defaults.h.
using DecodingSettings = std::map<std::string, std::string>;

/// A setting of a type of model: its name, default value (empty: required), help text, and its permitted
/// values if it does not take any number or text.
struct ModelKey {
  std::string name, value, help;
  std::vector<std::string> choices = {};
  /// It has an effect only where another setting has one of these values.
  struct Condition {
    std::string setting;  // empty: always
    std::vector<std::string> values;
  };
  Condition where = {};
};

/// Whether a setting has an effect in a model with these settings.
bool has_effect(const ModelKey& key, const ModelSettings& settings);

/// The error for a model setting with an invalid value, or for several settings that contradict each other.
class ModelSettingError : public UsageError {
 public:
  template <class... Args>
  explicit ModelSettingError(std::vector<std::string> names, fmt::format_string<Args...> format,
                             Args&&... args)
      : UsageError(format, std::forward<Args>(args)...), names_(std::move(names)) {}

  /// Returns the names of the settings, as in YAML.
  const std::vector<std::string>& names() const { return names_; }

 private:
  std::vector<std::string> names_;
};

/// Reads the `model:` mapping of a YAML configuration. Throws Error, naming `where`, if the mapping is
/// missing, contains anything but short plain values, or the text is longer than kLongestConfig.
ModelSettings read_model_settings(const std::string& yaml, const std::string& where);

/// Reads the `decoding:` mapping of a YAML configuration; empty if there is none. Throws as
/// read_model_settings().
DecodingSettings read_decoding_settings(const std::string& yaml, const std::string& where);

/// Returns all plain values at the top level of a YAML configuration, in order; none if the text is not YAML
/// or is longer than kLongestConfig.
std::vector<std::pair<std::string, std::string>> read_plain_settings(const std::string& yaml);
/// Returns a plain value at the top level of a YAML configuration; empty if there is none with this name.
std::string read_plain_setting(const std::string& yaml, const std::string& name);

/// Formats settings as a `model:` mapping in block YAML with plain scalars, `type` first.
std::string write_model_settings(const ModelSettings& settings);
/// Formats settings as a `decoding:` mapping in block YAML; empty if there are none.
std::string write_decoding_settings(const DecodingSettings& settings);

/// Typed access to settings. Each function throws ModelSettingError that names the setting, its value and the
/// accepted values.
const std::string& text_setting(const ModelSettings& settings, const std::string& name);
std::int64_t integer_setting(const ModelSettings& settings, const std::string& name, std::int64_t least,
                             std::int64_t most);
double real_setting(const ModelSettings& settings, const std::string& name, double least, double most);
/// Returns the value of a setting that must be one of the choices.
std::string choice_setting(const ModelSettings& settings, const std::string& name,
                           const std::vector<std::string>& choices);
/// Returns the element of `meanings` that corresponds to the value of a setting. `meanings` are in the order
/// of the setting's choices in `keys`.
template <class Meaning>
Meaning chosen(const std::vector<ModelKey>& keys, const ModelSettings& settings, const std::string& name,
               std::initializer_list<Meaning> meanings) {
  const std::vector<std::string>& choices = std::ranges::find(keys, name, &ModelKey::name)->choices;
  const std::string choice = choice_setting(settings, name, choices);
  return meanings.begin()[std::ranges::find(choices, choice) - choices.begin()];
}

enum class Tying : std::uint8_t {
  all,     // one matrix for source, target and output (Press and Wolf, 2017)
  target,  // target embedding and output
  inputs,  // source and target embedding
  none,
};

/// Describes the setting `tied_embeddings`.
ModelKey tying_key();
/// Reads the setting `tied_embeddings`. Throws ModelSettingError for a shared matrix for vocabularies of
/// different sizes.
Tying tying_of(const ModelSettings& settings);

/// Whether source and target embedding share a matrix.
constexpr bool has_one_embedding(Tying tying) {
  return tying == Tying::all || tying == Tying::inputs;
}
/// Whether the target embedding is also the matrix of the output layer.
constexpr bool has_tied_output(Tying tying) {
  return tying == Tying::all || tying == Tying::target;
}
/// Throws ModelSettingError if source and target embedding share a matrix, which two vocabularies cannot use.
void refuse_two_vocabularies(Tying tying);

}  // namespace nmt
