#include "cli/marian/conversion.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <filesystem>
#include <optional>
#include <utility>

#include "backend/factory.h"
#include "cli/options/value.h"
#include "common/error.h"
#include "common/text/spelling.h"

namespace nmt {
namespace {

/// Splits a list on one line, as in Marian's configurations.
std::vector<std::string> words_of(const std::string& text) {
  std::vector<std::string> words;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find(' ', begin), text.size());
    words.push_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return words;
}

/// Returns the values of an option, with `true` and `false` replaced by what they stand for.
std::vector<std::string> values_of(const MarianConfig::Entry& entry, const MarianOption& option) {
  if (option.implicit.empty() || entry.values.size() != 1) return entry.values;
  const std::optional<bool> truth = marian_truth(entry.values[0]);
  return truth ? words_of(*truth ? option.implicit : option.fallback) : entry.values;
}

/// Whether two values are equal: 1e-4 is 0.0001, and True is true.
bool are_equal(const std::string& a, const std::string& b) {
  if (const auto truth = marian_truth(a)) return truth == marian_truth(b);
  double left = 0, right = 0;
  const bool are_numbers =
      ValueType<double>::read(a, left) == Reading::good && ValueType<double>::read(b, right) == Reading::good;
  return are_numbers ? left == right : a == b;
}

}  // namespace

MarianConversion::MarianConversion(const MarianConfig& config, const MarianOptions& options,
                                   const Options::Source& command_line)
    : config_(config), options_(options), command_line_(command_line) {}

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
  std::vector<std::string> values = option == nullptr  ? std::vector<std::string>()
                                    : entry == nullptr ? words_of(option->fallback)
                                                       : values_of(*entry, *option);
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
  fail(name, "expected a number, got " + quoted(text(name)));
}

Interval MarianConversion::interval(const std::string& name) const {
  std::string text = this->text(name);
  std::erase(text, ',');  // separators of thousands
  double amount = 0;
  const char* const end = text.data() + text.size();
  auto [rest, code] = std::from_chars(text.data(), end, amount, std::chars_format::fixed);
  constexpr std::string_view kThousands = "KMGT";
  const char thousand = rest != end && *rest == 'k' ? 'K' : rest != end ? *rest : ' ';
  if (const std::size_t power = kThousands.find(thousand); power != std::string_view::npos) {
    amount *= std::pow(1000, static_cast<double>(power) + 1);
    ++rest;
  }
  const std::string unit(rest, end);
  const bool is_known = unit.empty() || unit == "u" || unit == "t" || unit == "e";
  if (code != std::errc() || !is_known || !(amount >= 0 && amount < 9e15)) {
    fail(name, "expected a number with u (updates), t (target tokens) or e (epochs), got " +
                   quoted(this->text(name)));
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
  return std::ranges::any_of(settings,
                             [this](const std::string& name) { return command_line_.contains(name); });
}

std::string MarianConversion::overriding(const std::string& setting) const {
  const auto given = command_line_.find(setting);
  return given == command_line_.end() ? "" : given->second.back().text;
}

std::string MarianConversion::given_of(const std::vector<std::string>& options) const {
  const auto given =
      std::ranges::find_if(options, [this](const std::string& option) { return is_given(option); });
  return given == options.end() ? options.front() : *given;
}

bool MarianConversion::is_on_cpu() const {
  DeviceSettings device;
  if (is_overridden({"device"})) {
    device.device = overriding("device");
  } else if (number("cpu-threads") > 0) {
    device.device = "cpu";
  } else if (is_given("devices") || number("num-devices") > 1) {
    device.device = "cuda";
  }
  return (device.device == "auto" ? best_device(device) : device.device) == "cpu";
}

void MarianConversion::give(const std::string& setting, const std::string& value) {
  give_texts(option_->name, setting, {value});
}

void MarianConversion::give(const std::string& setting, const std::vector<std::string>& values) {
  give_texts(option_->name, setting, values);
}

void MarianConversion::give_from(const std::string& option, const std::string& setting,
                                 const std::string& value) {
  give_texts(option, setting, {value});
}

void MarianConversion::give_texts(const std::string& option, const std::string& setting,
                                  const std::vector<std::string>& values) {
  std::vector<GivenValue>& given = settings_[setting];
  given.clear();
  for (const std::string& value : values)
    given.push_back({.text = value, .where = where(option), .is_implied = !is_given(option)});
}

void MarianConversion::imply(const std::string& setting, const std::string& value) {
  give(setting, value);
  settings_[setting].back().is_implied = true;
}

void MarianConversion::refuse(const std::string& option, const std::string& why) {
  if (is_overridden(find(option)->settings)) return;
  refused_.push_back(where(option) + (why.empty() ? "" : " (" + why + ")"));
}

void MarianConversion::fail(const std::string& option, const std::string& problem) const {
  throw UsageError("{}: {}", where(option), problem);
}

void MarianConversion::note(const std::string& option, const std::string& text) {
  notes_.push_back(where(option) + ": " + text);
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
