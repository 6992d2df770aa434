// The texts of one request on their way through models.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "serve/request_limits.h"
#include "serve/served_model.h"

namespace nmt {

/// The second model of a route by way of a pivot language, and what it is asked, without a text.
struct SecondModel {
  std::shared_ptr<ServedModel> model;
  TranslationRequest asked;
};

/// The models that translate a text, one after the other.
struct ModelRoute {
  std::shared_ptr<ServedModel> model;
  std::optional<SecondModel> second = {};
};

/// A text, what the first model of its route is asked, and the route. Texts share routes.
struct RoutedText {
  TranslationRequest request;  // `vocabularies` and `group` are set by the task
  /// Null: the text is its own translation.
  std::shared_ptr<const ModelRoute> route = nullptr;
};

/// A text that is its own translation.
RoutedText unchanged(std::string text);

/// What other programs' interfaces ask of a model for a text: unknown words are copied by default.
/// `line`: see TranslationRequest.
TranslationRequest usual_request(const ServedModel& model, std::string text, std::int64_t line);

/// What a client asks for.
struct TextsRequest {
  std::string client = {};  // see FairTurns
  std::vector<RoutedText> texts = {};
  /// Whether the sentences of a text are translated one by one (see Paragraph); else as its model is served.
  std::optional<bool> splits = {};
};

/// Translates the texts of a request by the first models of their routes. Create and destroy it on the same
/// thread.
class TextTask {
 public:
  /// Called once with what came of each text, on a thread of a service.
  using Done = std::function<void(std::vector<TranslationResult>)>;
  /// Called with what came of each sentence, in their order, before Done; on a thread of a service.
  using Sentence =
      std::function<void(std::size_t text, std::size_t sentence, const TranslationResult& result)>;
  /// Called with the best translation so far of the first sentence that is not done, when it has become
  /// another; as Sentence.
  using Partial = std::function<void(std::size_t text, std::size_t sentence, const std::string& so_far)>;
  /// Who is told on the way. Partial is told of nothing without Sentence.
  struct Listeners {
    Sentence sentence;
    Partial partial;
  };

  /// Divides the texts into sentences.
  explicit TextTask(TextsRequest request);
  /// Gives up what is not done; Done may be called once more.
  ~TextTask();
  TextTask(const TextTask&) = delete;
  TextTask& operator=(const TextTask&) = delete;

  const RequestSize& size() const { return size_; }
  /// How many sentences were found in the caches of the models, and how many were not.
  std::int64_t cache_hits() const { return cache_hits_; }
  std::int64_t cache_misses() const { return cache_misses_; }
  const std::vector<RoutedText>& texts() const { return request_.texts; }
  const std::optional<bool>& splits() const { return request_.splits; }

  /// Submits all sentences that are not in the cache of their model. A client that asks for much at a time is
  /// served in the background (see ClientLoads). Among those of a priority, a few sentences at a time have a
  /// turn, so that a long text and the short ones that come after it share the searches, and so do clients
  /// (see FairTurns).
  void submit(Done done, Listeners listeners = {});

 private:
  struct Progress;
  struct Batch;

  /// Adds a sentence to the batch of its model.
  Batch& batch_of(ServedModel& model, std::vector<Batch>& batches) const;
  /// Takes a sentence from the cache of its model; false where it is not there. `key`: where it will be.
  bool take_cached(std::size_t number, ServedModel& model, const std::optional<std::string>& key);
  void submit(Batch batch);

  TextsRequest request_;
  std::shared_ptr<Progress> progress_;
  RequestSize size_;
  std::int64_t cache_hits_ = 0, cache_misses_ = 0;
  std::vector<std::pair<TranslationService*, std::uint64_t>> ids_;
  std::vector<std::pair<ClientLoads*, std::int64_t>> loads_;  // of the client, by this task
};

}  // namespace nmt
