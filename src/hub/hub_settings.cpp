#include "hub/hub_settings.h"

#include <algorithm>
#include <array>
#include <boost/algorithm/string/case_conv.hpp>
#include <boost/algorithm/string/trim.hpp>
#include <filesystem>
#include <string_view>

#include "common/error.h"
#include "hub/small_file.h"

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

/// Returns the URL of the Hub without "/" at its end, and with its scheme in lower case.
std::string endpoint_of(const Variable& variable) {
  const std::string given = first_of(variable, {"HF_ENDPOINT"});
  if (given.empty()) return "https://huggingface.co";
  const std::size_t scheme = std::min(given.find("://"), given.size());
  std::string url = boost::algorithm::to_lower_copy(given.substr(0, scheme)) + given.substr(scheme);
  while (url.ends_with('/')) url.pop_back();
  if (!url.starts_with("https://") && !url.starts_with("http://")) {
    throw UsageError(
        "HF_ENDPOINT is '{}', but it must begin with https:// or http://, followed by the name of a host",
        without_password(given));
  }
  return url;
}

/// Returns the token of the variables; empty if there is none. Its outer white space means nothing.
std::string token_of_variables(const Variable& variable) {
  std::string token = first_of(variable, {"HF_TOKEN", "HUGGING_FACE_HUB_TOKEN"});
  boost::algorithm::trim(token);
  const auto is_graphic = [](unsigned char c) { return c > ' ' && c <= '~'; };
  if (std::ranges::all_of(token, is_graphic)) return token;
  throw UsageError("HF_TOKEN has spaces, line breaks or other characters that no token has; set it again");
}

/// Returns the token of HF_TOKEN_PATH, or of the folder of the Hub; empty if there is none.
std::string token_of_files(const Variable& variable, const std::string& home) {
  const std::string path = expanded(first_of(variable, {"HF_TOKEN_PATH"}), home);
  if (path.empty()) return first_word_of(home_of_hub(variable, home) + "/token").value_or("");
  const std::optional<std::string> token = first_word_of(path);
  std::error_code ignored;
  if (!token && std::filesystem::exists(path, ignored)) {
    throw UsageError(
        "HF_TOKEN_PATH is '{}', which cannot be read as a file of at most 4 KiB; name a file with a token",
        path);
  }
  return token.value_or("");
}

}  // namespace

HubSettings hub_settings(const Variable& variable) {
  const std::string home = first_of(variable, {"HOME"});
  HubSettings settings;
  settings.endpoint = endpoint_of(variable);
  settings.cache = expanded(first_of(variable, {"HF_HUB_CACHE", "HUGGINGFACE_HUB_CACHE"}), home);
  settings.token = token_of_variables(variable);
  settings.is_offline = is_true(first_of(variable, {"HF_HUB_OFFLINE", "TRANSFORMERS_OFFLINE"}));
  if (settings.cache.empty()) settings.cache = home_of_hub(variable, home) + "/hub";
  if (settings.token.empty() && !is_true(first_of(variable, {"HF_HUB_DISABLE_IMPLICIT_TOKEN"})))
    settings.token = token_of_files(variable, home);
  return settings;
}

std::string without_password(const std::string& url) {
  const std::size_t scheme = url.find("://");
  const std::size_t host = scheme == url.npos ? 0 : scheme + 3;
  const std::size_t at = url.substr(0, url.find('/', host)).rfind('@');
  return at == url.npos || at < host ? url : url.substr(0, host) + url.substr(at + 1);
}

}  // namespace nmt
