#include "serve/documents/document_texts.h"

#include <algorithm>
#include <condition_variable>
#include <deque>
#include <exception>
#include <iterator>
#include <mutex>
#include <utility>

#include "common/error.h"
#include "serve/clients/request_limits.h"

namespace nmt {
namespace {

// The texts of a part, and the parts in progress while short requests come: more texts would make the steps
// of their searches longer.
constexpr std::size_t kTextsOfPart = 2, kFewParts = 2;
// The bytes of texts in progress at other times, per token that the models process at a time. They are twice
// as many tokens, so that each worker of the models has a full step and the next sentences.
constexpr std::int64_t kBytesPerToken = 8;
// The work of a document, with which ClientLoads serves it in the background from its first text on.
constexpr std::int64_t kMuchWork = 1'000'000;

}  // namespace

/// The results of the tasks of parts, which come on other threads.
class DocumentTexts::Results {
 public:
  /// The results of a part, known by its first text.
  struct OfPart {
    std::size_t first;
    std::vector<TranslationResult> results;
  };

  void put(OfPart results) {
    const std::lock_guard lock(mutex_);
    arrived_.push_back(std::move(results));
    changed_.notify_one();
  }
  /// Waits for results. Throws Error when a stop is requested.
  OfPart wait(const std::stop_token& stop) {
    std::unique_lock lock(mutex_);
    if (!changed_.wait(lock, stop, [this] { return !arrived_.empty(); })) check_stop(stop);
    OfPart first = std::move(arrived_.front());
    arrived_.pop_front();
    return first;
  }

 private:
  std::mutex mutex_;
  std::condition_variable_any changed_;
  std::deque<OfPart> arrived_;
};

/// Adjacent texts that are in progress together.
struct DocumentTexts::Part {
  std::size_t first;   // the number of its first text
  std::int64_t bytes;  // of its texts
  RoutedTexts texts;
  std::shared_ptr<TextTask> task = nullptr;
};

void check_stop(const std::stop_token& stop) {
  if (stop.stop_requested()) throw Error("the translation was cancelled");
}

std::int64_t characters_of(const DocumentText& text, std::string& plain) {
  TranslationRequest request{.text = text.text, .search = nullptr, .has_markup = text.has_markup};
  set_apart(request);
  plain += request.text;
  return characters_of(request);
}

DocumentTexts::DocumentTexts(std::string client, ModelRoute route, std::shared_ptr<DocumentProgress> progress,
                             std::stop_token stop)
    : client_(std::move(client)),
      routes_{route, route},
      progress_(std::move(progress)),
      stop_(std::move(stop)) {
  for (RouteStep& step : routes_[1]) step.asked.has_markup = true;
  for (const RouteStep& step : routes_[0]) step.model->loads().add(client_, kMuchWork);
}

DocumentTexts::~DocumentTexts() {
  for (const RouteStep& step : routes_[0]) step.model->loads().remove(client_, kMuchWork);
}

std::future<std::vector<std::string>> DocumentTexts::submit(std::vector<DocumentText> texts) {
  return std::async(std::launch::deferred,
                    [this, texts = std::move(texts)]() mutable { return translate(texts); });
}

bool DocumentTexts::has_room(const std::list<Part>& parts) const {
  if (parts.size() < kFewParts) return true;
  std::int64_t bytes = 0, tokens = 0;
  for (const Part& part : parts) bytes += part.bytes;
  for (const RouteStep& step : routes_[0]) {
    if (step.model->service().has_recent_interactive()) return false;
    tokens += step.model->service().tokens_at_a_time();
  }
  return bytes < kBytesPerToken * tokens;
}

std::vector<std::string> DocumentTexts::translate(std::vector<DocumentText>& texts) const {
  const auto results = std::make_shared<Results>();
  std::vector<std::string> translations(texts.size());
  std::list<Part> parts;
  for (std::size_t next = 0; next < texts.size() || !parts.empty();) {
    while (next < texts.size() && has_room(parts)) {
      const std::size_t count = std::min(texts.size() - next, kTextsOfPart);
      parts.push_back(part_of(std::span(texts).subspan(next, count), next));
      submit_next(parts.back(), results);
      next += count;
    }
    Results::OfPart arrived = results->wait(stop_);
    const auto part = std::ranges::find(parts, arrived.first, &Part::first);
    count(*part, arrived.results);
    for (const TranslationResult& result : arrived.results) {
      if (result.failure) std::rethrow_exception(result.failure);
    }
    part->texts.put(std::move(arrived.results));
    if (submit_next(*part, results)) continue;
    for (TranslationResult& result : part->texts.take_results())
      translations[arrived.first++] = std::move(result.translations.front().text);
    progress_->translated_bytes += part->bytes;
    parts.erase(part);
  }
  return translations;
}

DocumentTexts::Part DocumentTexts::part_of(std::span<DocumentText> texts, std::size_t first) const {
  TextsRequest request{.client = client_, .routes = routes_};
  std::int64_t bytes = 0;
  for (DocumentText& text : texts) {
    bytes += std::ssize(text.text);
    request.numbers.push_back(text.has_markup ? 1 : 0);
    request.texts.push_back(std::move(text.text));
  }
  return {.first = first, .bytes = bytes, .texts = RoutedTexts(std::move(request))};
}

bool DocumentTexts::submit_next(Part& part, const std::shared_ptr<Results>& results) const {
  part.task = part.texts.next_task();
  if (!part.task) return false;
  try {
    while (part.task->set_apart_next()) check_stop(stop_);
  } catch (const UsageError& error) {
    throw Error("a text of the document cannot be translated: {}", error.what());
  }
  while (part.task->divide_next()) check_stop(stop_);
  part.task->submit([results, first = part.first](std::vector<TranslationResult> all) {
    results->put({first, std::move(all)});
  });
  return true;
}

void DocumentTexts::count(const Part& part, const std::vector<TranslationResult>& results) const {
  AnsweredRequest& figures = progress_->figures;
  figures.sentences += part.task->size().sentences;
  figures.cache_hits += part.task->cache_hits();
  figures.cache_misses += part.task->cache_misses();
  for (const TranslationResult& result : results) {
    figures.source_tokens += result.source_tokens;
    figures.target_tokens += result.target_tokens;
    figures.truncated += result.truncated_from ? 1 : 0;
  }
  if (part.texts.is_last_task()) figures.texts += std::ssize(results);
}

}  // namespace nmt
