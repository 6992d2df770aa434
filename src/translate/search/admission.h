// Decides when each sentence of a search begins.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <vector>

#include "nn/model.h"
#include "translate/search/search_forecast.h"
#include "translate/search/sentence.h"

namespace nmt {

/// Allocates the lowest free span of rows that is long enough.
class RowSpans {
 public:
  explicit RowSpans(std::int64_t rows) { give(0, rows); }

  /// Returns the first of `rows` adjacent free rows, at least one, and takes them; nothing if there is no
  /// such span.
  std::optional<std::int64_t> take(std::int64_t rows);
  /// Frees the span of `rows` rows that begins at `begin`.
  void give(std::int64_t begin, std::int64_t rows);

 private:
  std::map<std::int64_t, std::int64_t> free_;  // ends by beginnings; no two are adjacent
};

/// Manages the capacity of a search: rows for sources and rows of the cache for hypotheses. A sentence begins
/// if the free rows are likely to suffice: few hypotheses become as long as they could, and hypotheses soon
/// share their beginnings. What to expect is learned from earlier sentences (see SearchForecast). If rows do
/// not suffice after all, the sentences that came last start again later.
///
/// A sentence that does not fit into the capacity is large. It begins when no other large sentence is being
/// searched, with capacity of its own for its expected need. If that does not suffice, it starts again with
/// twice the capacity. Other sentences continue meanwhile and are not affected. Further large sentences wait
/// until the first one is done, and smaller sentences after them overtake them.
///
/// The capacity may grow: if sentences wait although others could begin with more capacity, no further
/// sentence begins until all are done, and then there is kGrowth times the capacity. So the memory depends on
/// how many sentences there are.
///
/// All decisions follow from the order of requests and from the search results, never from time.
class Admission {
 public:
  /// Called when there is capacity; returns nothing if no sentence is available at present.
  using Next = std::function<std::optional<SearchRequest>()>;

  /// The limits of a search.
  struct Limits {
    DecoderCapacity least;                       // shared by all sentences that are not large, at first
    DecoderCapacity most = {};                   // to which `least` may grow, if it is more
    std::int64_t unread_steps = 1;               // see Backend::unread_steps
    std::optional<std::int64_t> positions = {};  // of the models
    std::int64_t first_steps = 0;                // see SearchForecast
    SpecialTokens special_tokens = {};
  };

  static constexpr std::int64_t kGrowth = 4;

  /// Takes sentences from `next`, within `limits`.
  Admission(Next next, const Limits& limits);

  /// Returns the maximum number of cache rows that the hypotheses of a sentence with this many source rows
  /// occupy at a time, if its translation is as long as the source.
  static std::int64_t expected_rows(std::int64_t source_rows, const SearchSettings& settings);
  /// Returns the number of cache rows of a sentence with this many source tokens if its translation is as
  /// long as the settings allow and its hypotheses share nothing.
  static std::int64_t most_rows(std::int64_t source_tokens, const SearchSettings& settings);

  /// Removes sentences from the end and makes them wait, until the others certainly have enough rows up to
  /// the next read.
  void send_back(std::vector<Sentence>& sentences);
  /// Adds the sentences that begin now to those that are being searched, and returns their number. If none is
  /// being searched, the capacity may change. A large sentence is always the first.
  std::size_t begin(std::vector<Sentence>& sentences);
  /// Frees the rows of a sentence that has ended, and learns from it if it is done.
  void leave(const Sentence& sentence);
  /// Drops a waiting sentence; returns false if none has this id.
  bool cancel(std::int64_t id);

  const DecoderCapacity& capacity() const { return capacity_; }

 private:
  struct Waiting {
    SearchRequest request;
    std::int64_t too_little = 0;  // see Sentence
  };

  /// Returns the maximum number of tokens of a translation.
  std::int64_t limit(const SearchRequest& request) const;
  /// Return numbers of cache rows of a sentence. expected(): the maximum for a translation as long as its
  /// source. needed(): the rows that all hypotheses need until the next read. claim(): the larger of both.
  std::int64_t expected(const Sentence& sentence) const;
  std::int64_t needed(const Sentence& sentence) const;
  std::int64_t claim(const Sentence& sentence) const;
  /// Returns the maximum number of cache rows that these sentences will occupy at a time, if they become as
  /// long as others did.
  std::int64_t forecast(std::span<const Sentence> sentences) const;
  /// Whether so little capacity is left that new sentences should wait, because encoding several sentences
  /// together is faster.
  bool is_crowded(std::span<const Sentence> sentences) const;
  bool is_large(const Sentence& sentence) const;
  /// Whether a sentence is waiting or available.
  bool has_next();
  bool can_grow() const;
  void allocate_capacity_for(const Sentence& first);
  Sentence sentence_of(const Waiting& next) const;
  /// Adds the first waiting sentence if there is capacity.
  bool begin_next(std::vector<Sentence>& sentences);
  /// Makes a sentence wait before all others, and remembers the number of rows that did not suffice.
  void wait_again(Sentence sentence, std::int64_t too_little);
  /// Lets the sentences that waited for the end of a large one begin.
  void end_large();

  Next next_;
  Limits limits_;
  DecoderCapacity shared_;    // by all sentences that are not large
  bool is_short_ = false;     // no sentence begins before shared_ has grown
  DecoderCapacity capacity_;  // shared_, and that of a large sentence
  RowSpans source_rows_;
  std::deque<Waiting> waiting_;
  std::deque<Waiting> waiting_for_large_;  // goes before waiting_
  SearchForecast forecast_;
};

}  // namespace nmt
