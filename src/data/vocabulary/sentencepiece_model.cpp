#include "data/vocabulary/sentencepiece_model.h"

#include <algorithm>
#include <utility>

#include "common/error.h"
#include "data/vocabulary/sentencepiece.h"

namespace nmt {
namespace {

class SentencePieceModel final : public VocabularyModel {
 public:
  /// Throws Error with the reason alone.
  explicit SentencePieceModel(std::string bytes)
      : bytes_(std::move(bytes)), pieces_(bytes_), languages_(languages_among(pieces_)) {}

  const std::string& bytes() const override { return bytes_; }

  std::vector<int> encode(std::string_view text) const override { return pieces_.encode<int>(text); }
  std::vector<TextPiece> divide(std::string_view text, double alpha) const override {
    return pieces_.divide(text, alpha);
  }
  bool samples() const override { return pieces_.samples(); }
  std::vector<int> sample(std::string_view text, double alpha) const override {
    return pieces_.sample<int>(text, alpha);
  }
  DecodedText decode(const std::vector<int>& ids) const override { return pieces_.decode(ids); }

  int size() const override { return pieces_.size(); }
  std::optional<int> find(std::string_view piece) const override { return pieces_.find(piece); }
  std::string piece(int id) const override { return pieces_.piece(id); }
  int unknown() const override { return pieces_.unknown(); }
  std::optional<int> begin() const override { return pieces_.begin(); }
  int end() const override { return pieces_.end().value_or(-1); }
  bool is_special(int id) const override { return pieces_.is_control(id); }

  const LanguageUse& language_use() const override { return languages_; }

 private:
  static LanguageUse languages_among(const SentencePiece& pieces);

  std::string bytes_;
  SentencePiece pieces_;
  LanguageUse languages_;
};

LanguageUse SentencePieceModel::languages_among(const SentencePiece& pieces) {
  constexpr std::string_view kSpace = "\u2581";
  std::vector<std::string> words;
  words.reserve(static_cast<std::size_t>(pieces.size()));
  // A piece that begins no word has another piece for the space before it at the beginning of a text.
  for (int id = 0; id < pieces.size(); ++id)
    words.push_back(pieces.piece(id).starts_with(kSpace) ? pieces.piece(id) : "");
  return bracketed_languages(words);
}

/// Whether bytes have none of the control characters that a serialized model begins with.
bool looks_like_text(std::string_view bytes) {
  constexpr std::size_t kMost = 1 << 12;
  const auto is_control = [](char c) {
    const bool is_space = c == '\n' || c == '\r' || c == '\t';
    return !is_space && static_cast<unsigned char>(c) < ' ';
  };
  return !bytes.empty() && std::ranges::none_of(bytes.substr(0, kMost), is_control);
}

}  // namespace

std::shared_ptr<const VocabularyModel> read_sentencepiece_model(std::string bytes, const std::string& name) {
  const bool is_text = looks_like_text(bytes);
  std::shared_ptr<const VocabularyModel> model;
  try {
    model = std::make_shared<SentencePieceModel>(std::move(bytes));
  } catch (const Error& error) {
    if (is_text)
      throw Error("'{}' is text, not a vocabulary; make one from it: nmt vocab -i {} -o vocab.spm", name,
                  name);
    throw Error("'{}' is damaged or not a SentencePiece model: {}; copy it again or make one with nmt vocab",
                name, error.what());
  }
  if (model->end() < 0) {
    throw Error("the vocabulary '{}' has no piece that ends a sentence (</s>); make one with nmt vocab",
                name);
  }
  return model;
}

}  // namespace nmt
