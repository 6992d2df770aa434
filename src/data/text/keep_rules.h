// Which parts of plain text are not translated.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "data/text/kept_parts.h"

namespace nmt {

/// The names of the presets of KeepRules.
std::vector<std::string> keep_presets();

/// Finds the parts of texts that are kept as they are: URLs, for example, or what a regular expression
/// matches.
class KeepRules {
 public:
  /// A part of a text, in bytes.
  struct Span {
    std::size_t begin, end;
  };

  /// `rules`: each is a list of presets separated by commas ("urls,emails"), in whatever case, or a regular
  /// expression as ICU has them. Throws UsageError, which names the rule, for an expression that is not
  /// valid, and for more or longer rules than kMostRules and kLongestRule.
  explicit KeepRules(const std::vector<std::string>& rules);
  ~KeepRules();
  KeepRules(const KeepRules&) = delete;
  KeepRules& operator=(const KeepRules&) = delete;

  static constexpr std::size_t kMostRules = 32, kLongestRule = 1000;

  /// The parts of a text, which is UTF-8, that rules match, in order. Of parts that overlap, the one that
  /// begins first counts, and of those the longest. Throws UsageError where an expression takes too much time
  /// or memory. For any thread.
  std::vector<Span> operator()(std::string_view text) const;

 private:
  struct Rule;
  std::vector<Rule> rules_;
};

/// Adds the parts of a text that rules match to `parts`. Returns the text with their stand-ins.
std::string with_stand_ins(std::string_view text, const KeepRules& rules, KeptParts& parts);

}  // namespace nmt
