#include "train/meter.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace nmt {

double perplexity(const LossSum& sum) {
  return std::exp(std::min(sum.nll / static_cast<double>(sum.tokens), 700.0));
}

void Meter::add(const LossSum& sum, double rate, double gradient_norm) {
  sum_.loss += sum.loss;
  sum_.nll += sum.nll;
  sum_.tokens += sum.tokens;
  rate_ = rate;
  gradient_norm_ = gradient_norm;
}

double Meter::seconds() const {
  return std::chrono::duration<double>(Clock::now() - start_).count();
}

nlohmann::ordered_json Meter::report(const Counters& counters) {
  const Clock::time_point now = Clock::now();
  const double elapsed = std::max(std::chrono::duration<double>(now - last_).count(), 1e-9);
  const auto tokens = static_cast<double>(sum_.tokens);
  nlohmann::ordered_json report = {{"event", "train"},
                                   {"step", counters.step},
                                   {"epoch", counters.epoch},
                                   {"loss", sum_.loss / tokens},
                                   {"nll", sum_.nll / tokens},
                                   {"perplexity", perplexity(sum_)},
                                   {"learning_rate", rate_},
                                   {"gradient_norm", gradient_norm_},
                                   {"source_tokens", counters.source_tokens},
                                   {"target_tokens", counters.target_tokens},
                                   {"target_tokens_per_second", tokens / elapsed},
                                   {"seconds", seconds()}};
  sum_ = {};
  last_ = now;
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
