// Products of i8: each kernel gives the result of plain integer loops, bit by bit.
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <string>
#include <vector>

#include "backend/candidates.h"
#include "backend/cpu/instruction_set.h"
#include "backend/cpu/memory.h"
#include "backend/device.h"
#include "backend/random.h"
#include "tensor/reals.h"

namespace nmt::cpu {
namespace {

struct Size {
  std::int64_t m, n, k;
};

/// The arguments of a product of i8.
struct Factors {
  Factors(const Size& s, std::vector<float> rows, std::vector<std::int8_t> columns)
      : size(s), x(std::move(rows)), weight(std::move(columns)) {
    testing::Random random("scales");
    for (const double number : random.normal(size.n)) scale.push_back(static_cast<float>(number));
    for (const double number : random.normal(size.n)) bias.push_back(static_cast<float>(number));
  }
  Size size;
  std::vector<float> x;             // [m, k]
  std::vector<std::int8_t> weight;  // [n, k]
  std::vector<float> scale, bias;   // [n]
};

Factors random_factors(const Size& size) {
  testing::Random random("factors");
  const std::vector<double> x = random.normal(size.m * size.k);
  const std::vector<std::int32_t> weight = random.integers(size.n * size.k, -127, 127);
  return {size, {x.begin(), x.end()}, {weight.begin(), weight.end()}};
}

constexpr std::int64_t kBeside = 2;  // columns of c that are none of the product's
constexpr float kUntouched = -77;

/// Compares bits, because NaN does not equal itself; all NaN count as equal.
std::vector<std::uint32_t> bits_of(const std::vector<float>& numbers) {
  std::vector<std::uint32_t> bits;
  bits.reserve(numbers.size());
  for (const float x : numbers) bits.push_back(std::isnan(x) ? UINT32_MAX : std::bit_cast<std::uint32_t>(x));
  return bits;
}

/// y = f32(sum) * (row's scale * column's) + bias.
std::vector<float> plain_product(const Factors& f) {
  const auto [m, n, k] = f.size;
  std::vector<float> c(static_cast<std::size_t>(m * (n + kBeside)), kUntouched);
  std::vector<std::int8_t> q(static_cast<std::size_t>(k));
  for (std::int64_t r = 0; r < m; ++r) {
    const float row_scale = quantize_row(f.x.data() + r * k, k, q.data());
    for (std::int64_t o = 0; o < n; ++o) {
      std::int32_t sum = 0;
      for (std::int64_t i = 0; i < k; ++i)
        sum += q[static_cast<std::size_t>(i)] * f.weight[static_cast<std::size_t>(o * k + i)];
      const auto column = static_cast<std::size_t>(o);
      const float scale = row_scale * f.scale[column];
      const float scaled = static_cast<float>(sum) * scale;
      c[static_cast<std::size_t>(r * (n + kBeside) + o)] = scaled + f.bias[column];
    }
  }
  return c;
}

std::vector<float> product(const IntegerMatrixProducts& products, const Factors& f, bool relu) {
  const auto [m, n, k] = f.size;
  const std::int64_t stride = products.row_bytes(k);
  const std::int64_t rows = m + IntegerMatrixProducts::kBlockRows;
  Buffer<std::byte> packed, row_memory;
  std::vector<float> scale(static_cast<std::size_t>(m)),
      c(static_cast<std::size_t>(m * (n + kBeside)), kUntouched);
  std::vector<std::int32_t> start(static_cast<std::size_t>(m));
  products.pack({reinterpret_cast<const std::byte*>(f.weight.data()), k, n, 1, k},
                packed.reserve(products.packed_bytes(k, n)));
  const QuantizedRows a{row_memory.reserve(rows * stride), m, k, stride, scale.data(), start.data()};
  std::memset(a.data, 0x55, static_cast<std::size_t>(rows * stride));
  products.quantize({f.x.data(), m, k, k}, a);
  products.multiply(a, packed.data(), n, {c.data(), n + kBeside, f.scale.data(), f.bias.data(), relu});
  return c;
}

/// The instruction sets with products of i8; GoogleTest reports the skipped ones.
class QuantizedMatrixProducts : public ::testing::TestWithParam<std::string> {
 protected:
  void SetUp() override {
    try {
      products_ = instruction_set(GetParam(), testing::kInt8).integer_products;
    } catch (const UsageError& error) {
      GTEST_SKIP() << error.what();
    }
  }
  void expect_plain(const Factors& f) {
    SCOPED_TRACE(fmt::format("{} x {} x {}", f.size.m, f.size.n, f.size.k));
    std::vector<float> plain = plain_product(f);
    EXPECT_EQ(bits_of(product(*products_, f, false)), bits_of(plain));
    for (std::int64_t r = 0; r < f.size.m; ++r)
      std::for_each_n(plain.begin() + r * (f.size.n + kBeside), f.size.n,
                      [](float& y) { y = y > 0 ? y : 0; });
    EXPECT_EQ(bits_of(product(*products_, f, true)), bits_of(plain)) << "relu";
  }

