#include "train/validation.h"

#include <fmt/format.h>

#include <algorithm>

#include "train/run/checkpoints.h"

namespace nmt {

std::optional<double> Validation::figure(const std::string& name) const {
  if (name == kCommandFigure) return command;
  const auto metric = std::ranges::find(metrics, name);
  if (metric != metrics.end()) return scores[static_cast<std::size_t>(metric - metrics.begin())].value;
  if (name == "loss") return loss.loss / static_cast<double>(loss.tokens);
  if (name == "perplexity" && kind == LossKind::tokens) return perplexity(loss);
  return std::nullopt;
}

nlohmann::ordered_json Validation::report(const Counters& counters, double seconds) const {
  const auto tokens = static_cast<double>(loss.tokens);
  nlohmann::ordered_json report = {
      {"event", "valid"}, {"step", counters.step}, {"epoch", counters.epoch}, {"loss", loss.loss / tokens}};
  if (kind == LossKind::tokens) {
    report["nll"] = loss.nll / tokens;
    report["perplexity"] = perplexity(loss);
  }
  for (std::size_t i = 0; i < metrics.size(); ++i) report[metrics[i]] = scores[i].value;
  if (command) report[kCommandFigure] = *command;
  report["source_tokens"] = counters.source_tokens;
  report["target_tokens"] = counters.target_tokens;
  report["seconds"] = seconds;
  return report;
}

std::string Validation::text() const {
  std::string text = fmt::format("loss {}", figure_text(*figure("loss"), 4));
  if (kind == LossKind::tokens) text += fmt::format("  perplexity {}", perplexity_text(perplexity(loss)));
  for (const Score& score : scores) text += fmt::format("  {} {}", score.name, score.number(1));
  if (command) text += fmt::format("  {} {}", kCommandFigure, figure_text(*command, 4));
  return text;
}

}  // namespace nmt
