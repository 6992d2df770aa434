// Translates the texts of a document that a client has sent.
#pragma once

#include <cstddef>
#include <cstdint>
#include <future>
#include <list>
#include <memory>
#include <span>
#include <stop_token>
#include <string>
#include <vector>

#include "documents/document_output.h"
#include "serve/documents/sent_document.h"
#include "serve/routed_texts.h"

namespace nmt {

/// Throws Error if a stop was requested.
void check_stop(const std::stop_token& stop);

/// Translates texts as those of requests of a client are, by a route of models, as background work. Enough
/// texts are in progress to keep the models busy, but only a few while short requests come, so that these do
/// not wait long. One thread uses it, and the futures that it returns. It must outlive them.
class DocumentTexts {
 public:
  /// `route`: with requests for texts without markup. `client`: see FairTurns. Waiting ends with an Error
  /// when a stop is requested.
  DocumentTexts(std::string client, ModelRoute route, std::shared_ptr<DocumentProgress> progress,
                std::stop_token stop);
  ~DocumentTexts();
  DocumentTexts(const DocumentTexts&) = delete;
  DocumentTexts& operator=(const DocumentTexts&) = delete;

  /// Returns a future whose get() translates the texts; see TranslateTexts. It throws the failure of the
  /// first text that failed, and Error for a text whose tags or kept parts cannot be set apart.
  std::future<std::vector<std::string>> submit(std::vector<DocumentText> texts);

 private:
  class Results;
  struct Part;

  std::vector<std::string> translate(std::vector<DocumentText>& texts) const;
  /// Whether more texts should be in progress than those of `parts`.
  bool has_room(const std::list<Part>& parts) const;
  Part part_of(std::span<DocumentText> texts, std::size_t first) const;
  /// Submits a part to its next model, whose results come to `results`; returns false after the last model.
  bool submit_next(Part& part, const std::shared_ptr<Results>& results) const;
  void count(const Part& part, const std::vector<TranslationResult>& results) const;

  std::string client_;
  std::vector<ModelRoute> routes_;  // for texts without and with markup
  std::shared_ptr<DocumentProgress> progress_;
  std::stop_token stop_;
};

/// Returns the number of characters of a text of a document, as limits of clients count them: without markup.
/// Appends the text without markup to `plain`.
std::int64_t characters_of(const DocumentText& text, std::string& plain);

}  // namespace nmt
