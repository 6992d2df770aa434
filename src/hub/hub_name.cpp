#include "hub/hub_name.h"

#include <algorithm>

#include "common/error.h"
#include "common/text/spelling.h"

namespace nmt {
namespace {

constexpr std::string_view kPrefix = "hf:";

bool is_letter_or_digit(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
}

/// Whether a text has only letters, digits, "-", "_", "." and the characters of `more`, and no "..", which
/// would name another folder.
bool is_plain(std::string_view text, std::string_view more) {
  const auto is_allowed = [&](char c) {
    return is_letter_or_digit(c) || c == '-' || c == '_' || c == '.' || more.find(c) != more.npos;
  };
  return !text.empty() && std::ranges::all_of(text, is_allowed) && text.find("..") == text.npos;
}

/// Whether a text is the name of an owner or of a model. "--" stands for "/" in the names of the cache.
bool is_name(std::string_view text) {
  return is_plain(text, "") && text.front() != '.' && text.front() != '-' && text.find("--") == text.npos;
}

/// Whether a text is the name of a branch, a tag or a commit. As in git, no part of it begins with ".".
bool is_revision(std::string_view text) {
  return is_plain(text, "/+") && !text.starts_with('/') && !text.ends_with('/') && !text.starts_with('.') &&
         text.find("//") == text.npos && text.find("/.") == text.npos;
}

bool is_repository(std::string_view text) {
  const std::size_t slash = text.find('/');
  return slash == text.npos ? is_name(text)
                            : is_name(text.substr(0, slash)) && is_name(text.substr(slash + 1));
}

}  // namespace

bool is_hub_name(std::string_view path) {
  return path.starts_with(kPrefix);
}

bool may_be_on_hub(std::string_view path) {
  return path.find('/') != path.npos && is_repository(path);
}

HubName parse_hub_name(std::string_view path) {
  const std::string_view name = path.substr(kPrefix.size());
  const std::size_t at = name.find('@');
  HubName parsed{.repository = std::string(name.substr(0, at))};
  if (at != name.npos) parsed.revision = name.substr(at + 1);
  if (!is_repository(parsed.repository) || !is_revision(parsed.revision)) {
    throw UsageError("{} is not the name of a model; write hf:OWNER/NAME or hf:OWNER/NAME@REVISION",
                     quoted(std::string(path)));
  }
  return parsed;
}

bool is_commit(std::string_view revision) {
  constexpr std::size_t kDigits = 40;
  const auto is_digit = [](char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f'); };
  return revision.size() == kDigits && std::ranges::all_of(revision, is_digit);
}

}  // namespace nmt
