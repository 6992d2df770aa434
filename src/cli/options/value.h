// The types of the values of options: how they are read, shown and completed.
#pragma once

#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <concepts>
#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "common/text/named.h"
#include "common/text/number.h"
#include "data/language/expected_languages.h"
#include "nn/weights/low_rank_settings.h"
#include "train/interval.h"

namespace nmt {

/// A number of bytes as the value of a setting.
struct ByteSize {
  std::uintmax_t bytes = 0;

  bool operator==(const ByteSize&) const = default;
};

/// Parses "4G", "500M", "64K" or "1.5 GiB" (powers of 1024), or a plain number of bytes. Returns nothing for
/// any other text, and for 0.
std::optional<ByteSize> parse_byte_size(std::string_view text);

/// Returns the shortest text from which parse_byte_size() reads this size.
std::string format_byte_size(ByteSize size);

/// The result of parsing a text.
enum class Reading { good, malformed, out_of_range };

/// Inclusive limits of a value's magnitude.
struct ValueLimits {
  double least = -std::numeric_limits<double>::infinity();
  double most = std::numeric_limits<double>::infinity();

  bool contain(double magnitude) const { return least <= magnitude && magnitude <= most; }
};

/// Reads and writes values of type T. read() parses a value, and write() returns the shortest text that reads
/// back to the same value. kKind completes "expected ...", and kType is the type's name for other programs
/// (--help=json). magnitude() is the number that limits apply to.
template <class T>
struct ValueType;

template <class T>
concept Number = std::is_arithmetic_v<T> && !std::same_as<T, bool>;

template <Number T>
struct ValueType<T> {
  static constexpr std::string_view kKind = std::is_integral_v<T> ? "a whole number" : "a number";
  static constexpr std::string_view kType = std::is_integral_v<T> ? "integer" : "number";

  static Reading read(std::string_view text, T& value) {
    const Reading reading = read_plain(text, value);
    if (reading != Reading::malformed || !std::is_integral_v<T>) return reading;
    if (const std::optional<std::string> digits = digits_of(text)) return read_plain(*digits, value);
    return read_whole(text, value);
  }
  /// A whole number that is written as 4.0 or 1e3; but 25.000 may stand for 25 or 25000.
  static Reading read_whole(std::string_view text, T& value) {
    constexpr double kMostExact = 9007199254740992;  // up to which a double has all whole numbers
    if (!without_dots(text).empty()) return Reading::malformed;
    double number = 0;
    if (ValueType<double>::read_plain(text, number) != Reading::good || number != std::trunc(number))
      return Reading::malformed;
    const bool is_negative = std::is_unsigned_v<T> && number < 0;
    if (is_negative || std::abs(number) > kMostExact ||
        number > static_cast<double>(std::numeric_limits<T>::max()) ||
        number < static_cast<double>(std::numeric_limits<T>::lowest()))
      return Reading::out_of_range;
    value = static_cast<T>(number);
    return Reading::good;
  }
  static Reading read_plain(std::string_view text, T& value) {
    const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (code == std::errc::invalid_argument || end != text.data() + text.size()) return Reading::malformed;
    if (code == std::errc::result_out_of_range) return Reading::out_of_range;
    return std::isfinite(static_cast<double>(value)) ? Reading::good : Reading::malformed;
  }
  static std::string write(T value) { return fmt::format("{}", value); }
  static double magnitude(T value) { return static_cast<double>(value); }
};

template <>
struct ValueType<bool> {
  static constexpr std::string_view kKind = "true or false";
  static constexpr std::string_view kType = "boolean";

  static Reading read(std::string_view text, bool& value) {
    std::string word(text);
    for (char& c : word) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
    value = word == "true" || word == "yes" || word == "on" || word == "1";
    const bool is_false = word == "false" || word == "no" || word == "off" || word == "0";
    return value || is_false ? Reading::good : Reading::malformed;
  }
  static std::string write(bool value) { return value ? "true" : "false"; }
  static double magnitude(bool value) { return value ? 1 : 0; }
};

template <>
struct ValueType<std::string> {
  static constexpr std::string_view kKind = "a text";
  static constexpr std::string_view kType = "string";

