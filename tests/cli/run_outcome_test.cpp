#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "cli/program.h"
#include "cli/training/run_average.h"
#include "common/temporary_folder.h"

namespace nmt {
namespace {

std::string said(const std::string& path, const std::vector<BestValidations::Entry>& best,
                 const std::string& best_by, bool has_source = true) {
  program_log().set_level(LogLevel::info);
  ::testing::internal::CaptureStderr();
  log_outcome(path, best, best_by, has_source);
  return ::testing::internal::GetCapturedStderr();
}

TEST(RunOutcome, NamesTheBestValidationAndTheNextCommand) {
  const TemporaryFolder folder;
  const std::string run = folder / "run";
  std::filesystem::create_directory(run);
  EXPECT_EQ(said(run, {}, "perplexity"), "next: nmt translate -m " + run + "\n");
  EXPECT_EQ(said(run, {}, "perplexity", false), "next: nmt score --target - -m " + run + "\n");
  folder.write("run/step-00000010.safetensors", "");
  EXPECT_EQ(said(run + "/", {{10, 12.3456}, {20, 13}}, "perplexity"),
            "best validation: perplexity 12.35 at step 10; its model is '" + run +
                "/step-00000010.safetensors'\nnext: nmt translate -m " + run + "\n");
  for (const char* step : {"20", "30"}) {
    folder.write(std::string("run/step-000000") + step + ".safetensors", "");
  }
  folder.write("run/config.yml", "best_by: bleu\n");
  EXPECT_EQ(said(run, {{40, 31.25}}, "bleu"), "best validation: bleu 31.2 at step 40\nnext: nmt average " +
                                                  run + " && nmt translate -m " + run +
                                                  "/average.safetensors\n");
}

TEST(RunOutcome, SuggestsNoAverageOfCheckpointsThatHaveLittleInCommon) {
  const TemporaryFolder folder;
  const std::string run = folder / "run";
  std::filesystem::create_directory(run);
  for (const char* step : {"222", "810"})
    folder.write(std::string("run/step-00000") + step + ".safetensors", "");
  folder.write("run/config.yml", "best_by: bleu\n");
  EXPECT_EQ(said(run, {}, "bleu"), "next: nmt translate -m " + run + "\n");
}

TEST(RunOutcome, QuotesPathsForAShell) {
  EXPECT_EQ(shell_word("runs/de-en_1.0"), "runs/de-en_1.0");
  EXPECT_EQ(shell_word("my run"), "'my run'");
  EXPECT_EQ(shell_word("it's"), "'it'\\''s'");
  EXPECT_EQ(shell_word("-run"), "./-run");
  EXPECT_EQ(shell_word("~x$(y)"), "'~x$(y)'");
  EXPECT_EQ(shell_word("größer"), "'größer'");
  EXPECT_EQ(shell_word(""), "''");
}

}  // namespace
}  // namespace nmt
