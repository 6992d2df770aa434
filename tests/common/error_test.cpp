#include "common/error.h"

#include <gtest/gtest.h>

#include <cerrno>

namespace nmt {
namespace {

TEST(SystemMessage, SaysWhatToDo) {
  EXPECT_EQ(system_message(ENOENT), "No such file or directory");
  EXPECT_EQ(system_message(ENOENT, "name another"), "No such file or directory; name another");
  EXPECT_EQ(system_message(EMFILE, "name another"), "Too many open files; raise `ulimit -n`");
  EXPECT_EQ(system_message(ENOSPC), "No space left on device; free some space or choose another folder");
}

}  // namespace
}  // namespace nmt
