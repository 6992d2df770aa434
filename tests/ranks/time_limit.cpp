// Ranks that wait for one another forever end the program of tests, which otherwise would block whoever runs
// it. ctest has a limit of its own.
#include <gtest/gtest.h>
#include <unistd.h>

namespace nmt {
namespace {

class TimeLimit final : public ::testing::EmptyTestEventListener {
 public:
  void OnTestStart(const ::testing::TestInfo& /*test*/) override { ::alarm(kSeconds); }
  void OnTestEnd(const ::testing::TestInfo& /*test*/) override { ::alarm(0); }

 private:
  static constexpr unsigned kSeconds = 300;  // the signal ends the program
};

const bool has_time_limit = [] {
  ::testing::UnitTest::GetInstance()->listeners().Append(new TimeLimit);
  return true;
}();

}  // namespace
}  // namespace nmt
