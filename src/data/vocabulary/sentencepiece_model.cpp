#include "data/vocabulary/sentencepiece_model.h"

#include <utility>

#include "common/error.h"
#include "data/vocabulary/sentencepiece.h"

namespace nmt {
namespace {

class SentencePieceModel final : public VocabularyModel {
 public:
  /// Throws Error with the reason alone.
  explicit SentencePieceModel(std::string bytes) : bytes_(std::move(bytes)), pieces_(bytes_) {}

  const std::string& bytes() const override { return bytes_; }

  std::vector<int> encode(std::string_view text) const override { return pieces_.encode<int>(text); }
  std::vector<std::string> pieces(std::string_view text) const override {
    return pieces_.encode<std::string>(text);
  }
  bool samples() const override { return pieces_.samples(); }
  std::vector<int> sample(std::string_view text, double alpha) const override {
    return pieces_.sample<int>(text, alpha);
  }
  std::string decode(const std::vector<int>& ids) const override { return pieces_.decode(ids); }

  int size() const override { return pieces_.size(); }
  std::optional<int> find(std::string_view piece) const override { return pieces_.find(piece); }
  std::string piece(int id) const override { return pieces_.piece(id); }
  int unknown() const override { return pieces_.unknown(); }
  std::optional<int> begin() const override { return pieces_.begin(); }
  int end() const override { return pieces_.end().value_or(-1); }
  bool is_special(int id) const override { return pieces_.is_control(id); }

 private:
  std::string bytes_;
  SentencePiece pieces_;
};

}  // namespace

std::shared_ptr<const VocabularyModel> read_sentencepiece_model(std::string bytes, const std::string& name) {
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

}  // namespace nmt