  static Reading read(std::string_view text, std::string& value) {
    value = text;
    return Reading::good;
  }
  static std::string write(const std::string& value) { return value; }
  static double magnitude(const std::string&) { return 0; }
};

template <>
struct ValueType<Interval> {
  static constexpr std::string_view kKind =
      "an interval such as 5000 (updates), 1e (epochs), 90s (seconds), 10m (minutes), 8h (hours), 1h30m or "
      "2Mt (target tokens)";
  static constexpr std::string_view kType = "interval";

  static Reading read(std::string_view text, Interval& value) {
    const std::optional<Interval> interval = parse_interval(text);
    value = interval.value_or(Interval{});
    return interval ? Reading::good : Reading::malformed;
  }
  static std::string write(const Interval& value) { return format_interval(value); }
  static double magnitude(const Interval& value) { return value.amount; }
};

template <>
struct ValueType<TimeLimit> {
  static constexpr std::string_view kKind =
      "a time such as 90s (seconds), 10m (minutes), 8h (hours) or 1h30m";
  static constexpr std::string_view kType = "time";

  static Reading read(std::string_view text, TimeLimit& value) {
    const std::optional<TimeLimit> limit = parse_time_limit(text);
    value = limit.value_or(TimeLimit{});
    return limit ? Reading::good : Reading::malformed;
  }
  static std::string write(const TimeLimit& value) { return format_time_limit(value); }
  static double magnitude(const TimeLimit& value) { return value.minutes; }
};

template <>
struct ValueType<ByteSize> {
  static constexpr std::string_view kKind = "a size such as 4G, 500M or 64K (powers of 1024), or bytes";
  static constexpr std::string_view kType = "size";

  static Reading read(std::string_view text, ByteSize& value) {
    const std::optional<ByteSize> size = parse_byte_size(text);
    value = size.value_or(ByteSize{});
    return size ? Reading::good : Reading::malformed;
  }
  static std::string write(ByteSize value) { return format_byte_size(value); }
  static double magnitude(ByteSize value) { return static_cast<double>(value.bytes); }
};

template <>
struct ValueType<LowRankSettings> {
  static constexpr std::string_view kKind =
      "rank=R or rank=R,alpha=A, with positive numbers up to 1e6, such as rank=16,alpha=32";
  static constexpr std::string_view kType = "string";

  static Reading read(std::string_view text, LowRankSettings& value) {
    const std::optional<LowRankSettings> settings = parse_low_rank(text);
    value = settings.value_or(LowRankSettings{});
    return settings ? Reading::good : Reading::malformed;
  }
  static std::string write(const LowRankSettings& value) { return format_low_rank(value); }
  static double magnitude(const LowRankSettings& value) { return static_cast<double>(value.rank); }
};

template <>
struct ValueType<ExpectedLanguages> {
  static constexpr std::string_view kKind =
      "languages that nmt can identify, such as en,de for source and target, or de for the target";
  static constexpr std::string_view kType = "string";

  static Reading read(std::string_view text, ExpectedLanguages& value) {
    const std::optional<ExpectedLanguages> languages = ExpectedLanguages::parse(text);
    value = languages.value_or(ExpectedLanguages());
    return languages ? Reading::good : Reading::malformed;
  }
  static std::string write(const ExpectedLanguages& value) { return value.text(); }
  static double magnitude(const ExpectedLanguages& /*value*/) { return 0; }
};

/// The names of the enum values are the choices; see Option.
template <HasNames E>
struct ValueType<E> {
  static constexpr std::string_view kKind = "a name";
  static constexpr std::string_view kType = "string";

  static Reading read(std::string_view text, E& value) {
    const std::optional<E> named = value_named<E>(text);
    value = named.value_or(E{});
    return named ? Reading::good : Reading::malformed;
  }
  static std::string write(E value) { return std::string(name_of(value)); }
  static double magnitude(E) { return 0; }
};

/// The structure of a setting: one value, an optional value, or a list of values.
template <class T>
struct Holding {
  using Element = T;
  static constexpr bool kIsList = false;

