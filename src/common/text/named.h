// Enumerations whose values have names that settings use.
#pragma once

#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace nmt {

/// A value and its name.
template <class E>
struct Named {
  E value;
  std::string_view name;
};

/// Specialized with `static constexpr std::array<Named<E>, n> kAll`, the values of E and their names.
template <class E>
struct Names;

template <class E>
concept HasNames = requires {
  Names<E>::kAll;
};

template <HasNames E>
std::string_view name_of(E value) {
  return std::ranges::find(Names<E>::kAll, value, &Named<E>::value)->name;
}

/// Returns the value of this name; nothing for an unknown name.
template <HasNames E>
std::optional<E> value_named(std::string_view name) {
  const auto found = std::ranges::find(Names<E>::kAll, name, &Named<E>::name);
  return found == Names<E>::kAll.end() ? std::nullopt : std::optional(found->value);
}

/// Returns all names, in the order of the values.
template <HasNames E>
std::vector<std::string> names_of() {
  std::vector<std::string> names;
  names.reserve(Names<E>::kAll.size());
  for (const Named<E>& named : Names<E>::kAll) names.emplace_back(named.name);
  return names;
}

}  // namespace nmt
