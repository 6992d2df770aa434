#include "data/vocabulary/vocabulary.h"

#include <sentencepiece_processor.h>
#include <sentencepiece_trainer.h>

#include <utility>

#include "common/error.h"
#include "common/io/atomic_file.h"
#include "common/io/memory_map.h"
#include "common/text/utf8.h"
#include "data/vocabulary/sentencepiece_status.h"

namespace nmt {
namespace {

void check(const sentencepiece::util::Status& status, const char* what) {
  if (!status.ok()) throw Error("SentencePiece cannot {} text: {}", what, reason(status));
}

/// Makes SentencePiece keep its messages to itself. Only its trainer can be told so; this training ends at
/// once, as it has no text.
void silence_sentencepiece() {
  static const bool told = !sentencepiece::SentencePieceTrainer::Train({{"minloglevel", "3"}}).ok();
  (void)told;
}

}  // namespace

struct Vocabulary::Model {
  std::string bytes;
  VocabularyType type;
  sentencepiece::SentencePieceProcessor processor;
};

Vocabulary Vocabulary::load(const std::string& path) {
  return from_bytes(std::string(map_file(path).text()), path);
}

Vocabulary Vocabulary::from_bytes(std::string bytes, const std::string& name) {
  silence_sentencepiece();
  auto model = std::make_shared<Model>();
  model->bytes = std::move(bytes);
  try {
    model->type = check_vocabulary(model->bytes);
    const auto status = model->processor.LoadFromSerializedProto(model->bytes);
    if (!status.ok()) throw Error("{}", reason(status));
  } catch (const Error& error) {
    throw Error("'{}' is damaged or no SentencePiece model: {}; copy it again or make one with nmt vocab",
                name, error.what());
  }
  if (model->processor.eos_id() < 0) {
    throw Error("the vocabulary '{}' has no piece that ends a sentence (</s>); make one with nmt vocab",
                name);
  }
  return Vocabulary(std::move(model));
}

std::vector<int> Vocabulary::encode(std::string_view text) const {
  std::vector<int> ids;
  check(model_->processor.Encode({text.data(), text.size()}, &ids), "encode");
  return ids;
}

std::vector<int> Vocabulary::encode_sampled(std::string_view text, double alpha) const {
  constexpr int kAllSegmentations = -1;
  if (!samples()) throw Error("a vocabulary of words or characters has one segmentation of a text alone");
  std::vector<int> ids;
  check(model_->processor.SampleEncode({text.data(), text.size()}, kAllSegmentations,
                                       static_cast<float>(alpha), &ids),
        "sample segmentations of");
  return ids;
}

bool Vocabulary::samples() const {
  return model_->type == VocabularyType::unigram || model_->type == VocabularyType::bpe;
}

void Vocabulary::seed_sampling(std::uint32_t seed) {
  sentencepiece::SetRandomGeneratorSeed(seed);
}

std::vector<std::string> Vocabulary::pieces(std::string_view text) const {
  std::vector<std::string> pieces;
  check(model_->processor.Encode({text.data(), text.size()}, &pieces), "encode");
  return pieces;
}

std::vector<std::string> Vocabulary::pieces(const std::vector<int>& ids) const {
  check_ids(ids);
  std::vector<std::string> pieces;
  pieces.reserve(ids.size());
  for (const int id : ids) pieces.push_back(id == unknown() ? "▁⁇▁" : model_->processor.IdToPiece(id));
  return pieces;
}

void Vocabulary::check_ids(const std::vector<int>& ids) const {
  for (const int id : ids) {
    if (id < 0 || id >= size()) throw Error("cannot decode id {}: the vocabulary has {} pieces", id, size());
  }
}

std::string Vocabulary::decode(const std::vector<int>& ids) const {
  check_ids(ids);
  std::string text;
  check(model_->processor.Decode(ids, &text), "decode");
  repair_utf8(text);
  return text;
}

int Vocabulary::size() const {
  return model_->processor.GetPieceSize();
}

std::optional<int> Vocabulary::find(std::string_view piece) const {
  const int id = model_->processor.PieceToId({piece.data(), piece.size()});  // <unk> for what is none
  return model_->processor.IdToPiece(id) == piece ? std::optional(id) : std::nullopt;
}

std::string Vocabulary::piece(int id) const {
  return model_->processor.IdToPiece(id);
}

int Vocabulary::unknown() const {
  return model_->processor.unk_id();
}

std::optional<int> Vocabulary::begin() const {
  const int id = model_->processor.bos_id();
  return id < 0 ? std::nullopt : std::optional(id);
}

int Vocabulary::end() const {
  return model_->processor.eos_id();
}

const std::string& Vocabulary::bytes() const {
  return model_->bytes;
}

void Vocabulary::save(const std::string& path) const {
  write_file(path, bytes());
}

}  // namespace nmt
