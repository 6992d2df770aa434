#include "cli/training/continued_run.h"

#include <algorithm>
#include <array>
#include <filesystem>
#include <optional>

#include "common/error.h"
#include "common/text/spelling.h"
#include "data/vocabulary/languages.h"

namespace nmt {
namespace {

bool is_fixed(const OptionFacts& facts) {
  static constexpr std::array kFixed = {"preset",          "from-weights", "seed",      "source-language",
                                        "target-language", "max-length",   "max-ratio", "drop-identical",
                                        "sampling-alpha",  "ema"};
  return facts.section == "model" || std::find(kFixed.begin(), kFixed.end(), facts.name) != kFixed.end();
}

/// Accepts missing vocabulary files, as a run contains its vocabularies; an existing file means another
/// vocabulary.
void check_vocabulary(const Option& option) {
  const std::string& name = option.facts().name;
  if (name != "vocab" && name != "source-vocab" && name != "target-vocab") return;
  for (const std::string& path : option.texts()) {
    std::error_code ignored;  // a file that cannot be accessed counts as missing
    if (std::filesystem::exists(path, ignored)) continue;
    throw UsageError("{}: cannot find '{}'; leave the setting out, since the run has its vocabularies",
                     option.origin(), path);
  }
}

/// Compares values; paths and codes of languages may be spelled in many ways.
bool are_same(const Option& option, const std::vector<std::string>& before) {
  const std::vector<std::string> now = option.absolute_texts();
  if (option.facts().name.ends_with("-language") && now.size() == 1)
    return !code_meant(now[0], before).empty();
  const auto are_same_file = [](const std::string& a, const std::string& b) {
    std::error_code ignored;  // a missing file counts as different
    return a == b || std::filesystem::equivalent(a, b, ignored);
  };
  return now == before || (option.facts().is_path() && std::ranges::equal(now, before, are_same_file));
}

/// A setting that has changed.
struct Change {
  const Option* option;
  std::optional<std::string> then;  // none: it was not given
  std::string now;
};

std::vector<Change> changes_since(const std::string& config, const Options& options) {
  std::vector<Change> changes;
  const auto before = flat_yaml_settings(config);
  for (const Option& option : options.table()) {
    const OptionFacts& facts = option.facts();
    const auto was = before.find(facts.name);
    const auto is_none = [](const std::vector<std::string>& texts) {
      return std::ranges::all_of(texts, &std::string::empty);
    };
    const bool is_new = was == before.end() || is_none(was->second);
    if (is_new ? !option.given() || is_none(option.texts()) : are_same(option, was->second)) continue;
    const std::string now = join(option.absolute_texts(), " ");
    changes.push_back({.option = &option, .then = {}, .now = now.empty() ? "none" : now});
    if (!is_new) changes.back().then = join(was->second, " ");
  }
  return changes;
}

}  // namespace

void check_continued_run(const Options& options, const std::string& run, const std::string& config) {
  for (const auto& [option, then, now] : changes_since(config, options)) {
    if (option->given()) check_vocabulary(*option);
    if (!is_fixed(option->facts())) continue;
    throw UsageError(
        "{}: the run in '{}' has {} {}, not {}; leave the setting out, choose another directory, or "
        "--overwrite to start again",
        option->origin(), run, underscored(option->facts().name), then.value_or("none"), now);
  }
}

std::vector<std::string> changes_of_run(const Options& options, const std::string& config) {
  std::vector<std::string> texts;
  for (const auto& [option, then, now] : changes_since(config, options)) {
    const std::string name = underscored(option->facts().name);
    if (then) texts.push_back(fmt::format("{}: {} from now on, {} so far", name, now, *then));
  }
  return texts;
}

}  // namespace nmt
