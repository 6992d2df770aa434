#include "serve/documents/document_texts.h"

#include <algorithm>
#include <condition_variable>
#include <deque>
#include <mutex>
#include <utility>

#include "common/error.h"
#include "serve/clients/request_limits.h"

namespace nmt {
namespace {

// Of texts in progress. More do not make the models faster, but a step of their searches longer.
constexpr std::size_t kParts = 2, kTextsOfPart = 2;
// The work of a document, with which ClientLoads serves it in the background from its first text on.
constexpr std::int64_t kMuchWork = 1'000'000;

}  // namespace

/// Texts that are in progress together. Threads of services share a part of it.
struct DocumentTexts::Part {
  /// The results of a task, which come on another thread.
  class Results {
   public:
    void put(std::vector<TranslationResult> all) {
      const std::lock_guard lock(mutex_);
      results_ = std::move(all);
      changed_.notify_one();
    }
    /// Throws Error when a stop is requested.
    std::vector<TranslationResult> wait(const std::stop_token& stop) {
      std::unique_lock lock(mutex_);
      if (!changed_.wait(lock, stop, [this] { return results_.has_value(); })) check_stop(stop);
      return *std::exchange(results_, std::nullopt);
    }

   private:
    std::mutex mutex_;
    std::condition_variable_any changed_;
    std::optional<std::vector<TranslationResult>> results_;
  };

  /// Counts the texts of a part as translated, in order.
  class Counted {
   public:
    Counted(std::vector<std::int64_t> characters, std::shared_ptr<DocumentProgress> progress)
        : characters_(std::move(characters)), progress_(std::move(progress)) {}

    /// Counts those before this one.
    void reach(std::size_t text) {
      while (next_ < text) progress_->translated += characters_[next_++];
    }
    void reach_end() { reach(characters_.size()); }

   private:
    std::vector<std::int64_t> characters_;
    std::shared_ptr<DocumentProgress> progress_;
    std::size_t next_ = 0;
  };

  RoutedTexts texts;
  std::shared_ptr<Counted> counted;
  std::shared_ptr<Results> results = std::make_shared<Results>();
  std::shared_ptr<TextTask> task = nullptr;  // which is destroyed first
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

std::vector<std::string> DocumentTexts::translate(std::vector<DocumentText>& texts) const {
  std::span<DocumentText> rest(texts);
  std::deque<std::unique_ptr<Part>> parts;
  std::vector<std::string> translations;
  while (!rest.empty() || !parts.empty()) {
    while (!rest.empty() && parts.size() < kParts) {
      const std::size_t count = std::min(rest.size(), kTextsOfPart);
      parts.push_back(begin(rest.first(count)));
      rest = rest.subspan(count);
    }
    finish(*parts.front(), translations);
    parts.pop_front();
  }
  return translations;
}

std::unique_ptr<DocumentTexts::Part> DocumentTexts::begin(std::span<DocumentText> texts) const {
  TextsRequest request{.client = client_, .routes = routes_};
  std::vector<std::int64_t> characters;
  for (DocumentText& text : texts) {
    std::string plain;
    characters.push_back(characters_of(text, plain));
    request.numbers.push_back(text.has_markup ? 1 : 0);
    request.texts.push_back(std::move(text.text));
  }
  auto part = std::make_unique<Part>(
      Part{.texts = RoutedTexts(std::move(request)),
           .counted = std::make_shared<Part::Counted>(std::move(characters), progress_)});
  submit_next(*part);
  return part;
}

bool DocumentTexts::submit_next(Part& part) const {
  part.task = part.texts.next_task();
  if (!part.task) return false;
  try {
    while (part.task->set_apart_next()) check_stop(stop_);
  } catch (const UsageError& error) {
    throw Error("a text of the document cannot be translated: {}", error.what());
  }
  while (part.task->divide_next()) check_stop(stop_);
  TextTask::Listeners listeners;
  if (part.texts.is_last_task()) {
    listeners.sentence = [counted = part.counted](const TranslatedSentence& sentence) {
      counted->reach(sentence.text);
    };
  }
  part.task->submit(
      [results = part.results](std::vector<TranslationResult> all) { results->put(std::move(all)); },
      std::move(listeners));
  return true;
}

void DocumentTexts::finish(Part& part, std::vector<std::string>& translations) const {
  do {
    std::vector<TranslationResult> results = part.results->wait(stop_);
    count(part, results);
    for (const TranslationResult& result : results) {
      if (result.failure) std::rethrow_exception(result.failure);
    }
    part.texts.put(std::move(results));
  } while (submit_next(part));
  part.counted->reach_end();
  for (TranslationResult& result : part.texts.take_results())
    translations.push_back(std::move(result.translations.front().text));
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
