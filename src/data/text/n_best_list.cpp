#include "data/text/n_best_list.h"

#include <fmt/format.h>

#include "common/error.h"
#include "common/text/number.h"

namespace nmt {
namespace {

constexpr std::string_view kBars = "|||", kEscapedBars = "&#124;&#124;&#124;";

std::string_view trimmed(std::string_view text) {
  const std::size_t begin = text.find_first_not_of(' ');
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(' ') + 1 - begin);
}

bool is_number(std::string_view text) {
  return number_of<double>(text).has_value();
}

/// Returns where the next bars are that have a space or an end of the line on both sides.
std::size_t find_bars(std::string_view line, std::size_t from, std::string_view bars = kBars) {
  for (std::size_t at = line.find(bars, from); at != std::string_view::npos; at = line.find(bars, at + 1)) {
    const std::size_t end = at + bars.size();
    if ((at == 0 || line[at - 1] == ' ') && (end == line.size() || line[end] == ' ')) return at;
  }
  return std::string_view::npos;
}

/// The place of a feature among others, with its value.
struct FeaturePlace {
  std::size_t begin = std::string_view::npos, size = 0;
};

/// Finds the feature of this name; `size` is 0 if there is none. Throws Error if there are several, or if it
/// has several values, such as "F= 1 2".
FeaturePlace find_feature(std::string_view features, std::string_view name) {
  FeaturePlace place;
  int values = 0;
  bool is_within = false;
  for (std::size_t at = 0; at < features.size();) {
    const std::size_t end = std::min(features.find(' ', at), features.size());
    const std::string_view word = features.substr(at, end - at);
    if (const std::size_t equals = word.find('='); equals != std::string_view::npos) {
      const bool is_named = word.substr(0, equals) == name;
      if (is_named && place.size > 0)
        throw Error("two features are called {}; rename one of them in the list", name);
      is_within = is_named;
      if (is_named) place.begin = at;
      if (is_named && equals + 1 < word.size()) ++values;
    } else if (is_within && !word.empty()) {
      ++values;
    }
    if (is_within && !word.empty()) place.size = end - place.begin;
    at = end + 1;
  }
  if (values > 1) throw Error("the feature {} has {} values; rename it in the list", name, values);
  return place;
}

/// Replaces the bars in a text by other bars.
std::string with_bars(std::string text, std::string_view bars, std::string_view others) {
  for (std::size_t at = find_bars(text, 0, bars); at != std::string::npos;
       at = find_bars(text, at + others.size(), bars))
    text.replace(at, bars.size(), others);
  return text;
}

}  // namespace

std::string with_escaped_bars(std::string text) {
  return with_bars(std::move(text), kBars, kEscapedBars);
}

NBestEntry::NBestEntry(std::string line) : line_(std::move(line)) {
  const std::string_view view = line_;
  const std::size_t first = find_bars(view, 0);
  if (first == std::string_view::npos) throw Error("no bars; an entry is: index ||| text ||| ...");
  index_ = number_of<decltype(index_)>(trimmed(view.substr(0, first))).value_or(-1);
  if (index_ < 0) {
    throw Error("no index, the number of the source line from 0, before the first bars");
  }
  const std::size_t text = first + kBars.size(), second = find_bars(view, text);
  const bool more = second != std::string_view::npos;
  const std::string_view written = trimmed(more ? view.substr(text, second - text) : view.substr(text));
  text_ = with_bars(std::string(written), kEscapedBars, kBars);
  if (more) third_ = second + kBars.size();
}

std::string NBestEntry::with_feature(std::string_view name, double value) const {
  const std::string feature = fmt::format("{}= {:.6f}", name, value);
  if (third_ == 0) return fmt::format("{} ||| {}", line_, feature);
  const std::string_view line = line_;
  const std::size_t end = std::min(find_bars(line, third_), line.size());
  const std::string_view field = trimmed(line.substr(third_, end - third_));
  const bool are_features = field.empty() || field.find('=') != std::string_view::npos;
  std::string with = fmt::format("{} ", line.substr(0, third_));
  if (are_features) {
    if (const FeaturePlace place = find_feature(field, name); place.size > 0)
      with += fmt::format("{}{}{}", field.substr(0, place.begin), feature,
                          field.substr(place.begin + place.size));
    else
      with += fmt::format("{}{}{}", field, field.empty() ? "" : " ", feature);
    if (end < line.size()) with += fmt::format(" {}", line.substr(end));
  } else {
    with += fmt::format("{} {}{}", feature, kBars, line.substr(third_));
  }
  return with;
}

std::string NBestEntry::with_total(double total) const {
  const std::string_view line = line_;
  const std::size_t end = std::min(find_bars(line, third_), line.size());
  const std::string_view features = line.substr(0, line.find_last_not_of(' ', end - 1) + 1);
  std::string_view rest = line.substr(end);  // including its bars
  const std::size_t next = std::min(find_bars(rest, kBars.size()), rest.size());
  if (!rest.empty() && is_number(trimmed(rest.substr(kBars.size(), next - kBars.size()))))
    rest.remove_prefix(next);
  return fmt::format("{} {} {:.6f}{}{}", features, kBars, total, rest.empty() ? "" : " ", rest);
}

NBestReader::NBestReader(const std::string& source, const std::string& list, std::optional<std::size_t> most,
                         const JobContext& job)
    : source_(source, CarriageReturn::drop, most, job),
      list_(list, CarriageReturn::drop, std::nullopt, job) {}

bool NBestReader::next(NBestEntry& entry, LinePair& pair) {
  if (!list_.next(pair.target)) return false;
  try {
    entry = NBestEntry(std::move(pair.target));
  } catch (const Error& error) {
    throw Error("'{}', line {}: {}", list_.name(), list_.line_number(), error.what());
  }
  if (entry.index() + 1 < source_.line_number()) {
    throw Error("'{}', line {}: index {} after {}; sort the list by its indices", list_.name(),
                list_.line_number(), entry.index(), source_.line_number() - 1);
  }
  while (source_.line_number() <= entry.index()) {
    if (source_.next(source_line_)) continue;
    throw Error("'{}', line {}: index {}, but '{}' has {}, counted from 0", list_.name(), list_.line_number(),
                entry.index(), source_.name(), count_of(source_.line_number(), "line"));
  }
  pair.source = source_line_;
  pair.target = entry.text();
  return true;
}

}  // namespace nmt
