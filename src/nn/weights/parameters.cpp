#include "nn/weights/parameters.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <fnmatch.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <stdexcept>

#include "common/error.h"
#include "common/philox.h"
#include "common/text/spelling.h"
#include "nn/files/file_weights.h"

namespace nmt {
namespace {

const std::string& name_of_entry(const Parameters::Entry& entry) {
  return entry.parameter.name;
}

/// Returns two numbers in (0, 1), from 32 random bits each, for element pair i.
struct UniformPair {
  double first, second;
};

UniformPair uniform_pair(std::uint64_t seed, std::uint32_t number, std::uint64_t i) {
  const auto words =
      philox4x32({static_cast<std::uint32_t>(i), static_cast<std::uint32_t>(i >> 32), number, 0x696e6974U},
                 {static_cast<std::uint32_t>(seed), static_cast<std::uint32_t>(seed >> 32)});
  return {(words[0] + 0.5) * 0x1p-32, (words[1] + 0.5) * 0x1p-32};
}

/// Returns "a", "a.b" and "a.b.c" for "a.b.c".
std::vector<std::string> names_of(const Parameter& parameter) {
  std::vector<std::string> names;
  for (std::size_t dot = parameter.name.find('.'); dot != std::string::npos;
       dot = parameter.name.find('.', dot + 1)) {
    names.push_back(parameter.name.substr(0, dot));
  }
  names.push_back(parameter.name);
  return names;
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

std::vector<double> initial_values(const ParameterSpec& spec, std::uint64_t seed, std::uint32_t number) {
  std::vector<double> values(static_cast<std::size_t>(spec.size()));
  switch (spec.initializer) {
    case Initializer::zeros:
      break;
    case Initializer::ones:
      values.assign(values.size(), 1.0);
      break;
    case Initializer::glorot: {
      const double limit = std::sqrt(6.0 / static_cast<double>(spec.rows / spec.parts + spec.columns));
      for (std::size_t i = 0; i < values.size(); ++i) {
        values[i] = limit * (2 * uniform_pair(seed, number, i).first - 1);
      }
      break;
    }
    case Initializer::normal: {
      const double deviation = 1 / std::sqrt(static_cast<double>(spec.columns));
      for (std::size_t i = 0; i < values.size(); ++i) {  // Box and Muller, 1958
        const UniformPair u = uniform_pair(seed, number, i);
        values[i] = deviation * std::sqrt(-2 * std::log(u.first)) * std::cos(2 * std::numbers::pi * u.second);
      }
      break;
    }
  }
  return values;
}

void assign(Backend& backend, const Parameters::Entry& entry, const std::vector<double>& values) {
  upload_rows(backend, entry.master, entry.parameter.scale, values);
}

void initialize(const Parameters& parameters, Backend& backend, std::uint64_t seed) {
  std::uint32_t number = 0;
  for (const Parameters::Entry& entry : parameters.entries())
    assign(backend, entry, initial_values(entry, seed, number++));
  backend.weights_changed();
}

std::set<std::string> frozen_parameters(const Parameters& parameters,
                                        const std::vector<std::string>& patterns) {
  std::set<std::string> frozen;
  for (const std::string& pattern : patterns) {
    std::set<std::string> all;
    bool has_match = false;
    for (const Parameters::Entry& entry : parameters.entries()) {
      const std::vector<std::string> names = names_of(entry.parameter);
      all.insert(names.begin(), names.end());
      const auto matches = [&](const std::string& name) {
        return ::fnmatch(pattern.c_str(), name.c_str(), 0) == 0;
      };
      if (!std::ranges::any_of(names, matches)) continue;
      frozen.insert(entry.parameter.name);
      has_match = true;
    }
    if (has_match) continue;
    std::vector<std::string> parts;
    for (const auto& [part, count] : parameters.count_by_part()) parts.push_back(part);
    throw UsageError("`freeze`: the model has no part and no weight {}{}; its parts are {}", quoted(pattern),
                     did_you_mean(pattern, {all.begin(), all.end()}), fmt::join(parts, ", "));
  }
  if (frozen.size() == parameters.entries().size())
    throw UsageError("`freeze`: there is nothing left to train; leave some part of the model out");
  return frozen;
}

}  // namespace nmt
