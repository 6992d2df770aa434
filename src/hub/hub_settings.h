// The addresses of the Hugging Face Hub and of the folder for its files.
#pragma once

#include <functional>
#include <string>

namespace nmt {

/// The settings that all programs for the Hub share, as environment variables.
struct HubSettings {
  std::string endpoint;     // HF_ENDPOINT, without "/" at its end; usually https://huggingface.co
  std::string cache;        // HF_HUB_CACHE; usually "hub" in HF_HOME, which is usually ~/.cache/huggingface
  std::string token;        // HF_TOKEN, or the contents of HF_TOKEN_PATH (usually "token" in HF_HOME)
  bool is_offline = false;  // HF_HUB_OFFLINE or TRANSFORMERS_OFFLINE
};

/// Reads the settings. `variable` returns the value of an environment variable, or null. Throws UsageError if
/// the endpoint is not a URL, if the token has characters that no token has, if HF_TOKEN_PATH is not a small
/// text file, or if no folder is known for the cache.
HubSettings hub_settings(const std::function<const char*(const char*)>& variable);

/// Returns a URL as messages show it: without a user name and a password.
std::string without_password(const std::string& url);

}  // namespace nmt
