// How well the scores of a metric agree with judgments.
#pragma once

#include <span>

namespace nmt {

/// Returns Kendall's tau-b (Kendall, 1945) of two lists of equal length, as scipy.stats.kendalltau: the pairs
/// that both lists order alike minus those that they order differently, divided by the geometric mean of the
/// numbers of pairs without a tie in one list. 0 if all elements of a list are equal. Takes time proportional
/// to n log n (Knight, 1966).
double kendall_tau(std::span<const double> a, std::span<const double> b);

/// Returns Pearson's correlation of two lists of equal length; 0 if all elements of a list are equal.
double pearson_correlation(std::span<const double> a, std::span<const double> b);

}  // namespace nmt
