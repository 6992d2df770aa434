#include "translate/search/search_forecast.h"

#include <algorithm>
#include <cmath>

namespace nmt {
namespace {

// After this many sentences, earlier ones count half.
constexpr double kRemembered = 1024;
// The line has a slope of 1, unless the squares of the differences of the sources' lengths outweigh this.
constexpr double kWeightOfSlope = 100;

/// Returns SearchForecast::rows_apart() of a sentence with several hypotheses, at present.
double rows_apart_of(const Sentence& sentence) {
  return static_cast<double>(sentence.held - sentence.steps) / (sentence.request.settings->width() - 1);
}

bool has_several(const Sentence& sentence) {
  return sentence.request.settings->width() > 1;
}

}  // namespace

void SearchForecast::add_steps(const Sentence& sentence) {
  const auto x = static_cast<double>(sentence.source_rows), y = static_cast<double>(sentence.steps);
  sums_ = {sums_.count + 1, sums_.x + x, sums_.y + y, sums_.xx + x * x, sums_.xy + x * y};
  if (sums_.count >= kRemembered)
    sums_ = {sums_.count / 2, sums_.x / 2, sums_.y / 2, sums_.xx / 2, sums_.xy / 2};
}

void SearchForecast::add_rows_apart(double rows) {
  apart_ += rows;
  if (++apart_count_ < kRemembered) return;
  apart_ /= 2;
  apart_count_ /= 2;
}

void SearchForecast::add(const Sentence& sentence) {
  add_steps(sentence);
  if (has_several(sentence)) add_rows_apart(rows_apart_of(sentence));
}

SearchForecast SearchForecast::with(std::span<const Sentence> under_way) const {
  SearchForecast forecast = *this;
  for (const Sentence& sentence : under_way) {
    if (sentence.steps > steps(sentence.source_rows)) forecast.add_steps(sentence);
    if (!has_several(sentence)) continue;
    const double rows = rows_apart_of(sentence);
    if (rows > rows_apart()) forecast.add_rows_apart(rows);
  }
  return forecast;
}

std::int64_t SearchForecast::steps(std::int64_t source_rows) const {
  const auto x = static_cast<double>(source_rows);
  const double first = std::max(x, first_steps_);
  if (sums_.count == 0) return static_cast<std::int64_t>(first);
  const double x_mean = sums_.x / sums_.count, y_mean = sums_.y / sums_.count;
  const double slope =
      (sums_.xy - x_mean * sums_.y + kWeightOfSlope) / (sums_.xx - x_mean * sums_.x + kWeightOfSlope);
  const double line = y_mean + slope * (x - x_mean);
  const double steps = first + (line - first) * sums_.count / (sums_.count + kFirstCount);
  return static_cast<std::int64_t>(std::ceil(std::max(x, steps)));
}

}  // namespace nmt
