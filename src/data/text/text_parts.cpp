#include "data/text/text_parts.h"

#include <unicode/brkiter.h>
#include <unicode/utext.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <optional>

#include "common/error.h"
#include "data/sentences/characters.h"
#include "data/text/sentences.h"
#include "data/text/white_space.h"

namespace nmt {
namespace {

using sentences::Character;

/// Maximum distance of the end of a part from the place that would make parts equal, in lengths of a part:
/// first near, then far.
constexpr double kReaches[] = {0.3, 0.95};
/// Expected fill of parts, so that parts of a text with uneven tokens still fit.
constexpr double kFullness = 0.8;

/// On average, text has a place for a line break at least every kLongestWords bytes. Data with fewer, such as
/// encoded data, is not text of any language: its parts need no context, and they have at most
/// kMostTokensWithoutWords tokens, since the time of a part grows with the square of its length.
constexpr std::size_t kLongestWords = 40;
constexpr std::int64_t kMostTokensWithoutWords = 128;

/// Costs of places relative to the end of a sentence, in lengths of a part.
constexpr double kAfterClause = 0.03, kAfterComma = 0.06, kAtSpace = 0.2, kBetweenWords = 0.4;

bool ends_clause(UChar32 character) {
  return character == ';' || character == ':' || character == U'；' || character == U'：' ||
         character == U'؛' || character == U'·' || character == U'…' || sentences::is_dash(character) ||
         sentences::is_stop(character);
}

bool is_comma(UChar32 character) {
  return character == ',' || character == U'，' || character == U'、' || character == U'،' ||
         character == U'၊';
}

struct CloseText {
  void operator()(UText* text) const { utext_close(text); }
};

/// Calls take(place) for the places within a text, not at its ends, where a line may be divided.
template <class Take>
void each_line_break(std::string_view text, Take take) {
  UErrorCode status = U_ZERO_ERROR;
  const std::unique_ptr<UText, CloseText> opened(
      utext_openUTF8(nullptr, text.data(), static_cast<std::int64_t>(text.size()), &status));
  const std::unique_ptr<icu::BreakIterator> breaks(
      icu::BreakIterator::createLineInstance(icu::Locale::getRoot(), status));
  if (U_SUCCESS(status)) breaks->setText(opened.get(), status);
  if (U_FAILURE(status)) throw Error("cannot divide a text: ICU says {}", u_errorName(status));
  breaks->first();
  for (std::int32_t place = breaks->next();
       place != icu::BreakIterator::DONE && static_cast<std::size_t>(place) < text.size();
       place = breaks->next())
    take(static_cast<std::size_t>(place));
}

bool has_words(std::string_view text) {
  std::size_t breaks = 0;
  each_line_break(text, [&](std::size_t) { ++breaks; });
  return text.size() <= kLongestWords * (breaks + 1);
}

class TextParts {
 public:
  TextParts(std::string_view text, std::int64_t most, std::size_t countable,
            const std::function<std::int64_t(std::string_view)>& tokens)
      : text_(text), most_(most), countable_(countable), tokens_(tokens) {
    for (const std::string_view sentence : SentenceSplitter()(text))
      ends_.push_back(static_cast<std::size_t>(sentence.data() + sentence.size() - text.data()));
  }

  std::vector<std::string_view> take() {
    divide(0, text_.size());
    return std::move(parts_);
  }

 private:
  /// Returns how many parts a text needs: 1 if it fits.
  std::int64_t count(std::string_view part) const {
    if (part.size() > countable_) return static_cast<std::int64_t>(part.size() / (countable_ / 2)) + 1;
    const std::int64_t tokens = tokens_(part);
    const std::int64_t most = has_words(part) ? most_ : std::min(most_, kMostTokensWithoutWords);
    if (tokens <= most) return 1;
    return static_cast<std::int64_t>(
        std::ceil(static_cast<double>(tokens) / (kFullness * static_cast<double>(most))));
  }

  void divide(std::size_t begin, std::size_t end) {
    const std::string_view part = without_outer_space(text_.substr(begin, end - begin));
    if (part.empty()) return;
    begin = static_cast<std::size_t>(part.data() - text_.data());
    end = begin + part.size();
    const std::int64_t parts = count(part);
    const std::optional<std::size_t> middle = parts > 1 ? place_to_divide(begin, end, parts) : std::nullopt;
    if (!middle) return parts_.push_back(part);
    divide(begin, *middle);
    divide(*middle, end);
  }

