#include "serve/documents/document_translation.h"

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "common/error.h"
#include "common/io/spool.h"
#include "documents/tmx.h"
#include "serve/documents/document_texts.h"

namespace nmt {
namespace {

constexpr std::size_t kSampleBytes = 8192;           // of texts, whose language is detected
constexpr std::chrono::milliseconds kUntilOpen{50};  // before it looks again whether a model is open

/// Waits for this time. Throws Error when a stop is requested.
void wait(std::chrono::milliseconds time, const std::stop_token& stop) {
  std::mutex mutex;
  std::condition_variable_any never;
  std::unique_lock lock(mutex);
  never.wait_for(lock, stop, time, [] { return false; });
  check_stop(stop);
}

DocumentInput input_of(const SentDocument& document) {
  return {.bytes = document.bytes, .name = document.name, .settings = document.settings};
}

/// Counts the characters of a document, and takes the beginning of its texts.
void count_characters(const SentDocument& document, DocumentProgress& progress, const std::stop_token& stop) {
  std::int64_t characters = 0, bytes = 0;
  std::string sample;
  const auto keep = [&](const std::vector<DocumentText>& texts) {
    check_stop(stop);
    std::vector<std::string> unchanged;
    for (const DocumentText& text : texts) {
      std::string plain;
      characters += characters_of(text, plain);
      bytes += std::ssize(text.text);
      if (sample.size() < kSampleBytes) sample += plain + '\n';
      unchanged.push_back(text.text);
    }
    std::promise<std::vector<std::string>> promise;
    promise.set_value(std::move(unchanged));
    return promise.get_future();
  };
  translate_document(input_of(document), *document.format, keep,
                     [&stop](std::string_view) { check_stop(stop); });
  progress.bytes = bytes;
  progress.characters = characters;
  progress.figures.characters = characters;
  progress.sample = std::move(sample);
}

/// Opens all models of a path. Throws Error if one cannot be opened.
ModelRoute opened(const ModelPath& path, const AskModel& ask, ServedModels& models,
                  const std::stop_token& stop) {
  for (;;) {
    ModelRoute route;
    const std::optional<std::size_t> awaited = open_route(path, ask, models, route);
    if (!awaited) return route;
    route.clear();  // while it waits, other models may be closed
    while (!models.is_open(*awaited)) {
      if (models.failure_of(*awaited))
        throw Error("model '{}' cannot be opened", models.sources()[*awaited].name);
      wait(kUntilOpen, stop);
    }
  }
}

}  // namespace

MemoryMap translated(const SentDocument& document, const std::shared_ptr<DocumentProgress>& progress,
                     const DocumentServices& services, const std::stop_token& stop) {
  if (!progress->sample) count_characters(document, *progress, stop);
  const ModelPath path =
      document.path ? *document.path
                    : detected_path(services.pairs, services.languages, *progress->sample, document.target);
  document.take_characters(progress->characters);
  // Its texts share no turns and no load with the other requests of the client.
  DocumentTexts texts("documents of " + document.client, opened(path, document.ask, services.models, stop),
                      progress, stop);
  Spool result;
  const auto submit = [&](std::vector<DocumentText> batch) {
    check_stop(stop);
    return texts.submit(std::move(batch));
  };
  const auto write = [&](std::string_view bytes) {
    check_stop(stop);
    result.append(bytes.data(), bytes.size());
  };
  if (document.as_tmx) {
    const std::string source =
        path.empty() ? document.target : services.models.sources()[path.front()].pair.source;
    translate_to_tmx(input_of(document), *document.format, submit, write, source, document.target);
  } else {
    translate_document(input_of(document), *document.format, submit, write);
  }
  return result.map();
}

}  // namespace nmt
