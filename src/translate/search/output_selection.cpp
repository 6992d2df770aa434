#include "translate/search/output_selection.h"

#include <algorithm>
#include <iterator>
#include <numeric>
#include <optional>
#include <utility>

#include "nn/saved/shortlist.h"
#include "translate/search/constraints.h"
#include "translate/search/phrase.h"

namespace nmt {
namespace {

constexpr std::int64_t kBits = 32;  // bits of an element

/// Sets or clears the bit of an id.
void put(std::uint32_t* mask, std::int32_t id, bool is_set) {
  const std::uint32_t bit = 1U << (id % kBits);
  mask[id / kBits] = is_set ? mask[id / kBits] | bit : mask[id / kBits] & ~bit;
}

/// Returns the masks of all constraints, one after the other.
std::vector<std::uint32_t> mask_bits(const std::vector<TokenConstraint>& constraints, std::int64_t elements) {
  std::vector<std::uint32_t> bits(constraints.size() * static_cast<std::size_t>(elements));
  std::uint32_t* mask = bits.data();
  for (const TokenConstraint& constraint : constraints) {
    if (constraint.among) {
      std::fill_n(mask, elements, ~std::uint32_t{0});
      for (const std::int32_t id : *constraint.among) put(mask, id, false);
    } else if (constraint.only) {
      std::fill_n(mask, elements, ~std::uint32_t{0});
      put(mask, *constraint.only, false);
    } else {
      for (const std::int32_t id : *constraint.forbidden) put(mask, id, true);
    }
    mask += elements;
  }
  return bits;
}

/// Uploads i32 numbers, [1, values.size()].
Tensor row_of(Backend& backend, KeptMemory& memory, const std::vector<std::int32_t>& values) {
  Tensor row = memory.tensor(1, std::ssize(values), DType::i32);
  backend.upload(row, values.data());
  return row;
}

}  // namespace

const TokenMasks& MaskCache::masks(const std::vector<TokenConstraint>& of_row, std::int64_t vocabulary) {
  std::vector<TokenConstraint> constraints;
  std::vector<std::int32_t> numbers;
  for (const TokenConstraint& constraint : of_row) {
    const auto known = std::ranges::find(constraints, constraint);
    numbers.push_back(constraint ? static_cast<std::int32_t>(known - constraints.begin()) : -1);
    if (constraint && known == constraints.end()) constraints.push_back(constraint);
  }
  if (constraints != constraints_) {
    constraints_ = std::move(constraints);
    const std::int64_t elements = (vocabulary + kBits - 1) / kBits;
    masks_ = {};
    if (!constraints_.empty()) {
      masks_.bits = bits_.tensor(std::ssize(constraints_), elements, DType::i32);
      backend_.upload(masks_.bits, mask_bits(constraints_, elements).data());
    }
    of_row_.clear();
  }
  if (masks_.bits && numbers != of_row_) {
    masks_.mask = row_of(backend_, mask_, numbers);
    of_row_ = std::move(numbers);
  }
  return masks_;
}

namespace {

// Products are fastest with whole panels of rows.
constexpr std::size_t kPanelRows = 64;

/// Returns the candidate ids of a sentence: its first tokens, the tokens of its constraints, and enough
/// others to keep the beam full even if half of its continuations end. They are the same in all steps.
Shortlist::Ids candidates_of(const Sentence& sentence) {
  const SentenceRules& rules = *sentence.request.rules;
  const AllowedTokens& allowed = rules.allowed;
  std::int64_t least = 2 * std::int64_t{sentence.request.settings->width()};
  if (allowed.forbidden) least += std::ssize(*allowed.forbidden);
  if (allowed.forbidden_phrases) {
    for (const Phrase& phrase : *allowed.forbidden_phrases)
      least += static_cast<std::int64_t>(phrase.ways_to_end());
  }
  Shortlist::Ids ids = allowed.shortlist->candidates(sentence.request.source, least);
  std::vector<std::int32_t> others = rules.first_tokens;
  if (rules.constraints) std::ranges::copy(rules.constraints->tokens(), std::back_inserter(others));
  for (const std::int32_t id : others) {
    const auto place = std::ranges::lower_bound(ids, id);
    if (place == ids.end() || *place != id) ids.insert(place, id);
  }
  return ids;
}

bool uses_shortlist(const Sentence& sentence) {
  return sentence.request.rules->allowed.shortlist != nullptr;
}

/// Lists of candidates, stored one after the other.
struct Lists {
  std::vector<std::int32_t> begins, lengths, ids;

