// The fields of a SentencePiece model, from sentencepiece_model.proto: those that are checked or written.
#pragma once

#include <cstdint>

namespace nmt::model_proto {

enum Model : std::uint32_t { kPiece = 1, kTrainer = 2, kNormalizer = 3, kSelfTest = 4, kDenormalizer = 5 };
enum Piece : std::uint32_t { kText = 1, kScore = 2, kType = 3 };
enum Trainer : std::uint32_t { kModelType = 3, kByteFallback = 35 };
enum Normalizer : std::uint32_t { kName = 1, kRules = 2, kAddDummyPrefix = 3, kRemoveExtraSpaces = 4 };
/// Fields from this number on are extensions, which any message may have.
inline constexpr std::uint32_t kFirstExtension = 200;

/// The values of Piece::kType.
enum class PieceType : std::uint32_t {
  normal = 1,
  unknown = 2,
  control = 3,
  user_defined = 4,
  unused = 5,
  byte = 6
};

}  // namespace nmt::model_proto
