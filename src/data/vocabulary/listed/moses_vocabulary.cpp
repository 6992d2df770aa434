#include <algorithm>
#include <iterator>
#include <optional>
#include <utility>

#include "common/error.h"
#include "data/moses/scripts.h"
#include "data/vocabulary/listed/fsmt_normalization.h"
#include "data/vocabulary/listed/listed_vocabulary.h"
#include "data/vocabulary/listed/opus_normalization.h"
#include "data/vocabulary/listed/subword_codes.h"
#include "data/vocabulary/pieces_in_context.h"
#include "data/vocabulary/words.h"

namespace nmt {
namespace {

constexpr std::string_view kGoesOn = "@@";  // end of a part that continues in the same word
constexpr std::string_view kUnknownToken = "\u2047";

/// Returns the characters of a text after Unicode normalization of marks.
TracedText traced_marks(std::string_view text) {
  std::vector<std::size_t> places;
  TracedText characters = traced(opus_normalized(text, &places));
  for (TracedCharacter& each : characters) each.place = places[each.place];
  return characters;
}

/// Returns the characters of a text as Moses' tokenizer is given them.
TracedText prepared(std::string_view text, const MosesFacts& moses) {
  if (moses.is_fsmt) return fsmt_normalized(text, moses.language, moses.lowers);
  if (!moses.normalizes) return traced(text);
  return with_normal_punctuation(moses.normalizes_marks ? traced_marks(text) : traced(text), moses.language);
}

/// A word of a translation and its pieces.
struct Word {
  std::string token;
  std::vector<std::size_t> places;
  std::vector<std::string> parts;
};

/// Returns how the parts of a word are written, if the word as a whole is written as `written`.
std::vector<std::string> written_parts(const std::vector<std::string>& parts, std::string_view written) {
  std::vector<std::string> result;
  std::string all, unescaped;
  for (const std::string& part : parts) {
    all += part;
    result.push_back(without_escapes(part));
    unescaped += result.back();
  }
  if (unescaped == written) return result;
  // Case may have changed; if an escape is divided, the first part stands for all.
  const bool is_alike = all.size() == written.size();
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const std::size_t size = is_alike && i + 1 < parts.size() ? parts[i].size() : written.size();
    result[i] = written.substr(0, size);
    written.remove_prefix(size);
  }
  return result;
}

class MosesVocabulary final : public ListedVocabulary, public PiecesInContext {
 public:
  MosesVocabulary(std::string bytes, ListedFile file)
      : ListedVocabulary(std::move(bytes), std::move(file.facts), static_cast<int>(file.words.size())),
        words_(std::move(file.words)),
        codes_(file.merges),
        truecaser_(file.truecaser) {
    if (!facts().moses) throw Error("it does not say how text is tokenized");
  }

  std::vector<int> encode(std::string_view text) const override {
    std::vector<int> ids;
    for_each_part(
        text, [&](std::string_view part, std::size_t, bool goes_on) { ids.push_back(id_of(part, goes_on)); });
    return ids;
  }
  std::vector<TextPiece> divide(std::string_view text, double /*alpha*/) const override {
    std::vector<TextPiece> pieces;
    for_each_part(text, [&](std::string_view part, std::size_t place, bool goes_on) {
      pieces.push_back({std::string(part), id_of(part, goes_on), place});
    });
    const bool has_language = !language_token(text).empty();
    const Words words = words_of(text, pieces);
    std::int64_t last = -1;  // normalization moves some marks to the previous word
    for (std::size_t i = 0; i < pieces.size(); ++i) {
      const bool begins_word = words.of_piece[i] > last;
      last = std::max(last, words.of_piece[i]);
      if (has_language && i == 0) continue;
      pieces[i].text = std::string(begins_word ? kSpaceMark : "").append(without_escapes(pieces[i].text));
    }
    return pieces;
  }
  DecodedText decode(const std::vector<int>& ids) const override {
    DecodedText decoded{.text = {}, .places = std::vector<std::size_t>(ids.size(), kNowhere)};
    const std::vector<Word> words = words_of_ids(ids);
    const std::vector<PlacedToken> tokens = placed(words);
    for (std::size_t i = 0; i < words.size(); ++i) {
      if (tokens[i].space_before) decoded.text += ' ';
      const std::vector<std::string> parts = written_parts(words[i].parts, tokens[i].text);
      for (std::size_t k = 0; k < parts.size(); ++k) {
        decoded.places[words[i].places[k]] = decoded.text.size();
        decoded.text += parts[k];
      }
    }
    return decoded;
  }
  std::vector<std::string> pieces_of(const std::vector<int>& ids) const override {
    std::vector<std::string> pieces;
    pieces.reserve(ids.size());
    for (const int id : ids) pieces.push_back(piece(id));
    const std::vector<Word> words = words_of_ids(ids);
    const std::vector<PlacedToken> tokens = placed(words);
    for (std::size_t i = 0; i < words.size(); ++i) {
      std::vector<std::string> parts = written_parts(words[i].parts, tokens[i].text);
      if (i == 0 || tokens[i].space_before) parts[0].insert(0, kSpaceMark);
      for (std::size_t k = 0; k < parts.size(); ++k) pieces[words[i].places[k]] = std::move(parts[k]);
    }
    return pieces;
  }

