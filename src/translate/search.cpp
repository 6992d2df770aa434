#include "translate/search.h"

#include <algorithm>

#include "translate/refuse_nan.h"

namespace nmt {
namespace {

std::int64_t output_limit(const Ensemble& ensemble, const Example& example, const SearchSettings& settings) {
  auto limit =
      static_cast<std::int64_t>(settings.max_length_factor * static_cast<double>(example.source.size())) +
      settings.max_length_extra;
  if (const auto positions = max_positions(ensemble)) limit = std::min(limit, *positions - 1);
  return limit;
}

/// The live hypotheses of all sentences that still search, as rows of the decoders.
struct Rows {
  std::vector<std::int32_t> parents;
  std::vector<std::int32_t> tokens;    // none before the first step
  std::vector<std::size_t> sentences;  // that have rows, in order
};

/// The decoders of an ensemble, in step with each other.
class Decoders {
 public:
  Decoders(Graph& g, const Ensemble& ensemble, const std::vector<Example>& examples) {
    for (const Member& member : ensemble) {
      members_.push_back({member.model->decode(g, source_input(g, examples, member.marks)),
                          std::vector<std::int32_t>(examples.size(), member.marks.start)});
    }
  }

  /// The logits of each member for the next tokens of all rows.
  std::vector<Logits> step(Graph& g, const Rows& rows) const {
    std::vector<Logits> logits;
    logits.reserve(members_.size());
    for (const auto& [decoder, starts] : members_) {
      logits.push_back(decoder->step(g, rows.parents, rows.tokens.empty() ? starts : rows.tokens));
    }
    return logits;
  }

 private:
  struct DecodingMember {
    std::unique_ptr<Decoder> decoder;
    std::vector<std::int32_t> starts;  // of all sentences
  };
  std::vector<DecodingMember> members_;
};

/// The best continuations of every row, forbidden ones among them.
struct Continuations {
  std::int64_t each = 0;  // of a row
  std::vector<double> values;
  std::vector<std::int32_t> ids;
};

Continuations best_continuations(Graph& g, const std::vector<Logits>& logits,
                                 const SearchSettings& settings) {
  const auto forbidden = static_cast<std::int64_t>(settings.forbidden.size());
  const std::int64_t k = std::min(2 * settings.beam + forbidden, logits[0].weight.value.rows());
  const auto [values, ids] = top_k(g, logits, k);
  Continuations best{k, download_reals(g.backend(), values),
                     std::vector<std::int32_t>(static_cast<std::size_t>(ids.size()))};
  g.backend().download(best.ids.data(), ids);
  refuse_nan(best.values);
  return best;
}

/// The candidates of one search, whose live hypotheses are the rows from `first_row`.
std::vector<Candidate> candidates_of(const BeamSearch& search, const Continuations& best,
                                     std::int64_t first_row, const std::vector<std::int32_t>& forbidden) {
  std::vector<Candidate> candidates;
  for (std::size_t h = 0; h < search.live().size(); ++h) {
    const std::int64_t row = first_row + static_cast<std::int64_t>(h);
    for (std::int64_t j = row * best.each; j < (row + 1) * best.each; ++j) {
      const auto at = static_cast<std::size_t>(j);
      if (std::ranges::binary_search(forbidden, best.ids[at])) continue;
      candidates.push_back(
          {search.live()[h].total + best.values[at], static_cast<std::int32_t>(h), best.ids[at]});
    }
  }
  return candidates;
}

/// Advances every search by its rows and returns the rows of the next step.
Rows advance(std::vector<BeamSearch>& searches, const Rows& rows, const Continuations& best,
             const std::vector<std::int32_t>& forbidden) {
  Rows next;
  std::int64_t first_row = 0;
  for (const std::size_t sentence : rows.sentences) {
    BeamSearch& search = searches[sentence];
    const auto count = static_cast<std::int64_t>(search.live().size());
    search.advance(candidates_of(search, best, first_row, forbidden));
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

std::vector<std::vector<Hypothesis>> search(const Ensemble& ensemble, Backend& backend, Arena& arena,
                                            const std::vector<Example>& examples,
                                            const SearchSettings& settings,
                                            const std::function<void()>& before_step) {
  std::vector<BeamSearch> searches;
  Rows rows;
  for (std::size_t i = 0; i < examples.size(); ++i) {
    searches.emplace_back(settings, output_limit(ensemble, examples[i], settings),
                          ensemble[0].marks.target_end);
    rows.sentences.push_back(i);
    rows.parents.push_back(static_cast<std::int32_t>(i));
  }
  Graph g(backend, arena);
  const Decoders decoders(g, ensemble, examples);
  while (!rows.sentences.empty()) {
    before_step();
    const Continuations best = best_continuations(g, decoders.step(g, rows), settings);
    rows = advance(searches, rows, best, settings.forbidden);
  }
  std::vector<std::vector<Hypothesis>> results;
  results.reserve(searches.size());
  for (const BeamSearch& search : searches) results.push_back(search.results());
  return results;
}

}  // namespace nmt
