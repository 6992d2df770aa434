// Search with a model, or several, over sentences that come and go.
#pragma once

#include <array>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "translate/beam.h"
#include "translate/ensemble.h"
#include "translate/output_selection.h"
#include "translate/row_spans.h"

namespace nmt {

/// Searches for the translations of sentences, which begin as soon as there is room and leave when they are
/// done, so that each step has about as many hypotheses as there is room for. What is found for a sentence
/// does not depend on the others, nor on the room.
///
/// Room is taken from the worker's memory at the beginning. Sentences begin on the expectation that their
/// translations are about as long as they are, and that hypotheses soon have their beginnings in common.
/// Where that was wrong, the last ones to come begin anew later; a sentence that is too much alone begins
/// anew with twice the room.
struct SearchRequest { std::int64_t id = 0; std::vector<int> source; std::shared_ptr<const SearchSettings> settings; };
class Search {
 public:
  using NextRequest = std::function<std::optional<SearchRequest>()>;
  Search(Ensemble ensemble, Worker& worker, const DecoderRoom& room, NextRequest next);
  bool cancel(std::int64_t id);
  struct Found {
    std::int64_t id = 0;                 // of the Example
    std::vector<Hypothesis> hypotheses;  // the n best; see BeamSearch::results
    std::exception_ptr failure = nullptr;
  };

  /// Asked where there is room; nothing: no sentence is there at present.
  using Next = std::function<std::optional<Example>()>;

  /// `worker` and models must outlive this.
  Search(Ensemble ensemble, Worker& worker, SearchSettings settings, const DecoderRoom& room, Next next);

  /// Every hypothesis of every sentence grows by a token; false where there is none. Throws Error when a
  /// model computes what is no number, std::bad_alloc when there is no memory; then this is of no more use.
  bool step();
  /// What was found since the last call.
  std::vector<Found> take() { return std::exchange(found_, {}); }

  /// Rows of the cache that the hypotheses of a sentence of so many source rows are expected to see at a
  /// time.
  static std::int64_t expected_rows(std::int64_t source_rows, const SearchSettings& settings);

 private:
  struct Waiting {
    Example example;
    std::int64_t too_little = 0;  // rows of the cache that did not suffice
  };
  struct Sentence {
    BeamSearch search;
    std::int64_t steps = 0, steps_left = 0;  // that it has taken; that it can still take at most
    std::int64_t expected = 0;               // rows of the cache
    std::int32_t source_begin = 0, source_rows = 0;
    std::int32_t rows = 1;     // of hypotheses
    std::int32_t held = 0;     // rows of the cache, as they were read last
    std::int32_t number = -1;  // among those of the step before; -1: it begins
    std::int32_t list = -1;    // of candidates; -1: none was made for it
    Waiting from;
  };
  /// The sentences of a step on the device, in order.
  struct Layout {
    Segments hypotheses, sources;
    Tensor number_before;
    std::int64_t rows = 0, longest = 0;
    std::vector<std::vector<std::int32_t>> uploaded;  // all that is there
  };
  /// What outlives a step. Steps of the same shapes take it in turn, and so find all that they work in where
  /// those before them did: a device may know them again.
  struct Rooms {
    std::array<Hypotheses, 2> hypotheses;
    std::vector<Tensor> rankings;  // one for each step until they are read
    Tensor held;
  };

  /// The most tokens of a translation.
  std::int64_t limit(const Example& example) const;
  /// Rows of the cache that a sentence is expected to hold at most; that it needs before it is read again,
  /// should all be kept; and the larger of both.
  std::int64_t expected(const Waiting& next) const;
  std::int64_t needed(const Sentence& sentence) const;
  std::int64_t claim(const Sentence& sentence) const;
  /// Whether so little room is left that it is better to wait: sentences are encoded several at a time.
  bool is_crowded() const;

  void make_room(const DecoderRoom& room);
  void make_room_for(const Waiting& next);
  /// The sentence that came last has to wait again.
  void send_back();
  void begin_sentences();
  /// Whether there is one that waits or could.
  bool has_next();
  /// Lets the next one begin, if there is room: it is added to those that are to be encoded, and where.
  bool begin(std::vector<Example>& examples, std::vector<std::int32_t>& begins);

  Layout lay_out() const;
  /// Makes rooms for steps like this one, unless they are there.
  void make_rooms(const Layout& layout);
  void extend(const Layout& layout);
  std::vector<Logits> decode();
  /// The candidates of this step, made anew where sentences have come; `logits` are then theirs. None without
  /// a shortlist.
  Candidates shorten(std::vector<Logits>& logits);
  void rank(std::vector<Logits> logits);
  /// Reads what came of the steps that were not read yet.
  void read();
  /// Continuations of each row that are looked at, where there are as many.
  std::int64_t continuations() const;
  /// Lets go of the sentences that are done.
  void find();

  Ensemble ensemble_;
  Graph g_;
  SearchSettings settings_;
  Next next_;
  NextRequest shim_;
  Tensor forbidden_;
  std::optional<OutputSelection> selection_;
  DecoderRoom least_room_, room_;
  std::vector<std::unique_ptr<Decoder>> decoders_;
  RowSpans source_rows_{0};
  std::deque<Waiting> waiting_;
  std::vector<Sentence> sentences_;  // in the order in which they came
  Layout layout_;                    // of the last step, as all that follows
  Rooms rooms_;
  Hypotheses hypotheses_;
  std::vector<Tensor> unread_;  // rankings, this step's last
  Tensor read_;                 // or else this step's ranking
  std::vector<Found> found_;
};

/// Translates the source sides of `examples` together: for each the n best hypotheses. `before_step` is
/// called before each step, and may throw to end the search. See Search.
std::vector<std::vector<Hypothesis>> search(
    const Ensemble& ensemble, Worker& worker, const std::vector<Example>& examples,
    const SearchSettings& settings, const std::function<void()>& before_step = [] {});

/// The same with one model.
inline std::vector<std::vector<Hypothesis>> search(const Model& model, Worker& worker,
                                                   const std::vector<Example>& examples, const Marks& marks,
                                                   const SearchSettings& settings) {
  return search(Ensemble{{&model, marks}}, worker, examples, settings);
}

}  // namespace nmt