  int size() const override { return words_.size(); }
  /// Parts that continue in a word are given unchanged; those that end a word end in U+2581.
  std::optional<int> find(std::string_view piece) const override {
    if (const auto id = words_.find(piece); id && !is_of_word(*id)) return id;
    const bool ends_word = piece.ends_with(kSpaceMark);
    if (ends_word) piece.remove_suffix(kSpaceMark.size());
    const auto id = words_.find(ends_word ? piece : std::string(piece).append(kGoesOn));
    return id && is_of_word(*id) ? id : std::nullopt;
  }
  std::string piece(int id) const override {
    const std::string& word = words_[id];
    if (!is_of_word(id)) return word;
    return word.ends_with(kGoesOn) ? word.substr(0, word.size() - kGoesOn.size())
                                   : word + std::string(kSpaceMark);
  }

 private:
  bool is_of_word(int id) const {
    return !is_special(id) && id != unknown() && !words_[id].empty() &&
           facts().languages.token_in_front(words_[id]).empty();
  }
  /// Returns the language token at the beginning of a text, >>deu<<; empty if there is none.
  std::string_view language_token(std::string_view text) const {
    const std::string_view token = facts().languages.token_in_front(text);
    return words_.find(token) ? token : std::string_view();
  }

  /// Returns the tokens of a text by Moses' tokenizer.
  std::vector<MosesToken> tokens_of(std::string_view text) const {
    const MosesFacts& moses = *facts().moses;
    std::vector<MosesToken> tokens =
        moses_tokens(prepared(text, moses),
                     {.language = moses.language, .hyphens = moses.hyphens, .escapes = moses.escapes});
    truecaser_.truecase(tokens);
    return tokens;
  }

  int id_of(std::string_view part, bool goes_on) const {
    const int id = words_.find(goes_on ? std::string(part).append(kGoesOn) : part).value_or(unknown());
    return is_special(id) ? unknown() : id;  // text cannot spell special tokens
  }
  /// Visits the parts of a text: where the token of a part begins, and whether it continues after the part.
  template <class Visit>
  void for_each_part(std::string_view text, Visit visit) const {
    const std::string_view token = language_token(text);
    if (!token.empty()) visit(token, std::size_t{0}, false);
    for (const MosesToken& each : tokens_of(text.substr(token.size()))) {
      const std::vector<std::string_view> parts = codes_.divide(each.text);
      for (std::size_t i = 0; i < parts.size(); ++i)
        visit(parts[i], token.size() + each.place, i + 1 < parts.size());
    }
  }

  /// Returns the words that ids spell, without special tokens.
  std::vector<Word> words_of_ids(const std::vector<int>& ids) const {
    std::vector<Word> words;
    bool goes_on = false;
    for (std::size_t i = 0; i < ids.size(); ++i) {
      const int id = ids[i];
      if (is_special(id)) continue;
      std::string part = id == unknown() ? std::string(kUnknownToken) : words_[id];
      const bool continues = std::exchange(goes_on, id != unknown() && part.ends_with(kGoesOn));
      if (goes_on) part.erase(part.size() - kGoesOn.size());
      if (!continues) words.emplace_back();
      words.back().token += part;
      words.back().places.push_back(i);
      words.back().parts.push_back(std::move(part));
    }
    std::erase_if(words, [](const Word& word) { return word.token.empty(); });
    return words;
  }

  std::vector<PlacedToken> placed(const std::vector<Word>& words) const {
    std::vector<std::string> tokens;
    for (const Word& word : words) tokens.push_back(word.token);
    if (facts().moses->detruecases) detruecase(tokens);
    return moses_placed(tokens, facts().moses->language);
  }

  WordIndex words_;
  SubwordCodes codes_;
  Truecaser truecaser_;
};

}  // namespace

std::shared_ptr<const VocabularyModel> read_moses_vocabulary(std::string bytes) {
  ListedFile file = parse_listed_file(bytes);
  if (!file.sentencepiece.empty()) throw Error("BPE needs no SentencePiece model");
  return std::make_shared<MosesVocabulary>(std::move(bytes), std::move(file));
}

}  // namespace nmt
