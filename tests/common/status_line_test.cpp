#include "common/status_line.h"

#include <gtest/gtest.h>

#include "common/log.h"
#include "common/memory_usage.h"

namespace nmt {
namespace {

TEST(StatusLine, IsForTerminalsOnly) {
  testing::internal::CaptureStderr();
  {
    StatusLine status;
    EXPECT_FALSE(StatusLine::visible());
    status.show("half of it");
    log_info("a message");
  }
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "a message\n");
}

TEST(MemoryUsage, IsThatOfAProcess) {
  EXPECT_GT(resident_bytes(), 100'000U);
  EXPECT_LT(resident_bytes(), std::size_t{1} << 40);
}

}  // namespace
}  // namespace nmt
