// SentencePiece itself, behind every kind of vocabulary that divides text with it.
#pragma once

#include <sentencepiece_processor.h>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "data/vocabulary/vocabulary_check.h"
#include "data/vocabulary/vocabulary_model.h"

namespace nmt {

/// A model of SentencePiece. Immutable, and used by several threads at once.
class SentencePiece {
 public:
  /// Takes a serialized ModelProto. Throws Error with the reason alone when it is damaged (see
  /// check_vocabulary) or none.
  explicit SentencePiece(std::string_view bytes);

  /// The pieces of a text, and where they are in it; see VocabularyModel::divide.
  std::vector<TextPiece> divide(std::string_view text, double alpha) const;
  /// The best segmentation of a text, as ids (int) or pieces (std::string).
  template <class Token>
  std::vector<Token> encode(std::string_view text) const {
    std::vector<Token> tokens;
    check(processor_.Encode({text.data(), text.size()}, &tokens), "encode");
    return tokens;
  }
  /// Whether there is more than one segmentation to draw from.
  bool samples() const { return type_ == VocabularyType::unigram || type_ == VocabularyType::bpe; }
  /// One that is drawn at random; see Vocabulary::encode_sampled.
  template <class Token>
  std::vector<Token> sample(std::string_view text, double alpha) const {
    std::vector<Token> tokens;
    check(processor_.SampleEncode({text.data(), text.size()}, kAllSegmentations, static_cast<float>(alpha),
                                  &tokens),
          "sample segmentations of");
    return tokens;
  }
  /// The text of ids or of pieces, among which there may be others than its own. Control pieces vanish, the
  /// unknown one becomes " ⁇ ".
  template <class Token>
  DecodedText decode(const std::vector<Token>& tokens) const {
    sentencepiece::ImmutableSentencePieceText decoded;
    check(processor_.Decode(tokens, decoded.mutable_proto()), "decode");
    return decoded_text(decoded);
  }

  int size() const { return processor_.GetPieceSize(); }
  std::optional<int> find(std::string_view piece) const;
  const std::string& piece(int id) const { return processor_.IdToPiece(id); }
  bool is_control(int id) const { return processor_.IsControl(id); }
  int unknown() const { return processor_.unk_id(); }
  /// BOS and EOS, where there are any.
  std::optional<int> begin() const { return id_or_none(processor_.bos_id()); }
  std::optional<int> end() const { return id_or_none(processor_.eos_id()); }

 private:
  static constexpr int kAllSegmentations = -1;
  static DecodedText decoded_text(const sentencepiece::ImmutableSentencePieceText& decoded);
  static void check(const sentencepiece::util::Status& status, const char* what);
  static std::optional<int> id_or_none(int id) { return id < 0 ? std::nullopt : std::optional(id); }

  VocabularyType type_;
  sentencepiece::SentencePieceProcessor processor_;
};

/// Seeds the segmentations that are drawn; see Vocabulary::seed_sampling.
void seed_sentencepiece(std::uint32_t seed);

}  // namespace nmt
