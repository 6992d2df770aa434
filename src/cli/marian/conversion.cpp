#include "cli/marian/conversion.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <filesystem>
#include <utility>

#include "cli/options/value.h"
#include "common/error.h"
#include "common/text/spelling.h"

namespace nmt {
namespace {

/// As Marian's configurations write lists in one line.
std::vector<std::string> words_of(const std::string& text) {
  std::vector<std::string> words;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find(' ', begin), text.size());
    words.push_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return words;
}

/// 1e-4 is 0.0001.
bool are_equal(const std::string& a, const std::string& b) {
  double left = 0, right = 0;
  const bool are_numbers =
      ValueType<double>::read(a, left) == Reading::good && ValueType<double>::read(b, right) == Reading::good;
  return are_numbers ? left == right : a == b;
}

}  // namespace

MarianConversion::MarianConversion(const MarianConfig& config, const MarianOptions& options,
                                   std::function<bool(const std::string&)> is_overridden)
    : config_(config), options_(options), is_overridden_(std::move(is_overridden)) {}

void MarianConversion::run() {
  for (const MarianOption& option : options_) {
    option_ = &option;
    convert();
  }
  refuse_unknown();
}

bool MarianConversion::is_recurrent() const {
  return std::ranges::count(marian_recurrent_types(), text("type")) > 0;
}

bool MarianConversion::is_read() const {
  return option_->types.empty() || std::ranges::count(option_->types, text("type")) > 0;
}

void MarianConversion::convert() {
  switch (is_read() ? option_->fate : Fate::idle) {
    case Fate::mapped:
      return option_->convert(*this);
    case Fate::idle:
      if (is_changed()) leave_out();
      return;
    case Fate::needed:
      if (is_changed()) {
        const std::vector<std::string>& settings = option_->settings;
        refuse(settings.empty() ? "" : "give --" + join(settings, " and --"));
      }
      return;
    case Fate::part:
    case Fate::elsewhere:
      return;
  }
}

void MarianConversion::refuse_unknown() {
  std::vector<std::string> known;
  for (const MarianOption& option : options_) known.push_back(option.name);
  for (const auto& [name, entry] : config_.entries()) {
    if (find(name) != nullptr) continue;
    refused_.push_back(fmt::format("{}: {} (unknown to this program of Marian{})", entry.where, quoted(name),
                                   did_you_mean(name, known)));
  }
}

const MarianOption* MarianConversion::find(const std::string& name) const {
  const auto found = std::ranges::find(options_, name, &MarianOption::name);
  return found == options_.end() ? nullptr : &*found;
}

std::vector<std::string> MarianConversion::texts(const std::string& name) const {
  const MarianConfig::Entry* const entry = config_.find(name);
  const MarianOption* const option = find(name);
  std::vector<std::string> values = entry != nullptr    ? entry->values
                                    : option != nullptr ? words_of(option->fallback)
                                                        : std::vector<std::string>();
  std::erase(values, "");
  return values;
}

std::string MarianConversion::text(const std::string& name) const {
  const std::vector<std::string> values = texts(name);
  return values.empty() ? "" : values.front();
}

double MarianConversion::number(const std::string& name) const {
  double value = 0;
  if (ValueType<double>::read(text(name), value) == Reading::good) return value;
  throw UsageError("{}: expected a number, got {}", where(name), quoted(text(name)));
}

Interval MarianConversion::interval(const std::string& name) const {
  const std::string text = this->text(name);
  double amount = 0;
  const char* const end = text.data() + text.size();
  auto [rest, code] = std::from_chars(text.data(), end, amount, std::chars_format::fixed);
  constexpr std::string_view kThousands = "KMGT";
  if (rest != end && kThousands.find(*rest) != std::string_view::npos) {
    amount *= std::pow(1000, static_cast<double>(kThousands.find(*rest)) + 1);
    ++rest;
  }
  const std::string unit(rest, end);
  const bool is_known = unit.empty() || unit == "u" || unit == "t" || unit == "e";
  if (code != std::errc() || !is_known || !(amount >= 0 && amount < 9e15)) {
    throw UsageError("{}: expected a number with u (updates), t (target tokens) or e (epochs), got {}",
                     where(name), quoted(text));
  }
  if (unit == "e") return {amount, Interval::Unit::epochs};
  return {std::round(amount), unit == "t" ? Interval::Unit::tokens : Interval::Unit::updates};
}

std::vector<std::string> MarianConversion::paths(const std::string& name) const {
  const MarianConfig::Entry* const entry = config_.find(name);
  std::vector<std::string> paths = texts(name);
  for (std::string& path : paths) {
    if (path == "stdin" || path == "stdout" || path == "-") {
      path = "-";
    } else if (entry != nullptr && entry->has_relative_paths) {
      path = (std::filesystem::path(entry->file).parent_path() / path).lexically_normal().string();
    }
  }
  return paths;
}

std::string MarianConversion::file_with(const std::string& name) const {
  const MarianConfig::Entry* const entry = config_.find(name);
  return entry == nullptr ? "" : entry->file;
}

bool MarianConversion::is_overridden(const std::vector<std::string>& settings) const {
  return std::ranges::any_of(settings, is_overridden_);
}

void MarianConversion::give(const std::string& setting, const std::string& value) {
  give(setting, std::vector{value});
}

void MarianConversion::give(const std::string& setting, const std::vector<std::string>& values) {
  std::vector<GivenValue>& given = settings_[setting];
  given.clear();
  for (const std::string& value : values) given.push_back({value, where(option_->name)});
}

void MarianConversion::refuse(const std::string& why) {
  if (is_overridden(option_->settings)) return;
  refused_.push_back(where(option_->name) + (why.empty() ? "" : " (" + why + ")"));
}

std::string MarianConversion::where(const std::string& name) const {
  const MarianConfig::Entry* const entry = config_.find(name);
  if (entry != nullptr) return fmt::format("{}: {}", entry->where, name);
  return fmt::format("{}: {} (by default)", config_.name(), name);
}

bool MarianConversion::is_changed() const {
  if (!is_given()) return false;
  return !std::ranges::equal(texts(option_->name), words_of(option_->fallback), are_equal);
}

}  // namespace nmt
