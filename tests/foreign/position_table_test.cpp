#include "foreign/position_table.h"

#include <gtest/gtest.h>

#include <cmath>

#include "nn/transformer/positions.h"

namespace nmt {
namespace {

constexpr std::int64_t kColumns = 8, kRows = 700;

TEST(PositionTable, HoldsSinusoidsOfEachKindFromAPosition) {
  for (const auto& [name, kind] : {std::pair{"sinusoidal", Positions::sinusoidal},
                                   {"sinusoidal_halves", Positions::sinusoidal_halves},
                                   {"tensor2tensor", Positions::tensor2tensor}}) {
    for (const std::int64_t offset : {0, 1, 2}) {
      const std::vector<float> table = position_table({name, offset}, kRows, kColumns);
      const std::vector<double> exact = sinusoid_table(kind, offset, kRows, kColumns);
      EXPECT_EQ(table, std::vector<float>(exact.begin(), exact.end()));
      EXPECT_EQ(computed_positions(table, kColumns), (ComputedPositions{name, offset}));
    }
  }
}

TEST(PositionTable, IsRecognizedWithRatesInSinglePrecision) {
  std::vector<float> table;
  for (int row = 0; row < kRows; ++row) {
    for (int i = 0; i < kColumns / 2; ++i) {
      const float angle =
          static_cast<float>(row) * std::pow(10000.0F, -2.0F * static_cast<float>(i) / kColumns);
      table.insert(table.end(), {std::sin(angle), std::cos(angle)});
    }
  }
  EXPECT_EQ(computed_positions(table, kColumns), (ComputedPositions{"sinusoidal", 0}));
}

TEST(PositionTable, OtherTablesAreLearned) {
  const std::vector<float> table = position_table({"sinusoidal", 1}, kRows, kColumns);
  for (const std::size_t changed : {std::size_t{0}, table.size() / 2, table.size() - 1}) {
    std::vector<float> other = table;
    other[changed] += 0.002F;
    EXPECT_EQ(computed_positions(other, kColumns), std::nullopt) << changed;
    other[changed] = std::nanf("");
    EXPECT_EQ(computed_positions(other, kColumns), std::nullopt) << changed;
  }
  EXPECT_EQ(computed_positions(position_table({"sinusoidal", 3}, kRows, kColumns), kColumns), std::nullopt);
  EXPECT_EQ(computed_positions({}, kColumns), std::nullopt);
  EXPECT_EQ(computed_positions(table, 0), std::nullopt);
  EXPECT_EQ(computed_positions(std::vector<float>(kColumns + 1), kColumns), std::nullopt);
}

TEST(PositionTable, SettingsAreComputedWhereBothSidesHaveTheSame) {
  const ComputedPositions first{"sinusoidal", 0}, second{"sinusoidal", 2};
  const auto set = [](const std::optional<ComputedPositions>& source,
                      const std::optional<ComputedPositions>& target) {
    ModelSettings settings;
    set_positions(source, target, settings);
    return settings["positions"] + ' ' + settings["position_offset"];
  };
  EXPECT_EQ(set(second, second), "sinusoidal 2");
  EXPECT_EQ(set(first, second), "learned 0");
  EXPECT_EQ(set(second, std::nullopt), "learned 0");
  EXPECT_EQ(set(std::nullopt, std::nullopt), "learned 0");
}

}  // namespace
}  // namespace nmt
