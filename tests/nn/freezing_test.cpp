#include "nn/weights/freezing.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "common/error.h"

namespace nmt {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::ThrowsMessage;

class FreezingTest : public ::testing::Test {
 protected:
  FreezingTest() {
    for (const char* name : {"embedding.weight", "encoder.0.weight", "encoder.0.bias", "encoder.1.weight",
                             "decoder.0.weight", "decoder.0.bias"}) {
      parameters_.add(name, ParameterSpec::vector(4));
    }
  }
  std::set<std::string> frozen(const std::vector<std::string>& patterns) {
    return frozen_parameters(parameters_, patterns);
  }

  Parameters parameters_;
};

TEST_F(FreezingTest, FindsTensorsAndPartsByNamesAndPatterns) {
  EXPECT_THAT(frozen({}), IsEmpty());
  EXPECT_THAT(frozen({"encoder"}), ElementsAre("encoder.0.bias", "encoder.0.weight", "encoder.1.weight"));
  EXPECT_THAT(frozen({"encoder.1"}), ElementsAre("encoder.1.weight"));
  EXPECT_THAT(frozen({"*.bias"}), ElementsAre("decoder.0.bias", "encoder.0.bias"));
  EXPECT_THAT(frozen({"?ecoder", "embedding.weight"}),
              ElementsAre("decoder.0.bias", "decoder.0.weight", "embedding.weight"));
  EXPECT_THAT(frozen({"[de]*coder.0.bias"}), ElementsAre("decoder.0.bias", "encoder.0.bias"));
}

TEST_F(FreezingTest, RefusesWhatNamesNothingAndWhatLeavesNothing) {
  EXPECT_THAT(
      [&] {
        frozen({"decoder", "encodr"});
      },
      ThrowsMessage<UsageError>(HasSubstr("no part and no weight 'encodr', did you mean 'encoder'?; its "
                                          "parts are decoder, embedding, encoder")));
  EXPECT_THROW(frozen({"coder"}), UsageError) << "names are whole ones";
  EXPECT_THROW(frozen({""}), UsageError);
  EXPECT_THAT(
      [&] {
        frozen({"e*", "decoder"});
      },
      ThrowsMessage<UsageError>(HasSubstr("nothing left to train")));
}

}  // namespace
}  // namespace nmt
