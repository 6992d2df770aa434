#include "cli/options/search_options.h"

#include "common/text/spelling.h"

namespace nmt {
namespace {

/// Adds an option for each setting that it is called with, under a heading of --help.
class AddOption {
 public:
  AddOption(Options& options, const char* group) : options_(options), group_(group) {}

  void operator()(const SettingFacts& facts, auto& target) const {
    add_setting(options_, facts, target).group(group_);
  }

 private:
  Options& options_;
  const char* group_;
};

}  // namespace

std::string help_of(const SettingFacts& facts) {
  const std::string help = *facts.detail == 0 ? facts.help : fmt::format("{}. {}", facts.help, facts.detail);
  return with_options(help);
}

void restrict_to_facts(Option& option, const SettingFacts& facts) {
  if (facts.limits.least < facts.limits.most) option.range(facts.limits.least, facts.limits.most);
  if (facts.needs.name != nullptr && !facts.needs.may_be_default) {
    const std::string needed = dashed(facts.needs.name);
    option.needs({needed}, fmt::format("{}; give --{}", facts.needs.what, needed));
  }
}

void add_search_options(Options& options, SearchSettings& search) {
  each_search_setting(AddOption(options, "search"), search);
}

void add_score_options(Options& options, ScoreFormula& formula) {
  each_score_setting(AddOption(options, "options"), formula);
}

void add_sampling_options(Options& options, SamplingOptions& sampling) {
  const AddOption add(options, "sampling");
  add(kSample, sampling.is_on);
  each_sampling_setting(add, sampling.settings);
}

}  // namespace nmt
