#include "cli/options/alignment_options.h"

#include <fmt/format.h>

#include "cli/options/value.h"
#include "common/error.h"
#include "common/text/spelling.h"

namespace nmt {
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
           "print the word alignment after each translation, separated by |||. It is computed from the "
           "attention of the first model. hard, which is also what the option means without a value, gives "
           "for each target word the source word with the most attention, such as 0-0 1-2, counted from 0. A "
           "number P gives all pairs with a weight above P. soft gives the weights of each target word and "
           "of EOS over the source words.")
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
