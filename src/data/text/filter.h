// Selects pairs of sentences for training.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "common/text/named.h"
#include "data/example.h"
#include "data/language/expected_languages.h"

namespace nmt {

/// The filters, in the order in which they apply.
enum class PairFilter : std::uint8_t {
  empty,
  too_long,
  too_short,
  uneven,
  uneven_characters,
  identical,
  copied,
  few_letters,
  numbers,
  script,
  language,
  duplicate,
  near_duplicate,
  quality,
};
/// Names of the counts of dropped pairs.
template <>
struct Names<PairFilter> {
  static constexpr std::array<Named<PairFilter>, 14> kAll = {
      {{PairFilter::empty, "empty"},
       {PairFilter::too_long, "too_long"},
       {PairFilter::too_short, "too_short"},
       {PairFilter::uneven, "uneven"},
       {PairFilter::uneven_characters, "uneven_characters"},
       {PairFilter::identical, "identical"},
       {PairFilter::copied, "copied"},
       {PairFilter::few_letters, "few_letters"},
       {PairFilter::numbers, "other_numbers"},
       {PairFilter::script, "other_script"},
       {PairFilter::language, "other_language"},
       {PairFilter::duplicate, "duplicate"},
       {PairFilter::near_duplicate, "near_duplicate"},
       {PairFilter::quality, "low_quality"}}};
};

/// The settings of the filters; filter_table() describes them. Without a change, only max_length has an
/// effect. A pair with an empty side is always dropped.
struct Filter {
  std::int64_t max_length = 256;  // in tokens, without EOS; see also most_bytes()
  std::int64_t min_length = 1;    // in tokens
  double max_ratio = 0, max_character_ratio = 0;
  bool drop_identical = false;
  double min_letters = 0;
  double max_copied = 1;
  bool match_numbers = false;
  std::optional<ExpectedLanguages> languages = {};
  double min_script = 0;
  double min_language = 0.1;
  bool drop_duplicates = false, drop_near_duplicates = false;
  std::optional<double> min_quality = {};
  bool has_source = true;  // if false, only targets count, for a language model
};

/// Returns the limits of tokens alone, for pairs whose text has passed a filter.
Filter token_limits(const Filter& filter);

/// A pair that filters examine.
struct FilteredPair {
  const Example& example;                     // ids of both sides, without EOS
  std::string_view source = {}, target = {};  // the texts, without language tokens
};

/// Why a pair is dropped.
struct Drop {
  PairFilter filter;
  std::optional<double> value = {};  // what the filter measured, if it did
};

/// A setting of Filter; none: the filter always applies.
using FilterSetting = std::variant<std::monostate, std::int64_t Filter::*, double Filter::*, bool Filter::*,
                                   std::optional<double> Filter::*>;

/// The information that a filter needs: the pair alone; or earlier pairs or a model, which only nmt batch
/// has.
enum class FilterScope : std::uint8_t { pair, corpus };

/// A filter with its setting.
struct FilterRow {
  PairFilter filter;
  const char* option = nullptr;  // the name of the setting; null: there is none
  FilterSetting setting = {};
  double off = 0, least = 0, most = 1;  // the value with which the filter drops nothing; the range
  const char *value_name = "", *help = "";
  FilterScope scope = FilterScope::pair;
  bool compares = false;         // whether it compares the sides; then it drops no targets alone
  bool needs_languages = false;  // whether it has no effect without Filter::languages
  /// Completes "12 pairs ...": "longer than 256 tokens".
  std::string (*reason)(const Filter& filter, std::int64_t count);
  /// Returns the measured value of a pair that the filter drops; nothing for other pairs. Null in scope
  /// `corpus`.
  std::optional<double> (*drops)(const FilteredPair& pair, const Filter& filter) = nullptr;

  /// Whether pairs may be dropped with these settings.
  bool applies(const Filter& settings) const;
  /// Returns the value of the setting: "256", "en,de: 0.5"; empty for a switch, or without a setting.
  std::string value(const Filter& settings) const;
};

/// Returns all filters in the order in which they apply.
std::span<const FilterRow> filter_table();
const FilterRow& row_of(PairFilter filter);

/// Returns why a pair is dropped: the first filter of the pair alone that drops it; nothing: it is kept.
std::optional<Drop> drop_of(const FilteredPair& pair, const Filter& filter);

/// Counts of dropped pairs, by the first filter that drops them.
class Dropped {
 public:
  std::int64_t& operator[](PairFilter filter) { return counts_.at(static_cast<std::size_t>(filter)); }
  std::int64_t operator[](PairFilter filter) const { return counts_.at(static_cast<std::size_t>(filter)); }
  std::int64_t total() const;
  Dropped& operator+=(const Dropped& other);

 private:
  std::array<std::int64_t, Names<PairFilter>::kAll.size()> counts_{};
};

/// Describes dropped pairs: "3 with an empty side, 12 longer than 256 tokens", or an empty string.
std::string description(const Dropped& dropped, const Filter& filter);

/// A filter in a report.
struct FilterCount {
  PairFilter filter;
  std::string setting;  // FilterRow::value()
  std::int64_t dropped;

  bool operator==(const FilterCount&) const = default;
};

/// Returns the name of a filter in reports: that of its setting.
std::string_view name_in_report(PairFilter filter);
/// Returns the filters that apply, or that have dropped pairs.
std::vector<FilterCount> filter_counts(const Dropped& dropped, const Filter& filter);
/// Returns a table: name and setting of each filter, the number of dropped pairs, and their share of `pairs`,
/// the number of pairs that were read.
std::string filter_report(const std::vector<FilterCount>& counts, std::int64_t pairs);

}  // namespace nmt
