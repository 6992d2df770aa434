#include "data/vocabulary/sentencepiece.h"

#include <sentencepiece_trainer.h>

#include "common/error.h"
#include "common/text/words.h"
#include "data/vocabulary/sentencepiece_status.h"

namespace nmt {
namespace {

/// Silences SentencePiece's messages. Only its trainer has an option for that; this training ends at once, as
/// it has no text.
void silence_sentencepiece() {
  static const bool told = !sentencepiece::SentencePieceTrainer::Train({{"minloglevel", "3"}}).ok();
  (void)told;
}

/// Returns where the text of a piece begins. SentencePiece gives only the bytes [begin, end) of `text` that
/// were normalized to the piece. They may contain earlier words, since the space of the piece can stand for
/// several characters: for "a", U+200B and "b" as three words, the second piece, "▁b", has both.
std::size_t place_of(std::string_view piece, std::string_view text, std::size_t begin, std::size_t end) {
  constexpr std::string_view kSpaceOfPiece = "\u2581";
  if (!piece.starts_with(kSpaceOfPiece)) return begin;
  while (piece.starts_with(kSpaceOfPiece)) piece.remove_prefix(kSpaceOfPiece.size());
  if (piece.empty()) return end;                              // the space before the next piece
  if (piece.find(kSpaceOfPiece) != piece.npos) return begin;  // for several words, the first counts
  const auto separates = [text](std::size_t i) { return separates_words(text[i]); };
  // A piece ends where it began if it has only the first of the characters that one was normalized to.
  if (begin < end && end < text.size() && separates(end - 1) && !separates(end)) return end;
  for (std::size_t last = end; last-- > begin;) {
    if (!separates(last)) return last;
  }
  return end;
}

VocabularyType checked(std::string_view bytes) {
  try {
    return check_vocabulary(bytes);
  } catch (const Error& error) {
    throw DamagedSentencePiece("{}", error.what());
  }
}

}  // namespace

SentencePiece::SentencePiece(std::string_view bytes) : type_(checked(bytes)) {
  silence_sentencepiece();
  const auto status = processor_.LoadFromSerializedProto({bytes.data(), bytes.size()});
  if (!status.ok()) throw DamagedSentencePiece("{}", reason(status));
}

std::vector<TextPiece> SentencePiece::divide(std::string_view text, double alpha) const {
  sentencepiece::ImmutableSentencePieceText divided;
  const absl::string_view input(text.data(), text.size());
  check(alpha > 0 ? processor_.SampleEncode(input, kAllSegmentations, static_cast<float>(alpha),
                                            divided.mutable_proto())
                  : processor_.Encode(input, divided.mutable_proto()),
        "encode");
  std::vector<TextPiece> pieces;
  pieces.reserve(divided.pieces_size());
  for (int i = 0; i < static_cast<int>(divided.pieces_size()); ++i) {
    const auto piece = divided.pieces(i);
    pieces.push_back({piece.piece(), static_cast<int>(piece.id()),
                      place_of(piece.piece(), text, piece.begin(), piece.end())});
  }
  return pieces;
}

DecodedText SentencePiece::decoded_text(const sentencepiece::ImmutableSentencePieceText& decoded) {
  DecodedText text{.text = decoded.text(), .places = {}};
  text.places.reserve(decoded.pieces_size());
  for (int i = 0; i < static_cast<int>(decoded.pieces_size()); ++i)
    text.places.push_back(decoded.pieces(i).begin());
  return text;
}

std::optional<int> SentencePiece::find(std::string_view piece) const {
  const int id = processor_.PieceToId({piece.data(), piece.size()});  // <unk> for an unknown piece
  return processor_.IdToPiece(id) == piece ? std::optional(id) : std::nullopt;
}

void SentencePiece::check(const sentencepiece::util::Status& status, const char* what) {
  if (!status.ok()) throw Error("SentencePiece cannot {} text: {}", what, reason(status));
}

void seed_sentencepiece(std::uint32_t seed) {
  sentencepiece::SetRandomGeneratorSeed(seed);
}

}  // namespace nmt
