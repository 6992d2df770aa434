// Admission: which sentences of a search begin when.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "nn/model.h"
#include "translate/search/length_ratio.h"
#include "translate/search/row_spans.h"
#include "translate/search/sentence.h"

namespace nmt {

/// Keeps account of the capacity of a search: rows for sources, and rows of the cache for hypotheses. A
/// sentence begins where the rows suffice as far as one can expect, since few hypotheses are as long as they
/// might be, and soon they have their beginnings in common. How long translations are is learned from the
/// sentences before. Where rows do not suffice after all, the last ones to come begin anew later.
///
/// A sentence that all of this is too little for is large: it begins when no other is under way, with as much
/// capacity of its own as it is expected to need, and anew with twice that where it does not suffice. The
/// others go on beside it as though it were not there. One more of its kind waits for it, and those behind
/// that come first.
///
/// All of it follows from the order of requests and from what is found; no time is looked at.
class Admission {
 public:
  /// Asked where there is capacity; nothing: no sentence is there at present.
  using Next = std::function<std::optional<SearchRequest>()>;

  /// What a search is held to.
  struct Limits {
    DecoderCapacity least;                       // capacity that sentences share which are not large
    std::int64_t unread_steps = 1;               // see Backend::unread_steps
    std::optional<std::int64_t> positions = {};  // of the models
    SpecialTokens special_tokens = {};
  };

  Admission(Next next, const Limits& limits);

  /// Rows of the cache that the hypotheses of a sentence of so many source rows hold at most at a time, if
  /// its translation is as long as it is.
  static std::int64_t expected_rows(std::int64_t source_rows, const SearchSettings& settings);
  /// Those of a sentence of so many source tokens if its translation is as long as the settings allow, and
  /// its hypotheses have nothing in common.
  static std::int64_t most_rows(std::int64_t source_tokens, const SearchSettings& settings);

  /// Sends the last of these sentences back to wait until the others are sure to find rows up to when they
  /// are read next.
  void send_back(std::vector<Sentence>& sentences);
  /// Adds those that begin now to the sentences under way, and returns how many. Where none is under way, the
  /// capacity may become another. A large one is the first of all.
  std::size_t begin(std::vector<Sentence>& sentences);
  /// Takes the rows of a sentence that is under way no longer, and learns from it if it is done.
  void leave(const Sentence& sentence);
  /// Forgets a sentence that waits; false: there is none with this id.
  bool cancel(std::int64_t id);

  const DecoderCapacity& capacity() const { return capacity_; }

 private:
  struct Waiting {
    SearchRequest request;
    std::int64_t too_little = 0;  // see Sentence
  };

  /// The most tokens of a translation.
  std::int64_t limit(const SearchRequest& request) const;
  /// Rows of the cache that a sentence is expected to hold at most, of a translation as long as its source;
  /// that it needs before it is read again, should all be kept; and the larger of both.
  std::int64_t expected(const Sentence& sentence) const;
  std::int64_t needed(const Sentence& sentence) const;
  std::int64_t claim(const Sentence& sentence) const;
  /// The most rows of the cache that these sentences will hold at a time, if they go on as others did.
  std::int64_t forecast(std::span<const Sentence> sentences) const;
  /// Whether so little is left that it is better to wait: sentences are encoded several at a time.
  bool is_crowded(std::span<const Sentence> sentences) const;
  bool is_large(const Sentence& sentence) const;
  /// Whether there is one that waits or could.
  bool has_next();
  void allocate_capacity_for(const Sentence& first);
  Sentence sentence_of(const Waiting& next) const;
  /// Adds the one that waits first, if there is capacity.
  bool begin_next(std::vector<Sentence>& sentences);
  /// Has a sentence wait before all others that do, with what did not suffice for it.
  void wait_again(Sentence sentence, std::int64_t too_little);
  /// Those that waited for a large one wait no longer for it.
  void end_large();

  Next next_;
  Limits limits_;
  DecoderCapacity capacity_;
  RowSpans source_rows_;
  std::deque<Waiting> waiting_;
  std::deque<Waiting> waiting_for_large_;  // before these
  LengthRatio lengths_;
};

}  // namespace nmt
