#include "translate/search/step_layout.h"

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <utility>

#include "nn/input.h"

namespace nmt {
namespace {

constexpr std::int64_t kLists = 6;
constexpr std::int64_t kRowsOfPadding = 8;  // of a padding sentence

/// A number of rows and of sentences.
struct Shape {
  std::int64_t rows, sentences;
};

Shape shape_of(const std::vector<std::int32_t>& rows) {
  return {std::accumulate(rows.begin(), rows.end(), std::int64_t{0}), std::ssize(rows)};
}

/// Returns the shape of a step with this shape without padding. It stays that of the last step if this adds
/// less than `step` rows, at most half.
Shape padded(const Shape& own, const Shape& last, int step) {
  Shape all{.rows = padded_rows(own.rows, step), .sentences = 0};
  if (last.rows >= all.rows && last.rows < own.rows + step && 2 * last.rows <= 3 * own.rows)
    all.rows = last.rows;
  const std::int64_t padding = (all.rows - own.rows + kRowsOfPadding - 1) / kRowsOfPadding;
  all.sentences = padded_count(own.sentences + padding, step);
  if (last.sentences > all.sentences && last.sentences <= 4 * all.sentences) all.sentences = last.sentences;
  return all;
}

/// Appends the rows of padding sentences to those of all sentences.
void pad(std::vector<std::int32_t>& rows, const Shape& to) {
  std::int64_t rest = to.rows - shape_of(rows).rows;
  for (; rest > 0; rest -= kRowsOfPadding)
    rows.push_back(static_cast<std::int32_t>(std::min(rest, kRowsOfPadding)));
  rows.resize(static_cast<std::size_t>(to.sentences));
}

/// Returns the number that the most rows of a sentence count as.
std::int64_t most_rows(const std::vector<std::int32_t>& rows, int step) {
  const std::int64_t most = std::ranges::max(rows);
  return step == 1 ? most : padded_count(std::max(most, kRowsOfPadding), step);
}

}  // namespace

StepLayout::Lists StepLayout::lists_of(const std::vector<Sentence>& sentences) const {
  Lists lists;
  for (const Sentence& sentence : sentences) {
    lists.rows.push_back(sentence.rows);
    lists.sources.push_back(sentence.source_begin);
    lists.source_rows.push_back(sentence.source_rows);
    lists.numbers_before.push_back(sentence.number);
    lists.rows_before.push_back(
        sentence.number < 0 ? 0 : lists_.begins[static_cast<std::size_t>(sentence.number)]);
  }
  const int step = g_->backend().row_step();
  if (step > 1) pad(lists.rows, padded(shape_of(lists.rows), shape_of(lists_.rows), step));
  for (auto* list : {&lists.sources, &lists.source_rows, &lists.rows_before}) list->resize(lists.rows.size());
  lists.numbers_before.resize(lists.rows.size(), -1);
  lists.begins.resize(lists.rows.size());
  std::exclusive_scan(lists.rows.begin(), lists.rows.end(), lists.begins.begin(), 0);
  return lists;
}

void StepLayout::upload() {
  const int step = g_->backend().row_step();
  const std::int64_t count = std::ssize(lists_.rows);
  Upload upload(g_->backend(), memory_.tensor(1, Upload::room_for(kLists, kLists * count), DType::i32));
  hypotheses_ = {upload.add(lists_.begins), upload.add(lists_.rows), count, most_rows(lists_.rows, step)};
  sources_ = {upload.add(lists_.sources), upload.add(lists_.source_rows), count,
              padded_length(std::ranges::max(lists_.source_rows), step)};
  number_before_ = upload.add(lists_.numbers_before);
  row_before_ = upload.add(lists_.rows_before);
  upload.send();
  rows_ = lists_.begins.back() + lists_.rows.back();
}

void StepLayout::next(const std::vector<Sentence>& sentences) {
  Lists lists = lists_of(sentences);
  if (lists == lists_) return;
  lists_ = std::move(lists);
  upload();
}

}  // namespace nmt