  /// Adds a list and returns its number.
  std::int32_t add(const std::vector<std::int32_t>& list) {
    begins.push_back(static_cast<std::int32_t>(ids.size()));
    lengths.push_back(static_cast<std::int32_t>(list.size()));
    ids.insert(ids.end(), list.begin(), list.end());
    return static_cast<std::int32_t>(begins.size()) - 1;
  }
};

/// Returns, for each id of the vocabulary, whether it is in one of the lists.
std::vector<bool> united(const std::vector<std::int32_t>& ids, std::int64_t vocabulary) {
  std::vector<bool> any(static_cast<std::size_t>(vocabulary));
  for (const std::int32_t id : ids) any[static_cast<std::size_t>(id)] = true;
  return any;
}

}  // namespace

void OutputSelection::choose(std::vector<Sentence>& sentences, std::int64_t vocabulary) {
  Lists lists;
  std::optional<std::int32_t> of_all;
  for (Sentence& sentence : sentences) {
    if (uses_shortlist(sentence)) {
      sentence.list = lists.add(candidates_of(sentence));
      continue;
    }
    if (!of_all) {
      std::vector<std::int32_t> all(static_cast<std::size_t>(vocabulary));
      std::iota(all.begin(), all.end(), 0);
      of_all = lists.add(all);
    }
    sentence.list = *of_all;
  }
  std::vector<std::int32_t> columns = lists.ids;
  if (!has_all_) {
    const std::vector<bool> any = united(lists.ids, vocabulary);
    std::vector<std::int32_t> rows, column_of(any.size());
    for (std::size_t id = 0; id < any.size(); ++id) {
      column_of[id] = static_cast<std::int32_t>(rows.size());
      if (any[id]) rows.push_back(static_cast<std::int32_t>(id));
    }
    rows.resize((rows.size() + kPanelRows - 1) / kPanelRows * kPanelRows, rows.front());
    rows_ = row_of(backend_, rows_memory_, rows);
    for (std::int32_t& column : columns) column = column_of[static_cast<std::size_t>(column)];
  }
  const std::int64_t count = std::ssize(lists.begins);
  Upload upload(backend_,
                lists_memory_.tensor(1, Upload::room_for(4, 2 * (count + std::ssize(columns))), DType::i32));
  candidates_.lists = {upload.add(lists.begins), upload.add(lists.lengths), count,
                       std::ranges::max(lists.lengths)};
  candidates_.ids = upload.add(lists.ids);
  candidates_.columns = upload.add(columns);
  candidates_.list = {};
  upload.send();
  is_selected_ = false;
}

Candidates OutputSelection::select(std::vector<Sentence>& sentences, std::vector<Logits>& logits) {
  if (std::ranges::none_of(sentences, uses_shortlist)) return {};
  const bool has_all = !std::ranges::all_of(sentences, uses_shortlist);
  const auto has_no_list = [](const Sentence& sentence) { return sentence.list < 0; };
  if (has_all != has_all_ || std::ranges::any_of(sentences, has_no_list)) {
    has_all_ = has_all;
    choose(sentences, logits[0].weight.value.rows());
  }
  std::vector<std::int32_t> list_of_row;
  for (const Sentence& sentence : sentences)
    list_of_row.insert(list_of_row.end(), static_cast<std::size_t>(sentence.rows), sentence.list);
  list_of_row.resize(static_cast<std::size_t>(logits[0].x.value.rows()), list_of_row.back());
  if (!candidates_.list || list_of_row != list_of_row_) {
    candidates_.list = row_of(backend_, list_of_row_memory_, list_of_row);
    list_of_row_ = std::move(list_of_row);
  }
  if (!has_all_) logits = of(logits);
  return candidates_;
}

void OutputSelection::select(const Tensor& all, Tensor& chosen) const {
  if (!all) return;
  if (!chosen || chosen.rows() != rows_.columns()) {
    chosen = {};  // frees its memory first
    chosen = allocate_tensor(backend_, rows_.columns(), all.columns(), all.dtype());
  }
  backend_.run(SelectRows{.from = all, .ids = rows_, .to = chosen});
}

void OutputSelection::select(const Logits& all, Layer& layer) const {
  layer.weight.value = {};  // may be prepacked, in memory that is reused below
  select(all.weight.value, layer.rows);
  layer.weight.value = backend_.prepack(layer.rows, 1, layer.rows.bytes());
  // A bias becomes a column, whose rows are selected, and then a row again.
  const auto select_elements = [this](const Tensor& from, Tensor& to) {
    if (!from) return;
    Tensor column = to ? to.reshape(to.columns(), 1) : Tensor();
    select(from.reshape(from.columns(), 1), column);
    to = column.reshape(1, column.rows());
  };
  select_elements(all.weight.scale, layer.weight.scale);
  select_elements(all.bias.value, layer.bias.value);
}

std::vector<Logits> OutputSelection::of(const std::vector<Logits>& all) {
  layers_.resize(all.size());
  std::vector<Logits> chosen;
  for (std::size_t m = 0; m < all.size(); ++m) {
    if (!is_selected_) select(all[m], layers_[m]);
    chosen.push_back({all[m].x, layers_[m].weight, layers_[m].bias});
  }
  is_selected_ = true;
  return chosen;
}

}  // namespace nmt
