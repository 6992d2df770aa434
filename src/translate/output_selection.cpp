#include "translate/output_selection.h"

#include <algorithm>
#include <utility>

namespace nmt {
namespace {

// Products like whole panels of rows best.
constexpr std::size_t kPanelRows = 64;

Tensor row_of(Backend& backend, const std::vector<std::int32_t>& values) {
  const Tensor row = allocate_tensor(backend, 1, std::ssize(values), DType::i32);
  backend.upload(row, values.data());
  return row;
}

/// Whether this one of all ids is in one of the lists.
std::vector<bool> united(const std::vector<Shortlist::Ids>& lists) {
  std::vector<bool> any;
  for (const Shortlist::Ids& ids : lists) {
    any.resize(std::max(any.size(), static_cast<std::size_t>(ids.back()) + 1));
    for (const std::int32_t id : ids) any[static_cast<std::size_t>(id)] = true;
  }
  return any;
}

}  // namespace

OutputSelection::OutputSelection(Backend& backend, std::shared_ptr<const Shortlist> shortlist,
                                 std::int64_t least)
    : backend_(backend), shortlist_(std::move(shortlist)), least_(least) {}

void OutputSelection::choose(const std::vector<const std::vector<int>*>& sources) {
  std::vector<Shortlist::Ids> lists;
  lists.reserve(sources.size());
  for (const std::vector<int>* source : sources) lists.push_back(shortlist_->candidates(*source, least_));
  const std::vector<bool> any = united(lists);
  std::vector<std::int32_t> rows, column_of(any.size());
  for (std::size_t id = 0; id < any.size(); ++id) {
    column_of[id] = static_cast<std::int32_t>(rows.size());
    if (any[id]) rows.push_back(static_cast<std::int32_t>(id));
  }
  rows.resize((rows.size() + kPanelRows - 1) / kPanelRows * kPanelRows, rows.front());
  std::vector<std::int32_t> begins, lengths, ids, columns;
  for (const Shortlist::Ids& list : lists) {
    begins.push_back(static_cast<std::int32_t>(ids.size()));
    lengths.push_back(static_cast<std::int32_t>(list.size()));
    ids.insert(ids.end(), list.begin(), list.end());
    for (const std::int32_t id : list) columns.push_back(column_of[static_cast<std::size_t>(id)]);
  }
  rows_ = row_of(backend_, rows);
  candidates_ = {.lists = {row_of(backend_, begins), row_of(backend_, lengths), std::ssize(lists),
                           std::ranges::max(lengths)},
                 .ids = row_of(backend_, ids),
                 .columns = row_of(backend_, columns),
                 .list = {}};
  is_selected_ = false;
}

void OutputSelection::select(const Tensor& all, Tensor& chosen) const {
  if (!all) return;
  if (!chosen || chosen.rows() != rows_.columns()) {
    chosen = {};  // before there is another
    chosen = allocate_tensor(backend_, rows_.columns(), all.columns(), all.dtype());
  }
  backend_.run(SelectRows{.from = all, .ids = rows_, .to = chosen});
}

void OutputSelection::select(const Logits& all, Layer& layer) const {
  layer.weight.value = {};  // which may be prepacked, in memory that others now take
  select(all.weight.value, layer.rows);
  layer.weight.value = backend_.lay_out_for_products(layer.rows, 1);
  // A vector is a column of which rows are selected, and a row again.
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

Candidates OutputSelection::candidates(const std::vector<std::int32_t>& source_of_row) {
  if (!candidates_.list || source_of_row != source_of_row_) {
    candidates_.list = row_of(backend_, source_of_row);
    source_of_row_ = source_of_row;
  }
  return candidates_;
}

}  // namespace nmt
