// Limits the length of sentences.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <exception>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "common/log/log.h"
#include "common/text/named.h"
#include "translate/search/ensemble.h"

namespace nmt {

/// The default maximum number of tokens of a sentence, without EOS.
constexpr std::int64_t kUsualMaxLength = 1024;

/// The treatment of a sentence that is too long.
enum class TooLong : std::uint8_t {
  split,     // translate it in parts, if possible; see TextDivider
  truncate,  // leave out its end
  refuse     // fail
};

template <>
struct Names<TooLong> {
  static constexpr std::array<Named<TooLong>, 3> kAll = {
      {{TooLong::split, "split"}, {TooLong::truncate, "truncate"}, {TooLong::refuse, "refuse"}}};
};

/// Truncates sentences that are too long.
class LengthLimit {
 public:
  /// Limits each side to `max_length` tokens (default: kUsualMaxLength), or fewer if the models have fewer
  /// positions. EOS is not counted.
  LengthLimit(std::optional<std::int64_t> max_length, const Ensemble& ensemble);

  /// The maximum number of tokens of a side.
  std::int64_t most() const { return most_; }
  /// The maximum number of tokens of a text that could be divided but is not. This is most(), or without
  /// `max_length` the length of the sentences that the models were trained with, if that is less.
  std::int64_t most_in_one_part() const { return most_in_one_part_; }
  /// Returns the part of a text that is to be encoded: all of it, unless it has too many bytes (see
  /// most_bytes).
  std::string_view beginning_of(std::string_view text) const;
  /// Truncates both sides of an example. `is_beginning`: one side is already the beginning of a longer text.
  /// If something was cut, returns the number of tokens of the longer side, or 0 if not all of its tokens
  /// were counted.
  std::optional<std::int64_t> truncate(Example& example, bool is_beginning) const;
  /// Returns the SentenceError for a sentence with this many tokens, which is too long (0: not all tokens
  /// were counted).
  std::exception_ptr refusal(std::int64_t tokens) const;
  /// Returns the warning that lines were truncated. The warning has their number, the number of the first
  /// one, and the tokens of the first one (0: not all were counted).
  std::string warning_of(std::int64_t lines, std::int64_t first_line, std::int64_t tokens) const;

 private:
  /// Describes a number of tokens in words; 0: not all tokens were counted.
  std::string length_text(std::int64_t tokens) const;
  /// Truncates one side; returns whether it was too long.
  bool truncate(std::vector<int>& side) const;

  std::int64_t most_, most_in_one_part_;
  bool is_of_models_;
};

/// Counts the lines of a text that are truncated, for one warning.
class TruncatedLines {
 public:
  /// Counts this line if it was truncated: `tokens` as LengthLimit::truncate() returns it. Lines come in any
  /// order.
  void note(std::int64_t line, std::optional<std::int64_t> tokens);
  /// Logs a warning of the lines counted since the last warning, if there are any.
  void warn(const LengthLimit& limit, Log& log);

 private:
  std::int64_t lines_ = 0, first_line_ = 0;
  std::int64_t first_tokens_ = 0;  // 0: not all tokens were counted
};

}  // namespace nmt
