#include "cli/options/option.h"

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <iterator>
#include <regex>
#include <stdexcept>

#include "cli/options/value.h"
#include "common/error.h"
#include "common/text/foreign_names.h"
#include "common/text/spelling.h"

namespace nmt {
namespace {

/// Returns the choices as --help shows them.
Choices shown(const OptionFacts& facts) {
  Choices choices = facts.choices;
  if (!facts.numbered.empty()) {
    const auto numbered = std::ranges::find(choices, facts.numbered);
    const std::string names = facts.are_several_numbers ? ":N,N..." : ":N";
    const auto behind = choices.insert(std::next(numbered), facts.numbered + names);
    if (facts.are_several_numbers) choices.insert(std::next(behind), facts.numbered + ":all");
  }
  return choices;
}

bool has_letter(std::string_view text) {
  return std::ranges::any_of(text, [](unsigned char c) { return std::isalpha(c) != 0; });
}

}  // namespace

std::string OptionFacts::accepted() const {
  if (!choices.empty()) return (choices.size() > 1 ? "one of " : "") + join(shown(*this), ", ");
  const bool has_least = std::isfinite(limits.least);
  const bool has_most = std::isfinite(limits.most);
  if (has_least && has_most) return fmt::format("{} from {} to {}", kind, limits.least, limits.most);
  if (has_least) return fmt::format("{} of at least {}", kind, limits.least);
  if (has_most) return fmt::format("{} of at most {}", kind, limits.most);
  if (is_path() && is_text) return value_name == "DIR" ? "a directory" : "a file";
  return kind;
}

bool OptionFacts::are_numbers(const std::string& text) const {
  static const std::regex kOne("[0-9]+"), kSeveral("[0-9]+(,[0-9]+)*|all");
  return !numbered.empty() && std::regex_match(text, are_several_numbers ? kSeveral : kOne);
}

bool OptionFacts::is_boolean() const {
  return type == "boolean" || (choices.size() == 2 && std::ranges::count(choices, "true") == 1 &&
                               std::ranges::count(choices, "false") == 1);
}

std::string OptionFacts::off_value() const {
  for (const char* const off : {"none", "false"}) {
    if (std::ranges::find(choices, off) != choices.end()) return off;
  }
  const bool is_number = type == "integer" || type == "number";
  return is_number && limits.least <= 0 && limits.most >= 0 ? "0" : "";
}

void Option::set_names(const std::string& names) {
  const size_t comma = names.find(',');
  facts_.name = dashed(names.substr(0, comma));
  if (comma == std::string::npos) return;
  if (comma + 2 != names.size())
    throw std::logic_error("option names must be 'name' or 'name,letter': " + names);
  facts_.letter = names.back();
}

Option& Option::required() {
  facts_.is_required = true;
  facts_.default_text.clear();
  return *this;
}

Option& Option::range(double least, double most) {
  facts_.limits = {least, most};
  return *this;
}

Option& Option::choices(Choices allowed) {
  facts_.choices = std::move(allowed);
  if (facts_.value_name.empty()) facts_.value_name = join(shown(facts_), "|");
  if (facts_.is_boolean()) facts_.bare_value = "true";
  return *this;
}

Option& Option::choices(Choices allowed, const std::string& numbered, bool several) {
  facts_.numbered = numbered;
  facts_.are_several_numbers = several;
  return choices(std::move(allowed));
}

Option& Option::mapping() {
  facts_.is_mapping = true;
  return *this;
}

Option& Option::elements(Choices allowed) {
  facts_.elements = std::move(allowed);
  return *this;
}

Option& Option::section(std::string name) {
  facts_.section = dashed(std::move(name));
  return *this;
}

Option& Option::command_line_only() {
  facts_.is_command_line_only = true;
  return *this;
}

Option& Option::transient() {
  facts_.is_transient = true;
  return *this;
}

Option& Option::local() {
  facts_.is_local = true;
  return *this;
}

Option& Option::writes() {
  facts_.is_written = true;
  return *this;
}

Option& Option::needs(std::vector<std::string> settings, std::string what) {
  facts_.needs = std::move(settings);
  facts_.needs_text = std::move(what);
  return *this;
}

Option& Option::only_where(std::function<bool()> applies, std::string what) {
  facts_.applies = std::move(applies);
  facts_.applies_text = std::move(what);
  return *this;
}

Option& Option::idle_where(std::function<bool()> is_idle, std::string why) {
  facts_.is_idle = std::move(is_idle);
  facts_.idle_text = std::move(why);
  return *this;
}

Option& Option::twice(std::string first, std::string second) {
  facts_.halves = {std::move(first), std::move(second)};
  return *this;
}

Option& Option::essential(bool is_essential) {
  facts_.is_essential = is_essential;
  return *this;
}

Option& Option::group(std::string heading) {
  facts_.group = std::move(heading);
  return *this;
}

Option& Option::plain() {
  facts_.is_text = false;
  return *this;
}

Option& Option::bare(std::string value) {
  facts_.bare_value = std::move(value);
  return *this;
}

Option& Option::default_text(std::string text) {
  facts_.default_text = std::move(text);
  return *this;
}

Option& Option::as_switch() {
  facts_.is_switch = true;
  return *this;
}

std::vector<std::string> Option::absolute_texts() const {
  std::vector<std::string> texts = this->texts();
  if (!facts_.is_path()) return texts;
  for (std::string& path : texts) {
    if (path != "-" && !path.empty() && !path.starts_with("hf:"))
      path = std::filesystem::absolute(path).lexically_normal().string();
  }
  return texts;
}

void Option::assign(const std::vector<GivenValue>& values) {
  put(values);
  origin_ = values.empty() ? "--" + facts_.name : values.back().where;
  is_implied_ = !values.empty() && values.back().is_implied;
}

void Option::assign_default(const std::string& text) {
  put({{text, "the default of --" + facts_.name}});
  facts_.default_text = text;
}

std::string Option::each_alone(const std::string& text) const {
  if (!facts_.is_list || text.find(',') == std::string::npos) return "";
  std::vector<std::string> options;
  for (const std::string& part : split_at_commas(text)) {
    if (binding_.read(part, facts_.limits, false) != Reading::good) return "";
    options.push_back("--" + facts_.name + " " + part);
  }
  return "; give each value by itself: " + join(options, " ");
}

std::string Option::suggestion(const std::string& text) const {
  if (!facts_.choices.empty()) return did_you_mean_any(text, facts_.choices);
  if (const std::string alone = each_alone(text); !alone.empty()) return alone;
  const bool has_units = facts_.type == "interval" || facts_.type == "time";
  for (const std::string& meant : likely_meant(text)) {
    if (has_units && has_letter(text) && !has_letter(meant)) continue;  // another unit was meant
    if (binding_.read(meant, facts_.limits, false) == Reading::good) return ", did you mean '" + meant + "'?";
  }
  return "";
}

std::optional<std::string> Option::chosen(const std::string& text) const {
  const Choices& allowed = facts_.choices;
  if (allowed.empty() || std::ranges::find(allowed, text) != allowed.end()) return text;
  if (facts_.are_numbers(text)) return facts_.numbered + ":" + text;
  const std::size_t colon = std::min(text.find(':'), text.size());
  std::string word = comparable(text.substr(0, colon));
  if (const std::string_view ours = foreign_value(word); !ours.empty()) word = ours;
  const auto choice =
      std::ranges::find_if(allowed, [&word](const std::string& name) { return comparable(name) == word; });
  if (choice == allowed.end()) return std::nullopt;
  if (colon == text.size()) return *choice;
  const std::string numbers = text.substr(colon + 1);
  if (*choice != facts_.numbered || !facts_.are_numbers(numbers)) return std::nullopt;
  return *choice + ":" + numbers;
}

void Option::put(const std::vector<GivenValue>& values) {
  binding_.clear();
  for (const auto& [text, where, is_implied] : values) {
    const std::optional<std::string> value = chosen(text);
    const Reading reading = value ? binding_.read(*value, facts_.limits, true) : Reading::malformed;
    if (reading == Reading::good) continue;
    throw UsageError("{}: expected {}, got {}{}", where, facts_.accepted(), quoted(text),
                     reading == Reading::out_of_range ? ", which is out of range" : suggestion(text));
  }
}

}  // namespace nmt