  const IntegerMatrixProducts* products_ = nullptr;
};

TEST_P(QuantizedMatrixProducts, OfEachNumberOfRows) {
  for (std::int64_t m = 0; m <= 37; ++m) expect_plain(random_factors({m, 37, 68}));
}

TEST_P(QuantizedMatrixProducts, OfOddShapes) {
  for (const Size& size : {Size{1, 1, 1}, {13, 64, 64}, {5, 33, 31}, {33, 31, 65}, {20, 95, 2}, {9, 32, 515}})
    expect_plain(random_factors(size));
}

// Sums of pairs of bytes that do not fit into 16 bits and would saturate; with equal and mixed signs.
TEST_P(QuantizedMatrixProducts, OfTheLargestIntegers) {
  for (const std::int64_t m : {1, 4, 13})
    for (const std::int64_t alternate : {1, 2, 3, 4}) {
      const Size size{m, 34, 132};
      std::vector<float> x(static_cast<std::size_t>(size.m * size.k));
      std::vector<std::int8_t> weight(static_cast<std::size_t>(size.n * size.k));
      for (std::size_t i = 0; i < x.size(); ++i) x[i] = i / alternate % 2 == 0 ? 1 : -1;
      for (std::size_t i = 0; i < weight.size(); ++i) weight[i] = i / size.k % 2 == 0 ? 127 : -127;
      expect_plain({size, x, weight});
      for (std::size_t i = 0; i < weight.size(); ++i) weight[i] = i / alternate % 2 == 0 ? 127 : -127;
      expect_plain({size, x, weight});
    }
}

// A pair of 129 times 255 does not fit into 16 bits; one of 128 does.
TEST_P(QuantizedMatrixProducts, OfPairsAroundTheMostThatFits16Bits) {
  std::vector<float> row;
  for (const float sum : {127.0F, 128.0F, 129.0F, 130.0F})
    for (const float first : {3.0F, 63.0F, 64.0F, 65.0F, 66.0F, 127.0F})
      for (const float sign : {1.0F, -1.0F}) row.insert(row.end(), {sign * first, sign * (sum - first)});
  const auto k = static_cast<std::int64_t>(row.size());
  for (const std::int64_t m : {1, 7}) {
    std::vector<float> x;
    for (std::int64_t r = 0; r < m; ++r) {
      x.insert(x.end(), row.begin(), row.end());
      std::rotate(row.begin(), row.begin() + 1, row.end());
    }
    std::vector<std::int8_t> weight(static_cast<std::size_t>(2 * k), 127);
    std::fill_n(weight.begin(), k, static_cast<std::int8_t>(-127));
    expect_plain({{m, 2, k}, x, weight});
  }
}

// The maximum number of terms whose sum fits into an i32.
TEST_P(QuantizedMatrixProducts, OfTheLongestRows) {
  constexpr auto kColumns = static_cast<std::size_t>(kMostQuantizedColumns);
  for (const std::int64_t m : {1, 14}) {
    std::vector<float> x(m * kColumns, 1);
    std::fill_n(x.begin(), kColumns, -1.0F);
    expect_plain({{m, 1, kMostQuantizedColumns}, x, std::vector<std::int8_t>(kColumns, 127)});
  }
}

TEST_P(QuantizedMatrixProducts, OfRowsOfZerosAndOfWhatIsNoNumber) {
  constexpr float kNan = std::numeric_limits<float>::quiet_NaN(),
                  kInfinity = std::numeric_limits<float>::infinity();
  for (const std::int64_t m : {8, 20}) {
    Factors f = random_factors({m, 40, 70});
    const auto row = [&](std::int64_t r) { return f.x.begin() + r * f.size.k; };
    std::fill_n(row(0), f.size.k, 0.0F);
    row(1)[0] = kNan;
    row(2)[69] = -kInfinity;
    std::fill_n(row(3), f.size.k, -kNan);
    std::fill_n(row(4), f.size.k, 1e-37F);  // too small to be told from zeros
    std::fill_n(row(5), f.size.k, -0.0F);
    row(6)[3] = 3e38F;
    // The first rows are too small; as integers they would show if no bias hid them.
    std::fill_n(row(7), f.size.k, std::nextafter(kLeastQuantized, 0.0F));
    std::fill_n(f.bias.begin(), 9, 0.0F);
    f.scale[1] = 0;
    expect_plain(f);
    const std::vector<float> c = product(*products_, f, false);
    const auto element = [&](std::int64_t r, std::int64_t o) {
      return c[static_cast<std::size_t>(r * (f.size.n + kBeside) + o)];
    };
    for (const std::int64_t r : {1, 2, 3})
      for (std::int64_t o = 0; o < f.size.n; ++o) ASSERT_TRUE(std::isnan(element(r, o))) << r << ' ' << o;
    for (const std::int64_t r : {0, 4, 5, 7})
      for (std::int64_t o = 0; o < 9; ++o) ASSERT_EQ(element(r, o), 0) << r << ' ' << o;
  }
}

INSTANTIATE_TEST_SUITE_P(InstructionSets, QuantizedMatrixProducts,
                         ::testing::ValuesIn(instruction_set_names(testing::kInt8)),
                         [](const auto& parameter) { return parameter.param; });

}  // namespace
}  // namespace nmt::cpu

