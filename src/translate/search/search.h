// Search with one or several models over a stream of sentences.
#pragma once

#include <cstdint>
#include <exception>
#include <functional>
#include <span>
#include <utility>
#include <vector>

#include "translate/search/admission.h"
#include "translate/search/search_state.h"

namespace nmt {

/// The number of tokens of a usual sentence, and of its translation, EOS included.
inline constexpr std::int64_t kUsualRows = 25;

/// Searches for the translations of sentences, each of which has settings of its own. A sentence begins as
/// soon as there is capacity (see Admission), and leaves when it is done. So each step has about as many
/// hypotheses as fit. The translations of a sentence depend neither on other sentences nor on the capacity.
class Search {
 public:
  /// The result of a sentence.
  struct Found {
    std::int64_t id = 0;                 // of the request
    std::vector<Hypothesis> hypotheses;  // the n best; see SearchStrategy::results
    std::exception_ptr failure = {};     // an Error if this sentence failed; then there are no hypotheses
  };

  using Next = Admission::Next;

  /// Reserves memory for `capacity` from the worker, which may grow to `most` (see Admission). Until
  /// translations are done, each is expected to have at least `first_steps` tokens, EOS included (see
  /// SearchForecast). Models and `worker` must outlive this object.
  Search(const Ensemble& ensemble, Worker& worker, const DecoderCapacity& capacity, Next next,
         std::int64_t first_steps = kUsualRows, const DecoderCapacity& most = {});

  /// Adds a token to each hypothesis of each sentence; returns false if there is no sentence. A sentence for
  /// which a model computes NaN fails. Throws std::bad_alloc if there is not enough memory; this object is
  /// then unusable.
  bool step();
  /// Returns the results since the last call.
  std::vector<Found> take() { return std::exchange(found_, {}); }
  /// Drops a sentence that is being searched or waits to start again, without a result. Returns false if
  /// there is no sentence with this id.
  bool cancel(std::int64_t id);
  /// The number of sentences that are being searched.
  std::size_t size() const;
  /// Returns the best hypothesis of a sentence if its search ended with the last step that was read; nothing
  /// if there is none, or if no sentence with this id is being searched.
  std::optional<Hypothesis> best_so_far(std::int64_t id) const;

  /// See Admission::expected_rows.
  static std::int64_t expected_rows(std::int64_t source_rows, const SearchSettings& settings) {
    return Admission::expected_rows(source_rows, settings);
  }

 private:
  void begin_sentences();
  /// Reads the results of the steps that were not read yet.
  void read();
  /// Passes the ranking of a step to a sentence. If a total is NaN, the sentence fails.
  static void advance(Sentence& sentence, std::span<const Continuation> ranking);
  /// Returns the hypotheses of a sentence; see SearchStrategy::results.
  std::vector<Hypothesis> results(const Sentence& sentence) const;
  /// Removes sentences that are done, failed or cancelled.
  void find();

  SearchState state_;
  Admission admission_;
  bool is_right_to_left_;            // hypotheses are reversed before they are returned
  std::vector<Sentence> sentences_;  // in the order of their arrival
  std::vector<Found> found_;
};

/// Translates the source sides of `examples`, as lines 0, 1, ..., together by the same rules, and returns the
/// n best hypotheses of each. Calls `before_step` before each step; it may throw to end the search. Throws
/// Error if a sentence fails. See Search.
std::vector<std::vector<Hypothesis>> search(
    const Ensemble& ensemble, Worker& worker, const std::vector<Example>& examples,
    const SearchSettings& settings, const SentenceRules& rules = {},
    const std::function<void()>& before_step = [] {});

/// Translates the source sides of `examples` with one model.
inline std::vector<std::vector<Hypothesis>> search(const Model& model, Worker& worker,
                                                   const std::vector<Example>& examples,
                                                   const SpecialTokens& special_tokens,
                                                   const SearchSettings& settings,
                                                   const SentenceRules& rules = {}) {
  return search(Ensemble{{&model, special_tokens}}, worker, examples, settings, rules);
}

}  // namespace nmt
