#include "train/meter.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <string_view>

namespace nmt {

std::vector<std::pair<std::string, double>> figures_of(const nlohmann::ordered_json& line) {
  static constexpr std::array<std::string_view, 5> kPlaces = {"step", "epoch", "source_tokens",
                                                              "target_tokens", "seconds"};
  std::vector<std::pair<std::string, double>> figures;
  for (const auto& [name, value] : line.items()) {
    if (value.is_number() && std::ranges::find(kPlaces, name) == kPlaces.end()) {
      figures.emplace_back(name, value.get<double>());
    }
  }
  return figures;
}

namespace {

const double kLargestPerplexity = std::exp(700);
constexpr const char *kTokenSpeed = "target_tokens_per_second", *kJudgmentSpeed = "judgments_per_second";

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

Meter::Work& Meter::Work::operator+=(const Work& other) {
  seconds += other.seconds;
  tokens += other.tokens;
  return *this;
}

void Meter::resume() {
  if (since_) return;
  since_ = Clock::now();
  continued_ = stop_->continued();
}

void Meter::pause() {
  since_.reset();
}

void Meter::add(const LossSum& sum, double rate, double gradient_norm) {
  state_.window += sum;
  state_.rate = rate;
  state_.gradient_norm = gradient_norm;
  if (!since_) return;
  const Work update{std::chrono::duration<double>(Clock::now() - *since_).count(), sum.tokens};
  if (stop_->continued() == continued_) {  // otherwise the process was suspended in between
    window_ += update;
    training_ += update;
  }
  pause();
  resume();
}

Meter::State Meter::state() const {
  State state = state_;
  state.seconds = seconds();
  return state;
}

double Meter::seconds() const {
  return state_.seconds + std::chrono::duration<double>(Clock::now() - start_).count();
}

nlohmann::ordered_json Meter::figures(const Counters& counters, const LossSum& sum, const Work& work) const {
  const auto tokens = static_cast<double>(std::max<std::int64_t>(sum.tokens, 1));
  nlohmann::ordered_json speed;  // null if no update was made since the run was continued
  if (work.seconds > 0) speed = static_cast<double>(work.tokens) / work.seconds;
  nlohmann::ordered_json figures = {
      {"event", "train"}, {"step", counters.step}, {"epoch", counters.epoch}, {"loss", sum.loss / tokens}};
  if (kind_ == LossKind::tokens) {
    figures["nll"] = sum.nll / tokens;
    figures["perplexity"] = perplexity(sum);
  }
  figures["learning_rate"] = state_.rate;
  figures["gradient_norm"] = state_.gradient_norm;
  figures["source_tokens"] = counters.source_tokens;
  figures["target_tokens"] = counters.target_tokens;
  figures[kind_ == LossKind::tokens ? kTokenSpeed : kJudgmentSpeed] = speed;
  figures["seconds"] = seconds();
  figures["data_wait"] = counters.data_wait;
  return figures;
}

nlohmann::ordered_json Meter::window(const Counters& counters) const {
  return figures(counters, state_.window, window_);
}

nlohmann::ordered_json Meter::two_windows(const Counters& counters) const {
  LossSum sum = state_.before;
  Work work = before_;
  return figures(counters, sum += state_.window, work += window_);
}

void Meter::end_window() {
  state_.before = state_.window;
  state_.window = {};
  before_ = window_;
  window_ = {};
}

std::string Meter::speed(const nlohmann::ordered_json& report) {
  const bool are_tokens = report.contains(kTokenSpeed);
  const nlohmann::ordered_json& speed = report.at(are_tokens ? kTokenSpeed : kJudgmentSpeed);
  if (speed.is_null()) return "";
  return fmt::format("{:.0f} {}/s", speed.get<double>(), are_tokens ? "tokens" : "judgments");
}

std::vector<StatusPart> Meter::parts(const nlohmann::ordered_json& report) {
  const auto number = [&](const char* name) { return report.at(name).get<double>(); };
  const auto count = [&](const char* name) { return report.at(name).get<std::int64_t>(); };
  std::vector<StatusPart> parts = {{fmt::format("epoch {}", count("epoch")), 7},
                                   {fmt::format("step {}", count("step")), 4},
                                   {"loss " + figure_text(number("loss"), 4), 5}};
  if (report.contains("perplexity"))
    parts.push_back({"perplexity " + perplexity_text(number("perplexity")), 6});
  parts.push_back({fmt::format("rate {:.3e}", number("learning_rate")), 8});
  parts.push_back({"norm " + figure_text(number("gradient_norm"), 3), 9});
  return parts;
}

}  // namespace nmt
