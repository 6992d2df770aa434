#include "translate/quality/metricx_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string>
#include <string_view>

#include "translate/quality/written_tokens.h"

namespace nmt {
namespace {

// Special tokens stand for themselves in a text.
constexpr std::array<std::string_view, 3> kMarks = {"</s>", "<unk>", "<pad>"};

std::string joined(const JudgedTexts& texts, MetricXKind kind, bool with_reference) {
  const auto& [translation, source, reference] = texts;
  switch (kind) {
    case MetricXKind::metricx_23:
      return fmt::format("candidate: {} reference: {}", translation, reference);
    case MetricXKind::metricx_23_qe:
      return fmt::format("candidate: {} source: {}", translation, source);
    case MetricXKind::metricx_24:
      break;
  }
  const std::string both = fmt::format("source: {} candidate: {}", source, translation);
  return with_reference ? fmt::format("{} reference: {}", both, reference) : both;
}

}  // namespace

std::size_t MetricXText::longest() const {
  constexpr std::size_t kTrained23 = 1024, kTrained24 = 1536;  // with EOS
  return (kind_ == MetricXKind::metricx_24 ? kTrained24 : kTrained23) - 1;
}

std::vector<int> MetricXText::ids(const JudgedTexts& texts, bool with_reference) const {
  const std::string text = joined(texts, kind_, with_reference);
  std::vector<int> ids;
  for (std::size_t from = 0; from < text.size() && ids.size() < longest();) {
    const WrittenToken mark = first_written(text, from, kMarks);
    const std::vector<int> plain = vocabulary_.encode(text.substr(from, mark.at - from));
    ids.insert(ids.end(), plain.begin(), plain.end());
    if (!mark.name.empty()) ids.push_back(vocabulary_.find(mark.name).value_or(vocabulary_.unknown()));
    from = mark.at + mark.name.size();
  }
  ids.resize(std::min(ids.size(), longest()));
  return ids;
}

}  // namespace nmt
