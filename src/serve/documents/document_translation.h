// Translates a document that a client has sent.
#pragma once

#include <memory>
#include <stop_token>

#include "serve/documents/sent_document.h"
#include "serve/served_models.h"

namespace nmt {

/// The parts of a server that translate documents.
struct DocumentServices {
  ServedModels& models;
  const LanguagePairs& pairs;
  const LanguageDetector& languages;
};

/// Translates a document, and returns the result in an unnamed file. First reads it without translating, to
/// count its characters and to detect its language; does not count again those that `progress` has. Waits
/// until models are open. Throws LimitReached if the limits of the client do not allow its characters yet,
/// and Error if it cannot be translated, or when a stop is requested.
MemoryMap translated(const SentDocument& document, const std::shared_ptr<DocumentProgress>& progress,
                     const DocumentServices& services, const std::stop_token& stop);

}  // namespace nmt
