#include "cli/options/search_options.h"

#include <fmt/format.h>

#include "cli/options/value.h"
#include "common/error.h"
#include "common/text/spelling.h"
#include "data/text/sentences.h"

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

void add_split_options(Options& options, SplitOptions& settings) {
  options
      .add("split", settings.into, "",
           "translate the sentences of a line one by one. This suits models that are trained on single "
           "sentences.")
      .choices({"sentences", "none"});
  options.add(
      "split-language", settings.language, "CODE",
      "language for sentence splitting, such as en. Its abbreviations do not end a sentence. The default is "
      "the source language if it is known; else the abbreviations of all languages count.");
  options.add("abbreviations", settings.abbreviations, "FILE",
              "file with more abbreviations, one per line, such as approx. An abbreviation followed by "
              "#NUMERIC_ONLY# counts only before a number. Moses prefix files have this format.");
}

void check_split(const Options& options, const SplitOptions& settings) {
  if (settings.language && !is_language_code(*settings.language)) {
    throw UsageError("{} '{}' is not a language code, such as en or deu_Latn",
                     options.origin("split-language"), *settings.language);
  }
  for (const char* name : {"split-language", "abbreviations"}) {
    if (options.given(name) && !settings.is_on())
      throw UsageError("{} needs --split sentences", options.origin(name));
  }
}

namespace {

/// Parses a threshold above 0 and at most 1; none for any other text.
std::optional<double> threshold_of(const std::string& form) {
  double threshold = 0;
  const bool is_read = ValueType<double>::read(form, threshold) == Reading::good;
  return is_read && threshold > 0 && threshold <= 1 ? std::optional(threshold) : std::nullopt;
}

std::string pharaoh(const AlignmentPoints& points) {
  std::string text;
  for (const auto& [source, target] : points) {
    fmt::format_to(std::back_inserter(text), "{}{}-{}", text.empty() ? "" : " ", source, target);
  }
  return text;
}

std::string soft(const Alignment& alignment) {
  std::string text;
  for (std::int64_t target = 0; target <= alignment.target_words; ++target) {
    for (std::int64_t source = 0; source <= alignment.source_words; ++source) {
      const char* separator = source > 0 ? "," : target > 0 ? " " : "";
      fmt::format_to(std::back_inserter(text), "{}{:.6g}", separator, alignment.weight(target, source));
    }
  }
  return text;
}

}  // namespace

void add_attention_choice(Options& options, AlignmentSettings& target,
                          const std::function<void(Option&)>& finish) {
  finish(options
             .add("alignment-layer", target.layer, "N",
                  "decoder layer to take the attention from, counted from 1")
             .default_text("the last")
             .range(1, 1000));
  finish(
      options
          .add("alignment-head", target.heads, "N",
               "attention head to use, counted from 1. Given several times, the mean of these heads is used.")
          .default_text("all")
          .range(1, 65535));
}

void add_alignment_options(Options& options, AlignmentOptions& target,
                           const std::vector<std::string>& others) {
  options
      .add("alignment", target.form, "hard|soft|P",
           "print the word alignment after each translation, separated by |||. hard (without a value) gives "
           "the source word with the most attention for each target word, as in 0-0 1-2. A number P gives "
           "all pairs with a weight above P. soft gives all weights.")
      .bare("hard")
      .group("alignment");
  std::vector<std::string> needs = {"alignment"};
  std::string names = "--alignment";
  for (const std::string& other : others) {
    needs.push_back(other);
    names += " or --" + other;
  }
  add_attention_choice(options, target.settings, [&](Option& option) {
    option.needs(needs, "an alignment; give " + names).group("alignment");
  });
}

void check(const Options& options, const AlignmentOptions& alignment) {
  if (!alignment.form || *alignment.form == "hard" || *alignment.form == "soft") return;
  if (threshold_of(*alignment.form)) return;
  throw UsageError("{} {}: expected hard, soft, or a probability above 0 and at most 1",
                   options.origin("alignment"), quoted(*alignment.form));
}

AlignmentForm form_of(const std::string& form) {
  if (form == "soft") return {.is_soft = true};
  return {.threshold = form == "hard" ? 1 : threshold_of(form).value()};
}

std::string format(const Alignment& alignment, const std::string& form) {
  const AlignmentForm parsed = form_of(form);
  return parsed.is_soft ? soft(alignment) : pharaoh(alignment_points(alignment, parsed));
}

}  // namespace nmt
