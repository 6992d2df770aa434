#include "engine/document_translator.h"

#include <utility>

#include "common/error.h"
#include "common/text/spelling.h"
#include "translate/service/paragraph.h"

namespace nmt {

/// Texts that were submitted together.
struct DocumentTranslator::Batch {
  std::mutex mutex;
  std::vector<std::string> translations;
  std::size_t missing;
  std::exception_ptr failure;
  std::promise<std::vector<std::string>> promise;

  explicit Batch(std::size_t texts) : translations(texts), missing(texts) {}

  void put(std::size_t text, TranslationResult result) {
    const std::lock_guard lock(mutex);
    if (result.failure) {
      if (!failure) failure = result.failure;
    } else {
      translations[text] = std::move(result.translations.front().text);
    }
    if (--missing > 0) return;
    if (failure) {
      promise.set_exception(failure);
    } else {
      promise.set_value(std::move(translations));
    }
  }
};

DocumentTranslator::DocumentTranslator(TranslationService& service, TranslationRequest like,
                                       std::shared_ptr<const SentenceSplitter> splitter)
    : service_(service), like_(std::move(like)), splitter_(std::move(splitter)) {}

std::future<std::vector<std::string>> DocumentTranslator::submit(std::vector<DocumentText> texts) {
  std::vector<TranslationRequest> requests;
  requests.reserve(texts.size());
  for (DocumentText& text : texts) {
    TranslationRequest& request = requests.emplace_back(like_);
    request.text = std::move(text.text);
    request.has_markup = text.has_markup;
    request.group = batches_;
    request.line = texts_++;
    const std::string beginning = request.text.substr(0, 200);
    try {
      set_apart(request);
    } catch (const UsageError& error) {
      throw Error("the text {} cannot be translated: {}", quoted(beginning), error.what());
    }
    earlier_.give(request.context, request.text);
  }
  ++batches_;
  const auto batch = std::make_shared<Batch>(requests.size());
  std::future<std::vector<std::string>> translations = batch->promise.get_future();
  submit_texts(service_, std::move(requests), splitter_.get(),
               [batch, totals = totals_](std::size_t text, TranslationResult result) {
                 {
                   const std::lock_guard lock(totals->mutex);
                   Counts& counts = totals->counts;
                   counts.texts.add(result);
                   if (result.truncated_from) ++counts.truncated;
                   counts.notices.insert(result.notices.begin(), result.notices.end());
                 }
                 batch->put(text, std::move(result));
               });
  return translations;
}

DocumentTranslator::Counts DocumentTranslator::counts() const {
  const std::lock_guard lock(totals_->mutex);
  return totals_->counts;
}

}  // namespace nmt
