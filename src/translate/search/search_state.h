// What a search has on the device: decoders, and the hypotheses of a step.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "translate/search/ensemble.h"
#include "translate/search/output_selection.h"
#include "translate/search/sentence.h"
#include "translate/search/token_choices.h"

namespace nmt {

/// Decodes the sentences under way together, step by step, and ranks what may follow on their hypotheses.
class SearchState {
 public:
  /// The ranking of a step of the sentence of this number: as many continuations as it asked for.
  using Take = std::function<void(std::size_t sentence, std::span<const Continuation> ranking)>;

  /// Models and `worker` must outlive this.
  SearchState(Ensemble ensemble, Worker& worker);

  /// Makes caches of this capacity. What was in them is lost.
  void reserve(const DecoderCapacity& capacity);
  const DecoderCapacity& capacity() const { return capacity_; }

  /// Encodes the sources of sentences that begin, into the rows that they have.
  void encode(std::span<const Sentence> sentences);
  /// Every hypothesis of these sentences, at least one, grows by a token. Between two reads they are the
  /// same.
  void step(std::vector<Sentence>& sentences);
  /// Steps that were not read yet.
  std::int64_t unread() const { return std::ssize(unread_); }
  /// Whether they have to be read before the next one.
  bool is_full() const { return unread() == g_.backend().unread_steps(); }
  /// Reads the rankings of these steps, the first one first, and how many rows of the cache the sentences
  /// held in the last of them.
  std::vector<std::int32_t> read(const std::vector<Sentence>& sentences, const Take& take);

 private:
  /// The sentences of a step on the device, in order.
  struct Layout {
    SequenceOffsets hypotheses, sources;
    Tensor number_before;
    std::int64_t rows = 0, longest = 0;
    std::int64_t continuations = 0;                   // the most that one of them asks for
    std::int64_t choices = 0, wanted = 0;             // the same of each hypothesis
    std::vector<std::vector<std::int32_t>> uploaded;  // all that is there
  };
  /// What outlives a step. Steps of the same shapes take it in turn, and so find all that they work in where
  /// those before them did: a device may know them again.
  struct StepBuffers {
    std::array<Hypotheses, 2> hypotheses;
    std::vector<Tensor> rankings;  // one for each step until they are read
    Tensor held;
  };

  Layout lay_out(const std::vector<Sentence>& sentences) const;
  /// Makes buffers for steps like this one, unless they are there.
  void make_buffers(const Layout& layout);
  void extend(const Layout& layout);
  std::vector<Logits> decode();
  void rank(std::vector<Sentence>& sentences, std::vector<Logits> logits);
  /// The best tokens of each hypothesis, and behind them those that are wanted.
  Best best_tokens(std::vector<Sentence>& sentences, std::vector<Logits> logits);
  /// Puts what strategies have chosen in the place of what ranks first in the ranking read last, `all`.
  void choose(const std::vector<Sentence>& sentences, std::vector<Continuation>& all);

  Ensemble ensemble_;
  std::vector<double> weights_;
  Graph g_;
  DecoderCapacity capacity_;
  std::vector<std::unique_ptr<Decoder>> decoders_;
  OutputSelection selection_;
  TokenChoices choices_;
  Layout layout_;  // of the last step, as all that follows
  StepBuffers buffers_;
  Hypotheses hypotheses_;
  std::vector<Tensor> unread_;  // rankings, this step's last
  Tensor read_;                 // or else this step's ranking
};

}  // namespace nmt
