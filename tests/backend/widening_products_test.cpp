// Weights of bf16 with activations in f32: results have the bits of f32 for the same weights.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <tuple>
#include <vector>

#include "backend/cpu/instruction_set.h"
#include "backend/factory.h"
#include "backend/random.h"
#include "common/error.h"
#include "tensor/backend.h"
#include "tensor/reals.h"

namespace nmt::testing {
namespace {

constexpr Precision kWide = {.compute = DType::f32, .weights = DType::bf16};

struct Shape {
  std::int64_t rows, in, out;
};

/// Instruction set, and whether weights are prepacked.
class WideningProductsTest : public ::testing::TestWithParam<std::tuple<std::string, bool>> {
 protected:
  void SetUp() override {
    try {
      wide_ = open("bf16");
      plain_ = open("f32");
    } catch (const UsageError& error) {
      GTEST_SKIP() << error.what();
    }
  }

  static std::unique_ptr<Backend> open(const std::string& precision) {
    return open_backend({.device = "cpu",
                         .precision = precision,
                         .cpu_isa = std::get<0>(GetParam()),
                         .threads = 2,
                         .f32_activations = true});
  }

  /// Returns a matrix of weights on a device, prepacked if the test asks for that.
  static Tensor weight(Backend& backend, std::int64_t rows, std::int64_t columns,
                       const std::vector<double>& values) {
    const DType dtype = backend.precision().weights;
    // The memory of a prepacked weight ends with padding.
    const std::int64_t padded = (rows + 63) / 64 * 64;
    const Tensor memory = allocate_tensor(backend, padded, columns, dtype);
    const Tensor tensor = memory.slice_rows(0, rows);
    upload_reals(backend, tensor, values);
    return std::get<1>(GetParam()) ? backend.prepack(tensor, 1, memory.bytes()) : tensor;
  }

  static std::vector<double> product(Backend& backend, const Shape& shape) {
    Random random("widening", DType::bf16), exact("activations");
    const Tensor x = allocate_tensor(backend, shape.rows, shape.in, DType::f32),
                 y = allocate_tensor(backend, shape.rows, shape.out, DType::f32),
                 bias = allocate_tensor(backend, 1, shape.out, DType::f32);
    upload_reals(backend, x, exact.normal(x.size()));
    upload_reals(backend, bias, exact.normal(bias.size()));
    const Tensor w = weight(backend, shape.out, shape.in, random.normal(shape.out * shape.in));
    backend.run(
        Linear{.x = x, .weight = w, .bias = bias, .activation = Activation::gelu, .y = y, .inference = true});
    return download_reals(backend, y);
  }

  static std::vector<double> words(Backend& backend) {
    constexpr std::int64_t kWords = 70, kWidth = 20;
    const std::vector<std::int32_t> ids = {3, 69, -1, 3, 0};
    Random random("words", DType::bf16);
    const Tensor table = weight(backend, kWords, kWidth, random.normal(kWords * kWidth));
    const Tensor id = allocate_tensor(backend, 1, std::ssize(ids), DType::i32),
                 y = allocate_tensor(backend, std::ssize(ids), kWidth, DType::f32);
    backend.upload(id, ids.data());
    backend.run(Embedding{.table = table, .ids = id, .scale = 1.7, .y = y});
    return download_reals(backend, y);
  }

  std::unique_ptr<Backend> wide_, plain_;
};

TEST_P(WideningProductsTest, HaveTheBitsOfF32) {
  EXPECT_EQ(wide_->precision().compute, DType::f32);
  EXPECT_EQ(wide_->precision().weights, DType::bf16);
  for (const Shape& shape : {Shape{1, 1, 1}, {3, 7, 5}, {13, 64, 33}, {40, 257, 130}, {150, 600, 70}})
    EXPECT_EQ(product(*wide_, shape), product(*plain_, shape)) << shape.rows << "x" << shape.in;
}

TEST_P(WideningProductsTest, WordsHaveTheBitsOfF32) {
  EXPECT_EQ(words(*wide_), words(*plain_));
}

INSTANTIATE_TEST_SUITE_P(Cpu, WideningProductsTest,
                         ::testing::Combine(::testing::ValuesIn(cpu::instruction_set_names(kWide)),
                                            ::testing::Bool()));

TEST(WideningProducts, NeedNoInstructionsOfTheirOwn) {
  const DeviceSettings settings{.device = "cpu", .precision = "bf16", .f32_activations = true};
  EXPECT_THAT(open_backend(settings)->arithmetic(), ::testing::EndsWith(", bf16 weights"));
  EXPECT_EQ(cpu::instruction_set_names(kWide), cpu::instruction_set_names(compute_in(DType::f32)));
}

}  // namespace
}  // namespace nmt::testing
