// Which algorithm of cublasLt computes a product.
#pragma once

#include <compare>
#include <map>
#include <optional>

#include "backend/cuda/libraries/descriptors.h"

namespace nmt::cuda {

/// As many elements as a matrix of a product may span: for more, cublasLt has other algorithms, or none.
constexpr std::int64_t kMostElements = (std::int64_t{1} << 31) - 1;

/// How many rows of a product are computed at once, or, over rows (a transposed), how many of them are added
/// up: all, or so many that its matrices span no more elements than that. A product over rows that is rounded
/// to 16 bits cannot be taken in parts.
std::int64_t rows_at_once(const MatrixProduct& product);
/// The product of these rows, of which all together are the product, one after the other.
MatrixProduct slice_rows(const MatrixProduct& product, std::int64_t begin, std::int64_t count);

struct Algorithm {
  cublasLtMatmulAlgo_t configuration;
  std::size_t workspace_bytes;  // that it takes, for any product of its kind
};

/// Chooses one algorithm for all matrix products of a kind, by cublasLt's heuristic, when the first one
/// comes. What a kind is does not depend on how many rows there are, so that a row of a result depends
/// neither on the others nor on their number, and a choice is the same whatever was computed before. Only
/// products over rows (a transposed), whose results all rows share, have a kind for each power of two of
/// them.
class Algorithms {
 public:
  Algorithms(bool tf32, std::size_t most_workspace_bytes);
  ~Algorithms();
  Algorithms(const Algorithms&) = delete;
  Algorithms& operator=(const Algorithms&) = delete;

  /// nullptr where cublasLt has none. It stays where it is.
  const Algorithm* of(const MatrixProduct& product);

  cublasLtHandle_t handle() const { return handle_; }

 private:
  struct Kind {
    DType input, output;
    bool a_transposed, b_transposed, bias, relu;
    std::int64_t rows, columns, inner;  // of products like these: those that differ stand for all
    std::int64_t most_rows;
    std::uint32_t a_alignment, b_alignment, out_alignment;
    auto operator<=>(const Kind&) const = default;  // NOLINT(modernize-use-nullptr): there is no 0
  };
  static Kind kind_of(const MatrixProduct& product);
  /// One of a kind, of so many rows and so long sums, or of as many as are computed at once.
  static MatrixProduct example_of(const Kind& kind, std::int64_t rows, std::int64_t inner);

  std::optional<Algorithm> choose(const Kind& kind) const;
  bool serves(Algorithm& algorithm, const MatrixProduct& product) const;
  bool serves_all(Algorithm& algorithm, const Kind& kind) const;

  bool tf32_;
  std::size_t most_workspace_bytes_;
  cublasLtHandle_t handle_ = nullptr;
  std::map<Kind, std::optional<Algorithm>> chosen_;
};

}  // namespace nmt::cuda
