#include "data/text/keep_rules.h"

#include <unicode/regex.h>
#include <unicode/utext.h>

#include <algorithm>
#include <array>
#include <boost/algorithm/string/case_conv.hpp>
#include <boost/algorithm/string/classification.hpp>
#include <boost/algorithm/string/split.hpp>
#include <cstdint>
#include <optional>
#include <utility>

#include "common/error.h"
#include "common/text/spelling.h"

namespace nmt {
namespace {

// Limits of one rule on one text: steps of ICU's engine, of about 0.1 ms each, with a minimum and an amount
// per KiB, and bytes of its stack.
constexpr std::int32_t kLeastSteps = 500, kStepsOfKibibyte = 20, kMostStack = 1 << 22;

struct Preset {
  std::string_view name, expression;
};

// All repetitions have bounds, so that each text takes linear time.
constexpr auto kPresets = std::to_array<Preset>(
    {{"urls",
      R"((?i)(?<![A-Za-z0-9_])(?:(?:https?|ftps?|sftp|ssh|git|file|wss?)://|www\.|mailto:))"
      R"((?:[^\s<>"()\u3000-\u303f\uff00-\uffef]|\([^\s<>"()\u3000-\u303f\uff00-\uffef]{0,200}\)){0,2000})"
      R"((?:[^\s<>"()\[\]{}.,;:!?'*…\u3000-\u303f\uff00-\uffef]|\([^\s<>"()\u3000-\u303f\uff00-\uffef]{0,200}\)))"
      R"(|(?<![\p{L}\p{N}@._-])(?:[a-z0-9-]{1,63}\.){1,10}(?:com|org|net|edu|gov|info|io|eu)(?![\p{L}\p{N}_@-]))"
      R"((?:/(?:[^\s<>"()\u3000-\u303f\uff00-\uffef]{0,2000})"
      R"([^\s<>"()\[\]{}.,;:!?'*…\u3000-\u303f\uff00-\uffef])?)?)"},
     {"emails",
      R"((?<![\p{L}\p{N}._%+-])[\p{L}\p{N}_%+-][\p{L}\p{N}._%+-]{0,63}+@(?:[\p{L}\p{N}-]{1,63}\.){1,10})"
      R"(\p{L}{2,63}(?![\p{L}\p{N}]))"},
     {"placeholders",
      R"(\{\{[^{}]{0,200}\}\}|[$#%@]?\{[^\s{}]{0,200}\}|%[A-Za-z_][A-Za-z0-9_.]{1,100}%(?!%)|\[\[[^\[\]\s]{1,200}\]\])"
      R"(|\$t\([^()]{1,200}\))"},
     {"printf",
      R"(%(?:\([\p{L}\p{N}_.]{1,100}\))?(?:[0-9]{1,3}\$)?[-+0#']{0,5}(?:\*|[0-9]{1,4})?(?:\.(?:\*|[0-9]{1,4}))?)"
      R"((?:hh|h|ll|l|L|q|j|z|t)?[diouxXeEfFgGaAcCsSpn@%](?![\p{L}\p{N}])|%L?[1-9][0-9]?(?![0-9]))"},
     {"emoji",
      R"((?:\p{RI}\p{RI}|[0-9#*]\ufe0f?\u20e3)"
      R"(|(?:[\p{Extended_Pictographic}-[\u00a9\u00ae\u2122\u203c\u2049\u2139\u2190-\u21ff]]|\p{Emoji}(?=\ufe0f)))"
      R"([\p{Emoji_Modifier}\ufe0f\u20e3]{0,3}(?:[\U000e0020-\U000e007e]{1,8}\U000e007f)?)"
      R"((?:\u200d(?:\p{Extended_Pictographic}|\p{Emoji})[\p{Emoji_Modifier}\ufe0f]{0,3}){0,10}){1,100})"}});

/// Returns the expression of a preset; nothing for an unknown name. The singular is accepted too: "url".
std::optional<std::string_view> preset(std::string_view name) {
  const auto is_called = [name](const Preset& each) {
    return each.name == name ||
           (each.name.ends_with('s') && each.name.substr(0, each.name.size() - 1) == name);
  };
  const auto* const found = std::ranges::find_if(kPresets, is_called);
  if (found == kPresets.end()) return std::nullopt;
  return found->expression;
}

/// Whether a rule looks like the name of a preset, and is not likely meant as a regular expression.
bool is_plain_word(std::string_view rule) {
  constexpr std::size_t kLeast = 3;
  const auto is_lower_case = [](char c) { return c >= 'a' && c <= 'z'; };
  return rule.size() >= kLeast && std::ranges::all_of(rule, is_lower_case);
}

/// Returns the expressions of a list of presets; empty if it is not such a list.
std::vector<std::string_view> presets_in(const std::string& rule) {
  std::vector<std::string_view> expressions;
  std::vector<std::string> names;
  boost::algorithm::split(names, rule, boost::algorithm::is_any_of(", \t"),
                          boost::algorithm::token_compress_on);
  std::erase(names, "");
  const bool has_words = !names.empty() && std::ranges::all_of(names, is_plain_word);
  for (std::string& name : names) boost::algorithm::to_lower(name);
  const bool is_list =
      has_words || std::ranges::any_of(names, [](const std::string& name) {
        return preset(name) || (is_plain_word(name) && !did_you_mean(name, keep_presets()).empty());
      });
  if (!is_list) return {};
  for (const std::string& name : names) {
    const auto expression = preset(name);
    if (!expression)
      throw UsageError(
          "`keep` '{}': unknown preset '{}'{} (presets: {}); give a regular expression by itself, such as "
          "'\\bACME\\b'",
          rule, name, did_you_mean(name, keep_presets()), join(keep_presets(), ", "));
    expressions.push_back(*expression);
  }
  return expressions;
}

std::unique_ptr<const icu::RegexPattern> compiled(std::string_view expression, const std::string& rule) {
  UErrorCode status = U_ZERO_ERROR;
  UParseError place{};
  const icu::StringPiece bytes(expression.data(), static_cast<std::int32_t>(expression.size()));
  std::unique_ptr<const icu::RegexPattern> pattern(
      icu::RegexPattern::compile(icu::UnicodeString::fromUTF8(bytes), place, status));
  if (U_SUCCESS(status) != 0) return pattern;
  throw UsageError("`keep` '{}' is not a regular expression: ICU says {} at character {}; see {} for presets",
                   rule, u_errorName(status), place.offset, join(keep_presets(), ", "));
}

/// A text in the form of ICU's engine.
class SearchedText {
 public:
  explicit SearchedText(std::string_view text) {
    UErrorCode status = U_ZERO_ERROR;
    utext_openUTF8(&text_, text.data(), static_cast<std::int64_t>(text.size()), &status);
    if (U_FAILURE(status) != 0) throw Error("cannot search a text: ICU says {}", u_errorName(status));
  }
  ~SearchedText() { utext_close(&text_); }
  SearchedText(const SearchedText&) = delete;
  SearchedText& operator=(const SearchedText&) = delete;

