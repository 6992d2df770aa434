#include "serve/routed_texts.h"

#include <algorithm>
#include <atomic>
#include <memory>
#include <mutex>
#include <utility>

#include "translate/service/paragraph.h"
#include "translate/service/request_queue.h"

namespace nmt {
namespace {

/// The number of sentences of a request that come before those of the next request.
constexpr std::int64_t kSentencesOfATurn = 4;
/// Bytes of text that take a few milliseconds to prepare.
constexpr std::size_t kShortTexts = 1 << 13;

/// Adds to the result of a model the reports of earlier models about the same text.
void add_report_of(TranslationResult before, TranslationResult& result) {
  if (before.failure) result.failure = before.failure;
  if (before.truncated_from) result.truncated_from = before.truncated_from;
  for (std::string& notice : result.notices) {
    if (std::ranges::count(before.notices, notice) == 0) before.notices.push_back(std::move(notice));
  }
  result.notices = std::move(before.notices);
}

}  // namespace

/// The state of a task that the threads of services share. It does not own the models, because they own these
/// services.
struct TextTask::Progress : std::enable_shared_from_this<Progress> {
  /// Takes the result of a sentence, also for its repetitions. `finishing`: does the work that takes long.
  void put(std::size_t number, TranslationResult result, SlicedWork& finishing) {
    for (const std::size_t repetition : paragraphs.repetitions(number))
      put_one(repetition, result, finishing);
    put_one(number, std::move(result), finishing);
  }

