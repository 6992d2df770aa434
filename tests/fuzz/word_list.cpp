// Fuzz target: word lists of other toolkits, and the files of their tokenizers, among them codes of BPE.
#include "data/vocabulary/listed/word_list.h"

#include "common/error.h"
#include "common/text/utf8.h"
#include "data/vocabulary/listed/subword_codes.h"
#include "data/vocabulary/listed/tokenizer_vocabulary.h"
#include "foreign/fairseq/fairseq_text.h"
#include "foreign/fast_bpe.h"
#include "fuzz/check.h"
#include "fuzz/target.h"

namespace nmt::fuzz {
namespace of_word_list {
namespace {

std::vector<std::string> seeds() {
  return {
      "</s>: 0\n<unk>: 1\n\"\\x84\\u2581\": 3\n'it''s': 4  # comment\n? \"a\\\n  b\"\n: 2\n",
      "%YAML 1.2\n---\n~: 0\ny: 1\n\": b\": 2\n...\n",
      R"({"</s>": 0, "<unk>": 1, "\u2581a": 2})",
      R"(["<blank>", "<s>", "</s>"])",
      "a 5\nb@@ 4\n<unk> 3 #fairseq:overwrite\nmadeupword0000 0\n",
      R"({"tokenizer_class": "NllbTokenizer", "src_lang": "deu", "legacy_behaviour": true, "mask_token": null,
              "added_tokens_decoder": {"9": {"content": "deu"}}, "additional_special_tokens": ["deu", {"content": "a"}]})"};
}

std::vector<std::string> words() {
  return {"? ",
          ": ",
          "\"",
          "'",
          "''",
          "\\x84",
          "\\U0001F600",
          "\\u2581",
          "\\\n",
          "#",
          "---\n",
          "&a ",
          "- ",
          "{",
          "[",
          ",",
          "\xEF\xBB\xBF",
          "\"content\":",
          "null",
          "</w>",
          " #fairseq:overwrite",
          "\"added_tokens_decoder\":",
          "\"additional_special_tokens\":"};
}

/// Reads the bytes as lines, as YAML, which includes JSON, as a dictionary, as codes, and as a tokenizer's
/// description.
void load(const std::string& bytes) {
  std::exception_ptr refusal;
  const auto attempt = [&](auto read) {
    try {
      read();
      return true;
    } catch (const Error&) {
      refusal = std::current_exception();
      return false;
    }
  };
  const auto check_words = [](const WordList& list) {
    check(!list.empty(), "a list has words");
    for (const std::string& word : list) check(count_invalid_utf8(word) == 0, "words are UTF-8");
    const WordIndex index(list);
    for (int id = 0; id < index.size(); ++id)
      check(index[id].empty() || index.find(index[id]) == id, "words are found");
  };
  attempt([&] { check_words(word_list_from_lines(bytes, "list")); });
  const bool is_list = attempt([&] { check_words(word_list_from_yaml(bytes, "list")); });
  const bool is_tokenizer = attempt([&] { tokenizer_facts({bytes, "", bytes}, "folder"); });
  const bool is_dictionary = attempt(
      [&] { check(fairseq_dictionary(bytes, "dict.en.txt").size() >= 4, "special words come first"); });
  attempt([&] { SubwordCodes(subword_nmt_codes(bytes)).divide("ab"); });
  if (!is_list && !is_tokenizer && !is_dictionary) std::rethrow_exception(refusal);
}

}  // namespace
}  // namespace of_word_list

Target word_list_target() {
  using namespace of_word_list;
  return {"word_list", seeds, words, load};
}

}  // namespace nmt::fuzz
