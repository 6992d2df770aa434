// Products of the stand-in for cublasLt, compared with plain loops in f64, and reports of misuse.
#include <cublasLt.h>

#include <cmath>
#include <random>

#include "cuda_emulator/matmul.h"
#include "cuda_emulator/testing.h"

namespace simt {
namespace {

using nmt::cuda::check;
using ::testing::HasSubstr;

constexpr std::int64_t kRows = 5, kColumns = 6, kInner = 7, kGap = 3;

struct Types {
  cudaDataType input, output;
};

/// A matrix of random numbers on the GPU and the host, with three elements of NaN between its columns.
class Operand {
 public:
  Operand(cudaDataType type, std::int64_t rows, std::int64_t columns, unsigned seed)
      : type_(type),
        rows_(rows),
        columns_(columns),
        memory_(size_of(type) * static_cast<std::size_t>(stride() * columns)) {
    std::mt19937 random(seed);
    std::normal_distribution<float> normal;
    std::vector<std::byte> bytes(memory_bytes(), std::byte{kPoison});
    for (std::int64_t i = 0; i < rows * columns; ++i)
      store(bytes.data(), i / rows * stride() + i % rows, normal(random));
    check(cudaMemcpy(memory_.data(), bytes.data(), bytes.size(), cudaMemcpyHostToDevice));
    before_ = values();
  }

  void* data() const { return memory_.data(); }
  cudaDataType type() const { return type_; }
  std::int64_t rows() const { return rows_; }
  std::int64_t columns() const { return columns_; }
  std::int64_t stride() const { return rows_ + kGap; }
  /// Return element (i, j) as it was made, and as it is now.
  double before(std::int64_t i, std::int64_t j) const {
    return before_[static_cast<std::size_t>(j * stride() + i)];
  }
  std::vector<double> values() const {
    const std::vector<std::byte> bytes = memory_.read();
    std::vector<double> all;
    for (std::int64_t i = 0; i < stride() * columns_; ++i) all.push_back(load(bytes.data(), i));
    return all;
  }

 private:
  std::size_t memory_bytes() const { return size_of(type_) * static_cast<std::size_t>(stride() * columns_); }
  void store(std::byte* bytes, std::int64_t i, float x) const {
    if (type_ == CUDA_R_32F)
      reinterpret_cast<float*>(bytes)[i] = x;
    else if (type_ == CUDA_R_16BF)
      reinterpret_cast<__nv_bfloat16*>(bytes)[i] = __float2bfloat16_rn(x);
    else
      reinterpret_cast<__half*>(bytes)[i] = __float2half_rn(x);
  }
  double load(const std::byte* bytes, std::int64_t i) const {
    if (type_ == CUDA_R_32F) return reinterpret_cast<const float*>(bytes)[i];
    if (type_ == CUDA_R_16BF) return __bfloat162float(reinterpret_cast<const __nv_bfloat16*>(bytes)[i]);
    return __half2float(reinterpret_cast<const __half*>(bytes)[i]);
  }

  cudaDataType type_;
  std::int64_t rows_, columns_;
  DeviceVector<std::byte> memory_;
  std::vector<double> before_;
};

class MatrixLayout {
 public:
  explicit MatrixLayout(const Operand& x) {
    cublasLtMatrixLayoutCreate(&layout_, x.type(), static_cast<std::uint64_t>(x.rows()),
                               static_cast<std::uint64_t>(x.columns()), x.stride());
  }
  ~MatrixLayout() { cublasLtMatrixLayoutDestroy(layout_); }
  operator cublasLtMatrixLayout_t() const { return layout_; }

 private:
  cublasLtMatrixLayout_t layout_ = nullptr;
};

/// A product d = f(2 op(a) op(b) + beta d + bias) with all of its inputs.
class CublasLt : public EmulatorTest {
 protected:
  CublasLt() {
    cublasLtCreate(&handle_);
    cublasLtMatmulDescCreate(&operation_, CUBLAS_COMPUTE_32F, CUDA_R_32F);
    cublasLtMatmulPreferenceCreate(&preference_);
    prefer(CUBLASLT_MATMUL_PREF_REDUCTION_SCHEME_MASK, std::uint32_t{CUBLASLT_REDUCTION_SCHEME_NONE});
  }
  ~CublasLt() override {
    cublasLtMatmulPreferenceDestroy(preference_);
    cublasLtMatmulDescDestroy(operation_);
    cublasLtDestroy(handle_);
  }

