// Names of models on the Hugging Face Hub.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace nmt {

/// A model of the Hub, in one of its versions.
struct HubName {
  std::string repository;         // "OWNER/NAME", or "NAME" for some old models
  std::string revision = "main";  // a branch, a tag, or a commit
};

/// Whether a path is a name on the Hub: it begins with "hf:".
bool is_hub_name(std::string_view path);

/// Whether a path that names no file would be OWNER/NAME on the Hub: two names with a slash between them.
bool may_be_on_hub(std::string_view path);

/// Parses "hf:OWNER/NAME" or "hf:OWNER/NAME@REVISION". Throws UsageError for a name that the Hub does not
/// allow.
HubName parse_hub_name(std::string_view path);

/// Whether a revision is a commit, which never changes: 40 hexadecimal digits.
bool is_commit(std::string_view revision);

}  // namespace nmt
