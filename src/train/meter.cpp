#include "train/meter.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace nmt {

double perplexity(const LossSum& sum) {
  return std::exp(std::min(sum.nll / static_cast<double>(sum.tokens), 700.0));
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

std::string Meter::text(const nlohmann::ordered_json& report) {
  const auto number = [&](const char* name) { return report.at(name).get<double>(); };
  return fmt::format(
      "epoch {}  step {}  loss {:.4f}  perplexity {:.2f}  rate {:.3e}  norm {:.3f}  {:.0f} tokens/s",
      report.at("epoch").get<std::int64_t>(), report.at("step").get<std::int64_t>(), number("loss"),
      number("perplexity"), number("learning_rate"), number("gradient_norm"),
      number("target_tokens_per_second"));
}

}  // namespace nmt