  UText* get() { return &text_; }

 private:
  UText text_ = UTEXT_INITIALIZER;
};

}  // namespace

std::vector<std::string> keep_presets() {
  std::vector<std::string> names;
  for (const Preset& each : kPresets) names.emplace_back(each.name);
  return names;
}

struct KeepRules::Rule {
  std::string name;  // as given
  std::unique_ptr<const icu::RegexPattern> pattern;

  /// Appends matches to `spans`.
  void find(std::string_view text, std::vector<Span>& spans) const {
    SearchedText searched(text);
    UErrorCode status = U_ZERO_ERROR;
    const std::unique_ptr<icu::RegexMatcher> matcher(pattern->matcher(status));
    if (U_SUCCESS(status) != 0) {
      matcher->reset(searched.get());
      const std::size_t steps = kLeastSteps + kStepsOfKibibyte * (text.size() >> 10);
      matcher->setTimeLimit(static_cast<std::int32_t>(std::min<std::size_t>(steps, 1 << 30)), status);
      matcher->setStackLimit(kMostStack, status);
    }
    while (U_SUCCESS(status) != 0 && matcher->find(status) != 0) {
      const auto begin = static_cast<std::size_t>(matcher->start64(status)),
                 end = static_cast<std::size_t>(matcher->end64(status));
      if (U_SUCCESS(status) != 0 && begin < end) spans.push_back({begin, end});
    }
    if (U_FAILURE(status) != 0) {
      throw UsageError(
          "`keep` '{}' takes too much time or memory for this text (ICU says {}); use a simpler one", name,
          u_errorName(status));
    }
  }
};

KeepRules::KeepRules(const std::vector<std::string>& rules) {
  if (rules.size() > kMostRules)
    throw UsageError("`keep` has {} rules: name {} or fewer", rules.size(), kMostRules);
  for (const std::string& rule : rules) {
    if (rule.empty()) throw UsageError("a rule of `keep` is empty; leave it out");
    if (rule.size() > kLongestRule)
      throw UsageError("a rule of `keep` has {} bytes, more than {}; shorten it", rule.size(), kLongestRule);
    std::vector<std::string_view> expressions = presets_in(rule);
    if (expressions.empty()) {
      expressions = {rule};
      are_presets_ = false;
    }
    for (const std::string_view expression : expressions)
      rules_.push_back({rule, compiled(expression, rule)});
  }
}

KeepRules::~KeepRules() = default;

std::vector<KeepRules::Span> KeepRules::operator()(std::string_view text) const {
  std::vector<Span> all, chosen;
  for (const Rule& rule : rules_) rule.find(text, all);
  std::ranges::sort(all, [](const Span& one, const Span& other) {
    return one.begin != other.begin ? one.begin < other.begin : one.end > other.end;
  });
  for (const Span& span : all) {
    if (chosen.empty() || span.begin >= chosen.back().end) chosen.push_back(span);
  }
  return chosen;
}

std::string with_stand_ins(std::string_view text, const KeepRules& rules, KeptParts& parts) {
  std::string replaced;
  std::size_t taken = 0;
  for (const auto& [begin, end] : rules(text)) {
    replaced += text.substr(taken, begin - taken);
    replaced += parts.add(std::string(text.substr(begin, end - begin)), replaced);
    if (parts.separate(text.substr(end))) replaced += ' ';
    taken = end;
  }
  return replaced.append(text.substr(taken));
}

}  // namespace nmt
