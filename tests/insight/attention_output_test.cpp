#include "insight/attention_output.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace nmt {
namespace {

PairAttention small_pair() {
  return {7,
          {{"▁a\tb", "</s>"}, {"\"\\<\n", "</s>"}, {"<s>", "\"\\<\n"}},
          {{AttentionKind::decoder, 1, 0, 2, 2, {1, 0, 0.25F, 0.75F}},
           {AttentionKind::cross, 0, 2, 2, 2, {0.1234567F, 0.8765433F, 0.5F, 0.5F}}},
          "",
          "",
          {-0.25, -1.23456789}};
}

TEST(AttentionText, JsonHoldsTokensAndRows) {
  const auto object = nlohmann::json::parse(attention_json(small_pair()));
  EXPECT_EQ(object, nlohmann::json::parse(R"({
    "line": 7, "log_probabilities": [-0.25, -1.234568], "source": ["▁a\tb", "</s>"], "target": ["\"\\<\n", "</s>"], "target_input": ["<s>", "\"\\<\n"],
    "decoder": [{"layer": 2, "head": 1, "weights": [[1.0, 0.0], [0.25, 0.75]]}],
    "cross": [{"layer": 1, "head": 3, "weights": [[0.123457, 0.876543], [0.5, 0.5]]}]})"));
}

TEST(AttentionText, TheTableHasALineForEachWeight) {
  EXPECT_EQ(attention_table(small_pair()),
            "7\tdecoder\t2\t1\t0\t\"\\\\<\\n\t0\t<s>\t1.000000\n"
            "7\tdecoder\t2\t1\t0\t\"\\\\<\\n\t1\t\"\\\\<\\n\t0.000000\n"
            "7\tdecoder\t2\t1\t1\t</s>\t0\t<s>\t0.250000\n"
            "7\tdecoder\t2\t1\t1\t</s>\t1\t\"\\\\<\\n\t0.750000\n"
            "7\tcross\t1\t3\t0\t\"\\\\<\\n\t0\t▁a\\tb\t0.123457\n"
            "7\tcross\t1\t3\t0\t\"\\\\<\\n\t1\t</s>\t0.876543\n"
            "7\tcross\t1\t3\t1\t</s>\t0\t▁a\\tb\t0.500000\n"
            "7\tcross\t1\t3\t1\t</s>\t1\t</s>\t0.500000\n");
}

TEST(AttentionText, WritersMakeWholeDocuments) {
  for (const int pairs : {0, 1, 3}) {
    const auto json = make_attention_writer("json", ""), table = make_attention_writer("tsv", "");
    std::string json_text, table_text;
    for (int i = 0; i < pairs; ++i) {
      json_text += json->pair(small_pair());
      table_text += table->pair(small_pair());
    }
    EXPECT_EQ(nlohmann::json::parse(json_text + json->end()).size(), static_cast<std::size_t>(pairs));
    EXPECT_EQ(std::ranges::count(table_text + table->end(), '\n'), pairs == 0 ? 0 : 1 + 8 * pairs);
  }
}

}  // namespace
}  // namespace nmt
