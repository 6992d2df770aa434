#include "data/vocabulary/vocabulary.h"

#include <algorithm>
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

bool Vocabulary::begins_with_language(std::span<const int> ids) const {
  const LanguageUse& use = model_->language_use();
  return use.is_told_by_source() && !ids.empty() &&
         use.is_token_in_front(model_->piece(ids.front()), ids.front());
}

std::vector<int> Vocabulary::with_language(std::vector<int> ids) const {
  const bool tells_itself = begins_with_language(ids);
  if (tells_itself && ids.size() == 1) ids.clear();
  if (!ids.empty()) {
    if (!tells_itself) ids.insert(ids.begin(), language_.before.begin(), language_.before.end());
    ids.insert(ids.end(), language_.after.begin(), language_.after.end());
  }
  ids.insert(ids.begin(), language_.first.begin(), language_.first.end());
  return ids;
}

bool Vocabulary::lacks_language(std::span<const int> ids, std::size_t tags) const {
  return model_->language_use().is_told_by_source() && !begins_with_language(ids.subspan(tags));
}

std::string_view Vocabulary::without_language(std::string_view text) const {
  const std::size_t token = model_->language_use().token_in_front(text).size();
  text.remove_prefix(token);
  if (token > 0) text.remove_prefix(std::min(text.find_first_not_of(' '), text.size()));
  return text;
}

std::vector<int> Vocabulary::encode_sampled(std::string_view text, double alpha) const {
  if (!samples()) throw Error("a vocabulary of words or characters has one segmentation of a text alone");
  return with_language(model_->sample(text, alpha));
}

void Vocabulary::seed_sampling(std::uint32_t seed) {
  seed_sentencepiece(seed);
}

std::vector<std::string> Vocabulary::pieces(std::string_view text) const {
  return divided(text).first;
}

std::pair<std::vector<std::string>, std::size_t> Vocabulary::divided(std::string_view text) const {
  std::vector<std::string> pieces, of_text = model_->pieces(text);
  const auto add = [&](const std::vector<int>& ids) {
    for (const int id : ids) pieces.push_back(piece(id));
  };
  const LanguageUse& use = model_->language_use();
  const bool tells_itself = use.is_told_by_source() && !of_text.empty() &&
                            use.is_token_in_front(of_text[0], find(of_text[0]).value_or(unknown()));
  if (tells_itself && of_text.size() == 1) of_text.clear();
  add(language_.first);
  if (!of_text.empty() && !tells_itself) add(language_.before);
  const std::size_t before = pieces.size();
  std::ranges::move(of_text, std::back_inserter(pieces));
  if (!of_text.empty()) add(language_.after);
  return {std::move(pieces), before};
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
  check_ids(ids);
  std::vector<int> of_text;
  of_text.reserve(ids.size());
  std::ranges::remove_copy_if(ids, std::back_inserter(of_text), [this](int id) { return is_special(id); });
  std::string text = model_->decode(of_text);
  repair_utf8(text);
  return text;
}

std::uint64_t Vocabulary::fingerprint() const {
  return checksum_of(bytes());
}

void Vocabulary::save(const std::string& path) const {
  write_file(path, bytes());
}

}  // namespace nmt
