// Search with a model, or several, over sentences that come and go.
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

/// Searches for the translations of sentences, each with settings of its own, which begin as soon as there is
/// capacity (see Admission) and leave when they are done, so that each step has about as many hypotheses as
/// there is capacity for. What is found for a sentence does not depend on the others, nor on the capacity.
class Search {
 public:
  struct Found {
    std::int64_t id = 0;                 // of the request
    std::vector<Hypothesis> hypotheses;  // the n best; see SearchStrategy::results
    std::exception_ptr failure = {};     // an Error, where this sentence alone failed; then there are none
  };

  using Next = Admission::Next;

  /// Capacity is taken from the worker's memory at the beginning. Models and `worker` must outlive this.
  Search(const Ensemble& ensemble, Worker& worker, const DecoderCapacity& capacity, Next next);

  /// Every hypothesis of every sentence grows by a token; false where there is none. Where a model computes
  /// what is no number for a sentence, this one fails. Throws std::bad_alloc when there is no memory; then
  /// this is of no more use.
  bool step();
  /// What was found since the last call.
  std::vector<Found> take() { return std::exchange(found_, {}); }
  /// Lets go of a sentence that is under way or waits to begin anew, of which nothing will be found; false
  /// where there is none with this id.
  bool cancel(std::int64_t id);
  /// Sentences under way.
  std::size_t size() const;
  /// The best hypothesis of a sentence, were it to end as the last step that was read left it; nothing where
  /// there is none, or none under way with this id.
  std::optional<Hypothesis> best_so_far(std::int64_t id) const;

  /// See Admission::expected_rows.
  static std::int64_t expected_rows(std::int64_t source_rows, const SearchSettings& settings) {
    return Admission::expected_rows(source_rows, settings);
  }

 private:
  void begin_sentences();
  /// Reads what came of the steps that were not read yet.
  void read();
  /// Takes a step of a sentence, which fails where there is a total that is no number.
  static void advance(Sentence& sentence, std::span<const Continuation> ranking);
  /// What a sentence has come to; see SearchStrategy::results.
  std::vector<Hypothesis> results(const Sentence& sentence) const;
  /// Lets go of the sentences that are done, failed or cancelled.
  void find();

  SearchState state_;
  Admission admission_;
  bool is_right_to_left_;            // and hypotheses are reversed, before they are found
  std::vector<Sentence> sentences_;  // in the order in which they came
  std::vector<Found> found_;
};

/// Translates the source sides of `examples`, lines 0, 1, ..., together: for each the n best hypotheses.
/// `before_step` is called before each step, and may throw to end the search. Throws Error where a sentence
/// fails. See Search.
std::vector<std::vector<Hypothesis>> search(
    const Ensemble& ensemble, Worker& worker, const std::vector<Example>& examples,
    const SearchSettings& settings, const std::function<void()>& before_step = [] {});

/// The same with one model.
inline std::vector<std::vector<Hypothesis>> search(const Model& model, Worker& worker,
                                                   const std::vector<Example>& examples,
                                                   const SpecialTokens& special_tokens,
                                                   const SearchSettings& settings) {
  return search(Ensemble{{&model, special_tokens}}, worker, examples, settings);
}

}  // namespace nmt
