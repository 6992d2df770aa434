#include "translate/translator.h"

#include <algorithm>

#include "common/log.h"
#include "translate/length_batches.h"
#include "translate/search.h"

namespace nmt {
namespace {

/// Enough lines for batches of like length, few enough to stay in memory.
constexpr std::size_t chunk_lines = 8192;

}  // namespace

std::vector<int> Translator::encode(const std::string& line, std::int64_t line_number) {
  std::vector<int> ids = model_.vocabularies.source.encode(line);
  const auto positions = model_.model->max_positions();
  if (positions && static_cast<std::int64_t>(ids.size()) >= *positions) {
    const std::int64_t most = *positions - 1;  // one is for the end mark
    if (!warned_) {
      log_warning(
          "line {} has {} tokens, but the model takes {}: the rest is cut off, here and on any later line",
          line_number, ids.size(), most);
    }
    warned_ = true;
    ids.resize(static_cast<std::size_t>(most));
  }
  return ids;
}

std::string Translator::decode(const std::vector<std::int32_t>& ids) const {
  std::string text = model_.vocabularies.target.decode(ids);
  // Pieces that spell bytes can spell the end of a line, but a line in is a line out.
  std::replace(text.begin(), text.end(), '\n', ' ');
  return text;
}

std::vector<Translation> Translator::translate(const std::vector<std::string>& lines) {
  std::vector<Example> examples;
  std::vector<std::int64_t> lengths;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    std::vector<int> ids = encode(lines[i], ++counts_.lines);
    if (ids.empty()) continue;
    counts_.source_tokens += static_cast<std::int64_t>(ids.size());
    lengths.push_back(static_cast<std::int64_t>(ids.size()) + 1);
    examples.push_back({.id = static_cast<std::int64_t>(i), .source = std::move(ids)});
  }
  std::vector<Translation> translations(lines.size());
  for (const std::vector<std::size_t>& numbers : batches_by_length(lengths, settings_.batch_tokens)) {
    std::vector<Example> batch;
    batch.reserve(numbers.size());
    for (const std::size_t number : numbers) batch.push_back(std::move(examples[number]));
    const auto found = search(*model_.model, backend_, arena_, batch, model_.marks, settings_.search);
    for (std::size_t i = 0; i < batch.size(); ++i) {
      const Hypothesis& best = found[i].front();
      counts_.target_tokens += static_cast<std::int64_t>(best.ids.size());
      translations[static_cast<std::size_t>(batch[i].id)] = {best.score, decode(best.ids)};
    }
  }
  return translations;
}

void Translator::translate(TextReader& input,
                           const std::function<void(const std::vector<Translation>&)>& take) {
  std::vector<std::string> lines;
  for (bool more = true; more;) {
    lines.clear();
    for (std::string line; lines.size() < chunk_lines && (more = input.next(line));) lines.push_back(line);
    if (!lines.empty()) take(translate(lines));
  }
}

}  // namespace nmt
