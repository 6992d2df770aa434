#include "data/augmentation/modifier.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <set>

#include "common/error.h"
#include "common/text/number.h"
#include "common/text/spelling.h"

namespace nmt {
namespace {

// Modifiers of which each pair, or token, gets at most one.
constexpr auto kExclusive =
    std::to_array<std::array<Modifier, 3>>({{Modifier::upper, Modifier::title, Modifier::lower},
                                            {Modifier::drop, Modifier::mask, Modifier::switched}});

double sum(const ModifierRates& rates, const std::array<Modifier, 3>& modifiers) {
  double sum = 0;
  for (const Modifier modifier : modifiers) sum += rates[modifier];
  return sum;
}

std::string names(const std::array<Modifier, 3>& modifiers) {
  std::vector<std::string> names;
  for (const Modifier modifier : modifiers) names.emplace_back(name_of(modifier));
  return join(names, ", ");
}

double rate_in(std::string_view text, std::string_view given, const std::string& setting) {
  const std::optional<double> rate = number_of<double>(text);
  if (!rate || !(*rate >= 0 && *rate <= 1))
    throw UsageError("{}: {}: expected a rate from 0 to 1, such as upper=0.05", setting,
                     quoted(std::string(given)));
  return *rate;
}

}  // namespace

ModifierUnit unit_of(Modifier modifier) {
  switch (modifier) {
    case Modifier::placeholder:
    case Modifier::copy:
    case Modifier::tag:
    case Modifier::terms:
      return ModifierUnit::word;
    case Modifier::drop:
    case Modifier::mask:
    case Modifier::switched:
      return ModifierUnit::token;
    default:
      return ModifierUnit::pair;
  }
}

bool ModifierRates::change(ModifierUnit unit) const {
  return std::ranges::any_of(Names<Modifier>::kAll, [&](const Named<Modifier>& named) {
    return (*this)[named.value] > 0 && unit_of(named.value) == unit;
  });
}

ModifierRates modifier_rates(const std::vector<std::string>& texts, const std::string& setting) {
  ModifierRates rates;
  std::set<Modifier> given;
  for (const std::string& list : texts) {
    for (const std::string& text : split_at_commas(list)) {
      const std::size_t equals = std::min(text.find('='), text.size());
      const std::string name = dashed(text.substr(0, equals));
      const std::optional<Modifier> modifier = value_named<Modifier>(name);
      if (!modifier) {
        throw UsageError("{}: unknown modifier {}{}; choose from {}", setting, quoted(name),
                         did_you_mean(name, names_of<Modifier>()), join(names_of<Modifier>(), ", "));
      }
      if (!given.insert(*modifier).second)
        throw UsageError("{}: {} is given twice; leave one out", setting, name);
      rates[*modifier] =
          rate_in(std::string_view(text).substr(std::min(equals + 1, text.size())), text, setting);
    }
  }
  for (const auto& exclusive : kExclusive) {
    if (sum(rates, exclusive) > 1 + 1e-9)
      throw UsageError("{}: the rates of {} add up to more than 1; lower them", setting, names(exclusive));
  }
  return rates;
}

std::vector<std::string> texts_of(const ModifierRates& rates) {
  std::vector<std::string> texts;
  for (const auto& [modifier, name] : Names<Modifier>::kAll) {
    if (rates[modifier] > 0) texts.push_back(fmt::format("{}={}", name, rates[modifier]));
  }
  return texts;
}

}  // namespace nmt
