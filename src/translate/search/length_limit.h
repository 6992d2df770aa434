// Sentences of more tokens than are taken.
#pragma once

#include <array>
#include <cstdint>
#include <exception>
#include <optional>
#include <string_view>
#include <vector>

#include "common/log/log.h"
#include "common/text/named.h"
#include "translate/search/ensemble.h"

namespace nmt {

/// Tokens of a sentence that are taken where nothing else is asked for, its EOS not counted.
constexpr std::int64_t kUsualMaxLength = 1024;

/// What becomes of a sentence that is too long.
enum class TooLong : std::uint8_t {
  split,     // it is translated in parts, where that is possible; see TextDivider
  truncate,  // its end is left out
  refuse     // it fails
};

template <>
struct Names<TooLong> {
  static constexpr std::array<Named<TooLong>, 3> kAll = {
      {{TooLong::split, "split"}, {TooLong::truncate, "truncate"}, {TooLong::refuse, "refuse"}}};
};

/// Truncates sentences that are too long, and tells of them in one warning.
class LengthLimit {
 public:
  /// Takes sides of `max_length` tokens (none: kUsualMaxLength), or fewer where the models have positions for
  /// no more. EOS is not counted.
  LengthLimit(std::optional<std::int64_t> max_length, const Ensemble& ensemble);

  /// The most tokens of a side.
  std::int64_t most() const { return most_; }
  /// The most tokens of a text that is not divided although it could be: most(), or, where no `max_length`
  /// was given, as many as sentences had in the training of the models, if that is less.
  std::int64_t most_in_one_part() const { return most_in_one_part_; }
  /// What is to be encoded of a text: all of it, unless it is too long by its bytes (see most_bytes).
  std::string_view beginning_of(std::string_view text) const;
  /// Cuts both sides to as many tokens as are taken. `is_beginning`: one side is the beginning of a longer
  /// text. Where something was cut, returns how many tokens the longer side had; 0: more than were counted.
  std::optional<std::int64_t> truncate(Example& example, bool is_beginning) const;
  /// The SentenceError for a sentence of so many tokens, which are too many (0: more than were counted).
  std::exception_ptr refusal(std::int64_t tokens) const;
  /// The same as truncate(), for what stands in this line, of which warn() tells.
  void truncate(Example& example, std::int64_t line, bool is_beginning);
  /// This line, of so many tokens (0: more than were counted), was cut.
  void note(std::int64_t line, std::int64_t tokens);
  /// Warns of the lines that were cut since the last warning, if there are any.
  void warn(Log& log);

 private:
  /// So many tokens in words; 0: more than were counted.
  std::string length_text(std::int64_t tokens) const;
  /// Whether it was too long.
  bool truncate(std::vector<int>& side) const;

  std::int64_t most_, most_in_one_part_;
  bool is_of_models_;
  std::int64_t lines_ = 0, first_line_ = 0;
  std::int64_t first_tokens_ = 0;  // 0: more than were counted
};

}  // namespace nmt
