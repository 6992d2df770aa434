#include "data/vocabulary/vocabulary.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "common/error.h"
#include "common/io/atomic_file.h"
#include "common/io/checksum.h"
#include "common/io/memory_map.h"
#include "common/text/utf8.h"
#include "data/vocabulary/sentencepiece.h"

namespace nmt {

Vocabulary Vocabulary::load(const std::string& path) {
  return from_bytes(std::string(map_file(path).text()), path);
}

Vocabulary Vocabulary::from_bytes(std::string bytes, const std::string& name) {
  return Vocabulary(VocabularyKinds::instance().read(std::move(bytes), name));
}

Vocabulary Vocabulary::for_languages(Side side, const Languages& languages) const {
  Vocabulary other(model_);
  other.language_ = model_->language_tokens(side, languages);
  return other;
}

std::vector<int> Vocabulary::before(std::string_view text) const {
  return model_->tells_language(text) ? std::vector<int>() : language_.before;
}

std::vector<int> Vocabulary::with_language(std::vector<int> ids, std::string_view text) const {
  if (!ids.empty()) {
    const std::vector<int> in_front = before(text);
    ids.insert(ids.begin(), in_front.begin(), in_front.end());
    ids.insert(ids.end(), language_.after.begin(), language_.after.end());
  }
  ids.insert(ids.begin(), language_.first.begin(), language_.first.end());
  return ids;
}

std::vector<int> Vocabulary::encode_sampled(std::string_view text, double alpha) const {
  if (!samples()) throw Error("a vocabulary of words or characters has one segmentation of a text alone");
  return with_language(model_->sample(text, alpha), text);
}

void Vocabulary::seed_sampling(std::uint32_t seed) {
  seed_sentencepiece(seed);
}

std::vector<std::string> Vocabulary::pieces(std::string_view text) const {
  const auto pieces_of = [this](const std::vector<int>& ids) {
    std::vector<std::string> pieces;
    for (const int id : ids) pieces.push_back(piece(id));
    return pieces;
  };
  std::vector<std::string> pieces = pieces_of(language_.first), of_text = model_->pieces(text);
  if (of_text.empty()) return pieces;
  std::ranges::move(pieces_of(before(text)), std::back_inserter(pieces));
  std::ranges::move(of_text, std::back_inserter(pieces));
  std::ranges::move(pieces_of(language_.after), std::back_inserter(pieces));
  return pieces;
}

std::vector<std::string> Vocabulary::pieces(const std::vector<int>& ids) const {
  check_ids(ids);
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
