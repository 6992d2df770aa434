#include "foreign/correspondence.h"

#include <stdexcept>
#include <utility>

namespace nmt {
namespace {

WeightSource in_form(WeightSource weight, Form form) {
  return form == Form::transposed ? transposed(std::move(weight)) : weight;
}

/// A part of a matrix's rows, or of a vector's elements.
WeightSource part_of(const WeightSource& weight, int part, int parts) {
  if (parts == 1) return weight;
  const WeightSource rows = weight.rows > 1 ? weight : transposed(weight);
  const std::int64_t count = rows.rows / parts;
  WeightSource cut = rows_of(rows, part * count, count);
  return weight.rows > 1 ? cut : transposed(std::move(cut));
}

}  // namespace

std::map<std::string, WeightSource> ours_from(const std::vector<Correspondence>& list,
                                              ForeignTensors& tensors) {
  std::map<std::string, std::vector<WeightSource>> parts;
  for (const Correspondence& pair : list) {
    std::vector<WeightSource>& parts_of_one = parts[pair.ours];
    parts_of_one.resize(static_cast<std::size_t>(pair.parts));
    parts_of_one[static_cast<std::size_t>(pair.part)] = in_form(tensors(pair.theirs), pair.form);
  }
  std::map<std::string, WeightSource> ours;
  for (auto& [name, parts_of_one] : parts) {
    ours[name] = parts_of_one.size() == 1 ? parts_of_one[0] : stacked(std::move(parts_of_one));
  }
  return ours;
}

std::map<std::string, WeightSource> theirs_from(const std::vector<Correspondence>& list,
                                                const std::map<std::string, WeightSource>& parameters) {
  std::map<std::string, WeightSource> theirs;
  for (const Correspondence& pair : list) {
    const auto weight = parameters.find(pair.ours);
    if (weight == parameters.end()) throw std::logic_error("no parameter is called " + pair.ours);
    theirs.emplace(pair.theirs, in_form(part_of(weight->second, pair.part, pair.parts), pair.form));
  }
  return theirs;
}

}  // namespace nmt
