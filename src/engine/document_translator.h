// Translates the texts of documents by a translation service.
#pragma once

#include <cstdint>
#include <future>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <vector>

#include "data/text/sentences.h"
#include "documents/document_output.h"
#include "translate/service/translation_service.h"
#include "translate/service/translator.h"

namespace nmt {

class DocumentTranslator {
 public:
  /// Totals of the texts that are done.
  struct Counts {
    Translator::Counts texts;            // which are its lines, and whose seconds are 0
    std::int64_t truncated = 0;          // texts that were too long
    std::set<std::string> notices = {};  // see TranslationResult
  };

  /// `like`: a request with the settings of all texts; its `keep` applies, too, and `most` of its context.
  /// `splitter`: see Paragraph; null: a text is a sentence. The service must align translations
  /// (TranslationSettings::alignment) and outlive this object.
  DocumentTranslator(TranslationService& service, TranslationRequest like,
                     std::shared_ptr<const SentenceSplitter> splitter);

  /// Begins a document, for whose texts those before it are no context.
  void begin() { earlier_.clear(); }
  /// Submits texts; see TranslateTexts. The future throws the failure of the first text that failed. Throws
  /// Error for a text whose tags or kept parts cannot be set apart.
  std::future<std::vector<std::string>> submit(std::vector<DocumentText> texts);

  Counts counts() const;

 private:
  struct Totals {
    mutable std::mutex mutex;
    Counts counts;
  };
  struct Batch;

  TranslationService& service_;
  TranslationRequest like_;
  std::shared_ptr<const SentenceSplitter> splitter_;
  EarlierTexts earlier_;  // of the document
  std::int64_t batches_ = 0, texts_ = 0;
  std::shared_ptr<Totals> totals_ = std::make_shared<Totals>();
};

}  // namespace nmt
