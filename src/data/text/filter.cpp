#include "data/text/filter.h"

#include <fmt/format.h>

#include <algorithm>

#include "common/text/number.h"

namespace nmt {

Dropped& Dropped::operator+=(const Dropped& other) {
  empty += other.empty;
  too_long += other.too_long;
  uneven += other.uneven;
  identical += other.identical;
  duplicate += other.duplicate;
  poor += other.poor;
  return *this;
}

bool keep(const Example& example, const Filter& filter, Dropped& dropped, bool identical) {
  const std::int64_t target = std::ssize(example.target);
  const std::int64_t source = filter.has_source ? std::ssize(example.source) : target;
  const std::int64_t shorter = std::min(source, target), longer = std::max(source, target);
  std::int64_t* reason = nullptr;
  if (shorter == 0) {
    reason = &dropped.empty;
  } else if (longer > filter.max_length) {
    reason = &dropped.too_long;
  } else if (filter.max_ratio > 0 &&
             static_cast<double>(longer) > filter.max_ratio * static_cast<double>(shorter)) {
    reason = &dropped.uneven;
  } else if (filter.drop_identical && identical) {
    reason = &dropped.identical;
  }
  if (reason != nullptr) ++*reason;
  return reason == nullptr;
}

std::string description(const Dropped& dropped, const Filter& filter) {
  std::string text;
  const auto add = [&](std::int64_t count, const std::string& reason) {
    if (count > 0) text += fmt::format("{}{} {}", text.empty() ? "" : ", ", count, reason);
  };
  add(dropped.too_long, "longer than " + count_of(filter.max_length, "token"));
  add(dropped.empty, filter.has_source ? "with an empty side" : "empty");
  add(dropped.uneven, fmt::format("with sides of a ratio above {}", filter.max_ratio));
  add(dropped.identical, "with two identical sides");
  add(dropped.duplicate, dropped.duplicate == 1 ? "that occurs earlier" : "that occur earlier");
  add(dropped.poor, "of low quality");
  return text;
}

}  // namespace nmt