  template <class T>
  cublasStatus_t ask(cublasLtMatmulDescAttributes_t attribute, T value) {
    return cublasLtMatmulDescSetAttribute(operation_, attribute, &value, sizeof value);
  }
  template <class T>
  cublasStatus_t prefer(cublasLtMatmulPreferenceAttributes_t attribute, T value) {
    return cublasLtMatmulPreferenceSetAttribute(preference_, attribute, &value, sizeof value);
  }
  cublasStatus_t choose(const Operand& a, const Operand& b, const Operand& d,
                        cublasLtMatmulHeuristicResult_t& result) {
    int count = 0;
    return cublasLtMatmulAlgoGetHeuristic(handle_, operation_, MatrixLayout(a), MatrixLayout(b),
                                          MatrixLayout(d), MatrixLayout(d), preference_, 1, &result, &count);
  }
  cublasStatus_t check_algorithm(const Operand& a, const Operand& b, const Operand& d,
                                 const cublasLtMatmulAlgo_t& algorithm) {
    cublasLtMatmulHeuristicResult_t result{};
    return cublasLtMatmulAlgoCheck(handle_, operation_, MatrixLayout(a), MatrixLayout(b), MatrixLayout(d),
                                   MatrixLayout(d), &algorithm, &result);
  }
  cublasStatus_t multiply(const Operand& a, const void* a_data, const Operand& b, const Operand& d,
                          void* d_data, const cublasLtMatmulAlgo_t* algorithm, float beta = 0) {
    const float alpha = 2;
    return cublasLtMatmul(handle_, operation_, &alpha, a_data, MatrixLayout(a), b.data(), MatrixLayout(b),
                          &beta, d_data, MatrixLayout(d), d_data, MatrixLayout(d), algorithm, nullptr, 0,
                          stream());
  }
  cublasStatus_t multiply(const Operand& a, const Operand& b, const Operand& d, float beta = 0) {
    return multiply(a, a.data(), b, d, d.data(), nullptr, beta);
  }

 private:
  cublasLtHandle_t handle_ = nullptr;
  cublasLtMatmulDesc_t operation_ = nullptr;
  cublasLtMatmulPreference_t preference_ = nullptr;
};

struct Form {
  bool transpose_a, transpose_b;
  cublasLtEpilogue_t epilogue;
  float beta;
};

class MatrixProducts : public CublasLt, public ::testing::WithParamInterface<Types> {
 protected:
  /// Chooses an algorithm, computes, and compares.
  void expect_product(const Form& f) {
    const auto [input, output] = GetParam();
    const Operand a(input, f.transpose_a ? kInner : kRows, f.transpose_a ? kRows : kInner, 1);
    const Operand b(input, f.transpose_b ? kColumns : kInner, f.transpose_b ? kInner : kColumns, 2);
    const Operand d(output, kRows, kColumns, 3), bias(output, kRows, 1, 4);
    ask(CUBLASLT_MATMUL_DESC_TRANSA, f.transpose_a ? CUBLAS_OP_T : CUBLAS_OP_N);
    ask(CUBLASLT_MATMUL_DESC_TRANSB, f.transpose_b ? CUBLAS_OP_T : CUBLAS_OP_N);
    ask(CUBLASLT_MATMUL_DESC_EPILOGUE, f.epilogue);
    ask(CUBLASLT_MATMUL_DESC_BIAS_POINTER, bias.data());
    ASSERT_EQ(multiply(a, b, d, f.beta), CUBLAS_STATUS_SUCCESS);
    check(synchronize());
    const std::vector<double> got = d.values();
    const double precision = output == CUDA_R_32F ? 1e-5 : output == CUDA_R_16F ? 1e-3 : 8e-3;
    for (std::int64_t j = 0; j < kColumns; ++j) {
      for (std::int64_t i = 0; i < kRows; ++i) {
        const double wanted = element(f, a, b, d, bias, i, j);
        EXPECT_NEAR(got[static_cast<std::size_t>(j * d.stride() + i)], wanted,
                    precision * (1 + std::abs(wanted)))
            << i << ' ' << j;
      }
      EXPECT_TRUE(std::isnan(got[static_cast<std::size_t>(j * d.stride() + kRows)]));
    }
  }

