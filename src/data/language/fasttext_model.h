// Text classifiers of fastText (Joulin et al., 2017).
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "common/io/byte_reader.h"

namespace nmt {

/// A matrix of a fastText file, dense or with rows in product quantization (Jégou et al., 2011).
class FastTextMatrix {
 public:
  /// Reads a matrix. Throws Error for a damaged file.
  FastTextMatrix(ByteReader& file, const std::string& path, bool is_quantized);

  std::size_t rows() const { return rows_; }
  std::size_t columns() const { return columns_; }
  /// Adds a row to `sum`, which has columns() numbers.
  void add_row(std::size_t row, std::span<float> sum) const;
  /// Returns the dot product of a row and columns() numbers.
  float dot(std::size_t row, std::span<const float> vector) const;

 private:
  /// Groups of columns. Each group has 256 centroids of `width` numbers, the last group of `last_width`.
  struct Quantizer {
    std::size_t groups = 0, width = 0, last_width = 0;
    std::vector<float> centroids = {};

    std::span<const float> centroid(std::size_t group, std::uint8_t code) const;
  };

  static Quantizer read_quantizer(ByteReader& file, const std::string& path, std::size_t columns);

  std::size_t rows_ = 0, columns_ = 0;
  std::vector<float> values_;  // of a dense matrix
  Quantizer quantizer_, norm_quantizer_;
  std::vector<std::uint8_t> codes_, norm_codes_;  // of quantized rows; norms if they are stored separately
};

/// A supervised model, such as lid.176.bin or lid.176.ftz, which identify the language of a text.
/// Thread-safe.
class FastTextModel {
 public:
  /// `bytes`: the contents of a file in the format of fastText 0.9 (.bin or .ftz), which is copied; `path`:
  /// for messages. Throws Error for a damaged file, for other versions, and for models that are not
  /// classifiers.
  FastTextModel(std::string_view bytes, const std::string& path);

  /// The labels, without "__label__".
  const std::vector<std::string>& labels() const { return labels_; }
  /// Returns the probability of each label, as `fasttext predict-prob` does for the text as one line. Empty
  /// if no word or n-gram of the text is known to the model.
  std::vector<float> probabilities(std::string_view text) const;

 private:
  enum class Loss : std::uint8_t { hierarchical_softmax = 1, negative_sampling, softmax, one_vs_all };
  /// An inner node of the Huffman tree of hierarchical softmax. Node numbers follow those of the labels.
  struct Node {
    std::size_t left = 0, right = 0;
  };

  void read_dictionary(ByteReader& file, const std::string& path);
  void build_tree();
  /// Appends the rows of a word and of its character n-grams.
  void add_word(std::string_view word, std::vector<std::size_t>& rows) const;
  void add_ngrams(std::string_view word, std::vector<std::size_t>& rows) const;
  void add_bucket(std::uint64_t bucket, std::vector<std::size_t>& rows) const;
  void add_word_ngrams(const std::vector<std::int32_t>& hashes, std::vector<std::size_t>& rows) const;
  std::vector<std::size_t> rows_of(std::string_view text) const;
  std::vector<float> tree_probabilities(std::span<const float> hidden) const;

  int word_ngrams_ = 1, shortest_ = 0, longest_ = 0;
  std::uint32_t buckets_ = 0;
  Loss loss_ = Loss::softmax;
  std::unordered_map<std::string, std::size_t> words_;
  std::vector<std::string> labels_;
  std::vector<std::uint64_t> counts_;  // of each label in the training data
  bool is_pruned_ = false;
  std::unordered_map<std::uint64_t, std::size_t> kept_;  // buckets of a pruned model
  std::vector<Node> tree_;
  std::vector<FastTextMatrix> matrices_;  // input, output
};

}  // namespace nmt
