// SentencePiece itself, used by every kind of vocabulary that divides text with it.
#pragma once

#include <sentencepiece_processor.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "common/error.h"
#include "data/vocabulary/vocabulary_check.h"
#include "data/vocabulary/vocabulary_model.h"

namespace nmt {

/// Returns the reason in the message of a failed status, without the source location and condition at its
/// beginning; if there is nothing else, says that an internal check failed.
std::string reason(const sentencepiece::util::Status& status);

/// Reads a serialized ModelProto. Throws Error that calls it `name` if it is damaged (see
/// check_vocabulary()), not a ModelProto, or has no EOS.
std::shared_ptr<const VocabularyModel> read_sentencepiece_model(std::string bytes, const std::string& name);

/// Checks `rules`, a precompiled_charsmap: the size of a trie of the strings to replace (4 bytes), the trie
/// (a double array of Darts-clone, 4 bytes per unit), and the replacements, strings that end in NUL.
/// SentencePiece follows the trie without checking bounds. Throws Error with the reason alone if it could be
/// led outside, into a cycle, or to text that is not UTF-8.
void check_normalization_rules(std::string_view rules);

/// Thrown for a SentencePiece model that cannot be read.
class DamagedSentencePiece : public Error {
 public:
  using Error::Error;
};

/// A SentencePiece model. Immutable, and usable by several threads at a time.
class SentencePiece {
 public:
  /// Reads a serialized ModelProto. Throws DamagedSentencePiece with the reason alone if it is damaged (see
  /// check_vocabulary()) or not a ModelProto.
  explicit SentencePiece(std::string_view bytes);

  /// Returns the pieces of a text with their places in it; see VocabularyModel::divide().
  std::vector<TextPiece> divide(std::string_view text, double alpha) const;
  /// Returns the best segmentation of a text, as ids (int) or pieces (std::string). Throws std::bad_alloc if
  /// the limits of this process leave too little memory for a long text.
  template <class Token>
  std::vector<Token> encode(std::string_view text) const {
    require_memory(text);
    std::vector<Token> tokens;
    check(processor_.Encode({text.data(), text.size()}, &tokens), "encode");
    return tokens;
  }
  /// Whether segmentations can be sampled.
  bool samples() const { return type_ == VocabularyType::unigram || type_ == VocabularyType::bpe; }
  /// Returns a sampled segmentation; see Vocabulary::encode_sampled().
  template <class Token>
  std::vector<Token> sample(std::string_view text, double alpha) const {
    std::vector<Token> tokens;
    check(processor_.SampleEncode({text.data(), text.size()}, kAllSegmentations, static_cast<float>(alpha),
                                  &tokens),
          "sample segmentations of");
    return tokens;
  }
  /// Returns the text of ids or of pieces, which may include pieces of others. Control pieces vanish, the
  /// unknown piece becomes " ⁇ ".
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
  /// Return BOS and EOS, if there are any.
  std::optional<int> begin() const { return id_or_none(processor_.bos_id()); }
  std::optional<int> end() const { return id_or_none(processor_.eos_id()); }

 private:
  static constexpr int kAllSegmentations = -1;
  static DecodedText decoded_text(const sentencepiece::ImmutableSentencePieceText& decoded);
  static void check(const sentencepiece::util::Status& status, const char* what);
  static void require_memory(std::string_view text);
  static std::optional<int> id_or_none(int id) { return id < 0 ? std::nullopt : std::optional(id); }

  VocabularyType type_;
  sentencepiece::SentencePieceProcessor processor_;
};

/// Seeds the sampling of segmentations; see Vocabulary::seed_sampling().
void seed_sentencepiece(std::uint32_t seed);

}  // namespace nmt
