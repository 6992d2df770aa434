// What search settings may be, wherever they come from.
#pragma once

namespace nmt {

/// Both inclusive.
struct SettingLimits {
  double least, most;
};

inline constexpr SettingLimits kBeamLimits = {1, 1000};
inline constexpr SettingLimits kNBestLimits = {1, 1000};
inline constexpr SettingLimits kLengthPenaltyLimits = {0, 10};
inline constexpr SettingLimits kWordPenaltyLimits = {-1000, 1000};
inline constexpr SettingLimits kCoveragePenaltyLimits = {0, 1000};
inline constexpr SettingLimits kPatienceLimits = {0.001, 1000};
inline constexpr SettingLimits kMaxLengthFactorLimits = {0, 1000};
inline constexpr SettingLimits kMaxLengthExtraLimits = {0, 1e6};
inline constexpr SettingLimits kMinLengthLimits = {0, 1e6};
inline constexpr SettingLimits kNoRepeatNgramSizeLimits = {0, 1000};
inline constexpr SettingLimits kRepetitionPenaltyLimits = {0.01, 100};
inline constexpr SettingLimits kEndThresholdLimits = {0, 1};
inline constexpr SettingLimits kBeamGroupsLimits = {1, 1000};
inline constexpr SettingLimits kDiversityLimits = {0, 1000};
inline constexpr SettingLimits kTemperatureLimits = {0, 1000};
/// Logits divided by less might not be finite: with such a temperature the most probable token is drawn.
inline constexpr double kLeastTemperature = 0.001;
inline constexpr SettingLimits kTopKLimits = {0, 1e7};
inline constexpr SettingLimits kTopPLimits = {0.000001, 1};
inline constexpr SettingLimits kMinPLimits = {0, 1};
inline constexpr SettingLimits kSeedLimits = {0, 0x1p64};

}  // namespace nmt
