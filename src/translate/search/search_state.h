// The state of a search on the device: decoders, and the hypotheses of a step.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "nn/registry.h"
#include "tensor/workers.h"
#include "translate/search/ensemble.h"
#include "translate/search/kept_memory.h"
#include "translate/search/output_selection.h"
#include "translate/search/search_settings.h"
#include "translate/search/sentence.h"
#include "translate/search/sentence_rules.h"
#include "translate/search/step_layout.h"
#include "translate/search/token_choices.h"

namespace nmt {

/// Runs a search with this capacity over sentences of these lengths, EOS included, to measure its memory. All
/// translations become as long as the settings allow. Lengths are at least 1 and at most the longest that the
/// model accepts.
void endless_search(const Model& model, Worker& worker, const SearchSettings& search,
                    const DecoderCapacity& capacity, const std::vector<std::int64_t>& lengths,
                    const SentenceRules& rules = {});

/// The maximum number of bytes that translation takes.
struct TranslationMemory {
  std::size_t weights = 0;  // of a model opened for inference, including prepacked weights
  std::size_t search = 0;   // activations and caches
};

/// Computes the memory that translation takes on `backend` with a search of this capacity. Sentences have
/// `length` tokens, EOS included, and all translations are as long as the settings allow. `length` is at
/// least 1 and at most the longest that the model accepts.
TranslationMemory translation_memory(const ModelSettings& settings, const Backend& backend,
                                     const SearchSettings& search, const DecoderCapacity& capacity,
                                     std::int64_t length, const SentenceRules& rules = {});

/// Decodes all current sentences together, step by step, and ranks the continuations of their hypotheses.
class SearchState {
 public:
  /// Receives the ranking of a step for the sentence with this number: as many continuations as the sentence
  /// asked for.
  using Take = std::function<void(std::size_t sentence, std::span<const Continuation> ranking)>;

  /// Models and `worker` must outlive this object.
  SearchState(Ensemble ensemble, Worker& worker);

  /// Allocates caches of this capacity. Their former contents are lost.
  void reserve(const DecoderCapacity& capacity);
  const DecoderCapacity& capacity() const { return capacity_; }

  /// Encodes the sources of new sentences into the rows that are allocated to them.
  void encode(std::span<const Sentence> sentences);
  /// Adds a token to each hypothesis of these sentences, at least one. The sentences must not change between
  /// two reads.
  void step(std::vector<Sentence>& sentences);
  /// The number of steps that were not read yet.
  std::int64_t unread() const { return std::ssize(unread_); }
  /// Whether the steps have to be read before the next one.
  bool is_full() const { return unread() == g_.backend().unread_steps(); }
  /// Reads the rankings of the unread steps, the first one first. Returns the number of cache rows that each
  /// sentence occupied in the last of them.
  std::vector<std::int32_t> read(const std::vector<Sentence>& sentences, const Take& take);

 private:
  /// The sizes of a step.
  struct Needs {
    std::int64_t longest = 0;              // the maximum length of a hypothesis
    std::int64_t continuations = 0;        // the maximum over all sentences
    std::int64_t choices = 0, wanted = 0;  // the maximum over all hypotheses
  };
  /// How the next tokens are chosen: the best ones, and wanted ones, if there are any.
  struct Choices {
    TokenChoice best;
    std::optional<TokenChoice> wanted = std::nullopt;
  };
  /// Memory of a step for Hypotheses.
  struct HypothesisMemory {
    explicit HypothesisMemory(const Graph& g) : total(g), token(g), position(g), index(g) {}
    KeptMemory total, token, position, index;
  };
  /// Memory whose contents are needed after a step.
  struct StepMemory {
    explicit StepMemory(const Graph& g)
        : hypotheses{HypothesisMemory(g), HypothesisMemory(g)},
          rankings(static_cast<std::size_t>(g.backend().unread_steps()), KeptMemory(g)),
          held(g) {}
    std::array<HypothesisMemory, 2> hypotheses;  // steps alternate between them
    std::vector<KeptMemory> rankings;            // of the steps until they are read
    KeptMemory held;
  };

  /// The number of cache rows, including those that padding takes.
  std::int64_t cache_rows() const { return capacity_.cache_rows + StepLayout::most_padding(g_.backend()); }
  static Needs needs_of(const std::vector<Sentence>& sentences);
  /// Returns uninitialized hypotheses for the next step.
  Hypotheses next_hypotheses();
  /// Returns the choices of the tokens after hypotheses of these lengths.
  Choices choices_of(const std::vector<Sentence>& sentences, const Tensor& position);
  /// Replaces the hypotheses by these, which become their continuations.
  void extend(const Hypotheses& next);
  std::vector<Logits> decode();
  void rank(std::vector<Sentence>& sentences, std::vector<Logits> logits, const Choices& choices);
  /// Returns the best tokens of each hypothesis, followed by wanted ones.
  Best best_tokens(std::vector<Sentence>& sentences, std::vector<Logits> logits, const Choices& choices);
  /// Replaces the first continuations of `all`, the ranking that was read last, by those that strategies have
  /// chosen.
  void choose(const std::vector<Sentence>& sentences, std::vector<Continuation>& all);

  Ensemble ensemble_;
  std::vector<double> weights_;
  Graph g_;
  DecoderCapacity capacity_;
  std::vector<std::unique_ptr<Decoder>> decoders_;
  OutputSelection selection_;
  TokenChoices choices_;
  Tensor starts_, taken_;  // see ExtendHypotheses
  StepMemory memory_;
  StepLayout layout_;  // of the last step, like the members below
  Needs needs_;
  Hypotheses hypotheses_;
  std::size_t hypotheses_number_ = 0;  // of their memory
  Tensor held_;
  std::vector<Tensor> unread_;  // rankings, with that of the last step at the end
  Tensor read_;                 // or the ranking of the last step, if it was read
};

}  // namespace nmt
