#include "train/divergence.h"

#include <fmt/format.h>

#include <cmath>

#include "train/meter.h"

namespace nmt {

DivergenceDetector::DivergenceDetector(std::int64_t pieces)
    : uniform_(std::log(static_cast<double>(pieces))) {}

std::string DivergenceDetector::add(const LossSum& update) {
  if (warned_) return "";
  sum_ += update;
  if (++updates_ < kSpan) return "";
  std::string trouble = judge(sum_.nll / static_cast<double>(sum_.tokens));
  sum_ = {};
  updates_ = 0;
  warned_ = !trouble.empty();
  return trouble;
}

std::string DivergenceDetector::judge(double nll) {
  const bool rises = !first_ && nll > last_;
  rises_ = rises ? rises_ + 1 : 0;
  if (!rises) lowest_ = nll;
  first_ = false;
  last_ = nll;
  if (nll > 2 * uniform_) {
    return fmt::format("training diverges: {} nats a token, where a uniform guess costs {:.1f}",
                       figure_text(nll, 1), uniform_);
  }
  if (rises_ >= kRises && nll - lowest_ > kMuchRise) {
    return fmt::format("the loss keeps rising: {:.2f} nats a token, {:.2f} some {} updates ago", nll, lowest_,
                       rises_ * kSpan);
  }
  return "";
}

}  // namespace nmt
