#include "train/validator.h"

#include <algorithm>
#include <new>
#include <utility>

#include "common/error.h"
#include "common/interrupt.h"
#include "common/progress_line.h"
#include "data/batches.h"
#include "metrics/bleu.h"

namespace nmt {

ValidationText validation_text(const ParallelText& text, const Encoding& encoding,
                               std::int64_t batch_tokens) {
  ValidationText out{.name = text.source().name(),
                     .batches = batches_of(encode_all(text, encoding), batch_tokens)};
  for (std::int64_t i = 0; i < text.size(); ++i) {
    out.sources.emplace_back(text.source()[i]);
    out.references.emplace_back(text.target()[i]);
  }
  return out;
}

double Validation::figure(const std::string& name) const {
  if (name == "bleu") return *bleu;
  if (name == "loss") return loss.loss / static_cast<double>(loss.tokens);
  return perplexity(loss);
}

nlohmann::ordered_json Validation::report(const Counters& counters, double seconds) const {
  const auto tokens = static_cast<double>(loss.tokens);
  nlohmann::ordered_json report = {{"event", "valid"},         {"step", counters.step},
                                   {"epoch", counters.epoch},  {"loss", loss.loss / tokens},
                                   {"nll", loss.nll / tokens}, {"perplexity", perplexity(loss)}};
  if (bleu) report["bleu"] = *bleu;
  report["source_tokens"] = counters.source_tokens;
  report["target_tokens"] = counters.target_tokens;
  report["seconds"] = seconds;
  return report;
}

std::string Validation::text() const {
  return fmt::format("loss {}  perplexity {}{}", figure_text(figure("loss"), 4),
                     perplexity_text(perplexity(loss)), bleu ? fmt::format("  BLEU {:.1f}", *bleu) : "");
}

Validator::Validator(ValidationText text, const SavedModel& model, Backend& backend, Arena& arena,
                     Update& update, std::optional<SearchSettings> translation)
    : text_(std::move(text)),
      model_(model),
      backend_(backend),
      arena_(arena),
      update_(update),
      translation_(std::move(translation)) {}

Validation Validator::operator()() {
  Validation validation;
  std::optional<ProgressLine> progress(std::in_place, "validating", "sentence");
  std::int64_t done = 0;
  for (const Batch& batch : text_.batches) {
    InterruptGuard::check();
    validation.loss += update_.loss(batch);
    done += std::ssize(batch.examples);
    progress->show(done, static_cast<double>(done) / static_cast<double>(text_.sources.size()));
  }
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
  } catch (const std::bad_alloc&) {
    const auto longest = std::ranges::max_element(text_.sources, {}, &std::string::size);
    throw Error(
        "out of memory while '{}' was translated for validation; its longest line is {}, of {} bytes: "
        "shorten "
        "it, lower --valid-beam, or set it to 0",
        text_.name, longest - text_.sources.begin() + 1, longest->size());
  }
  validation.bleu = metrics::corpus_score(metrics::Bleu(), validation.translations, {text_.references}).value;
}

}  // namespace nmt