  static void put(T& target, T value) { target = std::move(value); }
  static std::vector<T> elements(const T& target) { return {target}; }
};

template <class T>
struct Holding<std::optional<T>> {
  using Element = T;
  static constexpr bool kIsList = false;

  static void put(std::optional<T>& target, T value) { target = std::move(value); }
  static std::vector<T> elements(const std::optional<T>& target) {
    return target ? std::vector<T>{*target} : std::vector<T>{};
  }
};

template <class T>
struct Holding<std::vector<T>> {
  using Element = T;
  static constexpr bool kIsList = true;

  static void put(std::vector<T>& target, T value) { target.push_back(std::move(value)); }
  static std::vector<T> elements(const std::vector<T>& target) { return target; }
};

/// The variable of a setting, with its type erased.
struct Binding {
  /// Parses a text and returns the result. If it is valid and `keep` is set, sets the variable or appends to
  /// its list.
  std::function<Reading(const std::string& text, const ValueLimits& limits, bool keep)> read;
  /// Empties a list.
  std::function<void()> clear;
  /// Returns the values as texts: one, none for an unset optional, or the elements of a list.
  std::function<std::vector<std::string>()> texts;
};

template <class T>
Binding bind(T& target) {
  using Element = typename Holding<T>::Element;
  Binding binding;
  binding.read = [&target](const std::string& text, const ValueLimits& limits, bool keep) {
    Element value{};
    const Reading reading = ValueType<Element>::read(text, value);
    if (reading != Reading::good) return reading;
    if (!limits.contain(ValueType<Element>::magnitude(value))) return Reading::out_of_range;
    if (keep) Holding<T>::put(target, std::move(value));
    return Reading::good;
  };
  binding.clear = [&] {  // of a list only
    if constexpr (Holding<T>::kIsList) target.clear();
  };
  binding.texts = [&target] {
    std::vector<std::string> texts;
    for (const auto& value : Holding<T>::elements(target)) texts.push_back(ValueType<Element>::write(value));
    return texts;
  };
  return binding;
}

/// A range of lines, counted from 1; both ends are included.
struct LineRange {
  std::int64_t first = 1, last = 1;
};

/// Parses "7" or "3-9". Throws UsageError, which calls the setting `origin`.
LineRange parse_line_range(const std::string& text, const std::string& origin);

/// A file with an optional ratio: "a.nmtc", or "a.nmtc:3". A number after the last colon is the ratio.
struct MixedFile {
  std::string path;
  std::optional<double> ratio;
};

template <>
struct ValueType<MixedFile> {
  static constexpr std::string_view kKind = "a file, perhaps with a ratio above 0 (train.nmtc:3)";
  static constexpr std::string_view kType = "file";

  static Reading read(std::string_view text, MixedFile& value) {
    value = {.path = std::string(text), .ratio = std::nullopt};
    const std::size_t colon = text.rfind(':');
    double ratio = 0;
    if (colon == std::string_view::npos ||
        ValueType<double>::read(text.substr(colon + 1), ratio) == Reading::malformed) {
      return Reading::good;
    }
    if (!(ratio > 0)) return Reading::out_of_range;
    value = {.path = std::string(text.substr(0, colon)), .ratio = ratio};
    return value.path.empty() ? Reading::malformed : Reading::good;
  }
  static std::string write(const MixedFile& value) {
    return value.ratio ? fmt::format("{}:{}", value.path, *value.ratio) : value.path;
  }
  static double magnitude(const MixedFile& /*value*/) { return 0; }
};

/// Returns values that an invalid text may stand for, the likeliest first: "2Mt" for "2M", "0.1" for "0,1",
/// "5" for "5x". No digit is left out.
std::vector<std::string> likely_meant(const std::string& text);

}  // namespace nmt
