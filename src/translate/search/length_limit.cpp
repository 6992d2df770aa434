#include "translate/search/length_limit.h"

#include <algorithm>
#include <limits>

#include "common/text/number.h"
#include "common/text/utf8.h"
#include "data/text/text_parts.h"
#include "translate/search/sentence_rules.h"

namespace nmt {

LengthLimit::LengthLimit(std::optional<std::int64_t> max_length, const Ensemble& ensemble) {
  const std::int64_t asked = max_length.value_or(kUsualMaxLength);
  const std::int64_t of_models = max_positions(ensemble).value_or(std::numeric_limits<std::int64_t>::max()) -
                                 most_special_tokens(ensemble[0].model->source_special_tokens());
  most_ = std::min(asked, of_models);
  most_in_one_part_ = max_length ? most_ : std::min(most_, trained_length(ensemble).value_or(most_));
  is_of_models_ = of_models < asked;
}

bool LengthLimit::truncate(std::vector<int>& side) const {
  if (std::ssize(side) <= most_) return false;
  side.resize(static_cast<std::size_t>(most_));
  return true;
}

std::string_view LengthLimit::beginning_of(std::string_view text) const {
  return nmt::beginning_of(text, most_bytes(most_));
}

std::optional<std::int64_t> LengthLimit::truncate(Example& example, bool is_beginning) const {
  const auto tokens = static_cast<std::int64_t>(std::max(example.source.size(), example.target.size()));
  const bool source = truncate(example.source), target = truncate(example.target);
  if (is_beginning) return 0;
  return source || target ? std::optional(tokens) : std::nullopt;
}

std::string LengthLimit::length_text(std::int64_t tokens) const {
  return tokens > 0 ? fmt::format("{}", tokens) : fmt::format("more than {} KiB", most_bytes(most_) >> 10);
}

std::exception_ptr LengthLimit::refusal(std::int64_t tokens) const {
  return std::make_exception_ptr(
      SentenceError("it has {}{}, but the limit is {}; shorten it, or set `too_long` to split",
                    length_text(tokens), tokens > 0 ? " tokens" : "", count_of(most_, "token")));
}

std::string LengthLimit::warning_of(std::int64_t lines, std::int64_t first_line, std::int64_t tokens) const {
  return fmt::format("{} truncated to the first {}, beginning with line {}, which has {}; {}",
                     count_of(lines, "line"), count_of(most_, "token"), first_line, length_text(tokens),
                     is_of_models_ ? "the model takes no more" : "`max_length` takes more");
}

void TruncatedLines::note(std::int64_t line, std::optional<std::int64_t> tokens) {
  if (!tokens || (lines_++ > 0 && line > first_line_)) return;
  first_line_ = line;
  first_tokens_ = *tokens;
}

void TruncatedLines::warn(const LengthLimit& limit, Log& log) {
  if (lines_ > 0) log.warning("{}", limit.warning_of(lines_, first_line_, first_tokens_));
  lines_ = 0;
}

}  // namespace nmt