  void put_one(std::size_t number, TranslationResult result, SlicedWork& finishing) {
    {
      const std::lock_guard lock(mutex);
      result = paragraphs.completed(number, std::move(result));
      if (judge != nullptr) return judge_one(number, std::move(result), finishing);
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

  /// Has the translations of a sentence judged. The caller must hold the lock.
  void judge_one(std::size_t number, TranslationResult result, SlicedWork& finishing) {
    if (is_given_up) return;  // there may be no judge any more
    const auto self = shared_from_this();
    judge->add(
        {.result = std::move(result),
         .request = this,
         .is_wanted = [self] { return !self->is_given_up; },
         .done = [self, number, &finishing](
                     TranslationResult judged) { self->put_judged(number, std::move(judged), finishing); }});
  }

  /// Takes the result of a sentence from the judge.
  void put_judged(std::size_t number, TranslationResult result, SlicedWork& finishing) {
    // As long as the task waits for the lock to give up, its models exist.
    const std::lock_guard lock(mutex);
    if (is_given_up) return;
    if (listeners.sentence) tell(number, result);
    if (!paragraphs.add(number, std::move(result))) return;
    finishing.add(
        [self = shared_from_this(), text = paragraphs.place(number).text] { return self->finish_one(text); });
  }

  /// Adds a text that is its own translation.
  void put_unchanged(std::size_t number, const std::string& text) {
    TranslationResult result;
    result.translations.push_back({.text = text});
    const std::lock_guard lock(mutex);
    if (listeners.sentence) tell(number, result);
    store(paragraphs.place(number).text, std::move(result));
  }

  /// Makes one more translation of a text whose sentences are all done; returns false if there are no more.
  bool finish_one(std::size_t text) {
    if (is_given_up) return false;
    if (paragraphs.paragraph(text).finish_one()) return true;
    const std::lock_guard lock(mutex);
    store(text, paragraphs.paragraph(text).take());
    return false;
  }

  /// Stores the result of a text. The caller must hold the lock.
  void store(std::size_t text, TranslationResult result) {
    results[text] = std::move(result);
    if (--missing == 0) done(std::exchange(results, {}));
  }

  /// Reports all sentences that are done and whose turn has come.
  void tell(std::size_t number, const TranslationResult& result) {
    untold[number] = result;
    while (next_told < untold.size() && untold[next_told]) {
      const auto& [text, sentence] = paragraphs.place(next_told);
      const TranslationResult& next = *untold[next_told];
      const std::string best = next.translations.empty() ? "" : next.translations.front().text;
      if (sentence == 0) told.clear();
      const std::string_view space = is_unchanged[text] ? "" : paragraphs.space_before(next_told, told, best);
      listeners.sentence({.text = text, .sentence = sentence, .space = space, .result = next});
      if (!best.empty()) told = best;
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
  QualityJudge* judge = nullptr;  // of the task; null: none
  std::atomic<bool> is_given_up = false;
  std::mutex mutex;
  std::vector<TranslationResult> results;
  std::size_t missing = 0, next_told = 0;
  std::vector<std::optional<TranslationResult>> untold;
  std::vector<bool> is_unchanged;  // by text: it is its own translation
  std::string told;                // the last translation of this text that was told and is not empty
  Done done;
  Listeners listeners;
};

/// The sentences that are submitted to a model.
struct TextTask::Batch {
  struct Submitted {
    std::size_t number;  // among the sentences of the task
    std::int64_t turn;
    std::optional<std::string> key;  // in the cache
  };

  ServedModel& model;
  std::int64_t first_turn;
  std::vector<TranslationRequest> requests = {};
  std::vector<Submitted> submitted = {};
};

TextTask::TextTask(std::string client, std::vector<ModelText> texts, std::optional<bool> splits,
                   std::shared_ptr<QualityJudge> judge)
    : client_(std::move(client)),
      texts_(std::move(texts)),
      splits_(splits),
      judge_(std::move(judge)),
      progress_(std::make_shared<Progress>()) {
  progress_->judge = judge_.get();
  progress_->results.resize(texts_.size());
  progress_->missing = texts_.size();
  for (const ModelText& text : texts_) progress_->is_unchanged.push_back(text.model == nullptr);
}

bool TextTask::is_short() const {
  std::size_t bytes = 0;
  for (const auto& [text, model] : texts_) {
    bytes += text.text.size();
    if (text.keep && !text.keep->are_presets()) return false;  // an expression may take long on any text
  }
  return bytes <= kShortTexts;
}

bool TextTask::set_apart_next() {
  if (progress_->is_given_up || next_ == texts_.size()) {
    next_ = 0;
    return false;
  }
  set_apart(texts_[next_++].request);
  return true;
}

bool TextTask::divide_next() {
  if (progress_->is_given_up || next_ == texts_.size()) return false;
  const bool is_another = next_ > 0 && texts_[next_].model != texts_[next_ - 1].model;
  if (is_another) earlier_.clear();  // perhaps in another language
  auto& [text, model] = texts_[next_++];
  earlier_.give(text.context, text.text);
  Paragraphs& paragraphs = progress_->paragraphs;
  if (model != nullptr) text.vocabularies = model->vocabularies();
  text.judged = judge_ != nullptr;
  const bool splits = model != nullptr && splits_.value_or(model->splits());
  const std::size_t first = paragraphs.size();
  paragraphs.append(text, splits ? &model->splitter() : nullptr,
                    model != nullptr ? &model->service().divider() : nullptr);
  for (std::size_t i = first; i < paragraphs.size(); ++i) {
    // A sentence is also translated as the context of the next ones.
    const std::size_t bytes = paragraphs.sentence(i).size() * (1 + text.context.most);
    const std::int64_t most_tokens = model != nullptr ? model->max_length() : 0;
    size_.bytes += memory_of_sentence(text, bytes, most_tokens);
    size_.bytes += memory_of_terms(paragraphs.terms(i));
    if (judge_) size_.bytes += memory_of_estimates(text, bytes, most_tokens);
  }
  size_.sentences = std::ssize(paragraphs);
  return true;
}

void TextTask::give_up() {
  progress_->is_given_up = true;
}

TextTask::~TextTask() {
  {
    const std::lock_guard lock(progress_->mutex);  // the judge may be using the task
    give_up();
  }
  for (const auto& [service, id] : ids_) service->cancel(id);
  for (const auto& [loads, work] : loads_) loads->remove(client_, work);
}

void TextTask::submit(Done done, Listeners listeners) {
  progress_->done = std::move(done);
  progress_->listeners = std::move(listeners);
  if (progress_->listeners.sentence) progress_->untold.resize(progress_->paragraphs.size());
  const bool tells_parts = progress_->listeners.sentence && progress_->listeners.partial;
  if (size_.sentences == 0) return progress_->done({});
  std::vector<Batch> batches;
  std::optional<std::string> settings;  // for the cache
  for (std::size_t number = 0; number < progress_->paragraphs.size(); ++number) {
    if (progress_->paragraphs.is_repetition(number)) continue;
    const auto& [text, sentence] = progress_->paragraphs.place(number);
    if (texts_[text].model == nullptr) {
      progress_->put_unchanged(number, texts_[text].request.text);
      continue;
    }
    ServedModel& model = *texts_[text].model;
    TranslationRequest request = progress_->paragraphs.request_of(number);
    // The sentences of a text with a glossary have terms of their own, and with a context a context.
    const bool have_own = texts_[text].request.glossary || request.context.most > 0;
    if (sentence == 0 || have_own) settings = model.cache().settings_of(request);
    std::optional<std::string> key =
        settings ? TranslationCache::key_of(*settings, request.text) : std::nullopt;
    if (take_cached(number, model, key)) continue;
    if (tells_parts) {
      request.on_progress = [progress = progress_, number](const std::string& so_far) {
        progress->tell_so_far(number, so_far);
      };
    }
    Batch& batch = batch_of(model, batches);
    request.group = batch.first_turn + std::ssize(batch.requests) / kSentencesOfATurn;
    batch.submitted.push_back({number, request.group, std::move(key)});
    batch.requests.push_back(std::move(request));
  }
  for (Batch& batch : batches) submit(std::move(batch));
}

TextTask::Batch& TextTask::batch_of(ServedModel& model, std::vector<Batch>& batches) const {
  for (Batch& batch : batches) {
    if (&batch.model == &model) return batch;
  }
  return batches.emplace_back(Batch{model, model.turns().next(client_)});
}

void TextTask::submit(Batch batch) {
  // The cache, the turns and other parts of a model outlive its service, which calls this.
  TranslationService& service = batch.model.service();
  std::int64_t work = 0;
  for (const TranslationRequest& request : batch.requests) work += estimated_work(request);
  const Priority priority = batch.model.loads().add(client_, work);
  loads_.emplace_back(&batch.model.loads(), work);
  for (TranslationRequest& request : batch.requests) request.priority = priority;
  const auto ids =
      service.submit(std::move(batch.requests),
                     [progress = progress_, &cache = batch.model.cache(), &turns = batch.model.turns(),
                      &finishing = batch.model.finishing(),
                      submitted = std::move(batch.submitted)](std::size_t i, TranslationResult result) {
                       turns.pass(submitted[i].turn);
                       if (submitted[i].key) cache.put(*submitted[i].key, result);
                       progress->put(submitted[i].number, std::move(result), finishing);
                     });
  for (const std::uint64_t id : ids) ids_.emplace_back(&service, id);
}

bool TextTask::take_cached(std::size_t number, ServedModel& model, const std::optional<std::string>& key) {
  if (!key) return false;
  auto cached = model.cache().find(*key);
  ++(cached ? cache_hits_ : cache_misses_);
  if (!cached) return false;
  progress_->put(number, std::move(*cached), model.finishing());
  return true;
}

std::optional<std::size_t> open_route(const ModelPath& path, const AskModel& ask, ServedModels& models,
                                      ModelRoute& route) {
  for (const std::size_t model : path) {
    ServedModelPtr opened = models.take(model);
    if (!opened) return model;
    TranslationRequest asked = ask(*opened, model == path.back());
    route.push_back({std::move(opened), std::move(asked)});
  }
  return std::nullopt;
}

TranslationRequest usual_request(const ServedModel& model) {
  return {.search = model.search(),
          .replace_unknown = model.replaces_unknown(true),
          .keep = model.keep(true),
          .too_long = model.too_long()};
}

std::shared_ptr<TextTask> RoutedTexts::next_task() {
  static const auto kSearch = std::make_shared<const SearchSettings>();
  const auto is_done = [this](const ModelRoute& route) { return route.size() <= tasks_; };
  if (tasks_ > 0 && is_last_task()) return nullptr;
  std::vector<ModelText> texts;
  texts.reserve(request_.texts.size());
  for (std::size_t i = 0; i < request_.texts.size(); ++i) {
    const ModelRoute& models = route(i);
    ModelText& text = texts.emplace_back(ModelText{.request = {.search = kSearch}});
    if (!is_done(models)) text = {.request = models[tasks_].asked, .model = models[tasks_].model};
    text.request.text = std::exchange(request_.texts[i], {});
    text.request.line = static_cast<std::int64_t>(i);
  }
  ++tasks_;
  return std::make_shared<TextTask>(request_.client, std::move(texts), request_.splits, request_.judge);
}

bool RoutedTexts::is_last_task() const {
  return std::ranges::all_of(request_.routes,
                             [this](const ModelRoute& route) { return route.size() <= tasks_; });
}

void RoutedTexts::put(std::vector<TranslationResult> results) {
  for (std::size_t i = 0; i < results.size(); ++i) {
    const std::size_t models = route(i).size();
    if (tasks_ > std::max<std::size_t>(models, 1)) {
      results[i] = std::move(results_[i]);  // this text was finished before
    } else if (tasks_ > 1) {
      add_report_of(std::move(results_[i]), results[i]);
    }
    if (models > tasks_ && !results[i].failure) request_.texts[i] = results[i].translations.front().text;
  }
  results_ = std::move(results);
}

}  // namespace nmt
