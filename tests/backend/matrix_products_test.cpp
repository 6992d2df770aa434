// Matrix products of bf16: each kernel compared with sums in f64, and instructions with their definitions,
// bit by bit.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "backend/cpu/instruction_set.h"
#include "backend/cpu/memory.h"
#include "backend/random.h"
#include "common/error.h"
#ifdef __x86_64__
#include "backend/cpu/x86/kernels.h"
#else
#include "backend/cpu/arm/kernels.h"
#endif

namespace nmt::cpu {
namespace {

struct Variant {
  std::string name;
  std::string instruction_set;  // that the machine must have
  const MatrixProducts& products;
  double rounding = 0x1p-24;  // of an addition, relative to the sum
};

#ifdef __x86_64__

std::vector<Variant> variants() {
  return {{"unfused pairs by definition", "sse4_1", sse4_1_definitions::pair_products()},
          {"pairs by definition", "avx2", avx2_definitions::pair_products()},
          {"pairs by definition", "avx512", avx512_definitions::pair_products()},
          {"pairs", "avx512_bf16", avx512_pairs::pair_products()},
          {"tiles by definition", "avx2", avx2_definitions::tile_products()},
          {"tiles by definition", "avx512", avx512_definitions::tile_products()},
          {"tiles", "amx", amx_tiles::tile_products()}};
}

// The order of additions inside an instruction is Intel's; processors of other makers may differ.
bool has_bits_of_definition() {
  return __builtin_cpu_is("intel");
}

#else

std::vector<Variant> variants() {
  return {{"pairs by definition", "neon", neon_definitions::pair_products()},
          {"pairs", "neon_bf16", neon_pairs::pair_products(), 0x1p-23}};  // rounds to odd
}

bool has_bits_of_definition() {
  return false;
}

#endif

bool machine_has(const std::string& name) {
  try {
    instruction_set(name, compute_in(DType::bf16));
    return true;
  } catch (const UsageError&) {
    return false;
  }
}

/// A product c = or += a b whose operands are laid out as in a linear layer or its gradients.
struct Shape {
  std::int64_t m, n, k;
  bool a_transposed = false, b_transposed = false, accumulate = false;
  double magnitude = 1;  // of the elements of a and b
};

const std::vector<Shape> kShapes = {{1, 1, 1},
                                    {5, 33, 31, false, true},
                                    {17, 40, 64, true, false, true},
                                    {16, 32, 32},
                                    {33, 31, 1111, true},
                                    {33, 31, 1111},
                                    {40, 140, 513, true, true},
                                    {60, 70, 600, false, true, true, 1e-19},
                                    {13, 70, 600, false, false, false, 1e-22}};

/// A matrix of bf16 surrounded by NaN, which no product may read.
class Operand {
 public:
  Operand(testing::Random& random, std::int64_t rows, std::int64_t columns, bool transposed, double magnitude)
      : stride_((transposed ? rows : columns) + 2 * kPadding), transposed_(transposed) {
    elements_.assign(static_cast<std::size_t>((transposed ? columns : rows) * stride_), BFloat16(NAN));
    const std::vector<double> values = random.normal(rows * columns, magnitude);
    view_ = {reinterpret_cast<const std::byte*>(elements_.data() + kPadding), rows, columns,
             2 * (transposed ? 1 : stride_), 2 * (transposed ? stride_ : 1)};
    for (std::int64_t i = 0; i < rows; ++i)
      for (std::int64_t j = 0; j < columns; ++j)
        elements_[place(i, j)] = static_cast<float>(values[static_cast<std::size_t>(i * columns + j)]);
  }
  const Matrix& view() const { return view_; }
  double at(std::int64_t i, std::int64_t j) const { return elements_[place(i, j)]; }

 private:
  static constexpr std::int64_t kPadding = 3;
  std::size_t place(std::int64_t i, std::int64_t j) const {
    return static_cast<std::size_t>(kPadding + (transposed_ ? j * stride_ + i : i * stride_ + j));
  }

  std::int64_t stride_;
  bool transposed_;
  std::vector<BFloat16> elements_;
  Matrix view_;
};

class MatrixProductsTest : public ::testing::TestWithParam<Shape> {
 protected:
  static constexpr std::int64_t kBeside = 2;  // columns of c that are none of the product's