  /// Returns where half of `parts` parts, rounded down, end; nothing within a single character.
  std::optional<std::size_t> place_to_divide(std::size_t begin, std::size_t end, std::int64_t parts) {
    const double part = static_cast<double>(end - begin) / static_cast<double>(parts);
    const double wanted = static_cast<double>(begin) + part * static_cast<double>(parts / 2);
    for (const double reach : kReaches) {
      const auto first =
                     static_cast<std::size_t>(std::max(wanted - reach * part, static_cast<double>(begin))),
                 last = static_cast<std::size_t>(std::min(wanted + reach * part, static_cast<double>(end)));
      if (const auto best = best_place(begin, end, begin_of_character(first), last, wanted, part))
        return best;
    }
    return character_near(begin, end, static_cast<std::size_t>(wanted));
  }

  /// Returns the best place to divide from `first` to `last`; nothing if no place is possible.
  std::optional<std::size_t> best_place(std::size_t begin, std::size_t end, std::size_t first,
                                        std::size_t last, double wanted, double part) const {
    std::optional<std::size_t> best;
    double least = std::numeric_limits<double>::infinity();
    // The character after the last place decides whether that is a possible place.
    std::size_t after = std::min(last + 1, end);
    while (after < end && begin_of_character(after) != after) ++after;
    each_line_break(text_.substr(first, after - first), [&](std::size_t place) {
      place += first;
      const double cost = std::abs(static_cast<double>(place) - wanted) / part + cost_of(begin, place);
      if (place > last || cost >= least) return;
      least = cost;
      best = place;
    });
    return best;
  }

  /// Returns the beginning of the character that contains `place`.
  std::size_t begin_of_character(std::size_t place) const {
    while (place > 0 && place < text_.size() && (static_cast<unsigned char>(text_[place]) & 0xC0U) == 0x80U)
      --place;
    return place;
  }

  /// Returns the cost of a place by its kind.
  double cost_of(std::size_t begin, std::size_t place) const {
    const std::string_view before = without_outer_space(text_.substr(begin, place - begin));
    const std::size_t end = static_cast<std::size_t>(before.data() - text_.data()) + before.size();
    if (std::ranges::binary_search(ends_, end)) return 0;
    Character last = sentences::character_before(text_, end);
    for (std::size_t mark = end; mark > begin && sentences::is_closing(last.value);
         last = sentences::character_before(text_, mark))
      mark -= last.size;
    if (last.value == '.') return kBetweenWords;  // of an abbreviation
    if (ends_clause(last.value)) return kAfterClause;
    if (is_comma(last.value)) return kAfterComma;
    return end < place ? kAtSpace : kBetweenWords;
  }

  /// Returns the beginning of the first character from `place` on that does not combine with the one before
  /// it, or else of the last such character before.
  std::optional<std::size_t> character_near(std::size_t begin, std::size_t end, std::size_t place) const {
    const auto begins = [&](std::size_t at) {
      return (static_cast<unsigned char>(text_[at]) & 0xC0U) != 0x80U &&
             !sentences::is_mark(sentences::character_at(text_, at).value);
    };
    for (std::size_t at = std::max(place, begin + 1); at < end; ++at) {
      if (begins(at)) return at;
    }
    for (std::size_t at = std::clamp(place, begin + 1, end) - 1; at > begin; --at) {
      if (begins(at)) return at;
    }
    return std::nullopt;
  }

  std::string_view text_;
  std::int64_t most_;
  std::size_t countable_;
  const std::function<std::int64_t(std::string_view)>& tokens_;
  std::vector<std::size_t> ends_;  // of sentences
  std::vector<std::string_view> parts_;
};

}  // namespace

std::vector<std::string_view> parts_of_text(std::string_view text, std::int64_t most, std::size_t countable,
                                            const std::function<std::int64_t(std::string_view)>& tokens) {
  text = without_outer_space(text);
  if (text.size() <= countable && tokens(text) <= most) return {text};
  return TextParts(text, most, countable, tokens).take();
}

}  // namespace nmt
