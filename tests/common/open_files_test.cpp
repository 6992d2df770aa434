#include <gtest/gtest.h>
#include <sys/resource.h>

#include "common/process/resources.h"

namespace nmt {
namespace {

TEST(OpenFiles, RaisesTheLimitAsFarAsItMay) {
  rlimit before{};
  ASSERT_EQ(getrlimit(RLIMIT_NOFILE, &before), 0);
  const auto allowed_of = [&](rlim_t soft, std::int64_t count) {
    const rlimit lowered{.rlim_cur = soft, .rlim_max = before.rlim_max};
    EXPECT_EQ(setrlimit(RLIMIT_NOFILE, &lowered), 0);
    const std::int64_t allowed = allow_open_files(count);
    rlimit after{};
    EXPECT_EQ(getrlimit(RLIMIT_NOFILE, &after), 0);
    EXPECT_EQ(after.rlim_cur, static_cast<rlim_t>(allowed));
    EXPECT_EQ(after.rlim_max, before.rlim_max);
    return allowed;
  };
  EXPECT_EQ(allowed_of(64, 100), 100);
  EXPECT_EQ(allowed_of(64, 10), 64);
  if (before.rlim_max < 1'000'000'000'000) {
    EXPECT_EQ(allowed_of(64, 1'000'000'000'000), static_cast<std::int64_t>(before.rlim_max));
  }
  setrlimit(RLIMIT_NOFILE, &before);
}

}  // namespace
}  // namespace nmt
