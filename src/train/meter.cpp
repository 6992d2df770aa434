#include "train/meter.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace nmt {

namespace {

const double kLargestPerplexity = std::exp(700);

}  // namespace

double perplexity(const LossSum& sum) {
  return std::min(std::exp(sum.nll / static_cast<double>(sum.tokens)), kLargestPerplexity);
}

std::string perplexity_text(double perplexity) {
  if (perplexity >= kLargestPerplexity) return "inf";
  return figure_text(perplexity, 2);
}

std::string figure_text(double figure, int decimals) {
  return figure < 1e6 ? fmt::format("{:.{}f}", figure, decimals) : fmt::format("{:.2e}", figure);
}

void Meter::add(const LossSum& sum, double rate, double gradient_norm) {
  state_.sum += sum;
  state_.rate = rate;
  state_.gradient_norm = gradient_norm;
  tokens_ += sum.tokens;
}

Meter::State Meter::state() const {
  State state = state_;
  state.seconds = seconds();
  return state;
}

double Meter::seconds() const {
  return state_.seconds + std::chrono::duration<double>(Clock::now() - start_).count();
}

nlohmann::ordered_json Meter::figures(const Counters& counters) const {
  const double elapsed = std::max(std::chrono::duration<double>(Clock::now() - last_).count(), 1e-9);
  const auto tokens = static_cast<double>(std::max<std::int64_t>(state_.sum.tokens, 1));
  return {{"event", "train"},
          {"step", counters.step},
          {"epoch", counters.epoch},
          {"loss", state_.sum.loss / tokens},
          {"nll", state_.sum.nll / tokens},
          {"perplexity", perplexity(state_.sum)},
          {"learning_rate", state_.rate},
          {"gradient_norm", state_.gradient_norm},
          {"source_tokens", counters.source_tokens},
          {"target_tokens", counters.target_tokens},
          {"target_tokens_per_second", static_cast<double>(tokens_) / elapsed},
          {"seconds", seconds()},
          {"data_wait", counters.data_wait}};
}

nlohmann::ordered_json Meter::report(const Counters& counters) {
  nlohmann::ordered_json report = figures(counters);
  state_.sum = {};
  tokens_ = 0;
  last_ = Clock::now();
  return report;
}

std::vector<StatusPart> Meter::parts(const nlohmann::ordered_json& report) {
  const auto number = [&](const char* name) { return report.at(name).get<double>(); };
  const auto count = [&](const char* name) { return report.at(name).get<std::int64_t>(); };
  return {{fmt::format("epoch {}", count("epoch")), 6},
          {fmt::format("step {}", count("step")), 2},
          {"loss " + figure_text(number("loss"), 4), 3},
          {"perplexity " + perplexity_text(number("perplexity")), 5},
          {fmt::format("rate {:.3e}", number("learning_rate")), 7},
          {"norm " + figure_text(number("gradient_norm"), 3), 8},
          {fmt::format("{:.0f} tokens/s", number("target_tokens_per_second")), 4}};
}

}  // namespace nmt
