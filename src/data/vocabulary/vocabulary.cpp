#include "data/vocabulary/vocabulary.h"

#include <algorithm>
#include <functional>
#include <iterator>
#include <utility>

#include "common/error.h"
#include "common/io/atomic_file.h"
#include "common/io/checksum.h"
#include "common/io/memory_map.h"
#include "common/text/utf8.h"
#include "data/vocabulary/pieces_in_context.h"
#include "data/vocabulary/sentencepiece.h"

namespace nmt {

Vocabulary Vocabulary::load(const std::string& path) {
  return from_bytes(map_file(path).copy(), path);
}

Vocabulary Vocabulary::from_bytes(std::string bytes, const std::string& name) {
  return Vocabulary(VocabularyKinds::instance().read(std::move(bytes), name));
}

Vocabulary Vocabulary::for_languages(Side side, const Languages& languages) const {
  Vocabulary other(model_);
  other.language_ = model_->language_tokens(side, languages);
  return other;
}

bool Vocabulary::tells_language(int id) const {
  const LanguageUse& use = model_->language_use();
  return use.is_told_by_source() && use.is_token_in_front(model_->piece(id), id);
}

template <class Token, class TokenOf>
std::vector<Token> Vocabulary::with_language(std::vector<Token> tokens, bool tells_itself,
                                             TokenOf token_of) const {
  const auto insert = [&](auto place, const std::vector<int>& ids) {
    std::vector<Token> more;
    std::ranges::transform(ids, std::back_inserter(more), token_of);
    tokens.insert(place, std::make_move_iterator(more.begin()), std::make_move_iterator(more.end()));
  };
  if (tells_itself && tokens.size() == 1) tokens.clear();
  if (!tokens.empty()) {
    if (!tells_itself) insert(tokens.begin(), language_.before);
    insert(tokens.end(), language_.after);
  }
  insert(tokens.begin(), language_.first);
  return tokens;
}

std::vector<int> Vocabulary::with_language(std::vector<int> ids) const {
  const bool tells_itself = !ids.empty() && tells_language(ids.front());
  return with_language(std::move(ids), tells_itself, std::identity());
}

bool Vocabulary::lacks_language(std::span<const int> ids, std::size_t tags) const {
  return model_->language_use().is_told_by_source() && (ids.size() == tags || !tells_language(ids[tags]));
}

std::string_view Vocabulary::without_language(std::string_view text) const {
  const std::size_t token = model_->language_use().token_in_front(text).size();
  text.remove_prefix(token);
  if (token > 0) text.remove_prefix(std::min(text.find_first_not_of(' '), text.size()));
  return text;
}

void Vocabulary::check_samples() const {
  if (!samples()) throw Error("a vocabulary of words or characters has only one segmentation of a text");
}

std::vector<int> Vocabulary::encode_sampled(std::string_view text, double alpha) const {
  check_samples();
  return with_language(model_->sample(text, alpha));
}

void Vocabulary::seed_sampling(std::uint32_t seed) {
  seed_sentencepiece(seed);
}

std::vector<TextPiece> Vocabulary::divide(std::string_view text, double alpha) const {
  if (alpha > 0) check_samples();
  std::vector<TextPiece> pieces = model_->divide(text, alpha);
  const bool tells_itself = !pieces.empty() && tells_language(pieces.front().id);
  return with_language(std::move(pieces), tells_itself,
                       [this](int id) { return TextPiece{.text = piece(id), .id = id, .place = kNowhere}; });
}

std::vector<std::string> Vocabulary::pieces(std::string_view text) const {
  std::vector<std::string> pieces;
  for (TextPiece& each : divide(text)) pieces.push_back(std::move(each.text));
  return pieces;
}

std::vector<std::string> Vocabulary::pieces(const std::vector<int>& ids) const {
  check_ids(ids);
  if (const auto* in_context = dynamic_cast<const PiecesInContext*>(model_.get()))
    return in_context->pieces_of(ids);
  std::vector<std::string> pieces;
  pieces.reserve(ids.size());
  for (const int id : ids) pieces.push_back(id == unknown() ? "▁⁇▁" : piece(id));
  return pieces;
}

void Vocabulary::check_ids(const std::vector<int>& ids) const {
  for (const int id : ids) {
    if (id < 0 || id >= size()) throw Error("cannot decode id {}: the vocabulary has {} pieces", id, size());
  }
}

bool Vocabulary::is_special(int id) const {
  const auto is_among = [id](const std::vector<int>& ids) { return std::ranges::count(ids, id) > 0; };
  return model_->is_special(id) || id == language_.begin || id == language_.end ||
         is_among(language_.first) || is_among(language_.before);
}

std::string Vocabulary::decode(const std::vector<int>& ids) const {
  return decode_with_places(ids).text;
}

DecodedText Vocabulary::decode_with_places(const std::vector<int>& ids) const {
  check_ids(ids);
  std::vector<int> of_text;
  of_text.reserve(ids.size());
  std::ranges::remove_copy_if(ids, std::back_inserter(of_text), [this](int id) { return is_special(id); });
  DecodedText decoded = model_->decode(of_text);
  repair_utf8(decoded.text, decoded.places);
  if (of_text.size() == ids.size()) return decoded;
  std::vector<std::size_t> places;
  places.reserve(ids.size());
  auto place = decoded.places.begin();
  for (const int id : ids) places.push_back(is_special(id) ? kNowhere : *place++);
  decoded.places = std::move(places);
  return decoded;
}

std::uint64_t Vocabulary::fingerprint() const {
  return checksum_of(bytes());
}

void Vocabulary::save(const std::string& path) const {
  write_file(path, bytes());
}

}  // namespace nmt
