#include "train/validator.h"

#include <utility>

#include "common/error.h"
#include "common/interrupt.h"
#include "common/progress_line.h"
#include "data/batches.h"
#include "train/best.h"

namespace nmt {

ValidationText validation_text(const ParallelText& text, const Encoding& encoding,
                               std::int64_t batch_tokens) {
  ValidationText out{.name = text.source().name(),
                     .batches = batches_of(encode_all(text, encoding), batch_tokens),
                     .fingerprint = text.fingerprint()};
  for (std::int64_t i = 0; i < text.size(); ++i) {
    out.sources.emplace_back(text.source()[i]);
    out.references.emplace_back(text.target()[i]);
  }
  return out;
}

std::vector<std::string> validation_metrics(const TrainingSettings& settings) {
  std::vector<std::string> metrics = {"bleu"};
  const auto add = [&metrics](const std::string& metric) {
    if (std::ranges::count(metrics, metric) == 0) metrics.push_back(metric);
  };
  std::ranges::for_each(settings.valid_metrics, add);
  if (is_metric(settings.best_by)) add(settings.best_by);
  return metrics;
}

double Validation::figure(const std::string& name) const {
  const auto metric = std::ranges::find(metrics, name);
  if (metric != metrics.end()) return scores[static_cast<std::size_t>(metric - metrics.begin())].value;
  if (name == "loss") return loss.loss / static_cast<double>(loss.tokens);
  return perplexity(loss);
}

nlohmann::ordered_json Validation::report(const Counters& counters, double seconds) const {
  const auto tokens = static_cast<double>(loss.tokens);
  nlohmann::ordered_json report = {{"event", "valid"},         {"step", counters.step},
                                   {"epoch", counters.epoch},  {"loss", loss.loss / tokens},
                                   {"nll", loss.nll / tokens}, {"perplexity", perplexity(loss)}};
  for (std::size_t i = 0; i < metrics.size(); ++i) report[metrics[i]] = scores[i].value;
  report["source_tokens"] = counters.source_tokens;
  report["target_tokens"] = counters.target_tokens;
  report["seconds"] = seconds;
  return report;
}

std::string Validation::text() const {
  std::string text = fmt::format("loss {}  perplexity {}", figure_text(figure("loss"), 4),
                                 perplexity_text(perplexity(loss)));
  for (const Score& score : scores) text += fmt::format("  {} {:.1f}", score.name, score.value);
  return text;
}

Validator::Validator(ValidationText text, const SavedModel& model, Backend& backend, Arena& arena,
                     Update& update, std::optional<SearchSettings> translation,
                     std::vector<std::string> metrics)
    : text_(std::move(text)),
      model_(model),
      backend_(backend),
      arena_(arena),
      update_(update),
      translation_(std::move(translation)),
      metrics_(std::move(metrics)) {}

Validation Validator::operator()() {
  Validation validation;
  std::optional<ProgressLine> progress(std::in_place, "validating", "sentence");
  std::int64_t done = 0;
  validation.loss = update_.loss(text_.batches, [&](const Batch& batch) {
    InterruptGuard::check();
    done += std::ssize(batch.examples);
    progress->show(done, static_cast<double>(done) / static_cast<double>(text_.sources.size()));
  });
  progress.reset();
  if (translation_) translate(validation);
  return validation;
}

void Validator::translate(Validation& validation) {
  Translator translator(model_, backend_, arena_,
                        {.search = *translation_, .before_step = InterruptGuard::check});
  ProgressLine progress("validating: translating", "line");
  const auto show = [&progress](std::int64_t lines, std::optional<double> part) {
    progress.show(lines, part);
  };
  try {
    for (Translation& translation : translator.translate(text_.sources, show)) {
      validation.translations.push_back(std::move(translation.text));
    }
  } catch (const Error& error) {
    throw Error("while '{}' was translated for validation: {}; --valid-beam 0 leaves translation out",
                text_.name, error.what());
  }
  for (const std::string& name : metrics_) {
    validation.scores.push_back(
        corpus_score(*make_metric(name), validation.translations, {text_.references}));
  }
  validation.metrics = metrics_;
}

}  // namespace nmt