 private:
  static double element(const Form& f, const Operand& a, const Operand& b, const Operand& d,
                        const Operand& bias, std::int64_t i, std::int64_t j) {
    double x = 0;
    for (std::int64_t k = 0; k < kInner; ++k)
      x += 2 * (f.transpose_a ? a.before(k, i) : a.before(i, k)) *
           (f.transpose_b ? b.before(j, k) : b.before(k, j));
    if (f.beta != 0) x += f.beta * d.before(i, j);
    if (f.epilogue == CUBLASLT_EPILOGUE_BIAS || f.epilogue == CUBLASLT_EPILOGUE_RELU_BIAS)
      x += bias.before(i, 0);
    const bool relu = f.epilogue == CUBLASLT_EPILOGUE_RELU || f.epilogue == CUBLASLT_EPILOGUE_RELU_BIAS;
    return relu ? std::max(x, 0.0) : x;
  }
};

TEST_P(MatrixProducts, AreThoseOfPlainLoops) {
  for (const bool transpose_a : {false, true})
    for (const bool transpose_b : {false, true})
      for (const auto epilogue : {CUBLASLT_EPILOGUE_DEFAULT, CUBLASLT_EPILOGUE_BIAS, CUBLASLT_EPILOGUE_RELU,
                                  CUBLASLT_EPILOGUE_RELU_BIAS})
        for (const float beta : {0.0f, 1.0f, -0.5f})
          expect_product({transpose_a, transpose_b, epilogue, beta});
}

INSTANTIATE_TEST_SUITE_P(Types, MatrixProducts,
                         ::testing::Values(Types{CUDA_R_32F, CUDA_R_32F}, Types{CUDA_R_16BF, CUDA_R_16BF},
                                           Types{CUDA_R_16BF, CUDA_R_32F}, Types{CUDA_R_16F, CUDA_R_16F},
                                           Types{CUDA_R_16F, CUDA_R_32F}));

TEST_F(CublasLt, RoundsToTf32WhereItMay) {
  const Operand a(CUDA_R_32F, 1, 1, 1), b(CUDA_R_32F, 1, 1, 2), d(CUDA_R_32F, 1, 1, 3);
  MatrixProduct product{.tf32 = true,
                        .a = {a.data(), CUDA_R_32F, 1, 1, 1},
                        .b = {b.data(), CUDA_R_32F, 1, 1, 1},
                        .d = {d.data(), CUDA_R_32F, 1, 1, 1}};
  simt::multiply(product);
  const double exact = a.before(0, 0) * b.before(0, 0);
  EXPECT_NEAR(d.values()[0], exact, 1e-3 * std::abs(exact));
  EXPECT_NE(d.values()[0], static_cast<float>(exact));
}

/// A matrix of i8 or i32 on the GPU, without gaps.
template <class T>
struct Integers {
  Integers(cudaDataType type, std::int64_t rows, std::int64_t columns, const std::vector<T>& values = {})
      : memory(static_cast<std::size_t>(rows * columns)) {
    if (!values.empty())
      check(cudaMemcpy(memory.data(), values.data(), values.size() * sizeof(T), cudaMemcpyHostToDevice));
    cublasLtMatrixLayoutCreate(&layout, type, static_cast<std::uint64_t>(rows),
                               static_cast<std::uint64_t>(columns), rows);
  }
  ~Integers() { cublasLtMatrixLayoutDestroy(layout); }
  Integers(const Integers&) = delete;
  Integers& operator=(const Integers&) = delete;

  DeviceVector<T> memory;
  cublasLtMatrixLayout_t layout = nullptr;
};

class IntegerProducts : public EmulatorTest {
 protected:
  IntegerProducts() {
    cublasLtCreate(&handle_);
    cublasLtMatmulDescCreate(&operation_, CUBLAS_COMPUTE_32I, CUDA_R_32I);
    const cublasOperation_t transpose = CUBLAS_OP_T;
    cublasLtMatmulDescSetAttribute(operation_, CUBLASLT_MATMUL_DESC_TRANSA, &transpose, sizeof transpose);
  }
  ~IntegerProducts() override {
    cublasLtMatmulDescDestroy(operation_);
    cublasLtDestroy(handle_);
  }
  cublasStatus_t multiply(const Integers<std::int8_t>& a, const Integers<std::int8_t>& b,
                          const Integers<std::int32_t>& d) {
    const std::int32_t one = 1, zero = 0;
    return cublasLtMatmul(handle_, operation_, &one, a.memory.data(), a.layout, b.memory.data(), b.layout,
                          &zero, d.memory.data(), d.layout, d.memory.data(), d.layout, nullptr, nullptr, 0,
                          stream());
  }

