#include "data/vocabulary/vocabulary_check.h"

#include <bit>
#include <cmath>
#include <cstdint>
#include <optional>

#include "common/error.h"
#include "common/io/checksum.h"
#include "common/text/utf8.h"
#include "data/vocabulary/model_proto.h"
#include "data/vocabulary/protobuf.h"
#include "data/vocabulary/sentencepiece.h"

namespace nmt {

namespace proto = model_proto;

namespace {

constexpr std::size_t kMostBytes = std::size_t{1} << 30;
constexpr std::size_t kMostPieces = 10'000'000;
constexpr float kGreatestScore = 1e9F;  // sums over a line of text stay finite

constexpr std::uint32_t kChecksum = 0x6E'6D'74;

void require(bool condition, const char* reason) {
  if (!condition) throw Error("{}", reason);
}

void check_piece(std::string_view message) {
  constexpr auto kLastType = static_cast<std::uint64_t>(proto::PieceType::byte);
  std::string_view text;
  for (FieldReader field(message); field.next();) {
    switch (field.number()) {
      case proto::kText:
        require(field.type() == WireType::bytes, "a piece is not text");
        text = field.bytes();
        break;
      case proto::kScore: {
        require(field.type() == WireType::fixed32, "a score is not a number");
        const auto score = std::bit_cast<float>(static_cast<std::uint32_t>(field.value()));
        require(std::abs(score) <= kGreatestScore, "a score is out of range");  // also false for NaN
        break;
      }
      case proto::kType:
        require(field.type() == WireType::varint && field.value() >= 1 && field.value() <= kLastType,
                "a piece is of an unknown type");
        break;
      default:
        require(field.number() >= proto::kFirstExtension, "a piece has an unknown field");
    }
  }
  require(!text.empty(), "a piece is empty");
  if (text.size() > kLongestPiece)
    throw Error("a piece has {} bytes, more than {}", text.size(), kLongestPiece);
  require(count_invalid_utf8(text) == 0, "a piece is not valid UTF-8");
}

VocabularyType model_type(std::string_view trainer) {
  std::uint64_t type = static_cast<std::uint64_t>(VocabularyType::unigram);
  for (FieldReader field(trainer); field.next();) {
    if (field.number() == proto::kModelType) {
      require(field.type() == WireType::varint, "its type is not a number");
      type = field.value();
    }
  }
  require(type >= 1 && type <= static_cast<std::uint64_t>(VocabularyType::character), "its type is unknown");
  return static_cast<VocabularyType>(type);
}

void check_normalizer(std::string_view normalizer) {
  for (FieldReader field(normalizer); field.next();) {
    if (field.number() != proto::kRules) continue;
    require(field.type() == WireType::bytes, "its rules are not bytes");
    if (!field.bytes().empty()) check_normalization_rules(field.bytes());
  }
}

/// Checks that `field` contains the checksum of the bytes before it in `model`.
void check_checksum(const FieldReader& field, std::string_view model) {
  require(field.type() == WireType::fixed64 && field.rest().empty(), "its checksum is not in its place");
  model.remove_suffix(fixed64_field(kChecksum, 0).size());
  require(checksum_of(model) == field.value(), "its checksum does not match its contents");
}

}  // namespace

VocabularyType check_vocabulary(std::string_view bytes) {
  require(bytes.size() <= kMostBytes, "it is larger than 1 GiB");
  std::optional<VocabularyType> type;
  bool normalizer = false;
  std::size_t pieces = 0;
  for (FieldReader field(bytes); field.next();) {
    if (field.number() == kChecksum) {
      check_checksum(field, bytes);
      continue;
    }
    require(field.type() == WireType::bytes, "a part of it is not a message");
    switch (field.number()) {
      case proto::kPiece:
        require(++pieces <= kMostPieces, "it has more than 10 million pieces");
        check_piece(field.bytes());
        break;
      case proto::kTrainer:
        type = model_type(field.bytes());
        break;
      case proto::kNormalizer:
      case proto::kDenormalizer:
        check_normalizer(field.bytes());
        normalizer |= field.number() == proto::kNormalizer;
        break;
      case proto::kSelfTest:
        break;
      default:
        throw Error("it has an unknown part");
    }
  }
  require(pieces > 0, "it has no pieces");
  require(type && normalizer,
          "it is cut off");  // they come last, and SentencePiece would accept their absence
  return *type;
}

std::string with_checksum(std::string_view model) {
  return std::string(model) + fixed64_field(kChecksum, checksum_of(model));
}

bool looks_like_vocabulary(std::string_view bytes) {
  constexpr char kText = 0x0A;  // tags: field 1 of the model is a piece; field 1 of the piece is its text
  return bytes.size() > 4 && bytes[0] == kText && bytes[1] > 2 && bytes[2] == kText && bytes[3] >= 0 &&
         bytes[3] <= bytes[1] - 2;
}

}  // namespace nmt
