#include "common/job_context.h"

#include <gtest/gtest.h>

#include <utility>

namespace nmt {
namespace {

/// A button, which a program might have instead of signals.
class Button final : public StopRequest {
 public:
  int pending() const override { return pressed_; }
  void request(int number) override { pressed_ = number; }
  void postpone() override { ++postponed; }
  void end_postponement() override { --postponed; }
  const char* set_notice(const char* text) override { return std::exchange(notice, text); }

  int postponed = 0;
  const char* notice = nullptr;

 private:
  int pressed_ = 0;
};

TEST(StopRequest, NeverComesByItself) {
  never_stopped().request(1);
  EXPECT_EQ(never_stopped().pending(), 0);
  EXPECT_NO_THROW(JobContext().stop->check());
}

TEST(StopRequest, EndsWorkThatLooks) {
  Button button;
  EXPECT_NO_THROW(button.check());
  button.request(7);
  try {
    button.check();
    FAIL();
  } catch (const Interrupted& interrupted) {
    EXPECT_EQ(interrupted.signal(), 7);
  }
  EXPECT_EQ(never_stopped().pending(), 0) << "others go on";
}

TEST(StopRequest, HearsWhatIsBroughtToItsEndFirst) {
  Button button;
  {
    const InterruptDeferral work(button);
    const InterruptNotice outer(button, "outer");
    {
      const InterruptNotice inner(button, "inner");
      EXPECT_STREQ(button.notice, "inner");
    }
    EXPECT_STREQ(button.notice, "outer");
    EXPECT_EQ(button.postponed, 1);
  }
  EXPECT_EQ(button.postponed, 0);
  EXPECT_EQ(button.notice, nullptr);
}

}  // namespace
}  // namespace nmt
