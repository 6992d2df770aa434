#include "data/text/filter.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <functional>
#include <numeric>
#include <type_traits>

#include "common/text/number.h"
#include "common/text/utf8.h"
#include "data/text/text_measures.h"

namespace nmt {
namespace {

constexpr double kMany = 1e15;

std::optional<double> if_above(double value, double limit) {
  return value > limit ? std::optional(value) : std::nullopt;
}

std::optional<double> if_below(double value, double limit) {
  return value < limit ? std::optional(value) : std::nullopt;
}

std::int64_t longer_side(const FilteredPair& pair) {
  return std::max(std::ssize(pair.example.source), std::ssize(pair.example.target));
}

std::int64_t shorter_side(const FilteredPair& pair, const Filter& filter) {
  const std::int64_t target = std::ssize(pair.example.target);
  return filter.has_source ? std::min(std::ssize(pair.example.source), target) : target;
}

/// Returns the ratio of two lengths, at least 1; an empty text counts as one unit.
template <class Size>
double ratio_of(Size a, Size b) {
  const auto [shorter, longer] = std::minmax(std::max(a, Size{1}), std::max(b, Size{1}));
  return static_cast<double>(longer) / static_cast<double>(shorter);
}

/// Returns the least value of the sides.
template <class Measure>
double least_of_sides(const FilteredPair& pair, const Filter& filter, const Measure& measure) {
  const double target = measure(Side::target, pair.target);
  return filter.has_source ? std::min(measure(Side::source, pair.source), target) : target;
}

constexpr std::array kTable = {
    FilterRow{.filter = PairFilter::empty,
              .reason = [](const Filter& filter, std::int64_t /*count*/) -> std::string {
                return filter.has_source ? "with an empty side" : "empty";
              },
              .drops = [](const FilteredPair& pair, const Filter& filter) -> std::optional<double> {
                return if_below(static_cast<double>(shorter_side(pair, filter)), 1);
              }},
    FilterRow{.filter = PairFilter::too_long,
              .option = "max-length",
              .setting = &Filter::max_length,
              .least = 1,
              .most = kMany,
              .value_name = "N",
              .help = "drop pairs longer than N tokens on either side",
              .reason = [](const Filter& filter, std::int64_t /*count*/) -> std::string {
                return "longer than " + count_of(filter.max_length, "token");
              },
              .drops = [](const FilteredPair& pair, const Filter& filter) -> std::optional<double> {
                return if_above(static_cast<double>(longer_side(pair)),
                                static_cast<double>(filter.max_length));
              }},
    FilterRow{.filter = PairFilter::too_short,
              .option = "min-length",
              .setting = &Filter::min_length,
              .off = 1,
              .least = 1,
              .most = kMany,
              .value_name = "N",
              .help = "drop pairs shorter than N tokens on either side",
              .reason = [](const Filter& /*filter*/, std::int64_t /*count*/) -> std::string {
                return "with few tokens";
              },
              .drops = [](const FilteredPair& pair, const Filter& filter) -> std::optional<double> {
                return if_below(static_cast<double>(shorter_side(pair, filter)),
                                static_cast<double>(filter.min_length));
              }},
    FilterRow{.filter = PairFilter::uneven,
              .option = "max-ratio",
              .setting = &Filter::max_ratio,
              .most = kMany,
              .value_name = "X",
              .help = "drop pairs in which one side has more than X times as many tokens as the other. 0 "
                      "allows any ratio.",
              .compares = true,
              .reason = [](const Filter& filter, std::int64_t /*count*/) -> std::string {
                return fmt::format("with sides of a ratio above {}", filter.max_ratio);
              },
              .drops = [](const FilteredPair& pair, const Filter& filter) -> std::optional<double> {
                return if_above(ratio_of(pair.example.source.size(), pair.example.target.size()),
                                filter.max_ratio);
              }},
    FilterRow{.filter = PairFilter::uneven_characters,
              .option = "max-character-ratio",
              .setting = &Filter::max_character_ratio,
              .most = kMany,
              .value_name = "X",
              .help = "drop pairs in which one side has more than X times as many characters as the other. 0 "
                      "allows any ratio.",
              .compares = true,
              .reason = [](const Filter& /*filter*/, std::int64_t /*count*/) -> std::string {
                return "with too many characters on one side";
              },
              .drops = [](const FilteredPair& pair, const Filter& filter) -> std::optional<double> {
                return if_above(ratio_of(characters_in(pair.source), characters_in(pair.target)),
                                filter.max_character_ratio);
              }},
    FilterRow{.filter = PairFilter::identical,
              .option = "drop-identical",
              .setting = &Filter::drop_identical,
              .help = "drop pairs whose two sides are identical",
              .compares = true,
              .reason = [](const Filter& /*filter*/, std::int64_t /*count*/) -> std::string {
                return "with two identical sides";
              },
              .drops = [](const FilteredPair& pair, const Filter& /*filter*/) -> std::optional<double> {
                return pair.source == pair.target ? std::optional(1.0) : std::nullopt;
              }},
    FilterRow{.filter = PairFilter::copied,
              .option = "max-copied",
              .setting = &Filter::max_copied,
              .off = 1,
              .value_name = "X",
              .help =
                  "drop pairs whose sides share more than this part of their words, such as 0.6: text that "
                  "was not translated. Words are runs of letters; case does not count.",
              .compares = true,
              .reason = [](const Filter& /*filter*/, std::int64_t /*count*/) -> std::string {
                return "with copied words";
              },
              .drops = [](const FilteredPair& pair, const Filter& filter) -> std::optional<double> {
                return if_above(copied_share(pair.source, pair.target), filter.max_copied);
              }},
    FilterRow{.filter = PairFilter::few_letters,
              .option = "min-letters",
              .setting = &Filter::min_letters,
              .value_name = "X",
              .help = "drop pairs in which less than this part of the characters of a side are letters, such "
                      "as 0.5. White space does not count.",
              .reason = [](const Filter& /*filter*/, std::int64_t /*count*/) -> std::string {
                return "with few letters";
              },
              .drops = [](const FilteredPair& pair, const Filter& filter) -> std::optional<double> {
                const auto measure = [](Side /*side*/, std::string_view text) { return letter_share(text); };
                return if_below(least_of_sides(pair, filter, measure), filter.min_letters);
              }},
    FilterRow{.filter = PairFilter::numbers,
              .option = "match-numbers",
              .setting = &Filter::match_numbers,
              .help = "drop pairs whose sides do not have the same numbers. Separators of thousands and "
                      "decimals do not count.",
              .compares = true,
              .reason = [](const Filter& /*filter*/, std::int64_t /*count*/) -> std::string {
                return "with other numbers";
              },
              .drops = [](const FilteredPair& pair, const Filter& /*filter*/) -> std::optional<double> {
                return if_above(static_cast<double>(unmatched_numbers(pair.source, pair.target)), 0);
              }},
    FilterRow{.filter = PairFilter::script,
              .option = "min-script",
              .setting = &Filter::min_script,
              .value_name = "X",
              .help = "drop pairs in which less than this part of the letters of a side are in the script of "
                      "its language, such as 0.8",
              .needs_languages = true,
              .reason = [](const Filter& /*filter*/, std::int64_t /*count*/) -> std::string {
                return "in another script";
              },
              .drops = [](const FilteredPair& pair, const Filter& filter) -> std::optional<double> {
                const auto measure = [&](Side side, std::string_view text) {
                  return filter.languages->script_share(side, text);
                };
                return if_below(least_of_sides(pair, filter, measure), filter.min_script);
              }},
    FilterRow{.filter = PairFilter::language,
              .option = "min-language",
              .setting = &Filter::min_language,
              .value_name = "X",
              .help =
                  "drop pairs in which a side is in its language with a lower probability. Sides of fewer "
                  "than five letters are not judged.",
              .needs_languages = true,
              .reason = [](const Filter& /*filter*/, std::int64_t /*count*/) -> std::string {
                return "in another language";
              },
              .drops = [](const FilteredPair& pair, const Filter& filter) -> std::optional<double> {
                const auto measure = [&](Side side, std::string_view text) {
                  return filter.languages->probability(side, text);
                };
                return if_below(least_of_sides(pair, filter, measure), filter.min_language);
              }},
    FilterRow{.filter = PairFilter::duplicate,
              .option = "drop-duplicates",
              .setting = &Filter::drop_duplicates,
              .help = "drop pairs that occurred earlier. This takes 11 to 22 bytes of memory per pair.",
              .scope = FilterScope::corpus,
              .reason = [](const Filter& /*filter*/, std::int64_t count) -> std::string {
                return count == 1 ? "that occurs earlier" : "that occur earlier";
              }},
    FilterRow{.filter = PairFilter::near_duplicate,
              .option = "drop-near-duplicates",
              .setting = &Filter::drop_near_duplicates,
              .help =
                  "drop pairs that differ from an earlier one only in case, digits, punctuation and white "
                  "space. This takes 11 to 22 bytes of memory per pair.",
              .scope = FilterScope::corpus,
              .reason = [](const Filter& /*filter*/, std::int64_t count) -> std::string {
                return count == 1 ? "that resembles an earlier one" : "that resemble earlier ones";
              }},
    FilterRow{.filter = PairFilter::quality,
              .option = "min-quality",
              .setting = &Filter::min_quality,
              .least = -1e6,
              .most = 1e6,
              .value_name = "X",
              .help = "drop pairs of lower quality by that model",
              .scope = FilterScope::corpus,
              .reason = [](const Filter& /*filter*/, std::int64_t /*count*/) -> std::string {
                return "of low quality";
              }}};

}  // namespace

bool FilterRow::applies(const Filter& settings) const {
  if ((compares && !settings.has_source) || (needs_languages && !settings.languages)) return false;
  const auto is_on = [&](const auto& member) {
    if constexpr (std::is_same_v<std::decay_t<decltype(member)>, std::monostate>) {
      return true;
    } else if constexpr (std::is_same_v<std::decay_t<decltype(member)>, std::optional<double> Filter::*>) {
      return (settings.*member).has_value();
    } else {
      return static_cast<double>(settings.*member) != off;
    }
  };
  return std::visit(is_on, setting);
}

std::string FilterRow::value(const Filter& settings) const {
  const auto text = [&](const auto& member) -> std::string {
    using Member = std::decay_t<decltype(member)>;
    if constexpr (std::is_same_v<Member, std::monostate> || std::is_same_v<Member, bool Filter::*>) {
      return "";
    } else if constexpr (std::is_same_v<Member, std::optional<double> Filter::*>) {
      return settings.*member ? fmt::format("{}", *(settings.*member)) : "";
    } else {
      return fmt::format("{}", settings.*member);
    }
  };
  const std::string value = std::visit(text, setting);
  return needs_languages && settings.languages ? settings.languages->text() + ": " + value : value;
}

std::span<const FilterRow> filter_table() {
  return kTable;
}

const FilterRow& row_of(PairFilter filter) {
  return *std::ranges::find(kTable, filter, &FilterRow::filter);
}

Filter token_limits(const Filter& filter) {
  return {.max_length = filter.max_length,
          .min_length = filter.min_length,
          .max_ratio = filter.max_ratio,
          .has_source = filter.has_source};
}

std::optional<Drop> drop_of(const FilteredPair& pair, const Filter& filter) {
  for (const FilterRow& row : kTable) {
    if (row.drops == nullptr || !row.applies(filter)) continue;
    if (const std::optional<double> value = row.drops(pair, filter)) return Drop{row.filter, value};
  }
  return std::nullopt;
}

std::int64_t Dropped::total() const {
  return std::accumulate(counts_.begin(), counts_.end(), std::int64_t{0});
}

Dropped& Dropped::operator+=(const Dropped& other) {
  std::ranges::transform(counts_, other.counts_, counts_.begin(), std::plus());
  return *this;
}

std::string description(const Dropped& dropped, const Filter& filter) {
  std::string text;
  for (const FilterRow& row : kTable) {
    const std::int64_t count = dropped[row.filter];
    if (count > 0) text += fmt::format("{}{} {}", text.empty() ? "" : ", ", count, row.reason(filter, count));
  }
  return text;
}

std::string_view name_in_report(PairFilter filter) {
  const char* const option = row_of(filter).option;
  return option == nullptr ? name_of(filter) : option;
}

std::vector<FilterCount> filter_counts(const Dropped& dropped, const Filter& filter) {
  std::vector<FilterCount> counts;
  for (const FilterRow& row : kTable) {
    if (row.applies(filter) || dropped[row.filter] > 0)
      counts.push_back({row.filter, row.value(filter), dropped[row.filter]});
  }
  return counts;
}

std::string filter_report(const std::vector<FilterCount>& counts, std::int64_t pairs) {
  std::string text =
      fmt::format("{:<20}  {:>12}  {:>13}  {:>8}\n", "filter", "setting", "pairs dropped", "share");
  for (const auto& [filter, setting, dropped] : counts) {
    text += fmt::format("{:<20}  {:>12}  {:>13}  {:6.2f} %\n", name_in_report(filter), setting, dropped,
                        pairs == 0 ? 0 : 100 * static_cast<double>(dropped) / static_cast<double>(pairs));
  }
  return text;
}

}  // namespace nmt
