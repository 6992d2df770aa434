// Texts of one request on their way through a model.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "serve/request_limits.h"
#include "serve/served_model.h"

namespace nmt {

/// The second half of a way through a language between, which the texts have been translated to.
struct SecondModel {
  std::shared_ptr<ServedModel> model;
  std::shared_ptr<const SearchSettings> search;
  bool replace_unknown = false;
  std::shared_ptr<const KeepRules> keep = nullptr;
};

/// What a client asks of a model.
struct TextsRequest {
  std::shared_ptr<ServedModel> model;
  std::string client = {};                     // see FairTurns
  std::vector<TranslationRequest> texts = {};  // each with settings of its own; groups are not looked at
  /// Whether the sentences of a text are translated one by one (see Paragraph); else as the model is served.
  std::optional<bool> splits = {};
  std::optional<SecondModel> second = {};
};

/// The sentences of such a request, submitted to the service of the model. It is let go of on the thread that
/// made it.
class TextTask {
 public:
  /// Called once with what came of each text, on a thread of the service.
  using Done = std::function<void(std::vector<TranslationResult>)>;
  /// Called with what came of each sentence, in their order, before Done; on a thread of the service.
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
  /// Of those that were submitted, how many were in the cache of the model, or looked for in vain.
  std::int64_t cache_hits() const { return cache_hits_; }
  std::int64_t cache_misses() const { return cache_misses_; }
  const std::vector<TranslationRequest>& texts() const { return request_.texts; }
  ServedModel& model() const { return *request_.model; }

  /// Submits all sentences that are not in the cache of the model. A few at a time have a turn, so that a
  /// long text and the short ones that come after it share the searches, and so do clients; see FairTurns.
  void submit(Done done, Listeners listeners = {});

 private:
  struct Progress;

  /// Takes a sentence from the cache; false where it is not there. `key`: by which it will be.
  bool take_cached(std::size_t number, const std::optional<std::string>& key);

  TextsRequest request_;
  std::shared_ptr<Progress> progress_;
  RequestSize size_;
  std::int64_t cache_hits_ = 0, cache_misses_ = 0;
  std::vector<std::uint64_t> ids_;
};

}  // namespace nmt
