#include "data/vocabulary/listed/listed_vocabulary.h"

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

#include "common/error.h"
#include "common/text/spelling.h"
#include "common/text/utf8.h"
#include "data/vocabulary/sentencepiece.h"
#include "data/vocabulary/vocabulary.h"

namespace nmt {
namespace {

constexpr int kMostRows = 10'000'000;

void check_facts(const ListFacts& facts, int size) {
  const auto check_id = [size](const char* what, int id) {
    if (id < 0 || id >= size) throw Error("its {} has the id {}, but there are {} words", what, id, size);
  };
  check_id("EOS", facts.end);
  check_id("unknown word", facts.unknown);
  if (facts.end == facts.unknown) throw Error("EOS and the unknown word have the same id, {}", facts.end);
  if (facts.begin) check_id("BOS", *facts.begin);
  for (const int id : facts.special) check_id("special token", id);
  for (const int id : facts.added) check_id("added token", id);
  for (const auto& [code, id] : facts.languages.tokens) {
    const bool is_code =
        !code.empty() && code.find_first_of(" \t\n") == code.npos && count_invalid_utf8(code) == 0;
    if (!is_code) throw Error("it has a language {}, which is not a code", quoted(code));
    check_id("language", id);
  }
  if (facts.rows != 0 && (facts.rows < size || facts.rows > kMostRows)) {
    throw Error("it has {} words, but the tables of the model have {} rows", size, facts.rows);
  }
}

using Read = std::shared_ptr<const VocabularyModel> (*)(std::string bytes);

Vocabulary make(Read read, const ListedFile& file, const std::string& name,
                const std::string& sentencepiece_name = "") {
  try {
    return Vocabulary(read(bytes_of(file)));
  } catch (const DamagedSentencePiece& error) {
    throw unusable(sentencepiece_name.empty() ? name : sentencepiece_name, error.what());
  } catch (const Error& error) {
    throw unusable(name, error.what());
  }
}

}  // namespace

ListedVocabulary::ListedVocabulary(std::string bytes, ListFacts facts, int size)
    : bytes_(std::move(bytes)), facts_(std::move(facts)), is_special_(static_cast<std::size_t>(size)) {
  check_facts(facts_, size);
  make_special(facts_.end);
  if (facts_.begin) make_special(*facts_.begin);
  for (const int id : facts_.special) make_special(id);
  // A text may contain the tokens that precede a source; translations contain the others.
  if (facts_.languages.target == LanguageUse::Target::none) return;
  for (const auto& [code, id] : facts_.languages.tokens) make_special(id);
}

DecodedText ListedVocabulary::stripped(DecodedText decoded) {
  std::string& text = decoded.text;
  text.erase(text.find_last_not_of(' ') + 1);
  const std::size_t spaces = std::min(text.find_first_not_of(' '), text.size());
  text.erase(0, spaces);
  for (std::size_t& place : decoded.places) place -= std::min(place, spaces);
  return decoded;
}

DamagedFile unusable(const std::string& name, const std::string& reason) {
  return DamagedFile("the vocabulary '{}' cannot be used: {}", name, reason);
}

Vocabulary make_word_vocabulary(WordList words, ListFacts facts, const std::string& name) {
  return make(read_word_vocabulary, {"words", std::move(facts), "", std::move(words)}, name);
}

Vocabulary make_piece_vocabulary(std::string sentencepiece, WordList words, ListFacts facts,
                                 const std::string& name, const std::string& sentencepiece_name) {
  return make(read_piece_vocabulary, {"pieces", std::move(facts), std::move(sentencepiece), std::move(words)},
              name, sentencepiece_name);
}

Vocabulary make_fairseq_vocabulary(std::string sentencepiece, WordList added, LanguageUse languages, int rows,
                                   const std::string& name) {
  return make(
      read_fairseq_vocabulary,
      {"fairseq", fairseq_facts(std::move(languages), rows), std::move(sentencepiece), std::move(added)},
      name);
}

Vocabulary make_byte_pair_vocabulary(std::string merges, WordList words, ListFacts facts,
                                     const std::string& name) {
  return make(read_byte_pair_vocabulary,
              {"byte_pairs", std::move(facts), "", std::move(words), std::move(merges)}, name);
}

Vocabulary make_byte_vocabulary(WordList words, ListFacts facts, const std::string& name) {
  return make(read_byte_vocabulary, {"bytes", std::move(facts), "", std::move(words)}, name);
}

Vocabulary make_moses_vocabulary(std::string codes, std::string truecaser, WordList words, ListFacts facts,
                                 const std::string& name) {
  return make(read_moses_vocabulary,
              {"moses_bpe", std::move(facts), "", std::move(words), std::move(codes), std::move(truecaser)},
              name);
}

namespace {

/// Whether a text matches a pattern in which `a` stands for a small letter and `A` for a capital one.
bool is_like(std::string_view text, std::string_view pattern) {
  return std::ranges::equal(text, pattern, [](char c, char p) {
    if (p == 'a') return 'a' <= c && c <= 'z';
    if (p == 'A') return 'A' <= c && c <= 'Z';
    return c == p;
  });
}

/// Returns the language code in a token; empty if it is not a language token.
std::string_view code_in(std::string_view token) {
  constexpr std::array<std::string_view, 2> kCodes = {"aaa_Aaaa", "aa_AA"};
  constexpr std::array<std::string_view, 2> kBetweenLines = {"__aa__", "__aaa__"};
  const auto is_like_token = [token](std::string_view pattern) { return is_like(token, pattern); };
  if (std::ranges::any_of(kCodes, is_like_token)) return token;
  if (std::ranges::any_of(kBetweenLines, is_like_token)) return token.substr(2, token.size() - 4);
  return {};
}

}  // namespace

LanguageUse coded_languages(const WordList& words, const std::string& sentencepiece,
                            const std::string& name) {
  LanguageUse languages{.source = LanguageUse::Source::own_before, .target = LanguageUse::Target::first};
  const Vocabulary pieces = Vocabulary::from_bytes(sentencepiece, name);
  for (std::size_t id = 0; id < words.size(); ++id) {
    const std::string_view code = code_in(words[id]);
    if (!code.empty() && !pieces.find(words[id])) languages.tokens[std::string(code)] = static_cast<int>(id);
  }
  return languages.tokens.empty() ? LanguageUse() : languages;
}

}  // namespace nmt
