#include "data/vocabulary/vocabulary.h"

#include <utility>

#include "common/error.h"
#include "common/io/atomic_file.h"
#include "common/io/checksum.h"
#include "common/io/memory_map.h"
#include "common/text/utf8.h"
#include "data/vocabulary/sentencepiece_model.h"

namespace nmt {

Vocabulary Vocabulary::load(const std::string& path) {
  return from_bytes(std::string(map_file(path).text()), path);
}

Vocabulary Vocabulary::from_bytes(std::string bytes, const std::string& name) {
  return Vocabulary(VocabularyKinds::instance().read(std::move(bytes), name));
}

std::vector<int> Vocabulary::encode_sampled(std::string_view text, double alpha) const {
  if (!samples()) throw Error("a vocabulary of words or characters has one segmentation of a text alone");
  return model_->sample(text, alpha);
}

void Vocabulary::seed_sampling(std::uint32_t seed) {
  seed_sentencepiece(seed);
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

std::string Vocabulary::decode(const std::vector<int>& ids) const {
  check_ids(ids);
  std::string text = model_->decode(ids);
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
