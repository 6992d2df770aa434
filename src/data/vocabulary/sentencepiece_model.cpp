#include "data/vocabulary/sentencepiece_model.h"

#include <sentencepiece_processor.h>
#include <sentencepiece_trainer.h>

#include <utility>

#include "common/error.h"
#include "data/vocabulary/sentencepiece_status.h"
#include "data/vocabulary/vocabulary_check.h"

namespace nmt {
namespace {

/// Makes SentencePiece keep its messages to itself. Only its trainer can be told so; this training ends at
/// once, as it has no text.
void silence_sentencepiece() {
  static const bool told = !sentencepiece::SentencePieceTrainer::Train({{"minloglevel", "3"}}).ok();
  (void)told;
}

class SentencePieceModel final : public VocabularyModel {
 public:
  /// Throws Error with the reason alone.
  explicit SentencePieceModel(std::string bytes) : bytes_(std::move(bytes)), type_(check_vocabulary(bytes_)) {
    const auto status = processor_.LoadFromSerializedProto(bytes_);
    if (!status.ok()) throw Error("{}", reason(status));
  }

  const std::string& bytes() const override { return bytes_; }

  std::vector<int> encode(std::string_view text) const override {
    std::vector<int> ids;
    check(processor_.Encode({text.data(), text.size()}, &ids), "encode");
    return ids;
  }
  std::vector<std::string> pieces(std::string_view text) const override {
    std::vector<std::string> pieces;
    check(processor_.Encode({text.data(), text.size()}, &pieces), "encode");
    return pieces;
  }
  bool samples() const override { return type_ == VocabularyType::unigram || type_ == VocabularyType::bpe; }
  std::vector<int> sample(std::string_view text, double alpha) const override {
    constexpr int kAllSegmentations = -1;
    std::vector<int> ids;
    check(processor_.SampleEncode({text.data(), text.size()}, kAllSegmentations, static_cast<float>(alpha),
                                  &ids),
          "sample segmentations of");
    return ids;
  }
  std::string decode(const std::vector<int>& ids) const override {
    std::string text;
    check(processor_.Decode(ids, &text), "decode");
    return text;
  }

  int size() const override { return processor_.GetPieceSize(); }
  std::optional<int> find(std::string_view piece) const override {
    const int id = processor_.PieceToId({piece.data(), piece.size()});  // <unk> for what is none
    return processor_.IdToPiece(id) == piece ? std::optional(id) : std::nullopt;
  }
  std::string piece(int id) const override { return processor_.IdToPiece(id); }
  int unknown() const override { return processor_.unk_id(); }
  std::optional<int> begin() const override {
    const int id = processor_.bos_id();
    return id < 0 ? std::nullopt : std::optional(id);
  }
  int end() const override { return processor_.eos_id(); }
  bool is_special(int id) const override { return processor_.IsControl(id); }

 private:
  static void check(const sentencepiece::util::Status& status, const char* what) {
    if (!status.ok()) throw Error("SentencePiece cannot {} text: {}", what, reason(status));
  }

  std::string bytes_;
  VocabularyType type_;
  sentencepiece::SentencePieceProcessor processor_;
};

}  // namespace

std::shared_ptr<const VocabularyModel> read_sentencepiece_model(std::string bytes, const std::string& name) {
  silence_sentencepiece();
  std::shared_ptr<const VocabularyModel> model;
  try {
    model = std::make_shared<SentencePieceModel>(std::move(bytes));
  } catch (const Error& error) {
    throw Error("'{}' is damaged or no SentencePiece model: {}; copy it again or make one with nmt vocab",
                name, error.what());
  }
  if (model->end() < 0) {
    throw Error("the vocabulary '{}' has no piece that ends a sentence (</s>); make one with nmt vocab",
                name);
  }
  return model;
}

void seed_sentencepiece(std::uint32_t seed) {
  sentencepiece::SetRandomGeneratorSeed(seed);
}

}  // namespace nmt
