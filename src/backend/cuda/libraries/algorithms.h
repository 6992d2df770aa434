// Selects the algorithms of cublasLt for matrix products.
#pragma once

#include <compare>
#include <map>
#include <optional>

#include "backend/cuda/libraries/cublaslt.h"

namespace nmt::cuda {

/// Maximum elements that a matrix of a product may span: beyond, cublasLt has other algorithms, or none.
constexpr std::int64_t kMostElements = (std::int64_t{1} << 31) - 1;

/// Returns how many rows of a product are computed at a time or, for products over rows (a transposed), how
/// many of them are added: all, or as many as keep its matrices within kMostElements. A product over rows
/// that is rounded to 16 bits cannot be divided.
std::int64_t rows_at_once(const MatrixProduct& product);
/// Returns the part of a product for these rows; computing all parts one after the other gives the whole
/// product.
MatrixProduct slice_rows(const MatrixProduct& product, std::int64_t begin, std::int64_t count);

struct Algorithm {
  cublasLtMatmulAlgo_t configuration;
  std::size_t workspace_bytes;  // workspace of the algorithm, for any product of its kind
};

/// Chooses one algorithm for all matrix products of a kind, by cublasLt's heuristic, when the first one
/// comes. The kind does not depend on the number of rows, so that a row of a result depends neither on the
/// others nor on their number, and the choice does not depend on what was computed before. Only products over
/// rows (a transposed), whose results depend on all rows anyway, have a kind for each power of two of rows.
class Algorithms {
 public:
  Algorithms(bool tf32, std::size_t most_workspace_bytes);
  ~Algorithms();
  Algorithms(const Algorithms&) = delete;
  Algorithms& operator=(const Algorithms&) = delete;

  /// Returns the algorithm for a product; nullptr if cublasLt has none. The pointer stays valid.
  const Algorithm* of(const MatrixProduct& product);

  cublasLtHandle_t handle() const { return handle_; }

 private:
  struct Kind {
    DType input, output;
    bool a_transposed, b_transposed, bias, relu;
    std::int64_t rows, columns, inner;  // sizes of such products; one value for sizes that vary
    std::int64_t most_rows;
    std::uint32_t a_alignment, b_alignment, out_alignment;
    auto operator<=>(const Kind&) const = default;  // NOLINT(modernize-use-nullptr): there is no 0
  };
  static Kind kind_of(const MatrixProduct& product);
  /// Returns an example of a kind with this many rows and terms, or with as many as are computed at a time.
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
