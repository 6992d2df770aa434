// Decoding of a single hypothesis, token by token.
#pragma once

#include <memory>
#include <vector>

#include "nn/model.h"

namespace nmt::testing {

/// Decodes one sentence with one hypothesis of a limited number of tokens.
class LoneDecoder {
 public:
  LoneDecoder(const Model& model, Graph& g, const Example& example, const SpecialTokens& special_tokens,
              std::int64_t most_tokens)
      : g_(g),
        decoder_(model.decoder(g, {2 + std::ssize(example.source), most_tokens})),
        last_row_(static_cast<std::int32_t>(most_tokens) - 1) {
    const SourceInput source = source_input(g, {example}, special_tokens);
    source_rows_ = source.lengths[0];
    decoder_->encode(g, source, {kBegin});
  }

  /// Returns the logits after this token.
  Logits step(std::int32_t token) {
    const std::int32_t position = tokens_++;
    // Uses cache rows from last to first, as the places of tokens must not matter.
    index_.push_back(last_row_ - position);
    return decoder_->step(
        g_, {.hypotheses = {.offsets = consecutive(g_, {1}),
                            .positions = g_.upload({position}, 1, 1),
                            .row_keys = {},
                            .longest_position = tokens_,
                            .rows = 1},
             .sources = {g_.upload({kBegin}, 1, 1), g_.upload({source_rows_}, 1, 1), 1, source_rows_},
             .tokens = g_.upload({token}, 1, 1),
             .index = g_.upload(index_, 1, tokens_)});
  }

 private:
  static constexpr std::int32_t kBegin = 1;

  Graph& g_;
  std::unique_ptr<Decoder> decoder_;
  std::int32_t last_row_, source_rows_ = 0, tokens_ = 0;
  std::vector<std::int32_t> index_;
};

}  // namespace nmt::testing
