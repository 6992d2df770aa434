#include "serve/documents/document_texts.h"

#include <algorithm>
#include <condition_variable>
#include <mutex>
#include <utility>

#include "common/error.h"
#include "serve/clients/request_limits.h"

namespace nmt {
/// Texts that were submitted together. Threads of services share a part of it.
struct DocumentTexts::Batch {
  /// The results of a task, which come on another thread.
  class Results {
   public:
    void put(std::vector<TranslationResult> results) {
      const std::lock_guard lock(mutex_);
      results_ = std::move(results);
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

  /// Counts the texts of a batch as translated, in order.
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
}

std::future<std::vector<std::string>> DocumentTexts::submit(std::vector<DocumentText> texts) {
  TextsRequest request{.client = client_, .routes = routes_};
  std::vector<std::int64_t> characters;
  for (DocumentText& text : texts) {
    std::string plain;
    characters.push_back(characters_of(text, plain));
    request.numbers.push_back(text.has_markup ? 1 : 0);
    request.texts.push_back(std::move(text.text));
  }
  auto batch = std::make_unique<Batch>(
      Batch{.texts = RoutedTexts(std::move(request)),
            .counted = std::make_shared<Batch::Counted>(std::move(characters), progress_)});
  submit_next(*batch);
  return std::async(std::launch::deferred, [this, batch = std::move(batch)] { return finish(*batch); });
}

bool DocumentTexts::submit_next(Batch& batch) const {
  batch.task = batch.texts.next_task();
  if (!batch.task) return false;
  try {
    while (batch.task->set_apart_next()) check_stop(stop_);
  } catch (const UsageError& error) {
    throw Error("a text of the document cannot be translated: {}", error.what());
  }
  while (batch.task->divide_next()) check_stop(stop_);
  TextTask::Listeners listeners;
  if (batch.texts.is_last_task()) {
    listeners.sentence = [counted = batch.counted](const TranslatedSentence& sentence) {
      counted->reach(sentence.text);
    };
  }
  batch.task->submit(
      [results = batch.results](std::vector<TranslationResult> all) { results->put(std::move(all)); },
      std::move(listeners));
  return true;
}

std::vector<std::string> DocumentTexts::finish(Batch& batch) const {
  do {
    std::vector<TranslationResult> results = batch.results->wait(stop_);
    count(batch, results);
    for (const TranslationResult& result : results) {
      if (result.failure) std::rethrow_exception(result.failure);
    }
    batch.texts.put(std::move(results));
  } while (submit_next(batch));
  batch.counted->reach_end();
  std::vector<std::string> translations;
  for (TranslationResult& result : batch.texts.take_results())
    translations.push_back(std::move(result.translations.front().text));
  return translations;
}

void DocumentTexts::count(const Batch& batch, const std::vector<TranslationResult>& results) const {
  AnsweredRequest& figures = progress_->figures;
  figures.sentences += batch.task->size().sentences;
  figures.cache_hits += batch.task->cache_hits();
  figures.cache_misses += batch.task->cache_misses();
  for (const TranslationResult& result : results) {
    figures.source_tokens += result.source_tokens;
    figures.target_tokens += result.target_tokens;
    figures.truncated += result.truncated_from ? 1 : 0;
  }
  if (batch.texts.is_last_task()) figures.texts += std::ssize(results);
}

}  // namespace nmt
