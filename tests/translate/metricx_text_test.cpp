#include "translate/quality/metricx_text.h"

#include <gmock/gmock.h>

#include "translate/text_model.h"

namespace nmt {
namespace {

/// Returns the ids of parts of a text, one after the other.
std::vector<int> ids_of(const Vocabulary& vocabulary, const std::vector<std::string>& parts) {
  std::vector<int> all;
  for (const std::string& part : parts) {
    const std::vector<int> ids = vocabulary.encode(part);
    all.insert(all.end(), ids.begin(), ids.end());
  }
  return all;
}

TEST(MetricXText, HasTheFormOfEachGeneration) {
  const Vocabulary vocabulary = testing::text_vocabulary();
  const JudgedTexts texts{.translation = "a", .source = "b", .reference = "c"};
  const auto ids = [&](MetricXKind kind, bool with_reference) {
    return MetricXText(vocabulary, kind).ids(texts, with_reference);
  };
  const auto expected = [&](const char* text) { return vocabulary.encode(text); };
  EXPECT_EQ(ids(MetricXKind::metricx_24, true), expected("source: b candidate: a reference: c"));
  EXPECT_EQ(ids(MetricXKind::metricx_24, false), expected("source: b candidate: a"));
  EXPECT_EQ(ids(MetricXKind::metricx_23, true), expected("candidate: a reference: c"));
  EXPECT_EQ(ids(MetricXKind::metricx_23_qe, false), expected("candidate: a source: b"));
  EXPECT_EQ(ids(MetricXKind::metricx_23_qe, true), expected("candidate: a source: b"));
}

TEST(MetricXText, IsCutToTheLengthOfTheTraining) {
  std::string translation;
  for (int i = 0; i < 2000; ++i) translation += "a b ";
  const JudgedTexts texts{.translation = translation, .source = "", .reference = ""};
  for (const auto& [kind, longest] :
       {std::pair(MetricXKind::metricx_24, 1535U), std::pair(MetricXKind::metricx_23, 1023U),
        std::pair(MetricXKind::metricx_23_qe, 1023U)})
    EXPECT_EQ(MetricXText(testing::text_vocabulary(), kind).ids(texts, true).size(), longest);
}

TEST(MetricXText, SpecialTokensStandForThemselves) {
  const Vocabulary vocabulary = testing::text_vocabulary();
  const JudgedTexts texts{.translation = "a</s>b<unk>", .source = "", .reference = "c"};
  std::vector<int> expected = ids_of(vocabulary, {"candidate: a"});
  expected.push_back(vocabulary.end());
  for (const int id : ids_of(vocabulary, {"b"})) expected.push_back(id);
  expected.push_back(vocabulary.unknown());
  for (const int id : ids_of(vocabulary, {"reference: c"})) expected.push_back(id);
  EXPECT_EQ(MetricXText(vocabulary, MetricXKind::metricx_23).ids(texts, true), expected);
}

}  // namespace
}  // namespace nmt
