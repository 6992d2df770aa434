// cublasLt, NVIDIA's library of matrix products, opened by name, so that the program also starts without
// it, and the choice of its algorithms.
#pragma once

#include <cublasLt.h>

#include <compare>
#include <map>
#include <memory>
#include <optional>

#include "backend/cuda/kernels/products/matrix.h"

namespace nmt::cuda {

/// The functions used here; each is documented by NVIDIA under the name that cublaslt.cpp looks up.
struct CublasLt {
  decltype(&cublasLtCreate) create;
  decltype(&cublasLtDestroy) destroy;
  decltype(&cublasLtGetStatusString) status_string;
  decltype(&cublasLtMatmulDescCreate) operation_create;
  decltype(&cublasLtMatmulDescDestroy) operation_destroy;
  decltype(&cublasLtMatmulDescSetAttribute) operation_set;
  decltype(&cublasLtMatrixLayoutCreate) layout_create;
  decltype(&cublasLtMatrixLayoutDestroy) layout_destroy;
  decltype(&cublasLtMatmulPreferenceCreate) preference_create;
  decltype(&cublasLtMatmulPreferenceDestroy) preference_destroy;
  decltype(&cublasLtMatmulPreferenceSetAttribute) preference_set;
  decltype(&cublasLtMatmulAlgoGetHeuristic) algorithms;
  decltype(&cublasLtMatmulAlgoCheck) algorithm_check;
  decltype(&cublasLtMatmul) matmul;
};

/// Returns the functions, opening the library on the first call. Throws UsageError if there is none.
const CublasLt& cublaslt();

/// Throws Error with cublasLt's own message unless the status is success.
void check(cublasStatus_t status);

template <class T>
using Descriptor = std::unique_ptr<T, void (*)(T*)>;
using Layout = Descriptor<cublasLtMatrixLayoutOpaque_t>;
using Operation = Descriptor<cublasLtMatmulDescOpaque_t>;
using Preference = Descriptor<cublasLtMatmulPreferenceOpaque_t>;

/// The descriptors of a product. cublasLt counts by columns: to it, a row-major matrix is its transpose, and
/// a product is out^T = b^T a^T. So our b is its A, our a its B, and `out` its C and D.
struct Descriptors {
  Operation operation;
  Layout a, b, out;
};
/// Describes a product. `tf32`: factors of f32 are rounded to TF32.
Descriptors describe(const MatrixProduct& product, bool tf32);

/// Returns the alignment of every row of x, in bytes, at most 16.
std::uint32_t alignment_of(const Matrix& x);

/// Returns the conditions for algorithms of products like this one: the alignment of its operands, and the
/// bytes of workspace. A sum may be split into parts, which are f32 and added in order, if there are few
/// elements of out relative to the length of their sums: in products over rows, and in products with few
/// rows.
Preference make_preference(const MatrixProduct& product, std::size_t workspace_bytes);

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
/// comes. The kind does not depend on the number of rows, so a row of a result depends neither on the other
/// rows nor on their number. Nor does the choice depend on earlier products. Only products over rows (a
/// transposed), whose results depend on all rows anyway, have a kind for each power of two of rows.
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
