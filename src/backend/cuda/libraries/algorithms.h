// Which algorithm of cublasLt computes a product.
#pragma once

#include <compare>
#include <map>
#include <optional>

#include "backend/cuda/libraries/descriptors.h"

namespace nmt::cuda {

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
    bool a_transposed, b_transposed, bias;
    std::int64_t rows, columns, inner;  // of products like these: those that differ stand for all
    std::int64_t most_rows;
    std::uint32_t a_alignment, b_alignment, out_alignment;
    auto operator<=>(const Kind&) const = default;  // NOLINT(modernize-use-nullptr): there is no 0
  };
  static Kind kind_of(const MatrixProduct& product);
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
