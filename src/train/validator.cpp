#include "train/validator.h"

#include "data/batches.h"
#include "metrics/bleu.h"

namespace nmt {

ValidationText validation_text(const ParallelText& text, const Encoding& encoding,
                               std::int64_t batch_tokens) {
  ValidationText out;
  out.batches = batches_of(encode_all(text, encoding), batch_tokens);
  for (std::int64_t i = 0; i < text.size(); ++i) {
    out.sources.emplace_back(text.source()[i]);
    out.references.emplace_back(text.target()[i]);
  }
  return out;
}

Validator::Validator(ValidationText text, const SavedModel& model, Backend& backend, Arena& arena,
                     Update& update, std::optional<SearchSettings> translation)
    : text_(std::move(text)),
      model_(model),
      backend_(backend),
      arena_(arena),
      update_(update),
      translation_(translation) {}

Validation Validator::operator()() {
  Validation validation;
  for (const Batch& batch : text_.batches) validation.loss += update_.loss(batch);
  if (!translation_) return validation;
  Translator translator(model_, backend_, arena_, {.search = *translation_});
  for (Translation& translation : translator.translate(text_.sources)) {
    validation.translations.push_back(std::move(translation.text));
  }
  validation.bleu = metrics::corpus_bleu(validation.translations, {text_.references});
  return validation;
}

}  // namespace nmt