namespace nmt::testing {
namespace {

class QuantizedWeights : public CandidateTest, public ::testing::WithParamInterface<DeviceSettings> {
 protected:
  void SetUp() override { open(GetParam()); }
};

// Two adjacent weights: each alone, and as a whole. Odd shapes have no form that fits their place.
TEST_P(QuantizedWeights, PrepackedGiveTheSameBits) {
  for (const std::int64_t rows : {5, 21})
    for (const auto& [n, k] : {std::pair<std::int64_t, std::int64_t>{32, 64}, {96, 128}, {24, 64}, {32, 7}}) {
      Device device(open_backend(settings()));
      Random random("laid out");
      const Tensor x = device.matrix(rows, k, random.normal(rows * k)),
                   weights = device.quantized(2 * n, k, random.integers(2 * n * k, -127, 127)),
                   scales = device.scales(random.normal(2 * n)), y = device.result(rows, 2 * n);
      const auto product = [&, half = n](const Tensor& fused, std::int64_t first, std::int64_t count) {
        const Tensor of_weight = y.slice_columns(first * half, count * half);
        device.backend().run(Linear{.x = x,
                                    .weight = fused.slice_parts(first, count, 2),
                                    .weight_scale = scales.slice_columns(first * half, count * half),
                                    .y = of_weight});
        return device.read(of_weight);
      };
      const auto products = [&](const Tensor& fused) {
        return std::vector{product(fused, 0, 2), product(fused, 0, 1), product(fused, 1, 1)};
      };
      const auto before = products(weights);
      EXPECT_EQ(products(device.backend().prepack(weights, 2, weights.bytes())), before) << n << " x " << k;
    }
}

TEST_P(QuantizedWeights, GiveTheSameBitsOnAllDevices) {
  const auto result = [](const DeviceSettings& settings) {
    Device device(open_backend(settings), 3);
    Random random("instruction sets");
    const Tensor y = device.result(150, 530);
    device.backend().run(Linear{.x = device.matrix(150, 70, random.normal(150 * 70)),
                                .weight = device.quantized(530, 70, random.integers(530 * 70, -127, 127)),
                                .weight_scale = device.scales(random.normal(530)),
                                .bias = device.master(1, 530, random.normal(530)),
                                .activation = Activation::relu,
                                .y = y});
    return device.read(y);
  };
  EXPECT_EQ(result(settings()), result(quantized_candidates(1).front()));
}

INSTANTIATE_TEST_SUITE_P(Backends, QuantizedWeights, ::testing::ValuesIn(quantized_candidates(3)),
                         [](const auto& parameter) { return name_of(parameter.param); });

}  // namespace
}  // namespace nmt::testing
