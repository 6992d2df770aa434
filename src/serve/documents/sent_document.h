// A document that a client has sent, and the progress of its translation.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "common/io/memory_map.h"
#include "documents/document.h"
#include "serve/access_log.h"
#include "serve/routed_texts.h"
#include "serve/text_paths.h"

namespace nmt {

/// A document of a client, and how it is to be translated.
struct SentDocument {
  std::string owner = {};   // see owner_of()
  std::string client = {};  // see FairTurns
  std::string name = {};    // of its file, without folders: "report.docx"
  std::shared_ptr<const MemoryMap> file = nullptr;
  std::string_view bytes = {};             // the document, a part of `file`
  const DocumentFormat* format = nullptr;  // not null
  DocumentSettings settings = {};
  bool as_tmx = false;  // the result is a translation memory
  /// The models that translate it; none: the language of the document is detected.
  std::optional<ModelPath> path = std::nullopt;
  std::string target = {};  // code of a language, as served; empty if the model has no languages
  AskModel ask = nullptr;
  /// Counts characters against the limits of the client. Throws LimitReached if it has to wait, and CallError
  /// if there are too many. May be called on any thread.
  std::function<void(std::int64_t characters)> take_characters = nullptr;
  bool is_shared = false;  // whoever knows its key may have the translation, until it expires
  AccessEntry entry = {};  // of the request that sent it, for logs
};

/// The progress of a translation.
struct DocumentProgress {
  /// The beginning of the texts, once their characters have been counted; for the thread that translates.
  std::optional<std::string> sample = std::nullopt;
  std::atomic<std::int64_t> characters = 0;        // of all texts; 0 until they have been counted
  std::atomic<std::int64_t> bytes = 0;             // of all texts with their markup, likewise
  std::atomic<std::int64_t> translated_bytes = 0;  // of these
  AnsweredRequest figures = {};                    // of the texts so far; for the thread that translates
};

}  // namespace nmt
