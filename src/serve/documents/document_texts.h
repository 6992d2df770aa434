// Translates the texts of a document that a client has sent.
#pragma once

#include <future>
#include <memory>
#include <stop_token>
#include <string>
#include <vector>

#include "documents/document_output.h"
#include "serve/documents/sent_document.h"
#include "serve/routed_texts.h"

namespace nmt {

/// Throws Error if a stop was requested.
void check_stop(const std::stop_token& stop);

/// Translates batches of texts as those of requests of a client are, by a route of models. One thread uses
/// it, and the futures that it returns. It must outlive them.
class DocumentTexts {
 public:
  /// `route`: with requests for texts without markup. `client`: see FairTurns. Waiting ends with an Error
  /// when a stop is requested.
  DocumentTexts(std::string client, ModelRoute route, std::shared_ptr<DocumentProgress> progress,
                std::stop_token stop);

  /// Submits texts to the first model of the route; see TranslateTexts. get() of the future submits the
  /// results to the next model, and so on. It throws the failure of the first text that failed. Throws Error
  /// for a text whose tags or kept parts cannot be set apart.
  std::future<std::vector<std::string>> submit(std::vector<DocumentText> texts);

 private:
  struct Batch;

  /// Submits a batch to the next model; returns false after the last one.
  bool submit_next(Batch& batch) const;
  /// Translates a batch to the end.
  std::vector<std::string> finish(Batch& batch) const;
  void count(const Batch& batch, const std::vector<TranslationResult>& results) const;

  std::string client_;
  std::vector<ModelRoute> routes_;  // for texts without and with markup
  std::shared_ptr<DocumentProgress> progress_;
  std::stop_token stop_;
};

/// Returns the number of characters of a text of a document, as limits of clients count them: without markup.
/// Appends the text without markup to `plain`.
std::int64_t characters_of(const DocumentText& text, std::string& plain);

}  // namespace nmt
