#include "translate/search.h"

#include <algorithm>

namespace nmt {
namespace {

std::int64_t output_limit(const Model& model, const Example& example, const SearchSettings& settings) {
  const auto limit =
      static_cast<std::int64_t>(settings.max_length_factor * static_cast<double>(example.source.size())) +
      settings.max_length_extra;
  return std::min(limit, model.max_positions().value_or(limit + 1) - 1);
}

/// The live hypotheses of all sentences that still search, as rows of the decoder.
struct Rows {
  std::vector<std::int32_t> parents, tokens;
  std::vector<std::size_t> sentences;  // that have rows, in order
};

/// The best continuations of every row.
struct Continuations {
  std::int64_t each = 0;  // of a row
  std::vector<double> values;
  std::vector<std::int32_t> ids;
};

Continuations best_continuations(Graph& g, const Tensor& logits, int beam) {
  const std::int64_t rows = logits.rows();
  const std::int64_t k = std::min<std::int64_t>(2 * beam, logits.columns());
  const Tensor values = g.allocate(rows, k), ids = g.allocate(rows, k, DType::i32);
  g.backend().run(TopK{.logits = logits, .k = k, .values = values, .ids = ids});
  Continuations best{k, download_reals(g.backend(), values),
                     std::vector<std::int32_t>(static_cast<std::size_t>(rows * k))};
  g.backend().download(best.ids.data(), ids);
  return best;
}

/// The candidates of one search, whose live hypotheses are the rows from `first_row`.
std::vector<Candidate> candidates_of(const BeamSearch& search, const Continuations& best,
                                     std::int64_t first_row) {
  std::vector<Candidate> candidates;
  for (std::size_t h = 0; h < search.live().size(); ++h) {
    const std::int64_t row = first_row + static_cast<std::int64_t>(h);
    for (std::int64_t j = row * best.each; j < (row + 1) * best.each; ++j) {
      const auto at = static_cast<std::size_t>(j);
      candidates.push_back(
          {search.live()[h].total + best.values[at], static_cast<std::int32_t>(h), best.ids[at]});
    }
  }
  return candidates;
}

/// Advances every search by its rows and returns the rows of the next step.
Rows advance(std::vector<BeamSearch>& searches, const Rows& rows, const Continuations& best) {
  Rows next;
  std::int64_t first_row = 0;
  for (const std::size_t sentence : rows.sentences) {
    BeamSearch& search = searches[sentence];
    const auto count = static_cast<std::int64_t>(search.live().size());
    search.advance(candidates_of(search, best, first_row));
    if (!search.done()) {
      next.sentences.push_back(sentence);
      for (const BeamSearch::Live& hypothesis : search.live()) {
        next.parents.push_back(static_cast<std::int32_t>(first_row) + hypothesis.parent);
        next.tokens.push_back(hypothesis.ids.back());
      }
    }
    first_row += count;
  }
  return next;
}

}  // namespace

std::vector<std::vector<Hypothesis>> search(const Model& model, Backend& backend, Arena& arena,
                                            const std::vector<Example>& examples, const Marks& marks,
                                            const SearchSettings& settings) {
  std::vector<BeamSearch> searches;
  Rows rows;
  for (std::size_t i = 0; i < examples.size(); ++i) {
    searches.emplace_back(settings, output_limit(model, examples[i], settings), marks.target_end);
    rows.sentences.push_back(i);
    rows.parents.push_back(static_cast<std::int32_t>(i));
    rows.tokens.push_back(marks.start);
  }
  Graph g(backend, arena);
  const std::unique_ptr<Decoder> decoder = model.decode(g, source_input(g, examples, marks));
  while (!rows.sentences.empty()) {
    const Tensor logits = decoder->step(g, rows.parents, rows.tokens);
    rows = advance(searches, rows, best_continuations(g, logits, settings.beam));
  }
  std::vector<std::vector<Hypothesis>> results;
  for (const BeamSearch& search : searches) results.push_back(search.results());
  return results;
}

}  // namespace nmt
