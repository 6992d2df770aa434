#include "documents/document_output.h"

#include <utility>

#include "common/error.h"
#include "data/text/markup.h"

namespace nmt {
namespace {

constexpr std::size_t kMostSegments = 1024, kMostBytes = std::size_t{1} << 20, kMostBatches = 2;

/// Returns a text of a segment as one reads it.
std::string without_markup(const std::string& text, bool has_markup) {
  if (!has_markup) return text;
  const MarkedText marked(text);
  return marked.kept().restored(marked.plain());
}

}  // namespace

DocumentOutput::DocumentOutput(std::string name, TranslateTexts translate,
                               std::function<void(std::string_view)> write, TakePair take_pair)
    : name_(std::move(name)),
      translate_(std::move(translate)),
      write_(std::move(write)),
      take_pair_(std::move(take_pair)) {}

void DocumentOutput::keep(std::string_view bytes) {
  if (!is_waiting()) return write_(bytes);
  batch_.bytes += bytes.size();
  if (batch_.items.empty() || batch_.items.back().action) batch_.items.emplace_back();
  batch_.items.back().content.keep(bytes);
  if (batch_.bytes >= kMostBytes) submit();
}

void DocumentOutput::put(Content content) {
  const std::size_t before = batch_.segments.size();
  batch_.bytes += content.kept_bytes();
  content.for_each_segment([this](TextSegment& segment) {
    if (segment.text().size() > kLongestText)
      throw Error("cannot translate '{}': it has a text of more than {} MiB; divide it into paragraphs",
                  name_, kLongestText >> 20);
    batch_.bytes += segment.text().size();
    batch_.segments.push_back(&segment);
  });
  if (batch_.segments.size() == before && !is_waiting()) return write({std::move(content), nullptr});
  batch_.items.push_back({std::move(content), nullptr});
  if (batch_.segments.size() >= kMostSegments || batch_.bytes >= kMostBytes) submit();
}

void DocumentOutput::then(std::function<void()> action) {
  if (!is_waiting()) return action();
  batch_.items.push_back({{}, std::move(action)});
}

void DocumentOutput::submit() {
  std::vector<DocumentText> texts;
  texts.reserve(batch_.segments.size());
  for (const TextSegment* segment : batch_.segments)
    texts.push_back({segment->text(), segment->has_markup()});
  if (!texts.empty()) batch_.translations = translate_(std::move(texts));
  batches_.push_back(std::exchange(batch_, {}));
  while (batches_.size() >= kMostBatches) write_first();
}

void DocumentOutput::write_first() {
  Batch batch = std::move(batches_.front());
  batches_.pop_front();
  if (!batch.segments.empty()) {
    std::vector<std::string> translations = batch.translations.get();
    for (std::size_t i = 0; i < translations.size(); ++i)
      batch.segments[i]->translate(std::move(translations[i]));
  }
  for (const Item& item : batch.items) write(item);
}

void DocumentOutput::write(const Item& item) {
  if (item.action) return item.action();
  if (take_pair_) {
    item.content.for_each_segment([this](const TextSegment& segment) {
      take_pair_(without_markup(segment.text(), segment.has_markup()),
                 without_markup(segment.translation(), segment.has_markup()));
    });
  }
  std::string bytes;
  item.content.append_to(bytes);
  write_(bytes);
}

void DocumentOutput::finish() {
  submit();
  while (!batches_.empty()) write_first();
}

}  // namespace nmt
