#include <algorithm>
#include <array>
#include <utility>

#include "common/error.h"
#include "data/vocabulary/listed/listed_vocabulary.h"
#include "data/vocabulary/sentencepiece.h"

namespace nmt {
namespace {

constexpr int kBegin = 0, kPadding = 1, kEnd = 2, kUnknown = 3;
constexpr std::array<std::string_view, 4> kNames = {"<s>", "<pad>", "</s>", "<unk>"};
// Difference between ids and those in the model, whose first pieces are <unk>, <s> and </s>.
constexpr int kOffset = 1;

class FairseqVocabulary final : public ListedVocabulary {
 public:
  FairseqVocabulary(std::string bytes, ListedFile file, std::unique_ptr<const SentencePiece> sentencepiece)
      : ListedVocabulary(std::move(bytes), std::move(file.facts),
                         sentencepiece->size() + kOffset + static_cast<int>(file.words.size())),
        sentencepiece_(std::move(sentencepiece)),
        added_(std::move(file.words)) {
    if (sentencepiece_->unknown() != 0 || !sentencepiece_->is_control(1) || !sentencepiece_->is_control(2)) {
      throw Error("the SentencePiece model does not begin with <unk>, <s> and </s>");
    }
    for (int id = first_added(); id < size(); ++id) make_special(id);
  }

  std::vector<int> encode(std::string_view text) const override {
    return ids_of(sentencepiece_->encode<int>(text));
  }
  std::vector<TextPiece> divide(std::string_view text, double alpha) const override {
    std::vector<TextPiece> pieces = sentencepiece_->divide(text, alpha);
    for (TextPiece& each : pieces) each.id = id_of(each.id);
    return pieces;
  }
  bool samples() const override { return sentencepiece_->samples(); }
  std::vector<int> sample(std::string_view text, double alpha) const override {
    return ids_of(sentencepiece_->sample<int>(text, alpha));
  }
  DecodedText decode(const std::vector<int>& ids) const override {
    std::vector<int> pieces(ids.size());
    std::ranges::transform(ids, pieces.begin(), [this](int id) {
      return id == unknown() ? sentencepiece_->unknown() : id - kOffset;
    });
    return stripped(sentencepiece_->decode(pieces));
  }

  int size() const override { return first_added() + added_.size(); }
  std::optional<int> find(std::string_view piece) const override {
    const auto special = std::ranges::find(kNames, piece);
    if (special != kNames.end()) return static_cast<int>(special - kNames.begin());
    if (const auto id = sentencepiece_->find(piece)) return *id + kOffset;
    const auto added = added_.find(piece);
    return added ? std::optional(first_added() + *added) : std::nullopt;
  }
  std::string piece(int id) const override {
    if (id < std::ssize(kNames)) return std::string(kNames.at(static_cast<std::size_t>(id)));
    return id < first_added() ? sentencepiece_->piece(id - kOffset) : added_[id - first_added()];
  }

 private:
  int first_added() const { return sentencepiece_->size() + kOffset; }

  /// Converts the id of a piece in the model to its id in the vocabulary.
  int id_of(int piece) const { return piece == sentencepiece_->unknown() ? unknown() : piece + kOffset; }
  std::vector<int> ids_of(std::vector<int> pieces) const {
    for (int& id : pieces) id = id_of(id);
    return pieces;
  }

  std::unique_ptr<const SentencePiece> sentencepiece_;
  WordIndex added_;
};

}  // namespace

ListFacts fairseq_facts(LanguageUse languages, int rows) {
  return {.end = kEnd,
          .unknown = kUnknown,
          .begin = kBegin,
          .special = {kPadding, kUnknown},
          .rows = rows,
          .languages = std::move(languages)};
}

int first_added_of_fairseq(const std::string& sentencepiece, const std::string& name) {
  try {
    return SentencePiece(sentencepiece).size() + kOffset;
  } catch (const Error& error) {
    throw unusable(name, error.what());
  }
}

std::shared_ptr<const VocabularyModel> read_fairseq_vocabulary(std::string bytes) {
  ListedFile file = parse_listed_file(bytes);
  if (!file.merges.empty()) throw Error("a SentencePiece model needs no merges");
  if (!(file.facts == fairseq_facts(file.facts.languages, file.facts.rows))) {
    throw Error("its special tokens do not have the ids of fairseq's models");
  }
  auto sentencepiece = std::make_unique<const SentencePiece>(file.sentencepiece);
  return std::make_shared<FairseqVocabulary>(std::move(bytes), std::move(file), std::move(sentencepiece));
}

}  // namespace nmt