  std::vector<float> product(const MatrixProducts& products) {
    const Shape& s = GetParam();
    Buffer<std::byte> packed;
    Buffer<float> scratch;
    std::vector<float> c = c_;
    products.pack(b_.view(), packed.reserve(products.packed_bytes(s.k, s.n)));
    products.multiply(a_.view(), packed.data(), s.n,
                      {c.data(), s.n + kBeside, s.accumulate, s.a_transposed ? row_sums_.data() : nullptr},
                      scratch.reserve(products.scratch(s.m)));
    return c;
  }

  testing::Random random_{"products", DType::bf16};
  Operand a_{random_, GetParam().m, GetParam().k, GetParam().a_transposed, GetParam().magnitude};
  Operand b_{random_, GetParam().k, GetParam().n, GetParam().b_transposed, GetParam().magnitude};
  std::vector<float> c_ =
      std::vector<float>(static_cast<std::size_t>(GetParam().m * (GetParam().n + kBeside)),
                         static_cast<float>(GetParam().magnitude* GetParam().magnitude));
  std::vector<float> row_sums_ = std::vector<float>(static_cast<std::size_t>(GetParam().m));
};

// A product of two bf16 is exact in f32, so an element has as many roundings as additions. Each rounding is
// at most 2^-24 of the partial sum, which is at most the sum of magnitudes. Values that are flushed to zero
// are below the smallest normal number, for a few roundings of each step.
TEST_P(MatrixProductsTest, AreSumsInF32) {
  const Shape& s = GetParam();
  for (const Variant& variant : variants()) {
    if (!machine_has(variant.instruction_set)) continue;
    SCOPED_TRACE(variant.name + ", " + variant.instruction_set);
    std::fill(row_sums_.begin(), row_sums_.end(), 0.0F);
    const std::vector<float> c = product(variant.products);
    for (std::int64_t i = 0; i < s.m; ++i) {
      for (std::int64_t j = 0; j < s.n; ++j) {
        const auto at = static_cast<std::size_t>(i * (s.n + kBeside) + j);
        double sum = s.accumulate ? c_[at] : 0, magnitudes = std::abs(sum);
        for (std::int64_t k = 0; k < s.k; ++k) {
          sum += a_.at(i, k) * b_.at(k, j);
          magnitudes += std::abs(a_.at(i, k) * b_.at(k, j));
        }
        const auto steps = static_cast<double>(s.k + 1);
        ASSERT_NEAR(c[at], sum,
                    steps * (variant.rounding * magnitudes + 3 * std::numeric_limits<float>::min()));
      }
      for (std::int64_t j = s.n; j < s.n + kBeside; ++j) {
        const auto at = static_cast<std::size_t>(i * (s.n + kBeside) + j);
        ASSERT_EQ(c[at], c_[at]) << "written beside the product";
      }
      if (!s.a_transposed) continue;
      double sum = 0, magnitudes = 0;
      for (std::int64_t k = 0; k < s.k; ++k) {
        sum += a_.at(i, k);
        magnitudes += std::abs(a_.at(i, k));
      }
      ASSERT_NEAR(row_sums_[static_cast<std::size_t>(i)], sum,
                  static_cast<double>(s.k) * 0x1p-24 * magnitudes);
    }
  }
}

TEST_P(MatrixProductsTest, HaveTheBitsOfTheDefinition) {
  if (!has_bits_of_definition()) GTEST_SKIP() << "the definition is Intel's, the processor is not";
  std::optional<std::string> kind;
  std::vector<float> expected;
  for (const Variant& variant : variants()) {
    if (!machine_has(variant.instruction_set)) continue;
    const std::string name = variant.name.substr(0, variant.name.find(' '));
    const std::vector<float> c = product(variant.products);
    if (kind == name) {
      EXPECT_EQ(c, expected) << variant.name << ", " << variant.instruction_set;
    }
    kind = name;
    expected = c;
  }
}

INSTANTIATE_TEST_SUITE_P(Shapes, MatrixProductsTest, ::testing::ValuesIn(kShapes), [](const auto& parameter) {
  const Shape& s = parameter.param;
  return std::to_string(s.m) + "x" + std::to_string(s.n) + "x" + std::to_string(s.k) +
         (s.a_transposed ? "_a_transposed" : "") + (s.b_transposed ? "_b_transposed" : "") +
         (s.accumulate ? "_added" : "") + (s.magnitude < 1 ? "_tiny" + std::to_string(s.m) : "");
});

}  // namespace
}  // namespace nmt::cpu
