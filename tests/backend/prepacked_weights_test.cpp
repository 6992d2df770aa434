#include "backend/cpu/prepacked_weights.h"

#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <stdexcept>
#include <thread>

#include "backend/factory.h"

namespace nmt::cpu {
namespace {

class PrepackedWeightsTest : public ::testing::Test {
 protected:
  /// Whether the prepacked form of this weight needs padding.
  bool fills(std::size_t at) {
    bool filled = false;
    forms_.of({reinterpret_cast<const std::byte*>(&weights_[at]), 1, 1, 1, 1}, 1,
              [&](std::byte*) { filled = true; });
    return filled;
  }

  std::array<float, 8> weights_{};
  PrepackedWeights forms_;
};

TEST_F(PrepackedWeightsTest, AreFilledOnceUntilTheyExpire) {
  EXPECT_TRUE(fills(0));
  EXPECT_FALSE(fills(0));
  EXPECT_TRUE(fills(1));
  forms_.expire();
  EXPECT_TRUE(fills(0));
  EXPECT_TRUE(fills(1));
  EXPECT_FALSE(fills(0));
}

TEST_F(PrepackedWeightsTest, AreRenewedIfTheyWereUsed) {
  std::vector<const std::byte*> renewed;
  const auto renew = [&] {
    renewed.clear();
    forms_.renew([&](const Matrix& b, const std::byte*) { renewed.push_back(b.data); });
    return renewed.size();
  };
  fills(0);
  fills(1);
  EXPECT_EQ(renew(), 2U);
  EXPECT_FALSE(fills(0));
  EXPECT_EQ(renew(), 1U);
  EXPECT_EQ(renewed[0], reinterpret_cast<const std::byte*>(&weights_[0]));
  EXPECT_TRUE(fills(1)) << "what nobody asked for has expired";
}

TEST_F(PrepackedWeightsTest, AreForgottenWithTheirMemoryAndNoOther) {
  for (const std::size_t at : {1, 2, 3, 4}) fills(at);
  forms_.forget(&weights_[2], 2 * sizeof(float));
  EXPECT_FALSE(fills(1));
  EXPECT_TRUE(fills(2));
  EXPECT_TRUE(fills(3));
  EXPECT_FALSE(fills(4));
}

TEST_F(PrepackedWeightsTest, AreFilledOnceForAllThreads) {
  std::atomic<int> filled = 0;
  {
    const auto ask = [&] {
      for (std::size_t at = 0; at < weights_.size(); ++at) filled += fills(at) ? 1 : 0;
    };
    const std::jthread first(ask), second(ask), third(ask);
  }
  EXPECT_EQ(filled, 8);
}

TEST(CpuBackend, AWeightInTheMemoryOfAnotherIsReadAnew) {
  const auto backend = open_backend({.device = "cpu"});
  const Tensor x = allocate_tensor(*backend, 1, 1, DType::f32),
               y = allocate_tensor(*backend, 1, 1, DType::f32);
  upload_reals(*backend, x, {1});
  for (int i = 0; i < 100; ++i) {
    const Tensor weight = allocate_tensor(*backend, 1, 1, DType::f32);
    upload_reals(*backend, weight, {static_cast<double>(i)});
    backend->run(Linear{.x = x, .weight = weight, .y = y});
    ASSERT_EQ(download_reals(*backend, y)[0], i);
  }
}

TEST(CpuBackend, OnlyProductsAndLookupsReadAPrepackedWeight) {
  const auto backend = open_backend({.device = "cpu"});
  const Tensor x = allocate_tensor(*backend, 2, 32, DType::f32),
               y = allocate_tensor(*backend, 2, 64, DType::f32),
               ids = allocate_tensor(*backend, 1, 2, DType::i32),
               rows = allocate_tensor(*backend, 64, 32, DType::f32);
  const Tensor weight = backend->prepack(rows, 1, rows.bytes());
  ASSERT_TRUE(weight.is_prepacked());
  backend->run(Linear{.x = x, .weight = weight, .y = y});
  std::vector<float> host(64 * 32);
  EXPECT_THROW(backend->download(host.data(), weight), std::logic_error);
  EXPECT_THROW(backend->upload(weight, host.data()), std::logic_error);
  EXPECT_THROW(backend->copy(rows, weight), std::logic_error);
  EXPECT_THROW(backend->run(SelectRows{.from = weight, .ids = ids, .to = x}), std::logic_error);
  EXPECT_THROW(backend->run(LinearBackward{.x = x, .weight = weight, .dy = y, .dx = x}), std::logic_error);
}

}  // namespace
}  // namespace nmt::cpu
