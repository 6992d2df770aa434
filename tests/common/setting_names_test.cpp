#include <gtest/gtest.h>

#include "common/text/spelling.h"

namespace nmt {
namespace {

TEST(WithOptions, ShowsSettingsAsOptions) {
  EXPECT_EQ(with_options("raise `max_length`"), "raise --max-length");
  EXPECT_EQ(with_options("`steps`, `stop_after`: (`d_model`)"), "--steps, --stop-after: (--d-model)");
  EXPECT_EQ(with_options("lower --learning-rate"), "lower --learning-rate");
}

TEST(WithFields, ShowsSettingsAsFields) {
  EXPECT_EQ(with_fields("`beam` is 3 and `beam_groups` 2"), "'beam' is 3 and 'beam_groups' 2");
  EXPECT_EQ(with_fields("`A` 'x' --beam"), "`A` 'x' --beam");
}

TEST(WithOptions, LeavesOtherTextAsItIs) {
  for (const char* text : {"", "`", "``", "a `b c` d", "`A`", "`_a`", "`a_`", "a`"})
    EXPECT_EQ(with_options(text), text);
  EXPECT_EQ(with_options("' `' `beam` 'x`y'"), "' `' --beam 'x`y'");
}

}  // namespace
}  // namespace nmt