 private:
  cublasLtHandle_t handle_ = nullptr;
  cublasLtMatmulDesc_t operation_ = nullptr;
};

TEST_F(IntegerProducts, AreExact) {
  std::vector<std::int8_t> left(16), right{127, -127, 127, 3};
  for (int i = 0; i < 16; ++i) left[static_cast<std::size_t>(i)] = static_cast<std::int8_t>(8 * i - 120);
  const Integers<std::int8_t> a(CUDA_R_8I, 4, 4, left), b(CUDA_R_8I, 4, 1, right);
  const Integers<std::int32_t> d(CUDA_R_32I, 4, 1);
  ASSERT_EQ(multiply(a, b, d), CUBLAS_STATUS_SUCCESS);
  check(synchronize());
  std::vector<std::int32_t> expected(4);
  for (std::size_t i = 0; i < 16; ++i) expected[i / 4] += left[i] * right[i % 4];
  EXPECT_EQ(d.memory.read(), expected);
}

TEST_F(IntegerProducts, HaveSizesInStepsOfFour) {
  const Integers<std::int8_t> a(CUDA_R_8I, 4, 6), b(CUDA_R_8I, 4, 1), short_a(CUDA_R_8I, 3, 4),
      short_b(CUDA_R_8I, 3, 1);
  EXPECT_EQ(multiply(a, b, {CUDA_R_32I, 6, 1}), CUBLAS_STATUS_NOT_SUPPORTED);
  EXPECT_EQ(multiply(short_a, short_b, {CUDA_R_32I, 4, 1}), CUBLAS_STATUS_NOT_SUPPORTED);
}

TEST_F(CublasLt, RefusesWhatItDoesNotOffer) {
  const Operand a(CUDA_R_16BF, kRows, kInner, 1), b(CUDA_R_16F, kInner, kColumns, 2),
      d(CUDA_R_16BF, kRows, kColumns, 3);
  EXPECT_EQ(multiply(a, b, d), CUBLAS_STATUS_NOT_SUPPORTED);
  const Operand other(CUDA_R_16BF, kInner, kColumns, 2);
  ask(CUBLASLT_MATMUL_DESC_BIAS_DATA_TYPE, std::int32_t{CUDA_R_32F});
  EXPECT_EQ(multiply(a, other, d), CUBLAS_STATUS_NOT_SUPPORTED);
}

TEST_F(CublasLt, AnAlgorithmServesOtherSizes) {
  const Operand a(CUDA_R_16BF, kRows, kInner, 1), b(CUDA_R_16BF, kInner, kColumns, 2),
      d(CUDA_R_16BF, kRows, kColumns, 3);
  const Operand more(CUDA_R_16BF, kInner, 9 * kColumns, 2), most(CUDA_R_16BF, kRows, 9 * kColumns, 3);
  cublasLtMatmulHeuristicResult_t chosen{};
  ASSERT_EQ(choose(a, b, d, chosen), CUBLAS_STATUS_SUCCESS);
  EXPECT_EQ(check_algorithm(a, more, most, chosen.algo), CUBLAS_STATUS_SUCCESS);
  EXPECT_EQ(multiply(a, a.data(), more, most, most.data(), &chosen.algo), CUBLAS_STATUS_SUCCESS);
  const Operand odd(CUDA_R_16BF, kRows + 1, kInner, 1), odd_result(CUDA_R_16BF, kRows + 1, kColumns, 3);
  EXPECT_EQ(check_algorithm(odd, b, odd_result, chosen.algo), CUBLAS_STATUS_NOT_SUPPORTED);
}

/// A valid product with one error.
class Misuse : public CublasLt {
 protected:
  const Operand a_{CUDA_R_16BF, kRows, kInner, 1}, b_{CUDA_R_16BF, kInner, kColumns, 2},
      d_{CUDA_R_16BF, kRows, kColumns, 3};
};

TEST_F(Misuse, SizesThatDoNotFit) {
  EXPECT_EQ(multiply(a_, a_, d_), CUBLAS_STATUS_INVALID_VALUE);
  EXPECT_THAT(findings(), HasSubstr("op(A) is 5 x 7, op(B) is 5 x 7"));
}

TEST_F(Misuse, AddressesOfTheHost) {
  const std::vector<float> host(100);
  EXPECT_EQ(multiply(a_, host.data(), b_, d_, d_.data(), nullptr), CUBLAS_STATUS_INVALID_VALUE);
  EXPECT_THAT(findings(), HasSubstr("A is not in device memory"));
}

TEST_F(Misuse, AlignmentThatWasPromised) {
  cublasLtMatmulHeuristicResult_t chosen{};
  prefer(CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_A_BYTES, std::uint32_t{2});
  ASSERT_EQ(choose(a_, b_, d_, chosen), CUBLAS_STATUS_SUCCESS);
  const Operand wide(CUDA_R_16BF, kRows, kInner + 1, 1);
  const auto* shifted = static_cast<const __nv_bfloat16*>(wide.data()) + 1;
  EXPECT_EQ(multiply(a_, a_.data(), b_, d_, d_.data(), &chosen.algo), CUBLAS_STATUS_SUCCESS);
  EXPECT_EQ(multiply(a_, shifted, b_, d_, d_.data(), &chosen.algo), CUBLAS_STATUS_SUCCESS);
  EXPECT_NE(multiply(a_, shifted, b_, d_, d_.data(), nullptr), CUBLAS_STATUS_SUCCESS);
  EXPECT_THAT(findings(), HasSubstr("A is not a multiple of the 256 bytes"));
}

TEST_F(Misuse, AResultOverAnOperand) {
  const Operand square(CUDA_R_16BF, kRows, kRows, 1);
  EXPECT_NE(multiply(square, square, square), CUBLAS_STATUS_SUCCESS);
  EXPECT_THAT(findings(), HasSubstr("D overlaps an operand"));
}

TEST_F(Misuse, SumsThatMayBeRounded) {
  prefer(CUBLASLT_MATMUL_PREF_REDUCTION_SCHEME_MASK, std::uint32_t{CUBLASLT_REDUCTION_SCHEME_MASK});
  cublasLtMatmulHeuristicResult_t chosen{};
  EXPECT_NE(choose(a_, b_, d_, chosen), CUBLAS_STATUS_SUCCESS);
  EXPECT_THAT(findings(), HasSubstr("rounded to 16 bits"));
}

TEST_F(Misuse, AWorkspaceThatIsTooSmall) {
  prefer(CUBLASLT_MATMUL_PREF_REDUCTION_SCHEME_MASK, std::uint32_t{CUBLASLT_REDUCTION_SCHEME_COMPUTE_TYPE});
  prefer(CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES, std::uint64_t{1000});
  cublasLtMatmulHeuristicResult_t chosen{};
  ASSERT_EQ(choose(a_, b_, d_, chosen), CUBLAS_STATUS_SUCCESS);
  EXPECT_NE(multiply(a_, a_.data(), b_, d_, d_.data(), &chosen.algo), CUBLAS_STATUS_SUCCESS);
  EXPECT_THAT(findings(), HasSubstr("less workspace"));
}

TEST_F(Misuse, AttributesOfAnotherSize) {
  EXPECT_NE(ask(CUBLASLT_MATMUL_DESC_TRANSA, true), CUBLAS_STATUS_SUCCESS);
  EXPECT_THAT(findings(), HasSubstr("of 4 bytes is set from 1"));
}

TEST_F(Misuse, OperandsThatNobodyWrote) {
  SIMT_NEEDS_CHECKS();
  const DeviceVector<__nv_bfloat16> unwritten(100);
  EXPECT_EQ(multiply(a_, unwritten.data(), b_, d_, d_.data(), nullptr), CUBLAS_STATUS_SUCCESS);
  EXPECT_NE(synchronize(), cudaSuccess);
  EXPECT_THAT(findings(), HasSubstr("cublasLtMatmul (A) reads what nobody wrote"));
}

TEST(Overlap, IsAboutElements) {
  const auto at = [](std::size_t offset) { return Matrix{memory.begin + offset, CUDA_R_32F, 2, 3, 5}; };
  EXPECT_TRUE(overlap(at(0), at(0)));
  EXPECT_TRUE(overlap(at(0), at(4)));
  EXPECT_FALSE(overlap(at(0), at(8)));
  EXPECT_TRUE(overlap(at(0), at(16)));
  EXPECT_TRUE(overlap(at(40), at(0)));
  EXPECT_FALSE(overlap(at(0), at(60)));
}

}  // namespace
}  // namespace simt
