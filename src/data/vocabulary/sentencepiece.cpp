#include "data/vocabulary/sentencepiece.h"

#include <sentencepiece_trainer.h>

#include "common/error.h"
#include "data/vocabulary/sentencepiece_status.h"

namespace nmt {
namespace {

/// Makes SentencePiece keep its messages to itself. Only its trainer can be told so; this training ends at
/// once, as it has no text.
void silence_sentencepiece() {
  static const bool told = !sentencepiece::SentencePieceTrainer::Train({{"minloglevel", "3"}}).ok();
  (void)told;
}

}  // namespace

SentencePiece::SentencePiece(std::string_view bytes) : type_(check_vocabulary(bytes)) {
  silence_sentencepiece();
  const auto status = processor_.LoadFromSerializedProto({bytes.data(), bytes.size()});
  if (!status.ok()) throw Error("{}", reason(status));
}

std::optional<int> SentencePiece::find(std::string_view piece) const {
  const int id = processor_.PieceToId({piece.data(), piece.size()});  // <unk> for what is none
  return processor_.IdToPiece(id) == piece ? std::optional(id) : std::nullopt;
}

void SentencePiece::check(const sentencepiece::util::Status& status, const char* what) {
  if (!status.ok()) throw Error("SentencePiece cannot {} text: {}", what, reason(status));
}

void seed_sentencepiece(std::uint32_t seed) {
  sentencepiece::SetRandomGeneratorSeed(seed);
}

}  // namespace nmt
