// Fuzz target: tokenizer.json of Hugging Face transformers.
#include "foreign/huggingface/tokenizer_json.h"

#include "common/error.h"
#include "data/vocabulary/listed/tokenizer_vocabulary.h"
#include "fuzz/check.h"
#include "fuzz/target.h"

namespace nmt::fuzz {
namespace of_tokenizer_json {
namespace {

/// Returns a file with these parts, and the special tokens of fairseq.
std::string file(const std::string& normalizer, const std::string& division, const std::string& model) {
  return R"({"added_tokens": [{"id": 0, "content": "<s>"}, {"id": 2, "content": "</s>"},
    {"id": 7, "content": "de_DE"}], "normalizer": )" +
         normalizer + R"(, "pre_tokenizer": )" + division + R"(, "model": )" + model + "}";
}

std::vector<std::string> seeds() {
  const std::string metaspace = R"({"type": "Metaspace", "replacement": "▁", "prepend_scheme": "always"})";
  return {
      file(R"({"type": "Replace", "pattern": {"Regex": " {2,}"}, "content": " "})", metaspace,
           R"({"type": "BPE", "fuse_unk": true, "merges": [["▁", "d"]],
               "vocab": {"<s>": 0, "<pad>": 1, "</s>": 2, "<unk>": 3, "▁": 4, "d": 5, "▁d": 6}})"),
      file("null",
           R"({"type": "Sequence", "pretokenizers": [{"type": "WhitespaceSplit"}, )" + metaspace + "]}",
           R"({"type": "Unigram", "vocab": [["<s>", 0], ["<pad>", 0], ["</s>", 0], ["<unk>", 0], ["▁", -1.5],
               ["d", -2], ["<0x0A>", -3]]})"),
      file(R"({"type": "Strip"})", metaspace,
           R"({"type": "Unigram", "vocab": [["<s>", 0], ["<pad>", 0], ["</s>", 0], ["<unk>", 0],
               ["▁", -1], ["d", -2]]})"),
      file("null", R"({"type": "ByteLevel", "add_prefix_space": false})",
           R"({"type": "BPE", "merges": ["d e"],
               "vocab": {"<s>": 0, "<pad>": 1, "</s>": 2, "<unk>": 3, "d": 4, "e": 5, "de": 6}})")};
}

std::vector<std::string> words() {
  return {"null",
          "[]",
          "{}",
          "1e38",
          "-1",
          "\"▁\"",
          "\"\"",
          "\"byte_fallback\": true,",
          "\"prepend_scheme\":",
          "\"never\"",
          "\"Strip\"",
          "{\"type\": \"Precompiled\", \"precompiled_charsmap\": \"BAAAAAAAAAA=\"}",
          "\"id\":",
          "\"content\":",
          "[\"d\", \"e\"],",
          "[\"d\", -1],"};
}

void check_vocabulary(const Vocabulary& vocabulary) {
  for (const char* const text : {"", " der  hund\t\u200B</s>", "d\xF0\x9F\x98\x80"}) {
    const std::vector<int> ids = vocabulary.encode(text);
    for (const int id : ids) check(id >= 0 && id < vocabulary.size(), "ids are of the vocabulary");
    (void)vocabulary.decode(ids);
  }
}

/// Makes the vocabularies of the tokenizers that have such files, and encodes text.
void load(const std::string& bytes) {
  const TokenizerJson json(bytes, "tokenizer.json");
  const TokenizerFacts facts{
      .type = "NllbTokenizer", .added = json.added(), .source_language = "de_DE", .names_all_tokens = true};
  if (json.is_byte_level()) {
    check_vocabulary(make_bart_vocabulary(json.merges(), json.words(), 0, json.name()));
  } else {
    check_vocabulary(make_fairseq_vocabulary(json.fairseq_sentencepiece(), facts, 0, json.name()));
  }
}

}  // namespace
}  // namespace of_tokenizer_json

Target tokenizer_json_target() {
  using namespace of_tokenizer_json;
  return {"tokenizer_json", seeds, words, load};
}

}  // namespace nmt::fuzz
