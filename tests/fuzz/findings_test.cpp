// Minimal inputs of bugs that fuzzing has found.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "common/error.h"
#include "fuzz/safetensors_parts.h"
#include "fuzz/target.h"

namespace nmt::fuzz {
namespace {

using ::testing::HasSubstr;
using ::testing::Throws;
using ::testing::ThrowsMessage;

TEST(Findings, SettingsThatYamlCppTakesForDocumentsWithoutEnd) {
  EXPECT_THAT([] { yaml_target().load(",<d_ff: : *a\n3"); }, Throws<UsageError>());
}

TEST(Findings, CommandLineWithNoHelp) {
  EXPECT_NO_THROW(command_line_target().load("batch\n--no-help\n"));
}

TEST(Findings, StateWithAFractionForAChecksum) {
  Parts parts = split_safetensors(state_target().seeds().back());
  const std::string corpus = "\"corpus\":";
  parts[2].resize(parts[2].find(corpus));
  parts[2] += corpus + "1.8446744073709552e+19}";
  EXPECT_THAT([&] { state_target().load(join_safetensors(parts)); },
              ThrowsMessage<Error>(HasSubstr("not a complete training state")));
}

TEST(Findings, StateWithCountsThatOverflow) {
  for (const char* count : {"-1", "9223372036854775807", "0.5"}) {
    Parts parts = split_safetensors(state_target().seeds().back());
    const std::size_t epoch = parts[2].find("\"position\":{\"epoch\":1") + 20;
    parts[2].replace(epoch, 1, count);
    EXPECT_THAT([&] { state_target().load(join_safetensors(parts)); },
                ThrowsMessage<Error>(HasSubstr("not a complete training state")))
        << count;
  }
}

TEST(Findings, WeightsWhoseSumsOverflow) {
  Parts parts = split_safetensors(model_target().seeds().front());
  parts[3].assign(parts[3].size(), '\x7F');  // floats near the maximum
  EXPECT_THAT([&] { model_target().load(join_safetensors(parts)); },
              ThrowsMessage<Error>(HasSubstr("computed NaN")));
}

}  // namespace
}  // namespace nmt::fuzz
