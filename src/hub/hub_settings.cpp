#include "hub/hub_settings.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <fstream>
#include <string_view>

#include "common/error.h"

namespace nmt {
namespace {

using Variable = std::function<const char*(const char*)>;

/// Returns the value of the first variable that is set and not empty.
std::string first_of(const Variable& variable, std::initializer_list<const char*> names) {
  for (const char* name : names) {
    if (const char* const value = variable(name); value != nullptr && *value != '\0') return value;
  }
  return {};
}

bool is_true(std::string value) {
  std::ranges::transform(value, value.begin(),
                         [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
  return value == "1" || value == "ON" || value == "YES" || value == "TRUE";
}

/// Returns a path with "~" at its beginning replaced by the home folder.
std::string expanded(std::string path, const std::string& home) {
  return path == "~" || path.starts_with("~/") ? home + path.substr(1) : path;
}

std::string home_of_hub(const Variable& variable, const std::string& home) {
  if (std::string folder = first_of(variable, {"HF_HOME"}); !folder.empty()) return expanded(folder, home);
  if (std::string caches = first_of(variable, {"XDG_CACHE_HOME"}); !caches.empty())
    return expanded(caches, home) + "/huggingface";
  if (home.empty()) throw UsageError("HF_HOME and HOME are not set; set HF_HOME to the folder for downloads");
  return home + "/.cache/huggingface";
}

/// Returns the text of a small file without outer white space; empty if it cannot be read.
std::string text_of(const std::string& path) {
  std::ifstream file(path);
  std::string text;
  file >> text;
  return text;
}

}  // namespace

HubSettings hub_settings(const Variable& variable) {
  const std::string home = first_of(variable, {"HOME"});
  HubSettings settings;
  settings.endpoint = first_of(variable, {"HF_ENDPOINT"});
  if (settings.endpoint.empty()) settings.endpoint = "https://huggingface.co";
  while (settings.endpoint.ends_with('/')) settings.endpoint.pop_back();
  if (!settings.endpoint.starts_with("https://") && !settings.endpoint.starts_with("http://")) {
    throw UsageError("HF_ENDPOINT is '{}', but it must begin with https:// or http://", settings.endpoint);
  }
  settings.cache = expanded(first_of(variable, {"HF_HUB_CACHE", "HUGGINGFACE_HUB_CACHE"}), home);
  settings.token = first_of(variable, {"HF_TOKEN", "HUGGING_FACE_HUB_TOKEN"});
  settings.is_offline = is_true(first_of(variable, {"HF_HUB_OFFLINE", "TRANSFORMERS_OFFLINE"}));
  if (settings.cache.empty()) settings.cache = home_of_hub(variable, home) + "/hub";
  if (settings.token.empty() && !is_true(first_of(variable, {"HF_HUB_DISABLE_IMPLICIT_TOKEN"}))) {
    const std::string file = expanded(first_of(variable, {"HF_TOKEN_PATH"}), home);
    settings.token = text_of(file.empty() ? home_of_hub(variable, home) + "/token" : file);
  }
  return settings;
}

}  // namespace nmt
