#include <gtest/gtest.h>
#include <sched.h>

#include "common/process/resources.h"

namespace nmt {
namespace {

TEST(Cores, AreThoseThatTheProcessIsBoundTo) {
  cpu_set_t before;
  ASSERT_EQ(sched_getaffinity(0, sizeof before, &before), 0);
  EXPECT_EQ(cores_available(), CPU_COUNT(&before));
  int first = 0;
  while (!CPU_ISSET(first, &before)) ++first;
  cpu_set_t one;
  CPU_ZERO(&one);
  CPU_SET(first, &one);
  ASSERT_EQ(sched_setaffinity(0, sizeof one, &one), 0);
  EXPECT_EQ(cores_available(), 1);
  sched_setaffinity(0, sizeof before, &before);
}

}  // namespace
}  // namespace nmt
