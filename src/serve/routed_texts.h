// Translates the texts of a request, and passes them from model to model.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "serve/clients/request_limits.h"
#include "serve/quality_judge.h"
#include "serve/served_model.h"
#include "serve/served_models.h"
#include "serve/text_paths.h"

namespace nmt {

/// A text with the request to its model.
struct ModelText {
  TranslationRequest request;  // before set_apart(); TextTask sets `vocabularies` and `group`
  ServedModelPtr model = {};   // null: the text is its own translation
};

/// The result of a sentence.
struct TranslatedSentence {
  std::size_t text, sentence;  // their numbers; the sentence is numbered within its text
  /// The white space between the translation before it, or the beginning of the text, and this one. Together,
  /// and with the white space at the end of the text, these are the translation of the text.
  std::string_view space;
  const TranslationResult& result;
};

/// Translates texts with their models. One thread at a time uses and destroys it; threads of a service must
/// not.
class TextTask {
 public:
  /// Called once with the results of all texts, on a thread of a service.
  using Done = std::function<void(std::vector<TranslationResult>)>;
  /// Called with the result of each sentence, in order, before Done; on a thread of a service.
  using Sentence = std::function<void(const TranslatedSentence& sentence)>;
  /// Called with the best translation so far of the first unfinished sentence, when it has changed; on a
  /// thread of a service, like Sentence.
  using Partial = std::function<void(std::size_t text, std::size_t sentence, const std::string& so_far)>;
  /// Callbacks for progress. Partial is called only if Sentence is set.
  struct Listeners {
    Sentence sentence;
    Partial partial;
  };

  /// `client`: see FairTurns. `splits`: whether the sentences of a text are translated one by one (see
  /// Paragraph); none: the default of its model. `judge`: judges the translations of all sentences before
  /// they count as results; null: none.
  TextTask(std::string client, std::vector<ModelText> texts, std::optional<bool> splits,
           std::shared_ptr<QualityJudge> judge = nullptr);
  /// Cancels unfinished sentences; Done may still be called.
  ~TextTask();
  TextTask(const TextTask&) = delete;
  TextTask& operator=(const TextTask&) = delete;

  // Preparations, text by text, as a text may take long. After them come size() and submit().

  /// Sets apart markup and kept parts of the next text (see nmt::set_apart(), which throws); returns false
  /// after the last text.
  bool set_apart_next();
  /// Divides the next text into sentences, after set_apart_next() has returned false; returns false after the
  /// last text.
  bool divide_next();
  /// Whether the preparations take so little time that no other work needs a turn meanwhile.
  bool is_short() const;
  /// Makes the preparations return false at once, and drops the unfinished ones. May be called on any thread.
  void give_up();

  const RequestSize& size() const { return size_; }
  /// The number of sentences that were found in the caches of the models, and that were not.
  std::int64_t cache_hits() const { return cache_hits_; }
  std::int64_t cache_misses() const { return cache_misses_; }
  const std::vector<ModelText>& texts() const { return texts_; }

  /// Submits all sentences that are not in the cache of their model. A client that asks for much at a time is
  /// served in the background (see ClientLoads). Within a priority, a few sentences at a time get a turn. So
  /// a long text and later short ones share the searches, and so do clients (see FairTurns).
  void submit(Done done, Listeners listeners = {});

 private:
  struct Progress;
  struct Batch;

  /// Adds a sentence to the batch of its model.
  Batch& batch_of(ServedModel& model, std::vector<Batch>& batches) const;
  /// Takes a sentence from the cache of its model; returns false if it is not there. `key`: its key in the
  /// cache.
  bool take_cached(std::size_t number, ServedModel& model, const std::optional<std::string>& key);
  void submit(Batch batch);

  std::string client_;
  std::vector<ModelText> texts_;
  std::optional<bool> splits_;
  std::shared_ptr<QualityJudge> judge_;
  std::shared_ptr<Progress> progress_;
  std::size_t next_ = 0;  // text to prepare
  EarlierTexts earlier_;  // of the same model
  RequestSize size_;
  std::int64_t cache_hits_ = 0, cache_misses_ = 0;
  std::vector<std::pair<TranslationService*, std::uint64_t>> ids_;
  std::vector<std::pair<ClientLoads*, std::int64_t>> loads_;  // of the client, added by this task
};

/// A model of a route, and the request to it, without a text.
struct RouteStep {
  ServedModelPtr model;
  TranslationRequest asked;
};
/// Makes the request to a model of a path, without a text. `is_last`: the model is the last of the path.
using AskModel = std::function<TranslationRequest(const ServedModel& model, bool is_last)>;
/// The models that translate a text, one after the other; each model gets the best translation of the
/// previous one. If there are none, the text is its own translation.
using ModelRoute = std::vector<RouteStep>;
/// Appends the models of a path that are open to `route`, with the requests to them, up to the first one that
/// is not. Returns the number of this model; nothing if the route is complete.
std::optional<std::size_t> open_route(const ModelPath& path, const AskModel& ask, ServedModels& models,
                                      ModelRoute& route);

/// Returns the request to a model for texts that come by the interface of another program, in which unknown
/// words are copied by default.
TranslationRequest usual_request(const ServedModel& model);

/// The request of a client.
struct TextsRequest {
  std::string client = {};  // see FairTurns
  std::vector<std::string> texts = {};
  std::vector<ModelRoute> routes = {};
  std::vector<std::size_t> numbers = {};  // for each text, the number of its route
  /// Whether the sentences of a text are translated one by one (see Paragraph); none: the default of its
  /// model.
  std::optional<bool> splits = {};
  /// Judges the translations; null: they are not judged. Each route then has at most one model.
  std::shared_ptr<QualityJudge> judge = nullptr;
};

/// Makes the tasks that translate the texts of a request: the first is for the first models of all routes,
/// the next one for the second models, and so on.
class RoutedTexts {
 public:
  explicit RoutedTexts(TextsRequest request) : request_(std::move(request)) {}

  /// Returns the next task; null after the last one. All but the first need the results of the task before.
  std::shared_ptr<TextTask> next_task();
  /// Whether next_task() has returned the last task.
  bool is_last_task() const;
  /// Takes the results of a task.
  void put(std::vector<TranslationResult> results);
  /// Returns the results of all tasks. A text that one model could not translate has failed.
  std::vector<TranslationResult> take_results() { return std::move(results_); }

 private:
  const ModelRoute& route(std::size_t text) const { return request_.routes[request_.numbers[text]]; }

  TextsRequest request_;
  std::size_t tasks_ = 0;  // made so far
  std::vector<TranslationResult> results_;
};

}  // namespace nmt
