#include "serve/text_task.h"

#include <atomic>
#include <memory>
#include <mutex>
#include <utility>

#include "translate/service/paragraph.h"

namespace nmt {
namespace {

/// Sentences of a request that come before those of the next one.
constexpr std::int64_t kSentencesOfATurn = 4;

struct Submitted {
  std::size_t number;  // among the sentences of the task
  std::int64_t turn;
  std::optional<std::string> key;  // in the cache
};

}  // namespace

/// What threads of the service know of a task. It does not keep the model, whose service has it.
struct TextTask::Progress : std::enable_shared_from_this<Progress> {
  Progress(const TextsRequest& request, const SentenceSplitter* splitter)
      : paragraphs(request.texts, splitter), results(request.texts.size()), missing(request.texts.size()) {}

  /// `finishing`: what takes long is done there.
  void put(std::size_t number, TranslationResult result, SlicedWork& finishing) {
    {
      const std::lock_guard lock(mutex);
      result = paragraphs.completed(number, std::move(result));
      if (listeners.sentence) tell(number, result);
    }
    if (!paragraphs.add(number, std::move(result))) return;
    const std::size_t text = paragraphs.place(number).text;
    if (paragraphs.paragraph(text).has_markup()) {
      finishing.add([self = shared_from_this(), text] { return self->finish_one(text); });
    } else {
      while (finish_one(text)) continue;
    }
  }

  /// Makes one more translation of a text whose sentences are all there; false: that was all of it.
  bool finish_one(std::size_t text) {
    if (is_given_up) return false;
    if (paragraphs.paragraph(text).finish_one()) return true;
    const std::lock_guard lock(mutex);
    results[text] = paragraphs.paragraph(text).take();
    if (--missing == 0) done(std::exchange(results, {}));
    return false;
  }

  /// Tells of all sentences that are there and whose turn has come.
  void tell(std::size_t number, const TranslationResult& result) {
    untold[number] = result;
    while (next_told < untold.size() && untold[next_told]) {
      const auto& [text, sentence] = paragraphs.place(next_told);
      listeners.sentence(text, sentence, *untold[next_told]);
      untold[next_told++].reset();
    }
  }

  void tell_so_far(std::size_t number, const std::string& text) {
    const std::lock_guard lock(mutex);
    const Paragraphs::Place& place = paragraphs.place(number);
    if (number == next_told)
      listeners.partial(place.text, place.sentence, paragraphs.completed(number, text));
  }

  Paragraphs paragraphs;
  std::atomic<bool> is_given_up = false;
  std::mutex mutex;
  std::vector<TranslationResult> results;
  std::size_t missing, next_told = 0;
  std::vector<std::optional<TranslationResult>> untold;
  Done done;
  Listeners listeners;
};

TextTask::TextTask(TextsRequest request) : request_(std::move(request)) {
  for (TranslationRequest& text : request_.texts) text.vocabularies = request_.model->vocabularies();
  const bool splits = request_.splits.value_or(request_.model->splits());
  progress_ = std::make_shared<Progress>(request_, splits ? &request_.model->splitter() : nullptr);
  const Paragraphs& paragraphs = progress_->paragraphs;
  size_.sentences = std::ssize(paragraphs);
  for (std::size_t i = 0; i < paragraphs.size(); ++i) {
    size_.bytes += memory_of_sentence(request_.texts[paragraphs.place(i).text], paragraphs.sentence(i).size(),
                                      request_.model->max_length());
  }
}

TextTask::~TextTask() {
  progress_->is_given_up = true;
  for (const std::uint64_t id : ids_) request_.model->service().cancel(id);
}

void TextTask::submit(Done done, Listeners listeners) {
  progress_->done = std::move(done);
  progress_->listeners = std::move(listeners);
  if (progress_->listeners.sentence) progress_->untold.resize(progress_->paragraphs.size());
  const bool tells_parts = progress_->listeners.sentence && progress_->listeners.partial;
  if (size_.sentences == 0) return progress_->done({});
  std::vector<TranslationRequest> requests;
  std::vector<Submitted> submitted;
  TranslationCache& cache = request_.model->cache();
  std::optional<std::string> settings;  // of the sentences of a text, in the cache
  FairTurns& turns = request_.model->turns();
  SlicedWork& finishing = request_.model->finishing();
  const std::int64_t first_turn = turns.next(request_.client);
  for (std::size_t number = 0; number < progress_->paragraphs.size(); ++number) {
    TranslationRequest request = progress_->paragraphs.request_of(number);
    if (progress_->paragraphs.place(number).sentence == 0) settings = cache.settings_of(request);
    std::optional<std::string> key =
        settings ? TranslationCache::key_of(*settings, request.text) : std::nullopt;
    if (take_cached(number, key)) continue;
    if (tells_parts) {
      request.on_progress = [progress = progress_, number](const std::string& text) {
        progress->tell_so_far(number, text);
      };
    }
    request.group = first_turn + std::ssize(requests) / kSentencesOfATurn;
    submitted.push_back({number, request.group, std::move(key)});
    requests.push_back(std::move(request));
  }
  // Cache, turns and the rest of the model outlive the service, which calls this.
  ids_ = request_.model->service().submit(
      std::move(requests), [progress = progress_, &cache, &turns, &finishing,
                            submitted = std::move(submitted)](std::size_t i, TranslationResult result) {
        turns.pass(submitted[i].turn);
        if (submitted[i].key) cache.put(*submitted[i].key, result);
        progress->put(submitted[i].number, std::move(result), finishing);
      });
}

bool TextTask::take_cached(std::size_t number, const std::optional<std::string>& key) {
  if (!key) return false;
  auto cached = request_.model->cache().find(*key);
  ++(cached ? cache_hits_ : cache_misses_);
  if (!cached) return false;
  progress_->put(number, std::move(*cached), request_.model->finishing());
  return true;
}

}  // namespace nmt
