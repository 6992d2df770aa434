// Rules for parts of plain text that are not translated.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "data/text/kept_parts.h"

namespace nmt {

/// Returns the names of the presets of KeepRules.
std::vector<std::string> keep_presets();

/// Finds the parts of texts that are kept unchanged: for example URLs, or matches of a regular expression.
class KeepRules {
 public:
  /// A part of a text, in bytes.
  struct Span {
    std::size_t begin, end;
  };

  /// `rules`: each is a list of presets, in any case, with commas or spaces between them ("urls,emails"), or
  /// an ICU regular expression. Throws UsageError, which names the rule, for an invalid expression, and for
  /// words in lower case that are not presets ("numbers"). Also throws it if there are more than kMostRules
  /// rules, or if one is longer than kLongestRule.
  explicit KeepRules(const std::vector<std::string>& rules);
  ~KeepRules();
  KeepRules(const KeepRules&) = delete;
  KeepRules& operator=(const KeepRules&) = delete;

  static constexpr std::size_t kMostRules = 32, kLongestRule = 1000;

  /// Whether all rules are presets, which take linear time.
  bool are_presets() const { return are_presets_; }

  /// Returns the parts of a UTF-8 text that rules match, in order. If parts overlap, the first one counts,
  /// and among those with the same beginning the longest. Throws UsageError if an expression takes too much
  /// time or memory. May be called on any thread.
  std::vector<Span> operator()(std::string_view text) const;

 private:
  struct Rule;
  std::vector<Rule> rules_;
  bool are_presets_ = true;
};

/// Appends the matched parts of a text to `parts`. Returns the text with their stand-ins.
std::string with_stand_ins(std::string_view text, const KeepRules& rules, KeptParts& parts);

}  // namespace nmt
