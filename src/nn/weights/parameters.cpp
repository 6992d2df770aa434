#include "nn/weights/parameters.h"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

namespace nmt {
namespace {

const std::string& name_of_entry(const Parameters::Entry& entry) {
  return entry.parameter.name;
}

}  // namespace

Parameter& Parameters::add(const std::string& name, const ParameterSpec& spec) {
  if (std::ranges::find(entries_, name, name_of_entry) != entries_.end())
    throw std::logic_error(fmt::format("a model has two parameters '{}'", name));
  entries_.push_back({spec, {name, {}, {}, {}, spec.parts}});
  return entries_.back().parameter;
}

std::int64_t Parameters::count() const {
  std::int64_t count = 0;
  for (const Entry& entry : entries_) count += entry.size();
  return count;
}

std::map<std::string, std::int64_t> Parameters::count_by_part() const {
  std::map<std::string, std::int64_t> parts;
  for (const Entry& entry : entries_) {
    const std::string& name = entry.parameter.name;
    parts[name.substr(0, name.find('.'))] += entry.size();
  }
  return parts;
}

}  // namespace nmt
