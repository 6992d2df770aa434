// Fuzz target: vocabularies of other toolkits, as stored in model files.
#include "data/vocabulary/listed/listed_vocabulary.h"

#include <cstring>
#include <nlohmann/json.hpp>

#include "common/error.h"
#include "common/text/utf8.h"
#include "data/small_vocabulary.h"
#include "data/vocabulary/listed/tokenizer_vocabulary.h"
#include "fuzz/check.h"
#include "fuzz/target.h"

namespace nmt::fuzz {
namespace of_listed_vocabulary {
namespace {

std::vector<std::string> seeds() {
  using Source = LanguageUse::Source;
  using Target = LanguageUse::Target;
  const std::string sentencepiece = small_vocabulary("identity").bytes();
  const WordList words = {"</s>", "<unk>", "▁der", ">>deu<<", "", "a\\\n", "<pad>"};
  const int first = first_added_of_fairseq(sentencepiece, "seed");
  const auto fairseq = [&](Source source, Target target) {
    return make_fairseq_vocabulary(sentencepiece, {"de_DE", "en_XX", "<mask>"},
                                   {{{"de_DE", first}, {"en_XX", first + 1}}, source, target}, first + 9,
                                   "seed")
        .bytes();
  };
  return {
      make_word_vocabulary(words, {.special = {6}, .rows = 9}, "seed").bytes(),
      make_piece_vocabulary(sentencepiece, words,
                            {.special = {6},
                             .languages = {{{"deu", 3}}, Source::target_before, Target::none},
                             .normalizes = true},
                            "seed")
          .bytes(),
      fairseq(Source::own_before, Target::first),
      fairseq(Source::own_at_end, Target::begin),
      make_byte_pair_vocabulary("#version: 0.2\nd e\nde r\n\u0120 der\n",
                                {"<s>", "</s>", "<unk>", "d", "e", "r", "\u0120", "de", "der", "\u0120der"},
                                {.end = 1, .unknown = 2, .begin = 0}, "seed")
          .bytes(),
      make_byt5_vocabulary({}, 270, 0, "seed").bytes(),
      make_moses_vocabulary("#version: 0.2\nd e\nde r</w>\n", "", {"<s>", "</s>", "<unk>", "d@@", "der", "e"},
                            {.end = 1,
                             .unknown = 2,
                             .special = {2},
                             .moses = MosesFacts{.language = "de", .is_fsmt = true, .lowers = true}},
                            "seed")
          .bytes()};
}

std::vector<std::string> words() {
  return {"nmt.vocabulary words\n",
          "nmt.vocabulary pieces\n",
          "nmt.vocabulary fairseq\n",
          "nmt.vocabulary byte_pairs\n",
          "nmt.vocabulary bytes\n",
          "nmt.vocabulary moses_bpe\n",
          "\\n",
          "\\\\",
          "\"begin\":0,",
          "\"languages\":{\"a\":2},",
          "\"own_before\"",
          "\"own_at_end\"",
          "\"first\"",
          "\"begin\"",
          "▁"};
}

/// Loads a vocabulary, also for languages that it knows; encodes possible text, and decodes the results.
void load(const std::string& bytes) {
  const Vocabulary vocabulary = Vocabulary::from_bytes(bytes, "vocabulary");
  check(vocabulary.bytes() == bytes, "a vocabulary is its bytes");
  std::vector<Vocabulary> all = {vocabulary};
  if (const auto codes = vocabulary.languages(); !codes.empty()) {
    for (const Side side : {Side::source, Side::target}) {
      try {
        all.push_back(vocabulary.for_languages(side, {codes.front(), codes.back()}));
      } catch (const UsageError&) {  // it does not use language tokens
      }
    }
  }
  for (const Vocabulary& each : all) {
    for (const char* text : {"", " der  hund\t\u200B</s>", ">>deu<< der \xF0\x9F\x98\x80"}) {
      const std::vector<int> ids = each.encode(text);
      for (const int id : ids) check(id >= 0 && id < each.size(), "ids are of the vocabulary");
      const std::vector<TextPiece> pieces = each.divide(text);
      check(pieces.size() == ids.size(), "as many pieces as ids");
      for (std::size_t i = 0; i < ids.size(); ++i) {
        check(pieces[i].id == ids[i], "pieces have the ids");
        check(pieces[i].place == kNowhere || pieces[i].place <= std::strlen(text), "a place is in the text");
      }
      check(count_invalid_utf8(each.decode(ids)) == 0, "a translation is UTF-8");
      if (each.samples()) each.encode_sampled(text, 0.1);
    }
    for (int id = 0; id < each.size(); ++id) {
      const std::string piece = each.piece(id);
      check(!each.find(piece) || each.piece(*each.find(piece)) == piece, "a piece is found by its name");
    }
  }
}

/// Returns header and facts, the SentencePiece model, the merges, and the words.
Parts split(const std::string& bytes) {
  try {
    const ListedFile file = parse_listed_file(bytes);
    Parts parts = {bytes.substr(0, bytes.find('\n', bytes.find('\n') + 1) + 1), file.sentencepiece,
                   file.merges};
    parts.insert(parts.end(), file.words.begin(), file.words.end());
    return parts;
  } catch (const Error&) {
    return {bytes};
  }
}

/// Corrects the numbers of bytes and words in the facts, unless they are not JSON.
std::string join(const Parts& parts) {
  constexpr std::size_t kFirstWord = 3;
  if (parts.size() < kFirstWord) return joined(parts);
  const std::string& head = parts[0];
  const std::size_t facts_begin = head.find('\n') + 1;
  ListedFile list{.kind = "words",
                  .sentencepiece = parts[1],
                  .words = {parts.begin() + kFirstWord, parts.end()},
                  .merges = parts[2]};
  const std::string bytes = bytes_of(list);
  const std::string body = bytes.substr(bytes.find('\n', bytes.find('\n') + 1) + 1);
  auto facts = nlohmann::json::parse(head.begin() + static_cast<std::ptrdiff_t>(facts_begin), head.end(),
                                     nullptr, false);
  if (!facts.is_object()) return head + body;
  if (!list.sentencepiece.empty()) facts["sentencepiece"] = list.sentencepiece.size();
  if (!list.merges.empty()) facts["merges"] = list.merges.size();
  facts["words"] = list.words.size();
  return head.substr(0, facts_begin) + facts.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace) +
         '\n' + body;
}

}  // namespace
}  // namespace of_listed_vocabulary

Target listed_vocabulary_target() {
  using namespace of_listed_vocabulary;
  return {"listed_vocabulary", seeds, words, load, split, join};
}

}  // namespace nmt::fuzz
