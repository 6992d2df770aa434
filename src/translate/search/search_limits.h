// What search settings may be, wherever they come from.
#pragma once

namespace nmt {

/// Both inclusive.
struct SettingLimits {
  double least, most;
};

inline constexpr SettingLimits kBeamLimits = {1, 1000};
inline constexpr SettingLimits kLengthPenaltyLimits = {0, 10};
inline constexpr SettingLimits kWordPenaltyLimits = {-1000, 1000};
inline constexpr SettingLimits kPatienceLimits = {0.001, 1000};
inline constexpr SettingLimits kMaxLengthFactorLimits = {0, 1000};
inline constexpr SettingLimits kMaxLengthExtraLimits = {0, 1e6};

}  // namespace nmt
