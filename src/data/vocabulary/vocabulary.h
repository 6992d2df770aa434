// The subword vocabulary: text to ids and back, by SentencePiece.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "data/vocabulary/vocabulary_check.h"

namespace nmt {

/// A SentencePiece model. Immutable, cheap to copy, usable from several threads at once. Every id comes from
/// the model: imported vocabularies number their marks differently.
class Vocabulary {
 public:
  /// Reads a model file. Throws Error when it is missing, damaged or foreign.
  static Vocabulary load(const std::string& path);
  /// Takes a serialized model. Throws Error that calls it `name` when it is damaged or none; see
  /// check_vocabulary.
  static Vocabulary from_bytes(std::string bytes, const std::string& name);

  /// The ids of `text`, without begin and end marks.
  std::vector<int> encode(std::string_view text) const;
  /// A segmentation drawn at random: by the unigram model's probabilities to the power of `alpha` (Kudo,
  /// 2018), or by leaving out merges of BPE with probability `alpha` (Provilkov et al., 2020). Throws Error
  /// for models of other types (samples()). The draws of a thread follow from the seed that was set before
  /// its first one.
  std::vector<int> encode_sampled(std::string_view text, double alpha) const;
  /// Whether there is more than one segmentation to draw from.
  bool samples() const;
  static void seed_sampling(std::uint32_t seed);
  /// The text of `ids`; marks vanish, the unknown piece becomes " ⁇ ", and bytes that spell no text U+FFFD.
  /// Throws Error for an id out of range.
  std::string decode(const std::vector<int>& ids) const;

  /// The pieces that encode() divides `text` into, as many as ids: what no piece covers stands as it is. A
  /// piece that begins a word begins with U+2581.
  std::vector<std::string> pieces(std::string_view text) const;
  /// The pieces of these ids, the unknown one with the spaces that decode() sets it in. Throws as decode().
  std::vector<std::string> pieces(const std::vector<int>& ids) const;

  /// Number of pieces; ids are below it.
  int size() const;
  /// The id of a piece; nothing for what is none. A piece that begins a word begins with U+2581.
  std::optional<int> find(std::string_view piece) const;
  /// The piece of an id below size(), as find() takes it.
  std::string piece(int id) const;
  /// The id of text that no piece covers.
  int unknown() const;
  /// The id of the mark that begins a sentence, where the model has one.
  std::optional<int> begin() const;
  /// The id of the mark that ends a sentence.
  int end() const;

  /// The model as it was read, byte for byte.
  const std::string& bytes() const;
  /// Writes bytes() to a file, atomically.
  void save(const std::string& path) const;

  /// Same bytes.
  bool operator==(const Vocabulary& other) const { return bytes() == other.bytes(); }

 private:
  struct Model;
  void check_ids(const std::vector<int>& ids) const;
  explicit Vocabulary(std::shared_ptr<const Model> model) : model_(std::move(model)) {}

  std::shared_ptr<const Model> model_;
};

}  // namespace nmt
